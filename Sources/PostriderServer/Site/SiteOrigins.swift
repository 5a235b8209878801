internal import HTTPServer
internal import WebPush

/// Which sites' pages a browser may let read answers of an app's API (CORS): those that the app's credential for browsers
/// names, of the operations that an app's key may use, and no others.
///
/// It takes nothing from the check of the key, which every request has to have; no answer allows cookies.
enum SiteOrigins {
  /// The most origins of an app.
  static let countMax = 32
  /// The longest origin, in bytes.
  static let bytesMax = 300
  /// For how long a browser remembers the answer to a preflight, in seconds.
  static let preflightAge = "600"

  /// What is wrong with an origin; nil when nothing is.
  ///
  /// Without TLS only this machine can be one, for trying things out. Browsers send origins in lower case, without a path
  /// and without the port that the scheme has anyway.
  static func mistake(_ text: String) -> String? {
    let words =
      "expected an origin such as https://www.example.com: scheme, host in lower case and a port if it is not the usual one"
    guard text.utf8.count <= bytesMax, let scheme = text.firstRange(of: "://") else { return words }
    let host = text[scheme.upperBound...]
    let isName = host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
        true
      default: false
      }
    }
    guard isName, !host.isEmpty, host.utf8.last != UInt8(ascii: ":") else { return words }
    switch text[..<scheme.lowerBound] {
    case "https": return host.hasSuffix(":443") ? words : nil
    case "http":
      guard !host.hasSuffix(":80") else { return words }
      let isOwn = ["localhost", "127.0.0.1", "[::1]"].contains { host == $0 || host.hasPrefix($0 + ":") }
      return isOwn ? nil : "expected https; pages without TLS can have service workers on this machine only"
    default: return words
    }
  }
}

extension Dispatcher {
  /// The answer to a preflight of a page that may use a route; nil for any other request.
  func preflight(_ head: HTTPRequestHead) -> HTTPResponse? {
    guard head.method == .options, let method = head.headers.first("Access-Control-Request-Method"),
      case .route(let index, let parameters) = router.match(HTTPMethod(rawValue: method), head.target.segments),
      let origin = allowedOrigin(head, router.routes[index], parameters)
    else { return nil }
    return HTTPResponse(
      status: 204,
      headers: [
        ("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Methods", method),
        ("Access-Control-Allow-Headers", "Authorization, Content-Type, Postrider-Identity"),
        ("Access-Control-Max-Age", SiteOrigins.preflightAge), ("Vary", "Origin"), ("Cache-Control", "no-store"),
      ])
  }

  /// The origin of the page that sent a request, where the app lets it read the answer.
  func allowedOrigin(_ head: HTTPRequestHead, _ route: Route, _ parameters: [String]) -> String? {
    guard case .scopes(let scopes) = route.access, scopes.contains(.client), route.traits.vendor == nil,
      route.parameterNames == ["app"], let origin = head.headers.first("Origin"),
      head.headers.occurrences(of: "Origin") == 1, SiteOrigins.mistake(origin) == nil,
      let web = (try? service.apps.app(named: parameters[0], now: service.now))?.web, web.origins.contains(origin)
    else { return nil }
    return origin
  }
}
