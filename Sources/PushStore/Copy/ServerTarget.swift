internal import PostgresEngine
internal import StoreModel

/// A PostgreSQL database that is being filled: rows go in by COPY in binary form, each batch as a transaction of its own.
final class ServerTarget: CopyTarget {
  private let db: Connection
  private let stream: PostgresConnection
  private var batch: [UInt8] = []
  private var rows = 0
  private var table: CopiedTable?
  /// How many bytes the numbers of each column have there.
  private var widths: [Int] = []

  init(_ options: PostgresOptions, from origin: String) throws(StoreError) {
    db = try Connection(options, writes: true)
    // Tables are counted, digested and analyzed.
    try db.postgres?.allow(seconds: PostgresConnection.wholeTableSeconds)
    try PostgresSchema.checkServer(db)
    try PostgresSchema.keepServersAway(db)
    try PostgresSchema.beginCopy(db, from: origin)
    stream = try PostgresConnection(options, writes: true, words: EngineWords.server)
    // A batch is written to many indexes.
    try stream.allow(seconds: options.statementSeconds * 2)
  }

  func read<Output>(_ body: (borrowing Connection) throws(StoreError) -> Output) throws(StoreError) -> Output {
    try body(db)
  }

  func write(_ page: borrowing RowBuffer, to table: CopiedTable) throws(StoreError) {
    if self.table?.name != table.name {
      try flush()
      widths = try widths(of: table)
    }
    self.table = table
    for row in 0..<page.count { try append(row, of: page, table) }
    rows += page.count
    if rows >= CopyTargets.rowsMax || batch.count >= CopyTargets.bytesMax { try flush() }
  }

  /// Some numbers are short there (see ``PostgresSchema/layout``), and COPY takes them in no other width.
  private func widths(of table: CopiedTable) throws(StoreError) -> [Int] {
    let select = try db.prepareOnce(
      """
      SELECT a.attname::text, t.typlen::bigint FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
      WHERE a.attrelid = '"\(table.name)"'::regclass AND a.attnum > 0
      """)
    var known: [String: Int] = [:]
    while try select.step() { known[select.text(0)] = select.int(1) }
    return table.columns.map { known[$0.name] ?? 8 }
  }

  /// A row of COPY: how many fields, and each with its length.
  private func append(_ row: Int, of page: borrowing RowBuffer, _ table: CopiedTable) throws(StoreError) {
    unsafe withUnsafeBytes(of: Int16(table.columns.count).bigEndian) { unsafe batch.append(contentsOf: $0) }
    var fault: (index: Int, what: String, advice: String)?
    try page.forEachValue(of: row) { (index, value) throws(StoreError) in
      let isScalar = table.columns[index].kind == .scalar
      switch value {
      case .null: length(-1)
      case .integer(let number):
        if isScalar {
          field(JSONScalar.encoded(number))
        } else if !field(number, width: widths[index]) {
          fault = (index, "\(number), which is no number that it can have", "report this as a bug")
        }
      case .real(let number): field(JSONScalar.encoded(number))
      case .text(let text):
        if text.contains(0) {
          let advice = "change or delete it with the server that has it, and try again"
          fault = (index, "the character U+0000, which PostgreSQL cannot keep", advice)
        }
        if isScalar { field(JSONScalar.encoded(String(decoding: text, as: UTF8.self))) } else { field(text) }
      case .bytes(let bytes): field(bytes)
      }
    }
    guard let fault else { return }
    throw StoreError(
      .invalid,
      "\(try page.keyWords(of: row, table)): \(table.columns[fault.index].name) holds \(fault.what)",
      advice: fault.advice)
  }

  private func length(_ count: Int) {
    unsafe withUnsafeBytes(of: Int32(count).bigEndian) { unsafe batch.append(contentsOf: $0) }
  }

  private func field(_ bytes: some Collection<UInt8>) {
    length(bytes.count)
    batch.append(contentsOf: bytes)
  }

  /// False for a number that does not fit.
  private func field(_ number: Int64, width: Int) -> Bool {
    let spare = 64 - width * 8
    length(width)
    unsafe withUnsafeBytes(of: number.bigEndian) { unsafe batch.append(contentsOf: $0.suffix(width)) }
    return (number << spare) >> spare == number
  }

  func flush() throws(StoreError) {
    guard rows > 0, let table else { return }
    try stream.copy(batch, to: "\"\(table.name)\"(\(table.columnList))")
    batch.removeAll(keepingCapacity: true)
    rows = 0
  }

  func empty(_ table: CopiedTable) throws(StoreError) { try db.execute("TRUNCATE \"\(table.name)\"") }

  func setLastKey(_ key: Int64, of table: String, _ column: String) throws(StoreError) {
    let sequence = "pg_get_serial_sequence('\(table)', '\(column)')"
    try db.execute("SELECT setval(\(sequence), \(max(key, 1)), \(key > 0))")
  }

  func finish() throws(StoreError) {
    try flush()
    // The one column that a file does not have (see ``PostgresSchema/refusals``).
    try db.execute(
      "UPDATE deliveries SET refused = id WHERE state = \(DeliveryState.rejected.rawValue) AND refused IS NULL")
    // Without statistics the first statements of a server would read whole tables.
    for table in try CopiedTable.all() { try db.execute("ANALYZE \"\(table.name)\"") }
    try PostgresSchema.finishCopy(db)
  }
}
