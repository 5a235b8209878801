internal import Synchronization

/// Accepts connections on the first loop and spreads them over all.
///
/// `@unchecked Sendable`: `live` is locked; `token`, `next` and `closed` are touched on the first loop only; the rest is constant.
final class ServerCore: EventHandler, LoopMember, @unchecked Sendable {
  private struct Live {
    var connections: [UInt64: HTTP2ServerConnection] = [:]
    /// Sockets of clients that are met with silence.
    var parked: [Int32] = []
    var stopped = false
  }

  private static let acceptPause: Duration = .milliseconds(100)

  let configuration: HTTP2ServerConfiguration
  let handler: any HTTP2ServerHandler
  private let loops: [EventLoop]
  private let descriptor: Int32
  private let live = Mutex(Live())
  private var token: UInt64?
  private var next = 0
  private var closed = false

  init(
    configuration: HTTP2ServerConfiguration, loops: [EventLoop], handler: any HTTP2ServerHandler, descriptor: Int32
  ) {
    self.configuration = configuration
    self.loops = loops
    self.handler = handler
    self.descriptor = descriptor
  }

  /// On the first loop.
  func start() {
    guard !closed else { return }
    loops[0].join(self)
    token = try? loops[0].watch(descriptor, .readable, self)
  }

  func ready(_ events: IOEvents) {
    while let (accepted, peer) = Socket.accept(descriptor) { admit(accepted, "\(peer)") }
    if Socket.lacksResources { pauseListening() }
  }

  /// Stops watching the listening socket: it stays readable while a waiting client cannot be accepted.
  private func pauseListening() {
    guard let token, !closed else { return }
    loops[0].change(token, descriptor, [])
    loops[0].schedule(after: ServerCore.acceptPause) { [self] in
      if !closed { loops[0].change(token, descriptor, .readable) }
    }
  }

  private func admit(_ accepted: Int32, _ peer: String) {
    let loop = loops[next % loops.count]
    next += 1
    let connection = HTTP2ServerConnection(server: self, peer: peer, loop: loop)
    let admitted = live.withLock { live in
      guard !live.stopped, live.connections.count < configuration.connectionLimit else { return false }
      live.connections[connection.id] = connection
      return true
    }
    guard admitted else { return Socket.close(accepted) }
    if loop.isCurrent { return connection.start(accepted) }
    if !loop.execute({ connection.start(accepted) }) { Socket.close(accepted) }
  }

  func remove(_ connection: HTTP2ServerConnection) {
    live.withLock { $0.connections[connection.id] = nil }
  }

  /// Keeps a socket open without ever reading it.
  func park(_ descriptor: Int32) {
    let keep = live.withLock { live in
      if !live.stopped { live.parked.append(descriptor) }
      return !live.stopped
    }
    if !keep { Socket.close(descriptor) }
  }

  func stop(abruptly: Bool) {
    let (connections, parked) = live.withLock { live in
      live.stopped = true
      defer { live.parked = [] }
      return (Array(live.connections.values), live.parked)
    }
    for descriptor in parked { Socket.close(descriptor) }
    for connection in connections {
      if abruptly { connection.closeAbruptly() } else { connection.goAway() }
    }
    if loops[0].isCurrent { stopListening() } else { loops[0].execute { self.stopListening() } }
  }

  private func stopListening() {
    guard !closed else { return }
    closed = true
    if let token { loops[0].unwatch(token, descriptor) }
    loops[0].leave(self)
    Socket.close(descriptor)
  }

  func flush() {}

  func loopStops() { stop(abruptly: true) }
}
