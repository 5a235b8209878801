internal import CSQLite

/// First tries that were accepted, as one statement reads them: the SQL function `accepted(id, part)`.
///
/// Deliveries of a push with languages or variants are answered beside one another, but not alike: the time and the variant
/// differ from row to row. One walk over the table that asks here what becomes of each row costs a third of a statement
/// for each, and allocates nothing.
final class AcceptedRows {
  /// A delivery and what is written of it.
  struct Row {
    let id: Int64
    let at: Int64
    let code: Int64
    let variant: Int?
    /// Whether the statement changed it; false for one that is not on the wire any more.
    fileprivate(set) var isWritten = false

    init(_ result: borrowing DeliveryResult) {
      id = result.delivery.rawValue
      at = result.at.milliseconds
      code = OutcomeCode.accepted(result.provider)
      variant = result.variant
    }
  }

  /// What the function returns for a row, by its second argument.
  private enum Part {
    static let isMeant: Int32 = 0
    static let at: Int32 = 1
    static let code: Int32 = 2
    static let variant: Int32 = 3
  }

  /// The rows of the statement that is run, in the order of their ids, each once.
  private var rows: [Row] = []
  /// Where the row is that was asked for last: the next question is of the same row or of the one behind it.
  private var place = 0
  private var isDefined = false

  /// Accepts deliveries on a connection, and says which of them were on the wire.
  ///
  /// - Parameter rows: neighbors in the table, in the order of their ids: what lies between them is looked at.
  func write(_ rows: [Row], to db: borrowing Connection) throws(StoreError) -> [Row] {
    guard let first = rows.first, let last = rows.last else { return [] }
    if let postgres = db.postgres { return try Self.write(rows, to: postgres) }
    if !isDefined {
      try db.define("accepted", arguments: 2, self) { context, _, arguments in
        guard let own = sqlite3_user_data(context), let arguments else { return }
        let (id, part) = (sqlite3_value_int64(arguments[0]), sqlite3_value_int(arguments[1]))
        Unmanaged<AcceptedRows>.fromOpaque(own)._withUnsafeGuaranteedRef { $0.answer(id, part, context) }
      }
      isDefined = true
    }
    self.rows = rows
    place = 0
    let update =
      if first.variant == nil {
        try db.prepare(
          """
          UPDATE deliveries SET state = 5, code = accepted(id, 2), at = accepted(id, 1), attempts = 1
          WHERE id >= ?1 AND id <= ?2 AND attempts = 0 AND state IN (2, 4) AND accepted(id, 0)
          """)
      } else {
        try db.prepare(
          """
          UPDATE deliveries SET state = 5, code = accepted(id, 2), at = accepted(id, 1), attempts = 1,
            variant = coalesce(accepted(id, 3), variant)
          WHERE id >= ?1 AND id <= ?2 AND attempts = 0 AND state IN (2, 4) AND accepted(id, 0)
          """)
      }
    update.bind(1, first.id)
    update.bind(2, last.id)
    try update.run()
    var written: [Row] = []
    swap(&written, &self.rows)
    return written
  }

  /// The same on a server: the rows travel as arrays, and one statement joins them with the table.
  private static func write(_ rows: [Row], to postgres: PostgresConnection) throws(StoreError) -> [Row] {
    let update = try postgres.prepare(
      """
      UPDATE deliveries d SET state = 5, code = a.code, at = a.at, attempts = 1,
        variant = coalesce(nullif(a.variant, -1), d.variant)
      FROM unnest(CAST(?1 AS bigint[]), CAST(?2 AS bigint[]), CAST(?3 AS bigint[]), CAST(?4 AS bigint[]))
        AS a(id, at, code, variant)
      WHERE d.id = a.id AND d.attempts = 0 AND d.state IN (2, 4) RETURNING d.id
      """)
    update.isInUse = true
    defer { update.release() }
    update.bind(1, array: rows.map(\.id))
    update.bind(2, array: rows.map(\.at))
    update.bind(3, array: rows.map(\.code))
    update.bind(4, array: rows.map { Int64($0.variant ?? -1) })
    var written: Set<Int64> = []
    while try update.step() { written.insert(update.int64(0)) }
    return rows.map { row in
      var row = row
      row.isWritten = written.contains(row.id)
      return row
    }
  }

  private func answer(_ id: Int64, _ part: Int32, _ context: OpaquePointer?) {
    let isMeant = find(id)
    if part == Part.isMeant { return sqlite3_result_int(context, isMeant ? 1 : 0) }
    guard isMeant else { return sqlite3_result_null(context) }
    switch part {
    case Part.at:
      // Asked only of a row that is being changed.
      rows[place].isWritten = true
      sqlite3_result_int64(context, rows[place].at)
    case Part.code: sqlite3_result_int64(context, rows[place].code)
    default:
      guard let variant = rows[place].variant else { return sqlite3_result_null(context) }
      sqlite3_result_int64(context, Int64(variant))
    }
  }

  /// Moves to a row; false when it is none of these.
  private func find(_ id: Int64) -> Bool {
    guard place < rows.count else { return false }
    if rows[place].id == id { return true }
    if place + 1 < rows.count, rows[place + 1].id == id {
      place += 1
      return true
    }
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if rows[middle].id < id { low = middle + 1 } else { high = middle }
    }
    guard low < rows.count, rows[low].id == id else { return false }
    place = low
    return true
  }
}
