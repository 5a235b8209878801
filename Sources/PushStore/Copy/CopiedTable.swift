internal import SQLiteEngine
internal import StoreModel

/// A table as it is copied from one engine to the other: its columns in their order, and what its rows are ordered by.
///
/// The tables are those of SQLite's schema, of which a test says that PostgreSQL's has the same.
struct CopiedTable: Sendable {
  /// What a column holds.
  enum Kind: Sendable {
    case integer, text, bytes
    /// Values of several kinds: texts and numbers of attributes.
    case scalar
  }

  struct Column: Sendable {
    let name: String
    let kind: Kind
  }

  let name: String
  private(set) var columns: [Column]
  /// The columns of the primary key, by their index; empty for a table of one row.
  private(set) var key: [Int]
  /// Whether SQLite remembers the highest key that it ever gave.
  let remembersKeys: Bool

  /// Every table of this program's schema, by name.
  static func all() throws(StoreError) -> [CopiedTable] {
    let db = try Connection(path: "file:layout?mode=memory", access: .memory)
    try Schema.migrate(db)
    let select = try db.prepareOnce(
      """
      SELECT t.name, c.name, c.type, c.pk, t.sql LIKE '%AUTOINCREMENT%' FROM sqlite_schema t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid
      """)
    var tables: [CopiedTable] = []
    var ranks: [Int] = []
    while try select.step() {
      if tables.last?.name != select.text(0) {
        tables.append(CopiedTable(name: select.text(0), columns: [], key: [], remembersKeys: select.bool(4)))
        ranks = []
      }
      let last = tables.count - 1
      tables[last].columns.append(Column(name: select.text(1), kind: kind(select.text(2))))
      ranks.append(select.int(3))
      tables[last].key = ranks.indices.filter { ranks[$0] > 0 }.sorted { ranks[$0] < ranks[$1] }
    }
    return tables
  }

  private static func kind(_ type: String) -> Kind {
    switch type {
    case "INTEGER": .integer
    case "TEXT": .text
    case "BLOB": .bytes
    default: .scalar
    }
  }

  /// The columns with the name that PostgreSQL has for a function, too, in quotation marks.
  var columnList: String { columns.map { "\"\($0.name)\"" }.joined(separator: ", ") }

  /// Whether one of its rows may be large.
  var hasLargeValues: Bool { columns.contains { $0.kind == .bytes } }

  /// Columns, and behind them the kinds of those that hold several, as the engine names them.
  private func fields(isServer: Bool) -> String {
    let kinds = columns.filter { $0.kind == .scalar }.map { "\(isServer ? "jsonb_typeof" : "typeof")(\"\($0.name)\")" }
    return "SELECT \(([columnList] + kinds).joined(separator: ", ")) FROM \"\(name)\""
  }

  private var keyNames: [String] { key.map { "\"\(columns[$0].name)\"" } }

  /// The rows behind a key, or from the first one, in the order of the key; the parameters are the key, then how many.
  func selection(isBehindKey: Bool, isServer: Bool) -> String {
    let fields = fields(isServer: isServer)
    guard !key.isEmpty else { return fields + " LIMIT ?1" }
    let names = keyNames.joined(separator: ", ")
    guard isBehindKey else { return "\(fields) ORDER BY \(names) LIMIT ?1" }
    let placeholders = (1...key.count).map { "?\($0)" }.joined(separator: ", ")
    return "\(fields) WHERE (\(names)) > (\(placeholders)) ORDER BY \(names) LIMIT ?\(key.count + 1)"
  }

  /// The row with the last key.
  func lastSelection(isServer: Bool) -> String {
    let order = keyNames.map { "\($0) DESC" }.joined(separator: ", ")
    return "\(fields(isServer: isServer)) ORDER BY \(order) LIMIT 1"
  }

  /// Adds a row to a table of a file.
  var insertion: String {
    let placeholders = (1...columns.count).map { "?\($0)" }.joined(separator: ", ")
    return "INSERT INTO \"\(name)\"(\(columnList)) VALUES (\(placeholders))"
  }

  /// Counts values in a file that are of another kind than their column, which SQLite would keep and PostgreSQL would not.
  var misfits: String {
    let conditions = columns.compactMap { column -> String? in
      let kind: String
      switch column.kind {
      case .integer: kind = "'integer'"
      case .text: kind = "'text'"
      case .bytes: kind = "'blob'"
      case .scalar: kind = "'integer', 'real', 'text'"
      }
      return "typeof(\"\(column.name)\") NOT IN (\(kind), 'null')"
    }
    return "SELECT count(*) FROM \"\(name)\" WHERE " + conditions.joined(separator: " OR ")
  }
}
