public import StoreModel

extension SQLStore {
  /// An app's rules; none unless set.
  public func suppressionRules(app: AppID) throws(StoreError) -> SuppressionRules {
    try readers.read { (db) throws(StoreError) in try db.suppressionRules(app) }
  }

  /// Replaces an app's rules.
  public func setSuppressionRules(_ rules: SuppressionRules, app: AppID) throws(StoreError) {
    _ = try changeSuppressionRules(app: app) { _ in Result<SuppressionRules, Never>.success(rules) }
  }

  /// Changes an app's rules in one transaction.
  public func changeSuppressionRules<Refusal: Error>(
    app: AppID, _ change: @escaping @Sendable (SuppressionRules) -> Result<SuppressionRules, Refusal>
  ) throws(StoreError) -> Result<SuppressionRules, Refusal> {
    try write { (context) throws(StoreError) in
      context.note(.apps)
      guard try context.db.app(app) != nil else { throw Checks.missing("app", app) }
      let result = change(try context.db.suppressionRules(app))
      guard case .success(let rules) = result else { return result }
      try rules.check()
      let save = try context.db.prepare(
        """
        INSERT INTO suppression(app, quiet_from, quiet_to, quiet_zone, cap_pushes, cap_window)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(app) DO UPDATE SET quiet_from = excluded.quiet_from,
          quiet_to = excluded.quiet_to, quiet_zone = excluded.quiet_zone, cap_pushes = excluded.cap_pushes,
          cap_window = excluded.cap_window
        """)
      save.bindAll(
        app, rules.quietHours.map { Int64($0.from) }, rules.quietHours.map { Int64($0.to) }, rules.quietHours?.zone,
        rules.frequencyCap.map { Int64($0.pushes) }, rules.frequencyCap?.windowMs)
      try save.run()
      return result
    }
  }
}

extension SuppressionRules {
  fileprivate func check() throws(StoreError) {
    if let quietHours {
      guard (0..<1440).contains(quietHours.from), (0..<1440).contains(quietHours.to), quietHours.from != quietHours.to
      else {
        throw StoreError(.invalid, "quiet hours: not two different times of day", advice: "give two minutes of the day")
      }
      try Checks.text(quietHours.zone, "quiet hours: time zone")
    }
    if let frequencyCap, !(1...FrequencyCap.pushesMax).contains(frequencyCap.pushes) || frequencyCap.windowMs < 1 {
      throw StoreError(
        .invalid, "frequency cap: \(frequencyCap.pushes) pushes in \(frequencyCap.windowMs) ms",
        advice: "give 1 to \(FrequencyCap.pushesMax) pushes and a stretch above 0")
    }
  }
}

extension Connection {
  func suppressionRules(_ app: AppID) throws(StoreError) -> SuppressionRules {
    let select = try prepare(
      "SELECT quiet_from, quiet_to, quiet_zone, cap_pushes, cap_window FROM suppression WHERE app = ?1")
    select.bind(1, app)
    guard try select.step() else { return SuppressionRules() }
    return SuppressionRules(
      quietHours: select.isNull(0) ? nil : QuietHours(from: select.int(0), to: select.int(1), zone: select.text(2)),
      frequencyCap: select.isNull(3) ? nil : FrequencyCap(pushes: select.int(3), windowMs: select.int64(4)))
  }
}
