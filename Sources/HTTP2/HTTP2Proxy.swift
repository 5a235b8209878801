internal import Basics
internal import Signing

/// An HTTP proxy that opens tunnels with CONNECT (RFC 9110 section 9.3.6).
public struct HTTP2Proxy: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The proxy's host name or address.
  public var host: String
  /// The proxy's port.
  public var port: UInt16
  /// The whole value of `Proxy-Authorization`, such as `Basic …`, if the proxy requires one.
  public var authorization: String?

  /// A proxy.
  public init(host: String, port: UInt16, authorization: String? = nil) {
    self.host = host
    self.port = port
    self.authorization = authorization
  }

  /// Host and port, without the authorization.
  public var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The same, so that no dump of a value shows the authorization.
  public var customMirror: Mirror { Mirror(reflecting: description) }
}

/// Why a text names no proxy; it holds nothing of the text, which may have a password.
public struct HTTP2ProxyError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was expected, and what to do.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension HTTP2Proxy {
  /// The most bytes of the text that names a proxy.
  public static let textBytesMax = 2048

  /// Reads `HOST:PORT`, or `http://USER:PASSWORD@HOST:PORT` with user and password percent-encoded, for Basic
  /// authentication (RFC 7617).
  ///
  /// - Throws: ``HTTP2ProxyError`` for anything else, with what to do about it.
  public init(_ text: String) throws(HTTP2ProxyError) {
    guard text.utf8.count <= Self.textBytesMax else {
      throw HTTP2ProxyError("the address of a proxy has at most \(Self.textBytesMax) bytes")
    }
    var rest = text[...]
    if let end = text.firstRange(of: "://") {
      let scheme = text[..<end.lowerBound].lowercased()
      guard scheme == "http" else { throw Self.wrong(scheme: scheme) }
      rest = text[end.upperBound...]
      if rest.hasSuffix("/") { rest = rest.dropLast() }
    }
    var authorization: String?
    if let at = rest.lastIndex(of: "@") {
      authorization = try Self.basic(rest[..<at])
      rest = rest[rest.index(after: at)...]
    }
    guard let (host, port) = Self.hostAndPort(rest) else {
      throw HTTP2ProxyError(
        "expected a proxy as HOST:PORT or http://USER:PASSWORD@HOST:PORT, with its port and without a path; characters such "
          + "as @, : and / in user and password are percent-encoded")
    }
    self.init(host: host, port: port, authorization: authorization)
  }

  private static func wrong(scheme: String) -> HTTP2ProxyError {
    switch scheme {
    case "https":
      HTTP2ProxyError(
        "a proxy is asked without TLS: begin with http://; what goes through the tunnel is encrypted from end to end")
    case "socks4", "socks4a", "socks5", "socks5h":
      HTTP2ProxyError("a SOCKS proxy is not supported; name an HTTP proxy that opens tunnels with CONNECT")
    default: HTTP2ProxyError("expected a proxy that begins with http://")
    }
  }

  /// The value of `Proxy-Authorization` for `USER:PASSWORD`.
  private static func basic(_ text: Substring) throws(HTTP2ProxyError) -> String {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let user = PercentEncoding.decode(parts[0]),
      let password = PercentEncoding.decode(parts.count > 1 ? parts[1] : "")
    else { throw HTTP2ProxyError("user and password of a proxy: expected two hexadecimal digits behind each %") }
    guard !user.isEmpty, !user.contains(UInt8(ascii: ":")), (user + password).allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else {
      throw HTTP2ProxyError(
        "user and password of a proxy: expected a user, without a colon, and no control characters (RFC 7617)")
    }
    return "Basic " + Base64.encode(user + [UInt8(ascii: ":")] + password)
  }

  private static func hostAndPort(_ text: Substring) -> (host: String, port: UInt16)? {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
      return nil
    }
    var host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed { host = host.dropFirst().dropLast() }
    let isHost = host.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
      case UInt8(ascii: ":"), UInt8(ascii: "%"): isBracketed
      default: false
      }
    }
    return isHost && !host.isEmpty && host.utf8.count <= 253 ? (String(host), port) : nil
  }
}

extension HTTP2Proxy {
  /// Whether a host is an address that is not public, in any spelling that the system's resolver reads, or a name of an inner
  /// network: what a proxy that looks names up is never asked for.
  package static func leadsInside(host: String) -> Bool {
    let host = host.hasSuffix(".") ? String(host.dropLast()) : host
    guard case .success(let found) = SocketAddress.lookUp(host, port: 443, numericOnly: true) else {
      return isInner(name: host)
    }
    return !found.allSatisfy { HTTP2AddressPolicy.publicOnly.allows($0) }
  }

  /// Whether a name belongs to this machine or to an inner network, so that a proxy would look it up there: names without a
  /// dot, and those of the special-use domains (RFC 6761, 6762, 8375, 9476; ICANN's `internal`).
  static func isInner(name: String) -> Bool {
    var name = name.lowercased()
    if name.hasSuffix(".") { name.removeLast() }
    guard let dot = name.lastIndex(of: ".") else { return true }
    return ["localhost", "local", "internal", "intranet", "lan", "corp", "home", "private", "alt"]
      .contains(String(name[name.index(after: dot)...])) || name.hasSuffix(".home.arpa")
  }
}
