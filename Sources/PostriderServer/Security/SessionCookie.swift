internal import HTTPServer

/// The cookie that carries a session's id.
///
/// Behind TLS its name has the prefix `__Host-` (RFC 6265bis section 4.1.3.2): the browser then accepts it only with `Secure`, for
/// this host and the path `/`, so that no neighboring host can put a session into it. Browsers refuse that prefix over plain
/// HTTP, where the name has none.
enum SessionCookie {
  static let name = "postrider_session"
  private static let securePrefix = "__Host-"

  /// Whether the browser came by TLS: to this server, or as the proxy in front says.
  ///
  /// A lie there touches the liar's own cookie only.
  static func isSecure(_ request: HTTPRequestHead) -> Bool {
    request.isSecure || request.headers.first("X-Forwarded-Proto") == "https"
  }

  /// The id in a request's cookies; nil when there is none.
  static func read(_ request: HTTPRequestHead) -> String? { value(name, request) }

  /// Puts an id into the browser; nil takes it out.
  static func header(_ id: String?, _ request: HTTPRequest) -> (name: String, value: String) {
    header(name, id, maxAge: SessionRing.lifetimeMs / 1_000, request)
  }

  /// The value of a cookie of ours; nil when there is none.
  static func value(_ name: String, _ request: HTTPRequestHead) -> String? {
    guard let line = request.headers.first("Cookie") else { return nil }
    let name = isSecure(request) ? securePrefix + name : name
    for part in line.split(separator: ";") {
      let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      if pair.count == 2, pair[0] == name { return String(pair[1]) }
    }
    return nil
  }

  /// Puts a cookie of ours into the browser; nil takes it out.
  static func header(
    _ name: String, _ value: String?, maxAge: Int64, _ request: HTTPRequest
  ) -> (name: String, value: String) {
    let isSecure = isSecure(request.head)
    var text = "\(isSecure ? securePrefix : "")\(name)=\(value ?? ""); Path=/; HttpOnly; SameSite=Strict"
    text += "; Max-Age=\(value == nil ? 0 : maxAge)"
    if isSecure { text += "; Secure" }
    return ("Set-Cookie", text)
  }
}
