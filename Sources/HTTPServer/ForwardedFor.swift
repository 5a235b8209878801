import Glibc

/// The header in which a proxy names the client it forwards for.
public enum ForwardedHeader: String, Sendable, Hashable, CaseIterable {
  /// `X-Forwarded-For: client, proxy`, as most proxies write it.
  case xForwardedFor = "x-forwarded-for"
  /// `Forwarded: for=client, for=proxy` (RFC 7239).
  case forwarded
}

/// A block of addresses such as `10.0.0.0/8` or `2001:db8::/32`.
public struct AddressBlock: Sendable, Hashable {
  private let address: [UInt8]
  private let bits: Int

  /// A block from its usual text, or an address, which is a block of one; nil when the text is neither.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, !text.contains("["), let peer = HTTPPeer(parsing: parts[0]) else { return nil }
    // A port has no meaning here, and `1.2.3.4:80` must not be taken for `1.2.3.4`.
    guard peer.address.count == 16 || !parts[0].contains(":") else { return nil }
    var bits = peer.address.count * 8
    if parts.count == 2 {
      guard let given = Int(parts[1]), (0...bits).contains(given) else { return nil }
      bits = given
    }
    address = peer.address
    self.bits = bits
  }

  /// Whether an address lies in the block.
  public func contains(_ peer: HTTPPeer) -> Bool {
    guard peer.address.count == address.count else { return false }
    let whole = bits / 8
    guard peer.address[..<whole] == address[..<whole] else { return false }
    let rest = bits % 8
    guard rest > 0 else { return true }
    let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - rest))
    return peer.address[whole] & mask == address[whole] & mask
  }
}

/// Finds the client behind the proxies that the configuration names.
struct ForwardedFor: Sendable {
  let proxies: [AddressBlock]
  let header: ForwardedHeader

  /// The client of a request that came over a connection of `peer`.
  ///
  /// Proxies append, so the list is read from its end: everything before the first address that is not a trusted
  /// proxy's was written by the client and can be forged.
  func client(of peer: HTTPPeer, _ headers: HTTPHeaders) -> HTTPPeer {
    guard !proxies.isEmpty, isProxy(peer) else { return peer }
    var client = peer
    for hop in hops(headers).reversed() {
      guard let address = HTTPPeer(parsing: hop) else { return client }
      client = address
      guard isProxy(address) else { return client }
    }
    return client
  }

  func isProxy(_ peer: HTTPPeer) -> Bool { proxies.contains { $0.contains(peer) } }

  private func hops(_ headers: HTTPHeaders) -> [String] {
    switch header {
    case .xForwardedFor:
      headers.values("X-Forwarded-For").flatMap { Self.split($0, at: ",") }
    case .forwarded:
      headers.values("Forwarded").flatMap { Self.split($0, at: ",") }.map { element in
        let pair = Self.split(element, at: ";").first { $0.lowercased().hasPrefix("for=") }
        return pair.map { $0.dropFirst(4).filter { $0 != "\"" } } ?? ""
      }
    }
  }

  /// The parts of a list, without the space around them; an empty part stays, as an address that cannot be read.
  private static func split(_ text: String, at separator: Character) -> [String] {
    text.split(separator: separator, omittingEmptySubsequences: false).map { part in
      var part = part.drop { $0 == " " || $0 == "\t" }
      while part.last == " " || part.last == "\t" { part.removeLast() }
      return String(part)
    }
  }
}
