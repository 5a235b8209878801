internal import Ledger
public import StoreModel

extension SQLStore {
  /// Counts by time.
  public func series(
    of scope: SeriesScope, from: Timestamp, until: Timestamp, stepMs: Int64, limit: Int
  ) throws(StoreError) -> [SeriesPoint] {
    guard stepMs >= SeriesDeltas.stepMs, stepMs % SeriesDeltas.stepMs == 0 else {
      throw StoreError(.invalid, "step: \(stepMs) ms", advice: "give whole minutes")
    }
    return try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(try db.seriesSQL(scope))
      switch scope {
      case .push(let id): select.bind(1, id)
      case .app(let id): select.bind(1, -id.rawValue)
      }
      select.bind(2, from)
      select.bind(3, until)
      select.bind(4, stepMs)
      return try select.points(limit: Checks.page(limit))
    }
  }
}

extension Connection {
  /// A campaign's and an app's counts are kept; those of other pushes are read from their rows while there are any.
  fileprivate func seriesSQL(_ scope: SeriesScope) throws(StoreError) -> String {
    guard case .push(let id) = scope, try !isCampaign(id) else { return SeriesSQL.kept }
    return SeriesSQL.counted
  }

  private func isCampaign(_ push: PushID) throws(StoreError) -> Bool {
    let select = try prepare("SELECT class = #class.campaign FROM pushes WHERE id = ?1")
    select.bind(1, push)
    return try select.step() && select.bool(0)
  }
}

enum SeriesSQL {
  static let kept = """
    SELECT bucket - bucket % ?4 AS start, metric, sum(count) FROM series
    WHERE scope = ?1 AND bucket >= ?2 AND bucket < ?3 GROUP BY start, metric ORDER BY start, metric
    """

  /// The same from the rows of one push, and from what is kept of rows that are gone.
  static let counted = """
    SELECT bucket - bucket % ?4 AS start, metric, sum(count) FROM (
      SELECT bucket, metric, count FROM series WHERE scope = ?1
      UNION ALL
      SELECT CASE WHEN d.state = #delivery.fresh THEN coalesce(p.finished_at, d.at) ELSE d.at END,
        \(LedgerSQL.state), 1 FROM pushes p
        JOIN deliveries d ON d.id >= p.id AND d.id < p.id + p.targeted
        WHERE p.id = ?1 AND (\(LedgerSQL.state)) >= #delivery.accepted
      UNION ALL
      SELECT e.at, e.kind + 10, 1 FROM pushes p JOIN events e ON e.delivery >= p.id AND e.delivery < p.id + p.targeted
        WHERE p.id = ?1 AND e.kind < 4
      UNION ALL
      SELECT min(e.at), 14, 1 FROM pushes p JOIN events e ON e.delivery >= p.id AND e.delivery < p.id + p.targeted
        WHERE p.id = ?1 AND e.kind = #event.action GROUP BY e.delivery) AS rows
    WHERE bucket >= ?2 AND bucket < ?3 GROUP BY start, metric ORDER BY start, metric
    """
}

extension Statement {
  /// Rows (start, metric, count) in order, put together by start.
  fileprivate func points(limit: Int) throws(StoreError) -> [SeriesPoint] {
    var points: [SeriesPoint] = []
    var start: Timestamp?
    var counts: [SeriesMetric: Int] = [:]
    while try step() {
      let next = timestamp(0)
      if let start, start != next {
        points.append(SeriesPoint(start: start, counts: counts))
        counts = [:]
        if points.count == limit { return points }
      }
      start = next
      if let metric = SeriesMetric(rawValue: UInt8(truncatingIfNeeded: int(1))) { counts[metric] = int(2) }
    }
    if let start { points.append(SeriesPoint(start: start, counts: counts)) }
    return points
  }
}
