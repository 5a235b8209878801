internal import CLinux
import Glibc

/// Who sent a request: the network address, without the port.
///
/// Behind a proxy it is the proxy's, unless ``HTTPServerConfiguration/trustedProxies`` names the proxy.
public struct HTTPPeer: Sendable, Hashable {
  /// 4 bytes of IPv4, 16 bytes of IPv6, or none when it is not known.
  public let address: [UInt8]

  /// Wraps an address.
  public init(address: [UInt8]) { self.address = address }

  /// An unknown peer.
  public static let unknown = HTTPPeer(address: [])

  /// The network an abuser can move in freely: the address of IPv4, the first 64 bits of IPv6.
  public var network: [UInt8] { Array(address.prefix(8)) }

  /// The first 48 bits of IPv6, of which one customer may have 65 536 such networks; nil for IPv4.
  public var site: [UInt8]? { address.count == 16 ? Array(address.prefix(6)) : nil }

  /// The address as a number; IPv4 lies where `::ffff:0:0/96` has it.
  var addressNumber: UInt128 {
    let start: UInt128 = address.count == 4 ? 0xFFFF : 0
    return address.reduce(start) { $0 << 8 | UInt128($1) }
  }

  /// The network whose connections have one share of the server's: the /24 of IPv4, the /64 of IPv6.
  var networkNumber: UInt128 {
    let hostBits = address.count == 4 ? 8 : 64
    return (addressNumber >> hostBits) << hostBits
  }

  /// An address as written by people and proxies: `192.0.2.1`, `2001:db8::1`, `[2001:db8::1]`, each with or without a
  /// port; nil when it is none.
  init?(parsing text: some StringProtocol) {
    var host = String(text)
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
      host = String(host[host.index(after: host.startIndex)..<end])
    } else if let colon = host.firstIndex(of: ":"), host.lastIndex(of: ":") == colon {
      host = String(host[..<colon])
    }
    var bytes = [UInt8](repeating: 0, count: 16)
    if unsafe inet_pton(AF_INET, host, &bytes) == 1 {
      address = Array(bytes[..<4])
    } else if unsafe inet_pton(AF_INET6, host, &bytes) == 1 {
      address = Self.unmapped(bytes)
    } else {
      return nil
    }
  }

  /// An IPv4 address that a socket for both families shows as `::ffff:192.0.2.1` is an IPv4 address.
  private static func unmapped(_ address: [UInt8]) -> [UInt8] {
    let isMapped = address[..<10].allSatisfy { $0 == 0 } && address[10] == 0xFF && address[11] == 0xFF
    return isMapped ? Array(address[12...]) : address
  }

  /// The peer of a connected socket.
  init(socket: Int32) {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    address = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        guard unsafe getpeername(socket, generic, &size) == 0 else { return [] }
        let raw = unsafe UnsafeRawBufferPointer(start: generic, count: Int(size))
        switch unsafe Int32(generic.pointee.sa_family) {
        // The address follows family and port; in IPv6, also the flow label.
        case AF_INET where size >= 8: return unsafe Array(raw[4..<8])
        case AF_INET6 where size >= 24: return unsafe Self.unmapped(Array(raw[8..<24]))
        default: return []
        }
      }
    }
  }
}
