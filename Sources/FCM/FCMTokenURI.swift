/// The parts of a key file's `token_uri`.
public struct FCMTokenURI: Sendable, Hashable {
  /// The text as in the key file; it is the audience of the assertion.
  public let text: String
  /// The host, without brackets when it is an IPv6 address.
  public let host: String
  /// The port; 443 when the text names none.
  public let port: UInt16
  /// The path with the query, at least `/`.
  public let path: String

  /// Reads an `https` URI.
  ///
  /// The token endpoint is reached over TLS, by HTTP/2 or HTTP/1.1; `http` would show the assertion to everyone on the way, and is
  /// refused.
  public init(_ text: String) throws(FCMCredentialError) {
    func wrong(_ why: String) -> FCMCredentialError {
      FCMCredentialError("\"token_uri\" \(why); expected a URI such as https://oauth2.googleapis.com/token")
    }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), text.utf8.count <= 2048 else {
      throw wrong("holds characters that no URI has, or is too long")
    }
    guard text.hasPrefix("https://") else { throw wrong("does not begin with https://") }
    let rest = text.dropFirst("https://".count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let tail = rest.dropFirst(authority.count).prefix { $0 != "#" }
    guard !authority.isEmpty, !authority.contains("@") else { throw wrong("has no host, or a user name") }
    guard let (host, port) = FCMTokenURI.split(authority) else {
      throw wrong("has a port that is not a number 1–65535")
    }
    self.text = text
    self.host = host
    self.port = port
    path = tail.hasPrefix("/") ? String(tail) : "/" + tail
  }

  /// The `:authority` of a request.
  public var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == 443 ? name : "\(name):\(port)"
  }

  private static func split(_ authority: Substring) -> (host: String, port: UInt16)? {
    var host = authority
    var port: UInt16 = 443
    let afterBracket =
      authority.hasPrefix("[") ? authority.firstIndex(of: "]") ?? authority.startIndex : authority.startIndex
    if let colon = authority[afterBracket...].lastIndex(of: ":") {
      guard let number = UInt16(authority[authority.index(after: colon)...]), number > 0 else { return nil }
      port = number
      host = authority[..<colon]
    }
    if host.hasPrefix("[") && host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    return host.isEmpty ? nil : (String(host), port)
  }
}
