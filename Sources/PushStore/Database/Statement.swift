internal import PostgresEngine
internal import SQLiteEngine
internal import StoreModel

/// A prepared statement in use.
///
/// Parameters count from 1, columns from 0, as in SQLite.
///
/// When it goes away it is reset and forgets its bindings, so a cached statement holds no lock and no secret. A
/// parameter that cannot be bound makes the next `step` or `run` fail.
struct Statement: ~Copyable {
  private enum Engine {
    case sqlite(SQLiteStatement)
    case postgres(PostgresStatement)
  }

  private let engine: Engine

  init(_ sqlite: SQLiteStatement) {
    engine = .sqlite(sqlite)
    sqlite.isInUse = true
  }

  init(_ postgres: PostgresStatement) {
    engine = .postgres(postgres)
    postgres.isInUse = true
  }

  deinit {
    switch engine {
    case .sqlite(let file): file.release()
    case .postgres(let server): server.release()
    }
  }

  /// How many parameters the SQL has.
  var parameterCount: Int32 {
    switch engine {
    case .sqlite(let file): file.parameterCount
    case .postgres(let server): server.parameterCount
    }
  }

  // MARK: - Parameters

  func bind(_ index: Int32, _ value: Int64?) {
    switch engine {
    case .sqlite(let file): file.bind(index, value)
    case .postgres(let server): server.bind(index, value)
    }
  }

  func bind(_ index: Int32, _ value: Int) { bind(index, Int64(value)) }

  func bind(_ index: Int32, _ value: Bool) { bind(index, value ? 1 : 0) }

  func bind(_ index: Int32, _ value: Timestamp?) { bind(index, value?.milliseconds) }

  func bind<Record>(_ index: Int32, _ value: RowID<Record>?) { bind(index, value?.rawValue) }

  func bind(_ index: Int32, _ value: Double) {
    switch engine {
    case .sqlite(let file): file.bind(index, value)
    case .postgres(let server): server.bind(index, value)
    }
  }

  func bind(_ index: Int32, _ value: String?) {
    switch engine {
    case .sqlite(let file): file.bind(index, value)
    case .postgres(let server): server.bind(index, value)
    }
  }

  func bind(_ index: Int32, _ value: [UInt8]?) {
    switch engine {
    case .sqlite(let file): file.bind(index, value)
    case .postgres(let server): server.bind(index, value)
    }
  }

  /// Binds a list of numbers, of which only a server has a type.
  func bind(_ index: Int32, set numbers: [Int64]) {
    switch engine {
    case .sqlite(let file): file.bind(index, array: numbers)
    case .postgres(let server): server.bind(index, array: numbers)
    }
  }

  /// Binds a list of texts, of which only a server has a type.
  func bind(_ index: Int32, set texts: [String]) {
    switch engine {
    case .sqlite(let file): file.bind(index, array: texts)
    case .postgres(let server): server.bind(index, array: texts)
    }
  }

  // MARK: - Running

  /// Moves to the next row; false at the end.
  func step() throws(StoreError) -> Bool {
    switch engine {
    case .sqlite(let file): try file.step()
    case .postgres(let server): try server.step()
    }
  }

  /// Runs a statement that returns no row, and makes it ready to run again.
  func run() throws(StoreError) {
    switch engine {
    case .sqlite(let file): try file.run()
    case .postgres(let server): try server.run()
    }
  }

  /// The same for one that inserts a row from its `VALUES`, of which nobody asks what it did: a server gets several at once.
  func runLater() throws(StoreError) {
    switch engine {
    case .sqlite(let file): try file.run()
    case .postgres(let server): try server.runLater()
    }
  }

  /// Makes the statement ready to run again; bindings stay.
  func reset() {
    switch engine {
    case .sqlite(let file): file.reset()
    case .postgres(let server): server.reset()
    }
  }

  // MARK: - Columns

  /// How many columns a row has that was read.
  var columnCount: Int32 {
    switch engine {
    case .sqlite(let file): file.columnCount
    case .postgres(let server): server.columnCount
    }
  }

  func isNull(_ column: Int32) -> Bool {
    switch engine {
    case .sqlite(let file): file.isNull(column)
    case .postgres(let server): server.isNull(column)
    }
  }

  func int64(_ column: Int32) -> Int64 {
    switch engine {
    case .sqlite(let file): file.int64(column)
    case .postgres(let server): server.int64(column)
    }
  }

  func double(_ column: Int32) -> Double {
    switch engine {
    case .sqlite(let file): file.double(column)
    case .postgres(let server): server.double(column)
    }
  }

  func isReal(_ column: Int32) -> Bool {
    switch engine {
    case .sqlite(let file): file.isReal(column)
    case .postgres(let server): server.isReal(column)
    }
  }

  func text(_ column: Int32) -> String {
    switch engine {
    case .sqlite(let file): file.text(column)
    case .postgres(let server): server.text(column)
    }
  }

  func blob(_ column: Int32) -> [UInt8] {
    switch engine {
    case .sqlite(let file): file.blob(column)
    case .postgres(let server): server.blob(column)
    }
  }

  /// Adds the text of a column to bytes, unless it is null; what is not UTF-8 in it is replaced as `text` does.
  func append(_ column: Int32, to bytes: inout [UInt8]) -> Bool {
    switch engine {
    case .sqlite(let file): file.append(column, to: &bytes)
    case .postgres(let server): server.append(column, to: &bytes)
    }
  }

  func int(_ column: Int32) -> Int { Int(int64(column)) }

  func bool(_ column: Int32) -> Bool { int64(column) != 0 }

  func timestamp(_ column: Int32) -> Timestamp { Timestamp(milliseconds: int64(column)) }

  func optionalTimestamp(_ column: Int32) -> Timestamp? { isNull(column) ? nil : timestamp(column) }

  func id<Record>(_ column: Int32) -> RowID<Record> { RowID(rawValue: int64(column)) }

  func optionalID<Record>(_ column: Int32) -> RowID<Record>? { isNull(column) ? nil : id(column) }

  func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }
}
