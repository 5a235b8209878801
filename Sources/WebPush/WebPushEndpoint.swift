internal import Basics
internal import Glibc

/// The address of a subscription at its push service (RFC 8030 section 2, “push resource”), taken apart.
///
/// Whoever has it can have pushes sent to the subscriber; descriptions have the origin only.
public struct WebPushEndpoint: Sendable, Hashable, CustomStringConvertible {
  /// The longest address that is accepted, in bytes; real ones have 100 to 400.
  public static let bytesMax = 2048

  /// The address, with scheme and host in lower case, so that one subscription has one spelling.
  public let url: String
  /// The host in lower case, IPv6 addresses without brackets.
  public let host: String
  /// The port; 443 unless the address has another one.
  public let port: UInt16
  /// Path and query, as they are sent.
  public let path: String

  /// Takes an address apart.
  ///
  /// - Throws: ``WebPushError`` for anything but an `https` URL with a host, without user, password or fragment.
  public init(_ url: String) throws(WebPushError) {
    func wrong(_ what: String) -> WebPushError { WebPushError("endpoint", what) }
    let bytes = Array(url.utf8)
    guard bytes.count <= Self.bytesMax else { throw wrong("the address is longer than \(Self.bytesMax) bytes") }
    guard bytes.allSatisfy(Self.isURLByte) else {
      throw wrong(
        "the address has characters that a URL cannot have; take the endpoint of the browser's PushSubscription")
    }
    let scheme = "https://"
    guard bytes.count > scheme.utf8.count, url.prefix(scheme.count).lowercased() == scheme else {
      throw wrong("the address does not begin with https://; take the endpoint of the browser's PushSubscription")
    }
    guard !bytes.contains(UInt8(ascii: "#")) else {
      throw wrong("the address has a fragment; remove # and what follows")
    }
    let rest = bytes[scheme.utf8.count...]
    let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
    let authority = rest[..<end]
    guard !authority.contains(UInt8(ascii: "@")) else { throw wrong("the address has a user name; remove it") }
    guard let (host, port) = Self.hostAndPort(authority) else {
      throw wrong("the address has no valid host and port; take the endpoint of the browser's PushSubscription")
    }
    let path = String(decoding: rest[end...], as: UTF8.self)
    self.url = scheme + String(decoding: authority, as: UTF8.self).lowercased() + path
    self.host = host
    self.port = port
    self.path = path.hasPrefix("/") ? path : "/" + path
  }

  /// Scheme, host and port (RFC 6454): the `aud` of VAPID tokens, and what connections are shared by.
  public var origin: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == 443 ? "https://\(name)" : "https://\(name):\(port)"
  }

  /// The origin; the path names the subscriber.
  public var description: String { origin + "/…" }

  private static func hostAndPort(_ authority: ArraySlice<UInt8>) -> (String, UInt16)? {
    var name = authority
    var port: UInt16 = 443
    if let colon = authority.lastIndex(of: UInt8(ascii: ":")), authority.last != UInt8(ascii: "]") {
      let digits = authority[(colon + 1)...]
      guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = UInt16(String(decoding: digits, as: UTF8.self)), number > 0
      else { return nil }
      name = authority[..<colon]
      port = number
    }
    let isIPv6 = name.first == UInt8(ascii: "[") && name.last == UInt8(ascii: "]")
    if isIPv6 { name = name.dropFirst().dropLast() }
    guard !name.isEmpty, name.count <= 253, name.allSatisfy({ isIPv6 ? isAddressByte($0) : isHostByte($0) }) else {
      return nil
    }
    return (String(decoding: name, as: UTF8.self).lowercased(), port)
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    default: false
    }
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66, UInt8(ascii: ":"), UInt8(ascii: "."): true
    default: false
    }
  }

  /// The visible characters of RFC 3986, without those that must be escaped.
  private static func isURLByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
      UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
      false
    default: (0x21...0x7E).contains(byte)
    }
  }
}

extension WebPushEndpoint {
  /// Whether the host is an address that is not public, in any of the spellings that the system's resolver reads, or a
  /// name of this machine.
  ///
  /// What a name resolves to is looked at when the connection is made.
  public var namesPrivateAddress: Bool {
    // The point of a complete name changes nothing but its spelling.
    let host = host.hasSuffix(".") ? String(host.dropLast()) : host
    if host == "localhost" || host.hasSuffix(".localhost") { return true }
    var v4 = in_addr()
    if unsafe inet_aton(host, &v4) == 1 { return !PublicAddress.isPublic(v4: UInt32(bigEndian: v4.s_addr)) }
    var v6 = in6_addr()
    guard host.contains(":"), unsafe inet_pton(AF_INET6, host, &v6) == 1 else { return false }
    return unsafe !PublicAddress.isPublic(v6: withUnsafeBytes(of: v6) { unsafe Array($0) })
  }
}
