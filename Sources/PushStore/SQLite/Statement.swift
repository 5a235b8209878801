internal import CSQLite
internal import StoreModel

/// One prepared statement of SQLite, and whether somebody uses it.
///
/// `@safe`: the object owns the statement from `init` to `deinit`, and its connection keeps it until that closes.
@safe final class PreparedStatement {
  let pointer: OpaquePointer
  /// Whether a ``Statement`` refers to it.
  var isInUse = false
  /// The code of the first parameter that could not be bound since it came into use.
  var bindFailure = SQLITE_OK

  init(_ pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }

  deinit { unsafe sqlite3_finalize(pointer) }
}

/// A prepared statement in use.
///
/// Parameters count from 1, columns from 0, as in SQLite.
///
/// When it goes away it is reset and forgets its bindings, so a cached statement holds no lock and no secret. A
/// parameter that cannot be bound makes the next `step` or `run` fail.
///
/// `@safe`: it cannot be copied and is used only while its connection is open, which keeps what it points to.
@safe struct Statement: ~Copyable {
  private let prepared: PreparedStatement?
  private let pointer: OpaquePointer?
  private let owner: OpaquePointer?
  /// The statement of a server; nil for a file, and the three others are nil when it is there.
  private let postgres: PostgresStatement?

  init(_ prepared: PreparedStatement, owner: OpaquePointer?) {
    self.prepared = prepared
    unsafe pointer = unsafe prepared.pointer
    unsafe self.owner = unsafe owner
    postgres = nil
    prepared.isInUse = true
  }

  init(_ postgres: PostgresStatement) {
    prepared = nil
    unsafe pointer = nil
    unsafe owner = nil
    self.postgres = postgres
    postgres.isInUse = true
  }

  deinit {
    if let postgres { return postgres.release() }
    unsafe sqlite3_reset(pointer)
    unsafe sqlite3_clear_bindings(pointer)
    prepared?.bindFailure = SQLITE_OK
    prepared?.isInUse = false
  }

  /// How many parameters the SQL has.
  var parameterCount: Int32 { unsafe postgres?.parameterCount ?? sqlite3_bind_parameter_count(pointer) }

  func bind(_ index: Int32, _ value: Int64?) {
    if let postgres { return postgres.bind(index, value) }
    unsafe check(value.map { unsafe sqlite3_bind_int64(pointer, index, $0) } ?? sqlite3_bind_null(pointer, index))
  }

  func bind(_ index: Int32, _ value: Int) { bind(index, Int64(value)) }

  func bind(_ index: Int32, _ value: Bool) { bind(index, value ? 1 : 0) }

  func bind(_ index: Int32, _ value: Double) {
    if let postgres { return postgres.bind(index, value) }
    unsafe check(sqlite3_bind_double(pointer, index, value))
  }

  func bind(_ index: Int32, _ value: Timestamp?) { bind(index, value?.milliseconds) }

  func bind<Record>(_ index: Int32, _ value: RowID<Record>?) { bind(index, value?.rawValue) }

  func bind(_ index: Int32, _ value: String?) {
    if let postgres { return postgres.bind(index, value) }
    guard var value else { return unsafe check(sqlite3_bind_null(pointer, index)) }
    let code = value.withUTF8 { bytes in
      guard let count = Int32(exactly: bytes.count) else { return Int32?.some(SQLITE_TOOBIG) }
      return unsafe bytes.withMemoryRebound(to: CChar.self) {
        // An empty buffer may have no address, and a null address would bind NULL.
        unsafe $0.baseAddress.map { unsafe csqlite_bind_text(pointer, index, $0, count) }
      }
    }
    unsafe check(code ?? csqlite_bind_text(pointer, index, "", 0))
  }

  func bind(_ index: Int32, _ value: [UInt8]?) {
    if let postgres { return postgres.bind(index, value) }
    guard let value else { return unsafe check(sqlite3_bind_null(pointer, index)) }
    guard let count = Int32(exactly: value.count) else { return check(SQLITE_TOOBIG) }
    unsafe check(value.withUnsafeBytes { unsafe csqlite_bind_blob(pointer, index, $0.baseAddress, count) })
  }

  /// Binds a list of numbers, of which only a server has a type.
  func bind(_ index: Int32, set numbers: [Int64]) {
    if let postgres { return postgres.bind(index, array: numbers) }
    check(SQLITE_MISUSE)
  }

