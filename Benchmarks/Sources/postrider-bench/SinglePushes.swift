import Glibc

/// Pushes to one device each, asked for by HTTP at a steady pace on kept connections, as backends do.
///
/// Each is timed from when it is due: one that waits because those before it are not answered yet counts that, too.
struct SinglePushes {
  /// More than are under way at once, unless the server stands still for a third of a second at 50 a second.
  private static let connectionsCount = 16
  /// The pause between two looks at whether it is over, in seconds: a look is a question to the store.
  private static let lookEvery = 0.2

  private let watch: PushWatch
  private var connections: [IngestConnection]
  /// When the push was due that a connection waits for; nil while it is free.
  private var due: [Double?]
  private var request: IngestRequest
  private var buffer = [UInt8](repeating: 0, count: 16_384)

  init(port: UInt16, app: String, key: String, watch: PushWatch) throws {
    self.watch = watch
    connections = try (0..<Self.connectionsCount).map { _ in try IngestConnection(port: port) }
    due = connections.map { _ in nil }
    request = try IngestRequest(form: "native", app: app, key: key, users: 0, seed: 11)
  }

  /// Asks for `rate` of them a second until it is over, and waits for the last answers.
  mutating func run(perSecond rate: Int, until isOver: () throws -> Bool) throws {
    let start = now()
    var (asked, nextLook) = (0, start)
    while true {
      if now() >= nextLook {
        if try isOver() { break }
        nextLook = now() + Self.lookEvery
      }
      var next = start + Double(asked) / Double(rate)
      while next <= now(), let free = due.firstIndex(where: { $0 == nil }) {
        try ask(free, dueAt: next)
        asked += 1
        next = start + Double(asked) / Double(rate)
      }
      try takeAnswers(until: due.contains(nil) ? min(next, nextLook) : nextLook)
    }
    while due.contains(where: { $0 != nil }) { try takeAnswers(until: now() + 1) }
  }

  func close() { for connection in connections { connection.close() } }

  private mutating func ask(_ index: Int, dueAt time: Double) throws {
    request.renew()
    watch.expect(request.digits, dueAt: time)
    due[index] = time
    try connections[index].ask(request.bytes, at: 0)
  }

  private mutating func takeAnswers(until time: Double) throws {
    var waits = connections.indices.map { index in
      pollfd(fd: due[index] == nil ? -1 : connections[index].socket, events: Int16(POLLIN), revents: 0)
    }
    guard poll(&waits, nfds_t(waits.count), Int32(max(0, (time - now()) * 1_000).rounded(.up))) > 0 else { return }
    for index in waits.indices where waits[index].revents != 0 {
      guard let status = try connections[index].receive(&buffer), let asked = due[index] else { continue }
      guard status == 202 else { throw Options.Failure(description: "a push was answered with \(status)") }
      watch.noteAnswer(after: now() - asked)
      due[index] = nil
    }
  }
}
