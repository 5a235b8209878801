internal import PostgresEngine
internal import StoreModel

/// First tries that were accepted, on a server: one statement walks over the range of their keys.
///
/// What differs from row to row travels as arrays in which a row's place is its distance from the first, so that nothing has to
/// be joined; zero stands for a row between them that is not meant.
extension AcceptedRows {
  /// - Parameter isOnePush: whether it is enough to know how many of them were on the wire.
  static func write(
    _ rows: [Row], to postgres: PostgresConnection, one isOnePush: Bool
  ) throws(StoreError) -> [Row] {
    guard let first = rows.first, let last = rows.last else { return [] }
    // The answers of a lease come from one provider, nearly always; those of several pushes may alternate between two.
    if rows.contains(where: { $0.code != first.code }) {
      var written = rows
      for code in Set(rows.map(\.code)) {
        let places = rows.indices.filter { rows[$0].code == code }
        let part = try write(places.map { rows[$0] }, to: postgres, one: isOnePush)
        for (place, row) in zip(places, part) { written[place] = row }
      }
      return written
    }
    var times = [Int64](repeating: 0, count: Int(last.id - first.id) + 1)
    for row in rows { times[Int(row.id - first.id)] = row.at }
    guard first.variant == nil, isOnePush else { return try write(rows, times, to: postgres) }
    let update = try postgres.prepare(composed: statement(rows, times))
    update.isInUse = true
    defer { update.release() }
    update.bind(1, first.id)
    update.bind(2, last.id)
    update.bind(3, array: times)
    update.bind(4, first.code)
    try update.run()
    let changed = postgres.changes
    // Which of them were late is nobody's question here, how many were is.
    return rows.enumerated().map { place, row in
      var row = row
      row.isWritten = place < changed
      return row
    }
  }

  /// The statement for some rows; only where something lies between them is it asked of each whether it is meant.
  private static func statement(_ rows: [Row], _ times: [Int64], haveVariants: Bool = false) -> String {
    statement(
      code: "?4", at: placed("?3"), variant: haveVariants ? "nullif(\(placed("?5")), -1)" : nil,
      isMeant: rows.count == times.count ? nil : "\(placed("?3")) <> 0")
  }

  /// What an array has for a row.
  private static func placed(_ array: String) -> String { "(CAST(\(array) AS bigint[]))[id - ?1 + 1]" }

  /// Those of a push with variants, or of several pushes, which are counted one by one.
  private static func write(
    _ rows: [Row], _ times: [Int64], to postgres: PostgresConnection
  ) throws(StoreError) -> [Row] {
    let haveVariants = rows[0].variant != nil
    let update = try postgres.prepare(
      composed: statement(rows, times, haveVariants: haveVariants) + " RETURNING id")
    update.isInUse = true
    defer { update.release() }
    update.bind(1, rows[0].id)
    update.bind(2, rows[rows.count - 1].id)
    update.bind(3, array: times)
    update.bind(4, rows[0].code)
    if haveVariants {
      var variants = [Int64](repeating: -1, count: times.count)
      for row in rows { variants[Int(row.id - rows[0].id)] = Int64(row.variant ?? -1) }
      update.bind(5, array: variants)
    }
    var written: Set<Int64> = []
    while try update.step() { written.insert(update.int64(0)) }
    return rows.map { row in
      var row = row
      row.isWritten = written.contains(row.id)
      return row
    }
  }
}
