internal import CPQ
internal import Glibc
package import StoreModel
internal import System

/// A connection that waits for notifications, and asks something small now and then; confined to one thread.
///
/// Every wait ends: asking after ``askMs``, listening when asked to, and at once when something can be read from `wake`.
///
/// `@safe`: the object owns the connection from `init` to `deinit`.
@safe package final class ListeningConnection {
  private let link: OpaquePointer
  private let name: String

  /// How long an answer may take.
  private static let askMs: Int64 = 5_000

  /// Connects and listens.
  package init(_ options: PostgresOptions) throws(StoreError) {
    name = options.name
    unsafe link = try unsafe options.connect()
    _ = try ask("SET statement_timeout = \(Self.askMs)")
    _ = try ask("SET default_transaction_read_only = off")
    // A machine that is gone loses the node's name.
    for setting in PostgresConnection.keepalives.split(separator: ";") { _ = try ask(String(setting)) }
    _ = try ask("LISTEN postrider")
  }

  deinit { unsafe PQfinish(link) }

  /// Asks one statement with texts as its values; the rows of the answer.
  package func ask(_ sql: String, _ values: [String] = []) throws(StoreError) -> [[String?]] {
    let copies = unsafe values.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    let pointers = unsafe copies.map { unsafe UnsafePointer($0) }
    guard unsafe PQsendQueryParams(link, sql, Int32(values.count), nil, pointers, nil, nil, 0) == 1 else {
      throw lost()
    }
    let deadline = SystemClock.monotonicMs() + Self.askMs
    var rows: [[String?]] = []
    var failure: StoreError?
    while true {
      while unsafe PQisBusy(link) == 1 {
        guard try unsafe wait(until: deadline, wake: -1, writes: PQflush(link) == 1) else {
          throw PostgresFailure.unavailable(name, "it did not answer in \(Self.askMs / 1_000) seconds")
        }
      }
      guard let result = unsafe PQgetResult(link) else { break }
      defer { unsafe PQclear(result) }
      switch unsafe PQresultStatus(result) {
      case PGRES_TUPLES_OK: rows = unsafe Self.rows(of: result)
      case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
      default: failure = unsafe failure ?? PostgresFailure.error(result, sql, in: name)
      }
    }
    if let failure { throw unsafe PQstatus(link) == CONNECTION_OK ? failure : lost() }
    return rows
  }

  /// Waits until notifications have come, `wake` can be read, or the time is over; what has come.
  package func listen(until deadline: Int64, wake: Int32) throws(StoreError) -> [String] {
    var texts = take()
    if texts.isEmpty, try wait(until: deadline, wake: wake, writes: false) { texts = take() }
    return texts
  }

  private func take() -> [String] {
    var texts: [String] = []
    while let notification = unsafe PQnotifies(link) {
      unsafe texts.append(String(cString: notification.pointee.extra))
      unsafe PQfreemem(notification)
    }
    return texts
  }

  /// Reads what comes; false when the time is over before anything did.
  private func wait(until deadline: Int64, wake: Int32, writes: Bool) throws(StoreError) -> Bool {
    let left = max(deadline - SystemClock.monotonicMs(), 0)
    var descriptors = unsafe [
      pollfd(fd: PQsocket(link), events: Int16(writes ? POLLIN | POLLOUT : POLLIN), revents: 0),
      pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    let ready = unsafe poll(&descriptors, 2, Int32(clamping: left))
    if ready < 0 {
      guard errno == EINTR else { throw lost() }
      return true
    }
    if descriptors[0].revents != 0, unsafe PQconsumeInput(link) == 0 { throw lost() }
    return ready > 0
  }

  private static func rows(of result: OpaquePointer) -> [[String?]] {
    unsafe (0..<PQntuples(result)).map { row in
      unsafe (0..<PQnfields(result)).map { column in
        guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
        return unsafe PQgetvalue(result, row, column).map { unsafe String(cString: $0) }
      }
    }
  }

  private func lost() -> StoreError {
    unsafe PostgresFailure.unavailable(
      name, PostgresFailure.oneLine(PQerrorMessage(link).map { unsafe String(cString: $0) } ?? ""))
  }
}
