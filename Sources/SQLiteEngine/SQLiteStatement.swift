internal import CSQLite
package import StoreModel

/// One prepared statement of SQLite; parameters count from 1, columns from 0.
///
/// A parameter that cannot be bound makes the next `step` or `run` fail: without it the statement would read or write something else.
///
/// `@safe`: the object owns the statement from `init` to `deinit`, and whoever uses it keeps its connection open.
@safe package final class SQLiteStatement {
  private let pointer: OpaquePointer
  private let owner: OpaquePointer
  /// Whether somebody uses it; until that ends it may hold a lock and a secret.
  package var isInUse = false
  /// The code of the first parameter that could not be bound since it came into use.
  private var bindFailure = SQLITE_OK

  init(_ pointer: OpaquePointer, of owner: OpaquePointer) {
    unsafe self.pointer = unsafe pointer
    unsafe self.owner = unsafe owner
  }

  deinit { unsafe sqlite3_finalize(pointer) }

  /// Ends its use.
  package func release() {
    unsafe sqlite3_reset(pointer)
    unsafe sqlite3_clear_bindings(pointer)
    bindFailure = SQLITE_OK
    isInUse = false
  }

  // MARK: - Parameters

  /// How many the SQL has.
  package var parameterCount: Int32 { unsafe sqlite3_bind_parameter_count(pointer) }

  package func bind(_ index: Int32, _ value: Int64?) {
    unsafe check(value.map { unsafe sqlite3_bind_int64(pointer, index, $0) } ?? sqlite3_bind_null(pointer, index))
  }

  package func bind(_ index: Int32, _ value: Double) { unsafe check(sqlite3_bind_double(pointer, index, value)) }

  package func bind(_ index: Int32, _ value: String?) {
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

  package func bind(_ index: Int32, _ value: [UInt8]?) {
    guard let value else { return unsafe check(sqlite3_bind_null(pointer, index)) }
    guard let count = Int32(exactly: value.count) else { return check(SQLITE_TOOBIG) }
    unsafe check(value.withUnsafeBytes { unsafe csqlite_bind_blob(pointer, index, $0.baseAddress, count) })
  }

  /// A list is no value that SQLite has.
  package func bind<Element>(_ index: Int32, array _: [Element]) { check(SQLITE_MISUSE) }

  private func check(_ code: Int32) {
    if code != SQLITE_OK, bindFailure == SQLITE_OK { bindFailure = code }
  }

  // MARK: - Running

  /// Moves to the next row; false at the end.
  package func step() throws(StoreError) -> Bool {
    try checkBindings()
    let code = unsafe sqlite3_step(pointer)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else { throw failure(code) }
    return false
  }

  /// Runs a statement that returns no row, and makes it ready to run again.
  package func run() throws(StoreError) {
    try checkBindings()
    let code = unsafe sqlite3_step(pointer)
    unsafe sqlite3_reset(pointer)
    guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure(code) }
  }

  /// Makes the statement ready to run again; bindings stay.
  package func reset() { unsafe sqlite3_reset(pointer) }

  private func checkBindings() throws(StoreError) {
    guard bindFailure != SQLITE_OK else { return }
    // SQLite's last words belong to whatever was done last, so that the code's own are used.
    throw unsafe failure(bindFailure, detail: String(cString: sqlite3_errstr(bindFailure)))
  }

  private func failure(_ code: Int32, detail: String? = nil) -> StoreError {
    // The SQL text holds names of tables only; the arguments are bound and never shown.
    let sql = unsafe String(cString: sqlite3_sql(pointer)).prefix(60)
    let file = unsafe sqlite3_db_filename(owner, "main").map { unsafe String(cString: $0) } ?? "the database"
    return unsafe SQLiteFailure.error(
      code, "“\(sql)…” in \(file)", detail: detail ?? String(cString: sqlite3_errmsg(owner)))
  }

  // MARK: - Columns

  package var columnCount: Int32 { unsafe sqlite3_column_count(pointer) }

  package func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(pointer, column) == SQLITE_NULL }

  package func int64(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(pointer, column) }

  package func double(_ column: Int32) -> Double { unsafe sqlite3_column_double(pointer, column) }

  package func isReal(_ column: Int32) -> Bool { unsafe sqlite3_column_type(pointer, column) == SQLITE_FLOAT }

  package func text(_ column: Int32) -> String {
    guard let start = unsafe sqlite3_column_text(pointer, column) else { return "" }
    let count = unsafe Int(sqlite3_column_bytes(pointer, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  package func blob(_ column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(pointer, column) else { return [] }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column))))
  }

  /// Adds the text of a column to bytes, unless it is null; what is not UTF-8 in it is replaced as `text` does.
  package func append(_ column: Int32, to bytes: inout [UInt8]) -> Bool {
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
}
