import Glibc
public import Synchronization

/// A little HTTP proxy on loopback: it reads one request head, answers, and, when it answers 200, relays bytes.
///
/// Each connection has a thread of its own.
public final class TestProxy: Sendable {
  /// Where it listens, on 127.0.0.1.
  public var port: UInt16 { listener.port }
  /// The request heads it was sent.
  public let heads = Mutex<[String]>([])
  /// What it says to a request; tunnels open when it is a 200, and it says nothing and waits when it is nil.
  public let answer: Mutex<String?>
  private let listener = LoopbackListener()
  private let target: UInt16
  private let authorization: String?

  /// Binds a port.
  ///
  /// - Parameters:
  ///   - answer: what it says to a request; tunnels open when it is a 200.
  ///   - target: the port on 127.0.0.1 that tunnels lead to, whatever was asked for; 0 for the one asked for.
  ///   - authorization: the value of `Proxy-Authorization` without which it answers 407.
  public init(answer: String, target: UInt16, authorization: String? = nil) {
    self.answer = Mutex(answer)
    self.target = target
    self.authorization = authorization
  }

  /// Begins to take connections.
  public func start() { listener.start { [self] client in serve(client) } }

  /// Takes no more.
  public func stop() { listener.stop() }

  private func serve(_ client: Int32) {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard recv(client, &byte, 1, 0) == 1 else { return }
      head.append(byte)
    }
    let request = String(decoding: head, as: UTF8.self)
    heads.withLock { $0.append(request) }
    guard let answer = answer(to: request) else {
      // Until the other side gives up.
      _ = recv(client, &byte, 1, 0)
      return
    }
    let text = Array(answer.utf8)
    send(client, text, text.count, Int32(MSG_NOSIGNAL))
    guard answer.hasPrefix("HTTP/1.1 200") else { return }
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(server) }
    var address = LoopbackListener.address(target == 0 ? TestProxy.port(askedIn: request) : target)
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if connected == 0 { relay(client, server) }
  }

  private func answer(to request: String) -> String? {
    guard let authorization, !request.contains("\r\nProxy-Authorization: \(authorization)\r\n") else {
      return answer.withLock { $0 }
    }
    return "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"test\"\r\n\r\n"
  }

  /// The port in `CONNECT HOST:PORT HTTP/1.1`.
  private static func port(askedIn request: String) -> UInt16 {
    let words = request.split(separator: " ", maxSplits: 2)
    return words.count < 2 ? 0 : words[1].split(separator: ":").last.flatMap { UInt16($0) } ?? 0
  }

  private func relay(_ client: Int32, _ server: Int32) {
    var ends = [
      pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: server, events: Int16(POLLIN), revents: 0),
    ]
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while poll(&ends, 2, 10_000) > 0 {
      for index in 0..<2 where ends[index].revents != 0 {
        let count = recv(ends[index].fd, &buffer, buffer.count, 0)
        guard count > 0, send(ends[1 - index].fd, buffer, count, Int32(MSG_NOSIGNAL)) == count else { return }
      }
    }
  }
}
