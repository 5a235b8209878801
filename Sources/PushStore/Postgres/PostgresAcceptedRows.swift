internal import PostgresEngine
internal import StoreModel

/// First tries that were accepted, on a server: one statement walks over the range of their keys.
///
/// What differs from row to row travels as arrays in which a row's index is its distance from the first, so that nothing has to
/// be joined; zero represents a row between them that is not meant.
extension AcceptedRows {
  /// - Parameter isEachAsked: whether it is not enough to know how many of them were on the wire.
  static func write(
    _ rows: [Row], to postgres: PostgresConnection, isEachAsked: Bool
  ) throws(StoreError) -> [Row] {
    guard let first = rows.first, let last = rows.last else { return [] }
    // The answers of a lease come from one provider, nearly always; those of several pushes may alternate between two.
    if rows.contains(where: { $0.code != first.code }) {
      var written = rows
      for code in Set(rows.map(\.code)) {
        let indexes = rows.indices.filter { rows[$0].code == code }
        let part = try write(indexes.map { rows[$0] }, to: postgres, isEachAsked: isEachAsked)
        for (index, row) in zip(indexes, part) { written[index] = row }
      }
      return written
    }
    let isEachAsked = isEachAsked || first.variant != nil
    let update = try prepare(rows, count: Int(last.id - first.id) + 1, isEachAsked: isEachAsked, postgres)
    update.isInUse = true
    defer { update.release() }
    var written = rows
    if isEachAsked {
      var changed: Set<Int64> = []
      while try update.step() { changed.insert(update.int64(0)) }
      for index in written.indices { written[index].isWritten = changed.contains(written[index].id) }
    } else {
      try update.run()
      // Which of them were late is nobody's question here, how many were is.
      for index in written.indices.prefix(postgres.changes) { written[index].isWritten = true }
    }
    return written
  }

  /// The statement for some rows with one code, bound.
  ///
  /// - Parameter count: the rows from the first to the last, also those between them that are not meant.
  private static func prepare(
    _ rows: [Row], count: Int, isEachAsked: Bool, _ postgres: PostgresConnection
  ) throws(StoreError) -> PostgresStatement {
    let first = rows[0]
    var times = [Int64](repeating: 0, count: count)
    for row in rows { times[Int(row.id - first.id)] = row.at }
    let names = Names(rows, count: count)
    let update = try postgres.prepare(
      composed: statement(
        code: "?4", at: placed("?3"), variant: first.variant == nil ? nil : "nullif(\(placed("?5")), -1)",
        // Only where something lies between them is it asked of each whether it is meant.
        isMeant: rows.count == count ? nil : "\(placed("?3")) <> 0", providerID: names == nil ? nil : Names.placed)
        + (isEachAsked ? " RETURNING id" : ""))
    update.bind(1, first.id)
    update.bind(2, rows[rows.count - 1].id)
    update.bind(3, array: times)
    update.bind(4, first.code)
    if first.variant != nil {
      var variants = [Int64](repeating: -1, count: count)
      for row in rows { variants[Int(row.id - first.id)] = Int64(row.variant ?? -1) }
      update.bind(5, array: variants)
    }
    if let names {
      update.bind(6, names.text)
      update.bind(7, array: names.starts)
    }
    return update
  }

  /// What an array has for a row.
  private static func placed(_ array: String) -> String { "(CAST(\(array) AS bigint[]))[id - ?1 + 1]" }

  /// The providers' names for rows, one behind the other: an element of an array of texts is found by walking over those before it.
  private struct Names {
    private(set) var text: [UInt8] = []
    /// Where that of each row begins, and behind them where the last one ends.
    private(set) var starts: [Int64]

    /// Nil when none has a name.
    init?(_ rows: [Row], count: Int) {
      guard let first = rows.first, rows.contains(where: { $0.providerID != nil }) else { return nil }
      starts = []
      starts.reserveCapacity(count + 1)
      for row in rows {
        // One that is not among the rows has an empty name.
        while starts.count <= row.id - first.id { starts.append(Int64(text.count)) }
        if let name = row.providerID { text += name.utf8 }
      }
      starts.append(Int64(text.count))
    }

    /// What they have for a row: null where the name is empty.
    static let placed = """
      nullif(convert_from(substring(CAST(?6 AS bytea) FROM CAST(\(start("id - ?1 + 1")) + 1 AS int)
        FOR CAST(\(start("id - ?1 + 2")) - \(start("id - ?1 + 1")) AS int)), 'UTF8'), '')
      """

    private static func start(_ index: String) -> String { "(CAST(?7 AS bigint[]))[\(index)]" }
  }
}
