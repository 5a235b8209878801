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
    /// The provider's name for it; a server's only.
    let providerID: String?
    /// Whether the statement changed it; false for one that is not on the wire any more.
    var isWritten = false

    /// - Parameter code: the number of the provider's answer.
    init(_ result: borrowing DeliveryResult, code: Int64) {
      id = result.delivery.rawValue
      at = result.at.milliseconds
      self.code = code
      variant = result.variant
      if case .accepted(let name) = result.change { providerID = name } else { providerID = nil }
    }
  }

  /// What the function returns for a row, by its second argument.
  private enum Part {
    static let isMeant: Int64 = 0
    static let at: Int64 = 1
    static let code: Int64 = 2
    static let variant: Int64 = 3
  }

  /// The rows of the statement that is run, in the order of their ids, each once.
  private var rows: [Row] = []
  /// Where the row is that was asked for last: the next question is of the same row or of the one behind it.
  private var index = 0
  private var isDefined = false

  /// Accepts deliveries on a connection, and says which of them were on the wire.
  ///
  /// - Parameters:
  ///   - rows: neighbors in the table, in the order of their ids: what lies between them is looked at.
  ///   - isEachAsked: whether it matters which of them were on the wire, and not only how many; a server's.
  func write(
    _ rows: [Row], to db: borrowing Connection, isEachAsked: Bool = false
  ) throws(StoreError) -> [Row] {
    guard let first = rows.first, let last = rows.last else { return [] }
    if let postgres = db.postgres { return try Self.write(rows, to: postgres, isEachAsked: isEachAsked) }
    if !isDefined {
      try db.define("accepted") { id, part in self.answer(id, part) }
      isDefined = true
    }
    self.rows = rows
    index = 0
    let update = try db.prepare(parts: first.variant == nil ? Self.alike : Self.withVariants)
    update.bind(1, first.id)
    update.bind(2, last.id)
    try update.run()
    var written: [Row] = []
    swap(&written, &self.rows)
    return written
  }

  /// Accepts the deliveries between two keys, by what SQL says of each.
  static func statement(
    code: String, at: String, variant: String?, isMeant: String?, providerID: String? = nil
  ) -> String {
    """
    UPDATE deliveries SET state = #delivery.accepted, code = \(code), at = \(at), attempts = 1\(
      variant.map { ", variant = coalesce(\($0), variant)" } ?? "")\(
      providerID.map { ", provider_id = CASE WHEN device IS NULL AND target IS NULL THEN NULL ELSE \($0) END" } ?? "")
    WHERE id >= ?1 AND id <= ?2 AND attempts = 0 AND state IN #delivery.answerable\(isMeant.map { " AND " + $0 } ?? "")
    """
  }

  private static let alike = statement(
    code: "accepted(id, 2)", at: "accepted(id, 1)", variant: nil, isMeant: "accepted(id, 0)")
  private static let withVariants = statement(
    code: "accepted(id, 2)", at: "accepted(id, 1)", variant: "accepted(id, 3)", isMeant: "accepted(id, 0)")

  private func answer(_ id: Int64, _ part: Int64) -> Int64? {
    let isMeant = find(id)
    if part == Part.isMeant { return isMeant ? 1 : 0 }
    guard isMeant else { return nil }
    switch part {
    case Part.at:
      // Asked only of a row that is being changed.
      rows[index].isWritten = true
      return rows[index].at
    case Part.code: return rows[index].code
    default: return rows[index].variant.map(Int64.init)
    }
  }

  /// Moves to a row; false when it is none of these.
  private func find(_ id: Int64) -> Bool {
    guard index < rows.count else { return false }
    if rows[index].id == id { return true }
    if index + 1 < rows.count, rows[index + 1].id == id {
      index += 1
      return true
    }
    let found = rows.lowerBound(of: id) { $0.id }
    guard found < rows.count, rows[found].id == id else { return false }
    index = found
    return true
  }
}
