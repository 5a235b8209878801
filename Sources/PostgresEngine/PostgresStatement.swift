internal import CPQ
package import StoreModel

/// One prepared statement of a PostgreSQL server: its parameters, and the result when it has run.
///
/// The server says which type each parameter has, and each value is sent as that. The whole result is fetched at once, so that
/// several statements of a connection can be read alternately.
///
/// `@safe`: it clears its result once, when it runs again, is released, or goes away.
@safe package final class PostgresStatement {
  let name: String
  let sql: String
  /// Numbers below the last parameter that no parameter has.
  let unused: Set<Int>
  /// The types of the parameters, as the server named them.
  private(set) var types: [Oid] = []
  /// Whether somebody uses it.
  package var isInUse = false

  private unowned let connection: PostgresConnection
  private var values: [PostgresValue] = []
  // What is sent, kept for the next time: the bytes, where each value begins and how long it is, and that it is binary.
  private var bytes: [UInt8] = []
  private var offsets: [Int?] = []
  private var pointers: [UnsafePointer<CChar>?] = unsafe []
  private var lengths: [Int32] = []
  private var formats: [Int32] = []
  /// Why a parameter could not be bound.
  private var bindFailure: String?
  private var result: OpaquePointer?
  private var row: Int32 = -1
  /// The same for several rows, by their number.
  private var multiples: [Int: PostgresStatement] = [:]

  init(_ connection: PostgresConnection, name: String, sql: String) {
    self.connection = connection
    self.name = name
    self.sql = sql
    unused = PostgresDialect.unused(sql)
  }

  /// A second use of a statement, while the first is being read.
  convenience init(sharing other: PostgresStatement) {
    self.init(other.connection, name: other.name, sql: other.sql)
    take(types: other.types)
  }

  /// Learns the types of its parameters, which are all null then.
  func take(types: [Oid]) {
    self.types = types
    values = Array(repeating: .null, count: types.count)
    offsets = Array(repeating: nil, count: types.count)
    unsafe pointers = unsafe Array(repeating: nil, count: types.count)
    lengths = Array(repeating: 0, count: types.count)
    formats = Array(repeating: 1, count: types.count)
  }

  deinit { unsafe PQclear(result) }

  package var parameterCount: Int32 { Int32(types.count) }

  /// Ends its use: it keeps neither a result nor a value.
  package func release() {
    reset()
    for index in values.indices { values[index] = .null }
    bindFailure = nil
    isInUse = false
  }

  package func reset() {
    if unsafe result != nil { unsafe PQclear(result) }
    unsafe result = nil
    row = -1
  }

  // MARK: - Parameters

  package func bind(_ index: Int32, _ value: Int64?) {
    guard let value else { return set(index, .null) }
    guard let type = type(index) else { return }
    set(index, PostgresValue(value, as: type))
  }

  package func bind(_ index: Int32, _ value: Double) {
    guard let type = type(index) else { return }
    set(index, PostgresValue(value, as: type))
  }

  package func bind(_ index: Int32, _ value: String?) {
    guard let value else { return set(index, .null) }
    guard let type = type(index) else { return }
    set(index, PostgresValue(value, as: type))
  }

  package func bind(_ index: Int32, _ value: [UInt8]?) {
    guard let value else { return set(index, .null) }
    set(index, type(index) == PostgresType.bytea ? .bytes(value) : nil)
  }

  package func bind(_ index: Int32, array value: [Int64]) {
    set(index, type(index) == PostgresType.int8Array ? .bytes(PostgresValue.array(value)) : nil)
  }

  package func bind(_ index: Int32, array value: [String]) {
    set(index, type(index) == PostgresType.textArray ? .bytes(PostgresValue.array(value)) : nil)
  }

  private func type(_ index: Int32) -> Oid? {
    guard types.indices.contains(Int(index) - 1) else {
      bindFailure = bindFailure ?? "there is no parameter \(index)"
      return nil
    }
    return types[Int(index) - 1]
  }

  private func set(_ index: Int32, _ value: PostgresValue?) {
    guard let type = type(index) else { return }
    guard let value else {
      bindFailure = bindFailure ?? "parameter \(index) has type \(type), which the value does not have"
      return
    }
    values[Int(index) - 1] = value
  }

  // MARK: - Running

  package func step() throws(StoreError) -> Bool {
    if unsafe result == nil {
      unsafe result = try unsafe execute()
      row = -1
    }
    row += 1
    return unsafe row < PQntuples(result)
  }

  package func run() throws(StoreError) {
    reset()
    let isQueued = try laid { () throws(StoreError) in try unsafe connection.queue(self, pointers, lengths, formats) }
    if !isQueued { unsafe PQclear(try execute()) }
  }

  /// The same for a statement that inserts one row from its `VALUES`, and of which nobody asks what it did: it may go with others.
  package func runLater() throws(StoreError) {
    reset()
    if let bindFailure { throw unbound(bindFailure) }
    if try !connection.keep(self, values) { try run() }
  }

  /// Runs it with values of another one of the same types.
  func run(_ values: ArraySlice<PostgresValue>) throws(StoreError) {
    self.values = Array(values)
    defer { release() }
    try run()
  }

  /// The statement that inserts so many rows.
  func forRows(_ count: Int) throws(StoreError) -> PostgresStatement {
    if let known = multiples[count] { return known }
    // Somebody may be about to use this one for the next row.
    let made = count == 1 ? PostgresStatement(sharing: self) : try connection.prepare(self, rows: count)
    multiples[count] = made
    return made
  }

  private func unbound(_ failure: String) -> StoreError {
    StoreError(.bug, "“\(sql.prefix(60))…” in \(connection.name): \(failure)", advice: "report this as a bug")
  }

  private func execute() throws(StoreError) -> OpaquePointer? {
    try unsafe laid { () throws(StoreError) in try unsafe connection.run(self, pointers, lengths, formats) }
  }

  /// Calls `body` while ``pointers`` lead to the values.
  private func laid<Output>(_ body: () throws(StoreError) -> Output) throws(StoreError) -> Output {
    if let bindFailure { throw unbound(bindFailure) }
    lay()
    let answer = unsafe bytes.withUnsafeBytes { bytes -> Result<Output, StoreError> in
      for (index, offset) in offsets.enumerated() {
        unsafe pointers[index] =
          unsafe offset.map { unsafe bytes.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) } ?? nil
      }
      return Result { () throws(StoreError) in try body() }
    }
    return try answer.get()
  }

  /// Lays the values one behind the other; the byte at the end gives an empty one an address too, without which it were null.
  private func lay() {
    bytes.removeAll(keepingCapacity: true)
    for (index, value) in values.enumerated() {
      offsets[index] = bytes.count
      switch value {
      case .null: offsets[index] = nil
      case .fixed(let bits, let length):
        unsafe withUnsafeBytes(of: bits) { unsafe bytes.append(contentsOf: $0.prefix(Int(length))) }
      case .bytes(let own): bytes += own
      }
      lengths[index] = Int32(bytes.count - (offsets[index] ?? bytes.count))
    }
    bytes.append(0)
  }

  // MARK: - Columns

  /// How many columns the result has.
  package var columnCount: Int32 { unsafe PQnfields(result) }

  package func isNull(_ column: Int32) -> Bool { unsafe PQgetisnull(result, row, column) == 1 }

  package func int64(_ column: Int32) -> Int64 { cell(column).int64 }

  package func double(_ column: Int32) -> Double { cell(column).double }

  package func isReal(_ column: Int32) -> Bool { cell(column).isReal }

  package func text(_ column: Int32) -> String { cell(column).text }

  package func blob(_ column: Int32) -> [UInt8] { unsafe [UInt8](cell(column).bytes) }

  /// Adds the text of a column to bytes, unless it is null.
  package func append(_ column: Int32, to bytes: inout [UInt8]) -> Bool {
    if isNull(column) { return false }
    let cell = cell(column)
    if cell.type == PostgresType.text { unsafe bytes.append(contentsOf: cell.bytes) } else { bytes += cell.text.utf8 }
    return true
  }

  private func cell(_ column: Int32) -> PostgresCell {
    let count = unsafe Int(PQgetlength(result, row, column))
    let bytes = unsafe UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: count)
    return unsafe PostgresCell(type: PQftype(result, column), bytes: bytes)
  }
}
