internal import Glibc
internal import System

/// An IPv4 or IPv6 address with a port.
struct SocketAddress: Sendable, CustomStringConvertible {
  private let storage: sockaddr_storage
  private let length: socklen_t

  /// Copies what the system gave; `length` bytes are read.
  init(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
    var storage = sockaddr_storage()
    let count = min(Int(length), MemoryLayout<sockaddr_storage>.size)
    unsafe withUnsafeMutableBytes(of: &storage) {
      unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: count))
    }
    self.storage = storage
    self.length = socklen_t(count)
  }

  /// All addresses of a host.
  ///
  /// Blocks during a DNS query, unless `numericOnly`.
  static func lookUp(_ host: String, port: UInt16, numericOnly: Bool) -> Result<[SocketAddress], LookupError> {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = Socket.streamType
    unsafe hints.ai_flags = numericOnly ? AI_NUMERICHOST | AI_NUMERICSERV : AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let result = unsafe getaddrinfo(host, String(port), &hints, &list)
    guard result == 0 else { return unsafe .failure(LookupError(why: String(cString: gai_strerror(result)))) }
    defer { unsafe freeaddrinfo(list) }
    var found: [SocketAddress] = []
    var next = unsafe list
    while let row = unsafe next {
      if let address = unsafe row.pointee.ai_addr {
        unsafe found.append(SocketAddress(address, length: row.pointee.ai_addrlen))
      }
      unsafe next = unsafe row.pointee.ai_next
    }
    return .success(found)
  }

  var family: Int32 { Int32(storage.ss_family) }

  func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    unsafe withUnsafePointer(to: storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
    }
  }

  /// The port.
  var port: UInt16 {
    // The port is at the same offset in `sockaddr_in` and `sockaddr_in6`.
    unsafe withPointer { pointer, _ in
      unsafe UnsafeRawPointer(pointer).withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        unsafe UInt16(bigEndian: $0.pointee.sin_port)
      }
    }
  }

  /// `127.0.0.1:443` or `[::1]:443`.
  var description: String {
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let result = unsafe withPointer {
      unsafe getnameinfo(
        $0, $1, &host, socklen_t(host.count), &service, socklen_t(service.count), NI_NUMERICHOST | NI_NUMERICSERV)
    }
    guard result == 0 else { return "unknown address" }
    let (name, port) = (SystemError.text(host), SystemError.text(service))
    return family == AF_INET6 ? "[\(name)]:\(port)" : "\(name):\(port)"
  }
}

/// A name that has no address, in the resolver's words.
struct LookupError: Error {
  let why: String
}

/// Looks up names on threads of its own, since the system's resolver blocks.
enum AddressLookup {
  /// How many look-ups may run at a time; the resolver bounds each to about half a minute.
  static let limit = 64

  private static let threads = BoundedThreads("look-up", limit: limit)

  private static func lookUp(
    _ host: String, port: UInt16, _ resolver: HTTP2Resolver?
  ) -> Result<[SocketAddress], LookupError> {
    guard let resolver else { return SocketAddress.lookUp(host, port: port, numericOnly: false) }
    var found: [SocketAddress] = []
    for (address, port) in resolver(host, port) {
      switch SocketAddress.lookUp(address, port: port, numericOnly: true) {
      case .success(let addresses): found += addresses
      case .failure: return .failure(LookupError(why: "the resolver gave \"\(address)\", which is no address"))
      }
    }
    return found.isEmpty ? .failure(LookupError(why: "the resolver knows no address")) : .success(found)
  }

  /// Calls `done` on the loop, unless the loop ends first.
  static func start(
    _ host: String, port: UInt16, resolver: HTTP2Resolver?, on loop: EventLoop,
    _ done: @escaping @Sendable (Result<[SocketAddress], LookupError>) -> Void
  ) {
    let isStarted = threads.run {
      let result = lookUp(host, port: port, resolver)
      loop.execute { done(result) }
    }
    guard !isStarted else { return }
    let why = "\(limit) look-ups are running already, or the system gives no thread; try again later"
    loop.execute { done(.failure(LookupError(why: why))) }
  }
}
