internal import HTTPServer

/// The cookie that carries a session's id.
///
/// Behind TLS its name has the prefix `__Host-` (RFC 6265bis section 4.1.3.2): the browser then accepts it only with `Secure`, for
/// this host and the path `/`, so that no neighboring host can put a session into it. Browsers refuse that prefix over plain
/// HTTP, where the name has none.
enum SessionCookie {
  static let name = "postrider_session"
  static let secureName = "__Host-" + name

  /// Whether the browser came by TLS: to this server, or as the proxy in front says.
  ///
  /// A lie there touches the liar's own cookie only.
  static func isSecure(_ request: HTTPRequestHead) -> Bool {
    request.isSecure || request.headers.first("X-Forwarded-Proto") == "https"
  }

  /// The id in a request's cookies; nil when there is none.
  static func read(_ request: HTTPRequestHead) -> String? {
    guard let line = request.headers.first("Cookie") else { return nil }
    let name = isSecure(request) ? secureName : name
    for part in line.split(separator: ";") {
      let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      if pair.count == 2, pair[0] == name { return String(pair[1]) }
    }
    return nil
  }

  /// Puts an id into the browser; nil takes it out.
  static func header(_ id: String?, _ request: HTTPRequest) -> (name: String, value: String) {
    let isSecure = isSecure(request.head)
    var text = "\(isSecure ? secureName : name)=\(id ?? ""); Path=/; HttpOnly; SameSite=Strict"
    text += id == nil ? "; Max-Age=0" : "; Max-Age=\(SessionRing.lifetimeMs / 1_000)"
    if isSecure { text += "; Secure" }
    return ("Set-Cookie", text)
  }
}
