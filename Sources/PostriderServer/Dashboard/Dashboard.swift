internal import CDashboard
internal import HTTPServer
internal import Signing

/// The dashboard's files, served from the program itself at `/` and below `/dashboard/`, and those of ``SiteFiles``.
///
/// They hold no data: what they show comes from the API, with the rights of the session's key.
enum Dashboard {
  /// One file.
  struct Asset: Sendable {
    let contentType: String
    let bytes: [UInt8]
    /// The same in gzip's form, made once for all browsers; nil where that would gain nothing.
    let compressed: [UInt8]?
    /// A strong validator (RFC 9110 section 8.8.3): the digest of the bytes.
    let tag: String

    init(_ path: String, contentType: String, bytes: [UInt8]) {
      self.contentType = contentType
      self.bytes = path.hasPrefix("/dashboard/") && contentType.contains("javascript") ? withoutComments(bytes) : bytes
      compressed = self.bytes.count < Gzip.bytesMin ? nil : Gzip.compress(self.bytes, level: Gzip.thorough)
      tag = "\"" + Base64URL.encode(Array(SHA256.digest(self.bytes).prefix(12))) + "\""
    }
  }

  /// All files by path.
  static let assets: [String: Asset] = {
    var assets: [String: Asset] = [:]
    var index = 0
    while let file = unsafe postrider_asset_at(index)?.pointee {
      let bytes = unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
      let path = unsafe String(cString: file.path)
      assets[path] = unsafe Asset(path, contentType: String(cString: file.type), bytes: bytes)
      index += 1
    }
    return assets
  }()

  /// A script without the lines that are only a comment: they are a tenth of what a browser would fetch.
  ///
  /// Such a line never begins inside of a text in the dashboard's scripts; `DashboardTests` looks for that.
  static func withoutComments(_ script: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    kept.reserveCapacity(script.count)
    var from = 0
    while from < script.count {
      let end = script[from...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? script.count
      let text = script[from..<end].drop { $0 == UInt8(ascii: " ") }
      if !text.starts(with: "//".utf8) { kept += script[from..<end] }
      from = end
    }
    return kept
  }

  /// What the browser lets the pages do: nothing that is not here.
  ///
  /// No inline script or style, no other origin, no frame around it, no form that goes elsewhere. WebAssembly may be compiled
  /// only where the server has a module.
  static func policy(hasModule: Bool) -> String { hasModule ? policyWithModule : policy }

  private static let policy = policy("script-src 'self'")
  private static let policyWithModule = policy("script-src 'self' 'wasm-unsafe-eval'")

  private static func policy(_ scripts: String) -> String {
    [
      "default-src 'none'", scripts, "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
      "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
    ].joined(separator: "; ")
  }

  private static let securityHeaders: [(name: String, value: String)] = [
    ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
  ]

  /// Whether a path is that of a file of the dashboard.
  static func has(_ path: String) -> Bool { assets[path] != nil || path == CoreModule.path }

  /// Whether a request is for a file of the dashboard.
  static func leads(_ head: HTTPRequestHead) -> Bool {
    (head.method == .get || head.method == .head) && has(head.target.path)
  }

  /// A file of the dashboard; nil for any other path.
  static func response(to request: HTTPRequest, module: CoreModule?) -> HTTPResponse? {
    guard leads(request.head) else { return nil }
    let securityHeaders = [("Content-Security-Policy", policy(hasModule: module != nil))] + securityHeaders
    guard let asset = assets[request.path] else {
      var response = CoreModule.response(module, to: request)
      response.headers += securityHeaders
      return response
    }
    // Cached by the browser and revalidated each time, so that an upgraded server's files are loaded immediately.
    let isCompressed = asset.compressed != nil && Gzip.isTaken(request.headers.first("Accept-Encoding"))
    let tag = isCompressed ? EntityTag.gzipped(asset.tag) : asset.tag
    let headers =
      [("ETag", tag), ("Cache-Control", "no-cache")] + (isCompressed ? [("Vary", "Accept-Encoding")] : [])
      + (SiteFiles.has(request.path) ? SiteFiles.headers(request.path) : securityHeaders)
    if let known = request.headers.first("If-None-Match"), matches(known, tag) {
      return HTTPResponse(status: 304, headers: headers)
    }
    let type = [("Content-Type", asset.contentType)]
    guard isCompressed, let compressed = asset.compressed else {
      return HTTPResponse(status: 200, headers: type + headers, bytes: asset.bytes)
    }
    return HTTPResponse(
      status: 200, headers: type + headers + [("Content-Encoding", "gzip")], bytes: compressed)
  }

  /// Whether a list of validators contains this one; comparison is weak, as `If-None-Match` requires.
  static func matches(_ list: String, _ tag: String) -> Bool {
    list.split(separator: ",").contains { part in
      let text = part.drop { $0 == " " || $0 == "\t" }
      return text == "*" || text == tag || (text.hasPrefix("W/") && text.dropFirst(2) == tag)
    }
  }
}

extension HTTPResponse {
  /// The response to a browser's session: not cached, and with its content type not guessed.
  func kept(from request: HTTPRequest) -> HTTPResponse {
    guard request.headers.occurrences(of: "Cookie") > 0, !Dashboard.has(request.path) else { return self }
    var response = self
    if !headers.contains(where: { $0.name == "Cache-Control" }) {
      response.headers.append(("Cache-Control", "no-store"))
    }
    response.headers.append(("X-Content-Type-Options", "nosniff"))
    return response
  }
}
