internal import CDashboard
internal import HTTPServer
internal import Signing

/// The dashboard's files, served from the program itself at `/` and below `/dashboard/`.
///
/// They hold no data: what they show comes from the API, with the rights of the session's key.
enum Dashboard {
  /// One file.
  struct Asset: Sendable {
    let contentType: String
    let bytes: [UInt8]
    /// A strong validator (RFC 9110 section 8.8.3): the digest of the bytes.
    let tag: String
  }

  /// All files by path.
  static let assets: [String: Asset] = {
    var assets: [String: Asset] = [:]
    var index = 0
    while let file = postrider_asset_at(index)?.pointee {
      let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
      let tag = "\"" + Base64URL.encode(Array(SHA256.digest(bytes).prefix(12))) + "\""
      assets[String(cString: file.path)] = Asset(contentType: String(cString: file.type), bytes: bytes, tag: tag)
      index += 1
    }
    return assets
  }()

  /// What the browser lets the pages do: nothing that is not here.
  ///
  /// No inline script or style, no other origin, no frame around it, no form that goes elsewhere.
  static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
  ].joined(separator: "; ")

  static let securityHeaders: [(name: String, value: String)] = [
    ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
  ]

  /// Whether a request is for a file of the dashboard.
  static func leads(_ head: HTTPRequestHead) -> Bool {
    (head.method == .get || head.method == .head) && assets[head.target.path] != nil
  }

  /// A file of the dashboard; nil for any other path.
  static func response(to request: HTTPRequest) -> HTTPResponse? {
    guard leads(request.head), let asset = assets[request.path] else { return nil }
    // Cached by the browser and revalidated each time, so that an upgraded server's files are loaded immediately.
    let headers = [("ETag", asset.tag), ("Cache-Control", "no-cache")] + securityHeaders
    if let known = request.headers.first("If-None-Match"), matches(known, asset.tag) {
      return HTTPResponse(status: 304, headers: headers)
    }
    return HTTPResponse(status: 200, headers: [("Content-Type", asset.contentType)] + headers, bytes: asset.bytes)
  }

  /// Whether a list of validators contains this one; comparison is weak, as `If-None-Match` requires.
  private static func matches(_ list: String, _ tag: String) -> Bool {
    list.split(separator: ",").contains { part in
      let text = part.drop { $0 == " " || $0 == "\t" }
      return text == "*" || text == tag || (text.hasPrefix("W/") && text.dropFirst(2) == tag)
    }
  }
}

extension HTTPResponse {
  /// The response to a browser's session: not cached, and with its content type not guessed.
  func kept(from request: HTTPRequest) -> HTTPResponse {
    guard request.headers.occurrences(of: "Cookie") > 0, Dashboard.assets[request.path] == nil else { return self }
    var response = self
    if !headers.contains(where: { $0.name == "Cache-Control" }) {
      response.headers.append(("Cache-Control", "no-store"))
    }
    response.headers.append(("X-Content-Type-Options", "nosniff"))
    return response
  }
}