  /// Moves to the next row; false at the end.
  func step() throws(StoreError) -> Bool {
    if let postgres { return try postgres.step() }
    try checkBindings()
    let code = unsafe sqlite3_step(pointer)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else { throw failure(code) }
    return false
  }

  /// Runs a statement that returns no row, and makes it ready to run again.
  func run() throws(StoreError) {
    if let postgres { return try postgres.run() }
    try checkBindings()
    let code = unsafe sqlite3_step(pointer)
    unsafe sqlite3_reset(pointer)
    guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure(code) }
  }

  /// The same for one that inserts a row from its `VALUES`, of which nobody asks what it did: a server gets several at once.
  func runLater() throws(StoreError) {
    if let postgres { return try postgres.runLater() }
    try run()
  }

  /// Makes the statement ready to run again; bindings stay.
  func reset() {
    if let postgres { return postgres.reset() }
    unsafe sqlite3_reset(pointer)
  }

  func int64(_ column: Int32) -> Int64 {
    if let postgres { return postgres.int64(column) }
    return unsafe sqlite3_column_int64(pointer, column)
  }

  func int(_ column: Int32) -> Int { Int(int64(column)) }

  func double(_ column: Int32) -> Double {
    if let postgres { return postgres.double(column) }
    return unsafe sqlite3_column_double(pointer, column)
  }

  func isReal(_ column: Int32) -> Bool {
    if let postgres { return postgres.isReal(column) }
    return unsafe sqlite3_column_type(pointer, column) == SQLITE_FLOAT
  }

  func bool(_ column: Int32) -> Bool { int64(column) != 0 }

  func isNull(_ column: Int32) -> Bool {
    if let postgres { return postgres.isNull(column) }
    return unsafe sqlite3_column_type(pointer, column) == SQLITE_NULL
  }

  func timestamp(_ column: Int32) -> Timestamp { Timestamp(milliseconds: int64(column)) }

  func optionalTimestamp(_ column: Int32) -> Timestamp? { isNull(column) ? nil : timestamp(column) }

  func id<Record>(_ column: Int32) -> RowID<Record> { RowID(rawValue: int64(column)) }

  func optionalID<Record>(_ column: Int32) -> RowID<Record>? { isNull(column) ? nil : id(column) }

  func text(_ column: Int32) -> String {
    if let postgres { return postgres.text(column) }
    guard let start = unsafe sqlite3_column_text(pointer, column) else { return "" }
    let count = unsafe Int(sqlite3_column_bytes(pointer, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Adds the text of a column to bytes, unless it is null; what is not UTF-8 in it is replaced as `text` does.
  func append(_ column: Int32, to bytes: inout [UInt8]) -> Bool {
    if let postgres { return postgres.append(column, to: &bytes) }
    guard let start = unsafe sqlite3_column_text(pointer, column) else { return false }
    // The bytes are SQLite's until the next step; they are copied before that.
    let text = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column)))
    if unsafe text.allSatisfy({ $0 < 0x80 }) {
      unsafe bytes.append(contentsOf: text)
    } else {
      unsafe bytes.append(contentsOf: String(decoding: text, as: UTF8.self).utf8)
    }
    return true
  }

  func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  func blob(_ column: Int32) -> [UInt8] {
    if let postgres { return postgres.blob(column) }
    guard let start = unsafe sqlite3_column_blob(pointer, column) else { return [] }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column))))
  }

  func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }

  /// Keeps the code of a failing bind: without the parameter the statement would read or write something else.
  private func check(_ code: Int32) {
    if code != SQLITE_OK, let prepared, prepared.bindFailure == SQLITE_OK { prepared.bindFailure = code }
  }

  private func checkBindings() throws(StoreError) {
    guard let prepared, prepared.bindFailure == SQLITE_OK else {
      // SQLite's last words belong to whatever was done last, so that the code's own are used.
      let code = prepared?.bindFailure ?? SQLITE_MISUSE
      throw unsafe failure(code, detail: String(cString: sqlite3_errstr(code)))
    }
  }

  private func failure(_ code: Int32, detail: String? = nil) -> StoreError {
    // The SQL text holds names of tables only; the arguments are bound and never shown.
    let sql = unsafe String(cString: sqlite3_sql(pointer)).prefix(60)
    let file = unsafe sqlite3_db_filename(owner, "main").map { unsafe String(cString: $0) } ?? "the database"
    return unsafe SQLiteFailure.error(
      code, "“\(sql)…” in \(file)", detail: detail ?? String(cString: sqlite3_errmsg(owner)))
  }
}
