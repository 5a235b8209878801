public import StoreModel

extension SQLStore {
  /// All lanes that are stopped, by app.
  public func stops() throws(StoreError) -> [LaneStop] {
    try readers.read { (db) throws(StoreError) in try db.stops() }
  }

  /// Notes that a lane is stopped, or that it is not.
  public func setStop(
    of lane: LaneKey, _ stop: LaneStop?, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    write(
      { (context) throws(StoreError) in
        // Not `credentials`, after which others would open them anew and end the stop.
        context.note(.work)
        guard let stop else { return try context.db.clearStop(of: lane) }
        try context.db.save(stop)
      }, completion: completion)
  }

  /// Lets all lanes of an app send again.
  public func clearStops(app: AppID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.credentials(app))
      let delete = try context.db.prepare("DELETE FROM stops WHERE app = ?1")
      delete.bind(1, app)
      try delete.run()
    }
  }
}

extension Connection {
  func stops() throws(StoreError) -> [LaneStop] {
    let select = try prepare("SELECT lane, reason, since, refusals, retry_at FROM stops ORDER BY lane")
    var stops: [LaneStop] = []
    while try select.step() {
      guard let lane = LaneKey(number: select.int64(0)) else { continue }
      stops.append(
        LaneStop(
          lane: lane, reason: select.text(1), since: select.timestamp(2), refusals: select.int(3),
          retryAt: select.timestamp(4)))
    }
    return stops
  }

  fileprivate func save(_ stop: LaneStop) throws(StoreError) {
    let insert = try prepare(
      """
      INSERT INTO stops(lane, app, reason, since, refusals, retry_at)
      SELECT ?1, id, ?3, ?4, ?5, ?6 FROM apps WHERE id = ?2
      ON CONFLICT(lane) DO UPDATE SET app = excluded.app, reason = excluded.reason, since = excluded.since,
        refusals = excluded.refusals, retry_at = excluded.retry_at
      """)
    insert.bindAll(
      Optional(stop.lane.number), stop.lane.app, ReasonText.cut(stop.reason), stop.since, stop.refusals, stop.retryAt)
    try insert.run()
  }

  fileprivate func clearStop(of lane: LaneKey) throws(StoreError) {
    let delete = try prepare("DELETE FROM stops WHERE lane = ?1")
    delete.bind(1, Optional(lane.number))
    try delete.run()
  }
}
