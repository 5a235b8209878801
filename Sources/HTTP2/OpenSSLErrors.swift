internal import COpenSSL

/// The one place that reads OpenSSL's error queue.
enum OpenSSLErrors {
  /// Empties the queue and gives the words of its first error.
  static func drain() -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0 else { return "no further detail" }
    if let reason = ERR_reason_error_string(code) { return String(cString: reason) }
    return "OpenSSL error 0x" + String(code, radix: 16)
  }

  static func clear() { ERR_clear_error() }
}
