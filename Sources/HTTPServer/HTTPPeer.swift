import Glibc

/// Who is at the other end of a connection: the network address, without the port.
///
/// Behind a proxy it is the proxy's.
public struct HTTPPeer: Sendable, Hashable {
  /// 4 bytes of IPv4, 16 bytes of IPv6, or none when it is not known.
  public let address: [UInt8]

  /// Wraps an address.
  public init(address: [UInt8]) { self.address = address }

  /// Nobody knows who.
  public static let unknown = HTTPPeer(address: [])

  /// The network an abuser can move in freely: the address of IPv4, the first 64 bits of IPv6.
  public var network: [UInt8] { Array(address.prefix(8)) }

  /// The peer of a connected socket.
  init(socket: Int32) {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    address = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        guard getpeername(socket, generic, &size) == 0 else { return [] }
        let raw = UnsafeRawBufferPointer(start: generic, count: Int(size))
        switch Int32(generic.pointee.sa_family) {
        // The address follows family and port; in IPv6, also the flow label.
        case AF_INET where size >= 8: return Array(raw[4..<8])
        case AF_INET6 where size >= 24: return Array(raw[8..<24])
        default: return []
        }
      }
    }
  }
}
