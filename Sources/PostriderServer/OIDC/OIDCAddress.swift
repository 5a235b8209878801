/// An address of an identity provider: `https`, or `http` on this machine.
struct OIDCAddress: Sendable, Hashable {
  let text: String
  let isTLS: Bool
  /// The host as it is written, in lower case; an IPv6 address without brackets.
  let host: String
  private let isQueryless: Bool

  static let bytesMax = 2_048

  /// Nil for what a client could read in another way: user names, fragments, escapes in the host, other schemes.
  init?(_ text: String) {
    guard text.utf8.count <= OIDCAddress.bytesMax, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      !text.contains(where: { "#\\@\"<>".contains($0) }), let scheme = text.firstRange(of: "://")
    else { return nil }
    let name = text[..<scheme.lowerBound]
    let authority = text[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
    guard name == "https" || name == "http", let host = OIDCAddress.host(authority) else { return nil }
    self.text = text
    self.host = host
    isTLS = name == "https"
    isQueryless = !text.contains("?")
    // Whoever listens on the way would read codes and tokens; on this machine nobody does.
    guard isTLS || ["127.0.0.1", "::1", "localhost"].contains(host) else { return nil }
  }

  /// Whether it has no query, as an issuer must not (OpenID Connect Discovery section 3).
  var isBare: Bool { isQueryless }

  private static func host(_ authority: Substring) -> String? {
    var host = authority
    var port: Substring = ""
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      host = authority[authority.index(after: authority.startIndex)..<end]
      port = authority[authority.index(after: end)...]
      guard host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
    } else {
      if let colon = authority.firstIndex(of: ":") {
        host = authority[..<colon]
        port = authority[colon...]
      }
      guard host.utf8.allSatisfy(isNamePart) else { return nil }
    }
    guard !host.isEmpty, port.isEmpty || port.first == ":" && UInt16(port.dropFirst()) ?? 0 > 0 else { return nil }
    return host.lowercased()
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    default: false
    }
  }
}
