internal import Basics
internal import Glibc

/// Which addresses of a host a connection may go to.
public enum HTTP2AddressPolicy: Sendable, Hashable {
  /// Every address.
  case any
  /// Addresses that are reachable from the public Internet: not loopback, private, link-local, shared, reserved or
  /// multicast ones (IANA special-purpose address registries), and not such IPv4 addresses inside IPv6 ones.
  case publicOnly

  /// Whether an address is allowed.
  func allows(_ address: SocketAddress) -> Bool {
    switch self {
    case .any: true
    case .publicOnly: address.isPublic
    }
  }
}

extension SocketAddress {
  /// Whether the address is reachable from the public Internet.
  var isPublic: Bool {
    switch family {
    case AF_INET: PublicAddress.isPublic(v4: v4)
    case AF_INET6: PublicAddress.isPublic(v6: v6)
    default: false
    }
  }

  private var v4: UInt32 {
    unsafe withPointer { pointer, _ in
      unsafe UnsafeRawPointer(pointer).withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        unsafe UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
      }
    }
  }

  private var v6: [UInt8] {
    unsafe withPointer { pointer, _ in
      unsafe UnsafeRawPointer(pointer).withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        unsafe withUnsafeBytes(of: $0.pointee.sin6_addr) { unsafe Array($0) }
      }
    }
  }
}
