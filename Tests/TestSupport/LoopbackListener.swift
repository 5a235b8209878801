import Glibc

/// Takes connections on loopback, each on a thread of its own.
final class LoopbackListener: Sendable {
  /// Where it listens, on 127.0.0.1.
  let port: UInt16
  private let listener: Int32

  /// Binds a port.
  init() {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = Self.address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length)
        getsockname(listener, $0, &length)
      }
    }
    listen(listener, 64)
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Begins to take connections; each is closed when `serve` returns.
  func start(_ serve: @escaping @Sendable (Int32) -> Void) {
    Self.run { [listener] in
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { return }
        Self.run {
          serve(client)
          close(client)
        }
      }
    }
  }

  /// Takes no more.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// A port on 127.0.0.1.
  static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static func run(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, Unmanaged.passRetained(Work(body)).toOpaque())
    pthread_detach(thread)
  }
}
