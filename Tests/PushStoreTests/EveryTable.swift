@testable import PushStore
@testable import StoreModel

/// Rows in every table of a file, with values of every kind; what they mean contradicts itself.
enum EveryTable {
  /// Rows of each table.
  static let rows = 40
  /// The tables of one row, which is there already.
  static let single = ["clock", "readiness", "sequence"]

  private static let texts = ["", "a\"b\\c\n\u{1}", "ä€😀", "\u{ffff}", "'; --"]
  private static let reals: [Double] = [0.5, 1, 1e10, -2.5e-7, 1e300, 9.007199254740993e15]

  static func fill(_ db: borrowing Connection) throws {
    try db.execute("BEGIN")
    for table in try CopiedTable.all() where !single.contains(table.name) {
      let nullable = try nullableColumns(db, table.name)
      let insert = try db.prepareOnce(table.insertion)
      for row in 1...rows {
        for (index, column) in table.columns.enumerated() {
          let position = Int32(index + 1)
          // Every fourth is null where it may be.
          if nullable.contains(column.name), (row + index) % 4 == 0 {
            insert.bind(position, Int64?.none)
            continue
          }
          switch column.kind {
          case .integer: insert.bind(position, integer(table, index, row))
          case .text: insert.bind(position, text(table, column.name, row))
          case .bytes: insert.bind(position, row == 1 && !isUnique(column.name) ? [] : [0, 255, UInt8(row), 39])
          case .scalar: scalar(insert, position, row)
          }
        }
        try insert.run()
      }
      // The row with the highest key is gone; its key is not given again.
      if table.remembersKeys {
        try db.execute("UPDATE sqlite_sequence SET seq = 5000 WHERE name = '\(table.name)'")
      }
    }
    try db.execute("COMMIT")
  }

  private static func isUnique(_ column: String) -> Bool { ["hash", "invitation", "credential"].contains(column) }

  private static func integer(_ table: CopiedTable, _ index: Int, _ row: Int) -> Int64 {
    // Of attributes many values share a device and a name, so that the value is what orders them.
    if table.name.hasSuffix("_attributes") { return row.isMultiple(of: 2) ? 1 : 2 }
    if table.key == [index] { return Int64(row + (table.name == "outcomes" ? 100 : 0)) }
    let highest = table.name == "deliveries" ? highest(table.columns[index].name) : .max
    return [Int64(row), -Int64(row), highest - Int64(row), -highest - 1 + Int64(row)][(row + index) % 4]
  }

  /// The highest number of a column of `deliveries`, where a server's are short (see ``PostgresSchema/layout``).
  private static func highest(_ column: String) -> Int64 {
    switch column {
    case "state", "attempts", "unknowns", "variant": Int64(Int16.max)
    case "code": Int64(Int32.max)
    default: .max
    }
  }

  private static func text(_ table: CopiedTable, _ name: String, _ row: Int) -> String {
    row == 1 ? "\(table.name).\(name) ä\"\\€😀 1" : texts[row % texts.count] + String(row)
  }

  /// Numbers of the one name, texts of the other.
  private static func scalar(_ insert: borrowing Statement, _ position: Int32, _ row: Int) {
    if !row.isMultiple(of: 2) {
      insert.bind(position, texts[row % texts.count] + (row < 10 ? "" : String(row)))
    } else if row % 4 == 0 {
      insert.bind(position, reals[(row / 4) % reals.count] * (row < 26 ? 1 : Double(row)))
    } else {
      insert.bind(position, Int64(row * row - 300))
    }
  }

  private static func nullableColumns(_ db: borrowing Connection, _ table: String) throws -> Set<String> {
    let select = try db.prepareOnce("SELECT name FROM pragma_table_info('\(table)') WHERE \"notnull\" = 0 AND pk = 0")
    var names: Set<String> = []
    while try select.step() { names.insert(select.text(0)) }
    return names
  }

  /// The rows as SQLite writes them in SQL.
  static func quoted(_ table: CopiedTable, _ db: borrowing Connection) throws -> [String] {
    let select = try db.prepareOnce(
      "SELECT \(table.columns.map { "quote(\"\($0.name)\")" }.joined(separator: " || ',' || ")) FROM \"\(table.name)\"")
    var rows: [String] = []
    while try select.step() { rows.append(select.text(0)) }
    return rows.sorted()
  }
}
