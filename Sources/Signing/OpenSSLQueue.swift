internal import COpenSSL

/// OpenSSL's per-thread error queue: emptied before a call and drained after one that failed.
enum OpenSSLQueue {
  static func clear() { ERR_clear_error() }

  /// The reason of the oldest queued error, in OpenSSL's words, and an empty queue afterwards.
  static func drain() -> String {
    let code = ERR_get_error()
    defer { ERR_clear_error() }
    guard code != 0, let reason = ERR_reason_error_string(code) else { return "no further detail" }
    return String(cString: reason)
  }

  /// An error for a step of OpenSSL that has no business failing (memory, a missing algorithm).
  static func failure(_ step: String) -> SigningError {
    SigningError(.library, "OpenSSL cannot \(step): \(drain())")
  }
}
