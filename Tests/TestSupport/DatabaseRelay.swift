import Glibc
public import Synchronization

/// Stands between a program and a PostgreSQL server, and loses what passes: a network that fails.
public final class DatabaseRelay: Sendable {
  /// What it does with what comes.
  public enum Mode: Sendable {
    /// Passes it on.
    case passing
    /// Passes commits on, and ends the connection instead of passing on that they were made.
    case commitsLost
    /// Passes nothing on, and ends no connection.
    case silent
    /// Ends each new connection.
    case refusing
  }

  /// What it does now.
  public let mode = Mutex(Mode.passing)
  private let listener = LoopbackListener()
  private let socketPath: String
  private let cuts = Atomic(0)

  /// Begins to take connections for a server.
  public init(to server: PostgresServer) {
    socketPath = server.folder + "/.s.PGSQL.5432"
    listener.start { [self] client in serve(client) }
  }

  /// The URL of a database of the server, through this.
  public func url(_ database: String) -> String {
    "postgresql://\(PostgresServer.role)@127.0.0.1:\(listener.port)/\(database)"
  }

  /// Ends all connections.
  public func cut() { cuts.add(1, ordering: .relaxed) }

  /// Takes no more, and ends all connections.
  public func stop() {
    listener.stop()
    cut()
  }

  private func serve(_ client: Int32) {
    let cut = cuts.load(ordering: .relaxed)
    guard let server = connected() else { return }
    defer { close(server) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while cuts.load(ordering: .relaxed) == cut {
      let mode = mode.withLock { $0 }
      guard mode != .silent else {
        usleep(5_000)
        continue
      }
      var ends = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      // What it does may change meanwhile.
      guard poll(&ends, 2, 5) > 0 else { continue }
      for (from, to) in [(0, server), (1, client)] where ends[from].revents != 0 {
        let count = recv(ends[from].fd, &buffer, buffer.count, 0)
        guard count > 0 else { return }
        // The tag of what the server has done.
        if mode == .commitsLost, from == 1, buffer[..<count].firstRange(of: "COMMIT\0".utf8) != nil { return }
        guard send(to, buffer, count, Int32(MSG_NOSIGNAL)) == count else { return }
      }
    }
  }

  private func connected() -> Int32? {
    guard mode.withLock({ $0 }) != .refusing else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketPath.utf8.prefix($0.count - 1)) }
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if status == 0 { return server }
    close(server)
    return nil
  }
}
