internal import CPQ
internal import Glibc
internal import StoreModel
internal import System

/// A connection that takes rows by COPY, which costs a fraction of a statement for each.
///
/// Every wait is bounded, as on the connections of the store.
///
/// `@safe`: the object owns the connection from `init` to `deinit`.
@safe final class PostgresCopyStream {
  private let name: String
  private let seconds: Int
  private let link: OpaquePointer

  /// What comes before the rows of COPY's binary form: its name, flags and the length of an extension.
  private static let header = Array("PGCOPY\n".utf8) + [0xff, 13, 10, 0] + [UInt8](repeating: 0, count: 8)
  /// What comes behind them.
  private static let trailer: [UInt8] = [0xff, 0xff]
  /// Bytes that are handed over at once.
  private static let pieceBytes = 256 << 10

  init(_ options: PostgresOptions) throws(StoreError) {
    name = options.name
    // A batch is written to many indexes.
    seconds = options.statementSeconds * 2
    unsafe link = try unsafe options.connect()
    let (statementMs, lockMs) = (seconds * 1_000, PostgresConnection.lockMs(seconds))
    try unsafe send(PQsendQuery(link, "SET statement_timeout = \(statementMs); SET lock_timeout = \(lockMs)"))
    try finish()
  }

  deinit { unsafe PQfinish(link) }

  /// Copies rows in binary form into a table, all or none.
  func copy(_ rows: [UInt8], to table: String) throws(StoreError) {
    try unsafe send(PQsendQuery(link, "COPY \(table) FROM STDIN (FORMAT binary)"))
    try wait { unsafe PQisBusy(link) == 0 }
    let started = unsafe PQgetResult(link)
    let status = unsafe PQresultStatus(started)
    guard status == PGRES_COPY_IN else {
      let failure = unsafe PostgresFailure.error(started, "COPY \(table)", in: name)
      unsafe PQclear(started)
      throw unsafe PQstatus(link) == CONNECTION_OK ? failure : lost()
    }
    unsafe PQclear(started)
    for piece in [Self.header[...], rows[...], Self.trailer[...]] { try put(piece) }
    try wait { unsafe PQputCopyEnd(link, nil) != 0 }
    try finish("COPY \(table)")
  }

  private func put(_ bytes: ArraySlice<UInt8>) throws(StoreError) {
    var rest = bytes
    while !rest.isEmpty {
      let piece = rest.prefix(Self.pieceBytes)
      rest = rest.dropFirst(piece.count)
      var sent: Int32 = 0
      try wait {
        sent = unsafe piece.withUnsafeBytes { raw in
          unsafe PQputCopyData(link, raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(raw.count))
        }
        return sent != 0
      }
      guard sent == 1 else { throw lost() }
    }
  }

  private func send(_ sent: Int32) throws(StoreError) { guard sent == 1 else { throw lost() } }

  /// Reads the answers to their end.
  private func finish(_ action: String = "SET") throws(StoreError) {
    var failure: StoreError?
    while true {
      try wait { unsafe PQisBusy(link) == 0 }
      guard let result = unsafe PQgetResult(link) else { break }
      let status = unsafe PQresultStatus(result)
      if status != PGRES_COMMAND_OK, failure == nil { failure = unsafe PostgresFailure.error(result, action, in: name) }
      unsafe PQclear(result)
    }
    if let failure { throw unsafe PQstatus(link) == CONNECTION_OK ? failure : lost() }
  }

  /// Sends and receives until `isDone`, within the bound of a statement.
  private func wait(_ isDone: () -> Bool) throws(StoreError) {
    let deadline = SystemClock.monotonicMs() + Int64(seconds) * 1_000 + 5_000
    while !isDone() {
      let flushed = unsafe PQflush(link)
      guard flushed >= 0 else { throw lost() }
      var descriptor = unsafe pollfd(
        fd: PQsocket(link), events: Int16(flushed == 1 ? POLLIN | POLLOUT : POLLIN), revents: 0)
      let left = deadline - SystemClock.monotonicMs()
      guard left > 0 else { throw PostgresFailure.unavailable(name, "it did not answer in \(seconds) seconds") }
      let ready = unsafe poll(&descriptor, 1, Int32(min(left, 1_000_000)))
      if ready < 0, errno != EINTR { throw lost() }
      if ready > 0, descriptor.revents & Int16(POLLIN) != 0, unsafe PQconsumeInput(link) == 0 { throw lost() }
      if descriptor.revents & Int16(POLLERR | POLLNVAL) != 0 { throw lost() }
    }
  }

  private func lost() -> StoreError {
    let words = unsafe PQerrorMessage(link).map { unsafe String(cString: $0) } ?? ""
    return PostgresFailure.unavailable(name, PostgresFailure.oneLine(words))
  }
}
