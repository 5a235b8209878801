internal import CSQLite
internal import Ledger
internal import StoreModel

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
    var isWritten = false

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
  /// - Parameters:
  ///   - rows: neighbors in the table, in the order of their ids: what lies between them is looked at.
  ///   - areSeveralPushes: whether it matters which of them were on the wire, and not only how many; a server's.
  func write(
    _ rows: [Row], to db: borrowing Connection, areSeveralPushes: Bool = false
  ) throws(StoreError) -> [Row] {
    guard let first = rows.first, let last = rows.last else { return [] }
    if let postgres = db.postgres { return try Self.write(rows, to: postgres, one: !areSeveralPushes) }
    if !isDefined {
      try unsafe db.define("accepted", arguments: 2, self) { context, _, arguments in
        guard let own = unsafe sqlite3_user_data(context), let arguments = unsafe arguments else { return }
        let (id, part) = unsafe (sqlite3_value_int64(arguments[0]), sqlite3_value_int(arguments[1]))
        unsafe Unmanaged<AcceptedRows>.fromOpaque(own)._withUnsafeGuaranteedRef { unsafe $0.answer(id, part, context) }
      }
      isDefined = true
    }
    self.rows = rows
    place = 0
    let update =
      if first.variant == nil {
        try db.prepare(
          """
          UPDATE deliveries SET state = #delivery.accepted, code = accepted(id, 2), at = accepted(id, 1), attempts = 1
          WHERE id >= ?1 AND id <= ?2 AND attempts = 0 AND state IN (#delivery.fresh, #delivery.inFlight) AND accepted(id, 0)
          """)
      } else {
        try db.prepare(
          """
          UPDATE deliveries SET state = #delivery.accepted, code = accepted(id, 2), at = accepted(id, 1), attempts = 1,
            variant = coalesce(accepted(id, 3), variant)
          WHERE id >= ?1 AND id <= ?2 AND attempts = 0 AND state IN (#delivery.fresh, #delivery.inFlight) AND accepted(id, 0)
          """)
      }
    update.bind(1, first.id)
    update.bind(2, last.id)
    try update.run()
    var written: [Row] = []
    swap(&written, &self.rows)
    return written
  }

  private func answer(_ id: Int64, _ part: Int32, _ context: OpaquePointer?) {
    let isMeant = find(id)
    if part == Part.isMeant { return unsafe sqlite3_result_int(context, isMeant ? 1 : 0) }
    guard isMeant else { return unsafe sqlite3_result_null(context) }
    switch part {
    case Part.at:
      // Asked only of a row that is being changed.
      rows[place].isWritten = true
      unsafe sqlite3_result_int64(context, rows[place].at)
    case Part.code: unsafe sqlite3_result_int64(context, rows[place].code)
    default:
      guard let variant = rows[place].variant else { return unsafe sqlite3_result_null(context) }
      unsafe sqlite3_result_int64(context, Int64(variant))
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
    let found = rows.place(of: id) { $0.id }
    guard found < rows.count, rows[found].id == id else { return false }
    place = found
    return true
  }
}
