internal import CMicroHTTPD
import Glibc
import Synchronization

/// The library's handle of a connection.
///
/// `@unchecked Sendable`: the pointer is passed on to the library only, either on the connection's own thread, or to
/// `MHD_resume_connection` while the connection is suspended, which the library allows from any thread.
struct ConnectionHandle: @unchecked Sendable {
  let pointer: OpaquePointer
  /// Its thread.
  let thread: ThreadWaker

  /// Wakes a suspended connection.
  ///
  /// The caller must have taken it out of the suspended state, so that this happens once.
  func resume() {
    MHD_resume_connection(pointer)
    thread.wake()
  }
}

/// What is known of one open connection: its socket, how long its present phase may last, and its present request.
final class Connection: Sendable {
  /// No bound.
  static let never = Int64.max

  let socket: Int32
  let peer: HTTPPeer
  /// When the socket is shut down, in monotonic nanoseconds.
  let closeBy: Atomic<Int64>
  /// When a request that waits for its answer gets a 503 instead.
  let answerBy = Atomic<Int64>(Connection.never)
  let exchange = Mutex<Exchange?>(nil)

  init(socket: Int32, closeBy: Int64) {
    self.socket = socket
    peer = HTTPPeer(socket: socket)
    self.closeBy = Atomic(closeBy)
  }
}

/// All open connections of a server.
final class ConnectionRegistry: Sendable {
  private let connections = Mutex<[ObjectIdentifier: Connection]>([:])

  var count: Int { connections.withLock { $0.count } }

  func insert(_ connection: Connection) {
    connections.withLock { $0[ObjectIdentifier(connection)] = connection }
  }

  func remove(_ connection: Connection) {
    connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
  }

  /// The requests under way.
  var exchanges: [Exchange] {
    connections.withLock { all in all.values.compactMap { connection in connection.exchange.withLock { $0 } } }
  }

  /// Cuts off connections past their time and answers requests past theirs.
  func enforceDeadlines(now: Int64) {
    let late = connections.withLock { all in
      var late: [Exchange] = []
      for connection in all.values {
        // The library closes a socket only after `remove`, which waits for this lock: the number is still ours.
        if connection.closeBy.load(ordering: .relaxed) <= now { shutdown(connection.socket, Int32(SHUT_RDWR)) }
        if connection.answerBy.load(ordering: .relaxed) <= now, let exchange = connection.exchange.withLock({ $0 }) {
          late.append(exchange)
        }
      }
      return late
    }
    for exchange in late { exchange.expire() }
  }
}
