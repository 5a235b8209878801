import Glibc
import HTTP2
import Synchronization
import System
import Testing

/// Writes down in which order connections become ready and requests end.
private final class Order: HTTP2ClientObserver {
  enum Entry { case ready, finished }

  let entries = Mutex<[Entry]>([])

  func connection(_ connection: HTTP2ClientConnection, event: HTTP2ConnectionEvent) {
    if case .ready = event { entries.withLock { $0.append(.ready) } }
  }

  func connection(_ connection: HTTP2ClientConnection, finished results: HTTP2Results) {
    entries.withLock { $0.append(.finished) }
  }

  func wait(_ condition: ([Entry]) -> Bool) -> Bool {
    for _ in 0..<10_000 {
      if entries.withLock({ condition($0) }) { return true }
      usleep(1000)
    }
    return false
  }
}

@Suite(.timeLimit(.minutes(1))) struct HandshakeTurnTests {
  /// Twenty gateways finish their part of the handshake while an answer waits on an open connection, behind them all.
  @Test func anAnswerWaitsForOneHandshakeAtMost() throws {
    let connections = 20
    let held = Mutex<HTTP2Responder?>(nil)
    let pair = try Pair(answer: { request in held.withLock { $0 = request.responder } })
    let order = Order()
    let open = HTTP2ClientConnection(loop: pair.clientLoop, configuration: pair.configuration, observer: order)
    open.start()
    #expect(order.wait { $0.count == 1 })
    open.submit(pair.batch(1, timeout: .seconds(20)))
    #expect(order.wait { _ in held.withLock { $0 != nil } })

    // The server does nothing until all have said hello, and the client nothing until the server has answered all.
    let serverMayGo = Self.hold(pair.serverLoop)
    let others = (0..<connections).map { _ in
      HTTP2ClientConnection(loop: pair.clientLoop, configuration: pair.configuration, observer: order)
    }
    for other in others { other.start() }
    usleep(300_000)
    let clientMayGo = Self.hold(pair.clientLoop)
    serverMayGo.signal()
    #expect(order.wait { _ in pair.handler.connections.withLock { $0.count } == connections + 1 })
    usleep(200_000)
    // The answer is written at the end of the server's turn; the one after it comes later.
    held.withLock { $0?.respond(status: 200) }
    for _ in 0..<2 {
      let turnIsOver = Semaphore()
      pair.serverLoop.execute { turnIsOver.signal() }
      turnIsOver.wait()
    }
    clientMayGo.signal()

    #expect(order.wait { $0.count == connections + 2 })
    let before = order.entries.withLock { $0.dropFirst().prefix { $0 != .finished }.count }
    #expect(before <= 1, "\(before) handshakes came before the answer")
    for connection in others + [open] { connection.close() }
  }
  /// Stops a loop, from now until the semaphore is signaled.
  private static func hold(_ loop: EventLoop) -> System.Semaphore {
    let (isHeld, mayGo) = (Semaphore(), Semaphore())
    loop.execute {
      isHeld.signal()
      mayGo.wait()
    }
    isHeld.wait()
    return mayGo
  }
}
