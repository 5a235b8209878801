internal import Basics
internal import HTTPServer
internal import Signing

/// Who may use the control API over the network.
///
/// A browser on the same machine reaches a loopback port, so the address alone proves nothing. Requests of other sites
/// are recognized by `Origin` and `Sec-Fetch-Site`, names that were rebound to this address by `Host`, and everything
/// that changes something or shows a secret needs the token that was printed at the start, which no page knows.
struct ControlGuard: Sendable {
  /// The token that writes and secrets need.
  let token: String
  /// Names besides addresses and `localhost` under which the port may be called, in lower case.
  let allowedHosts: [String]

  /// The shortest token that may be chosen, in bytes.
  static let tokenBytesMin = 16
  /// The longest token that may be chosen, in bytes.
  static let tokenBytesMax = 200

  /// A token of 128 random bits.
  static func makeToken() -> String { "emu_" + Hex.encode(SecureRandom.bytes(16)) }

  /// Whether a text can be a token: visible ASCII, and long enough not to be guessed.
  static func isToken(_ text: String) -> Bool {
    (tokenBytesMin...tokenBytesMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// Why a request to the control API is refused; nil when it may pass.
  func refusal(of head: HTTPRequestHead, bodyBytes: Int) -> ControlAnswer? {
    if let refusal = Self.crossSiteRefusal(of: head) { return refusal }
    guard let host = head.headers.first("host"), isAllowed(host) else {
      return .problem(
        403, "the Host is neither an address, nor localhost, nor a name given with --allowed-host")
    }
    if bodyBytes > 0, !Self.isJSON(head.headers.first("content-type") ?? "") {
      return .problem(415, "the body must be sent as Content-Type: application/json")
    }
    guard Self.needsToken(head), !isAuthorized(head.headers.first("authorization") ?? "") else { return nil }
    return .problem(
      401, "send Authorization: Bearer with the emulator's token, which it printed when it started")
  }

  /// Why a request is refused that another site's page made; nil for programs and for pages of this port.
  static func crossSiteRefusal(of head: HTTPRequestHead) -> ControlAnswer? {
    let site = head.headers.first("sec-fetch-site")
    let origin = head.headers.first("origin")
    let isOwnOrigin = origin == nil || origin == head.headers.first("host").map { "http://" + $0 }
    if site == nil || site == "same-origin" || site == "none", isOwnOrigin { return nil }
    return .problem(403, "the emulator answers no request that a page of another site makes")
  }

  /// Reading is free but for secrets: no page of another site can read an answer.
  private static func needsToken(_ head: HTTPRequestHead) -> Bool {
    head.method != .get || head.target.segments.dropFirst().first == "credentials"
  }

  private static func isJSON(_ type: String) -> Bool {
    let name = type.prefix { $0 != ";" }.lowercased()
    return name.split(separator: " ").joined() == "application/json"
  }

  private func isAuthorized(_ header: String) -> Bool {
    let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
    return constantTimeEqual(Array(parts[1].utf8), Array(token.utf8))
  }

  /// An address cannot be rebound, a name can.
  private func isAllowed(_ host: String) -> Bool {
    guard let name = Self.hostName(host) else { return false }
    return name == "localhost" || Self.isAddress(name) || allowedHosts.contains(name)
  }

  /// The name or address of a `Host`, without port and brackets, in lower case; nil when it is malformed.
  private static func hostName(_ host: String) -> String? {
    let bytes = Array(host.lowercased().utf8)
    var end = bytes.count
    if bytes.first == UInt8(ascii: "[") {
      guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      end = close + 1
    } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
      end = colon
    }
    let port = bytes[end...]
    let isPort = port.isEmpty || port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy { $0 &- 0x30 < 10 }
    guard isPort, end > 0 else { return nil }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// Whether a text is an address in digits: dotted for IPv4, in brackets for IPv6.
  private static func isAddress(_ name: String) -> Bool {
    if name.hasPrefix("[") {
      return name.dropFirst().dropLast().utf8.allSatisfy { byte in
        byte &- 0x30 < 10 || byte &- 0x61 < 6 || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
      }
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in UInt8(part) != nil && part.utf8.allSatisfy { $0 &- 0x30 < 10 } }
  }
}
