internal import PostgresEngine
internal import SQLiteEngine
internal import StoreModel
internal import Synchronization

/// A pool of read connections.
///
/// Each read borrows one and returns it; readers wait neither for the writer nor for each other.
final class Readers: Sendable {
  private struct State {
    var idle: [Reader] = []
    var closed = false
  }

  /// Idle connections kept; more may exist while many threads read.
  private static let idleMax = 8

  private let path: String
  private let server: PostgresOptions?
  private let steps: StoreSteps?
  private let state = Mutex(State())

  init(path: String, steps: StoreSteps? = nil) {
    self.path = path
    self.steps = steps
    server = nil
  }

  init(server: PostgresOptions) {
    path = server.name
    self.server = server
    steps = nil
  }

  func read<Output>(
    _ body: (borrowing Connection) throws(StoreError) -> Output
  ) throws(StoreError) -> Output {
    if let open = OpenChange.of(self) { return try open.read(body) }
    let reader = try take()
    defer { giveBack(reader) }
    return try body(reader.db)
  }

  /// Reads several times of one instant, which is also cheaper: the file is locked once.
  func view<Output>(
    _ body: (borrowing Connection) throws(StoreError) -> Output
  ) throws(StoreError) -> Output {
    if let open = OpenChange.of(self) { return try open.read(body) }
    return try read { (db) throws(StoreError) in
      try db.beginReading()
      // Nothing was written, so that ending it in whatever way is the same.
      defer { db.rollBack() }
      return try body(db)
    }
  }

  func close() {
    state.withLock { state in
      state.closed = true
      state.idle.removeAll()
    }
  }

  private func take() throws(StoreError) -> Reader {
    if let failure = steps?.readFailure { throw failure }
    while let reader = try idle() {
      // One that a server has ended meanwhile fails nobody.
      if reader.db.isStillOpen { return reader }
    }
    if let server { return Reader(try Connection(server, writes: false)) }
    return try Reader(path: path, access: steps == nil ? .readWrite : .memory)
  }

  private func idle() throws(StoreError) -> Reader? {
    let (reader, closed) = state.withLock { ($0.idle.popLast(), $0.closed) }
    guard !closed else { throw StoreError(.closed, "the store is closed", advice: "open it again") }
    return reader
  }

  private func giveBack(_ reader: Reader) {
    guard reader.db.isUsable else {
      // Where one connection was lost, the others were too: whoever reads next connects anew.
      return state.withLock { $0.idle.removeAll() }
    }
    state.withLock { state in
      if !state.closed && state.idle.count < Self.idleMax { state.idle.append(reader) }
    }
  }
}

/// One connection for reading.
///
/// `@unchecked Sendable` is sound: whoever took it out of the idle list is the only one who has it until it is given back,
/// and the list's lock orders the two.
private final class Reader: @unchecked Sendable {
  let db: Connection

  init(path: String, access: Connection.Access) throws(StoreError) {
    let db = try Connection(path: path, access: access)
    try db.execute("PRAGMA query_only = ON; PRAGMA cache_size = -4096")
    self.db = db
  }

  init(_ db: consuming Connection) { self.db = db }
}
