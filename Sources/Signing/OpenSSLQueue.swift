internal import COpenSSL

/// OpenSSL's per-thread error queue: emptied before a call and drained after one that failed.
package enum OpenSSLQueue {
  package static func clear() { ERR_clear_error() }

  /// The reason of the oldest queued error, in OpenSSL's words, and an empty queue afterwards.
  package static func drain() -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0 else { return "no further detail" }
    if let reason = unsafe ERR_reason_error_string(code) { return unsafe String(cString: reason) }
    return "OpenSSL error 0x" + String(code, radix: 16)
  }

  /// An error for a step of OpenSSL that has no business failing (memory, a missing algorithm).
  static func failure(_ step: String) -> SigningError {
    SigningError(.library, "OpenSSL cannot \(step): \(drain())")
  }
}
