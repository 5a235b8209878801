internal import StoreModel

/// Rows that wait to be inserted with others of their table, by one statement.
///
/// What a statement costs a server is mostly beginning and ending it. Nobody waits for these rows, and what is sent after them,
/// whatever it is, goes behind them, so that nothing can see that they were kept.
struct PendingRows {
  /// The statement for one of them.
  let statement: PostgresStatement
  /// The parameters, row by row.
  var values: [PostgresValue] = []
}

extension PostgresConnection {
  /// Keeps the row of a statement that inserts exactly one; false where it has to be run.
  func keep(_ statement: PostgresStatement, _ values: [PostgresValue]) throws(StoreError) -> Bool {
    guard isWriting, !statement.name.isEmpty else { return false }
    if let failure { throw failure }
    if let index = pending.firstIndex(where: { $0.statement === statement }) {
      pending[index].values += values
    } else {
      pending.append(PendingRows(statement: statement, values: values))
    }
    pendingRows += 1
    pendingBytes += values.reduce(0) { $0 + $1.byteCount }
    if pendingRows >= Self.pendingMax || pendingBytes >= Self.pendingBytesMax { try flushRows() }
    return true
  }

  /// Queues the statements for all rows that are kept.
  func flushRows() throws(StoreError) {
    guard pendingRows > 0 else { return }
    let all = pending
    forgetRows()
    for rows in all {
      let count = rows.statement.types.count
      var rest = rows.values[...]
      while !rest.isEmpty {
        let size = Self.sizes.first { $0 * count <= rest.count } ?? 1
        let statement = try rows.statement.forRows(size)
        try statement.run(rest.prefix(size * count))
        rest = rest.dropFirst(size * count)
      }
    }
  }

  func forgetRows() {
    pending.removeAll(keepingCapacity: true)
    (pendingRows, pendingBytes) = (0, 0)
  }

  /// Rows of one statement: few sizes, because each is prepared.
  private static let sizes = [64, 16, 4, 1]
  /// Rows that are kept at most.
  private static let pendingMax = 512
  /// Bytes that their values have, beyond which no more are kept.
  private static let pendingBytesMax = 256 << 10
}

extension PostgresDialect {
  /// The SQL of a statement with `VALUES (…)`, outside of which it has no parameters, for several rows.
  static func rows(_ sql: String, _ count: Int, parameters: Int) -> String {
    let input = Array(sql.utf8)
    let mark = Array("VALUES (".utf8)
    guard let start = input.indices.first(where: { input[$0...].starts(with: mark) }) else { return sql }
    let open = start + mark.count - 1
    var depth = 0
    let close = input.indices[open...].first { index in
      if input[index] == UInt8(ascii: "(") { depth += 1 }
      if input[index] == UInt8(ascii: ")") { depth -= 1 }
      return depth == 0
    }
    guard let close else { return sql }
    let row = input[open...close]
    var output = Array(input[..<open])
    for number in 0..<count {
      if number > 0 { output += Array(", ".utf8) }
      output += moved(row, by: number * parameters)
    }
    return String(decoding: output + input[(close + 1)...], as: UTF8.self)
  }

  /// The same text with other numbers of its parameters.
  private static func moved(_ text: ArraySlice<UInt8>, by distance: Int) -> [UInt8] {
    var output: [UInt8] = []
    var rest = text
    while let mark = rest.firstIndex(of: UInt8(ascii: "$")) {
      let digits = rest[(mark + 1)...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      let number = Int(String(decoding: digits, as: UTF8.self)) ?? 0
      output += rest[...mark] + Array("\(number + distance)".utf8)
      rest = rest[digits.endIndex...]
    }
    return output + rest
  }
}
