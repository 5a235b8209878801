internal import Glibc

/// Calls on non-blocking TCP sockets.
///
/// Would-block is a value, not an error.
enum Socket {
  static let streamType = Int32(SOCK_STREAM.rawValue)
  private static let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

  enum Transfer {
    case bytes(Int)
    case wouldBlock
    case ended
    case failed(Int32)
  }

  /// A new socket for an address, without Nagle's delay.
  static func open(for address: SocketAddress) throws(SystemError) -> Int32 {
    let descriptor = socket(address.family, streamType | flags, 0)
    guard descriptor >= 0 else { throw SystemError("open a socket for", "\(address)") }
    noDelay(descriptor)
    return descriptor
  }

  /// Begins to connect; writable when it is decided.
  static func connect(_ descriptor: Int32, to address: SocketAddress) throws(SystemError) {
    let result = unsafe address.withPointer { unsafe Glibc.connect(descriptor, $0, $1) }
    guard result == 0 || errno == EINPROGRESS else { throw SystemError("connect to", "\(address)") }
  }

  /// The error that a connect ended with; 0 when it succeeded.
  static func pendingError(_ descriptor: Int32) -> Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &length) == 0 else { return errno }
    return value
  }

  /// A socket that listens.
  static func listen(on address: SocketAddress) throws(SystemError) -> Int32 {
    let descriptor = socket(address.family, streamType | flags, 0)
    guard descriptor >= 0 else { throw SystemError("open a socket for", "\(address)") }
    var one: Int32 = 1
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    let bound = unsafe address.withPointer { unsafe bind(descriptor, $0, $1) }
    guard bound == 0, Glibc.listen(descriptor, 1024) == 0 else {
      let error = SystemError("listen on", "\(address)")
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Whether the last `accept` failed for lack of descriptors or memory, which is temporary.
  static var lacksResources: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) }

  /// Takes the next connection, if one is waiting.
  static func accept(_ descriptor: Int32) -> (descriptor: Int32, peer: SocketAddress)? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let accepted = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe Glibc.accept(descriptor, $0, &length) }
    }
    guard accepted >= 0 else { return nil }
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
    noDelay(accepted)
    let peer = unsafe withUnsafePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe SocketAddress($0, length: length) }
    }
    return (accepted, peer)
  }

  /// The own address of a socket.
  static func localAddress(_ descriptor: Int32) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &length) == 0 ? SocketAddress($0, length: length) : nil
      }
    }
  }

  static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Transfer {
    while true {
      let sent = unsafe Glibc.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
      if sent >= 0 { return .bytes(sent) }
      if errno == EAGAIN || errno == EWOULDBLOCK { return .wouldBlock }
      if errno != EINTR { return .failed(errno) }
    }
  }

  static func receive(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Transfer {
    while true {
      let received = unsafe recv(descriptor, bytes, count, 0)
      if received > 0 { return .bytes(received) }
      if received == 0 { return .ended }
      if errno == EAGAIN || errno == EWOULDBLOCK { return .wouldBlock }
      if errno != EINTR { return .failed(errno) }
    }
  }

  /// Makes the coming `close` send RST instead of FIN.
  static func resetOnClose(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Sends FIN after what was sent; receiving goes on.
  static func endSending(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_WR)) }

  static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

  private static func noDelay(_ descriptor: Int32) {
    var one: Int32 = 1
    unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
  }
}
