public import StoreModel

extension SQLStore {
  /// A page of what is held.
  public func held(app: AppID?, after: HeldID?, limit: Int) throws(StoreError) -> [HeldItem] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        "SELECT * FROM (\(HeldSQL.all)) AS held WHERE (app = ?1 OR ?1 IS NULL) AND (kind, id) > (?2, ?3) ORDER BY kind, id LIMIT ?4"
      )
      select.bindAll(app, after?.kind.rawValue ?? 0, after?.id ?? 0, Checks.page(limit))
      var items: [HeldItem] = []
      while try select.step() {
        guard let kind = HeldKind(rawValue: select.int(0)) else { continue }
        items.append(
          HeldItem(
            id: HeldID(kind: kind, id: select.int64(1)), app: select.id(2), since: select.timestamp(3),
            dueAt: select.optionalTimestamp(4), waiting: select.int(5), name: select.optionalText(6)))
      }
      return items
    }
  }

  /// How much is held.
  public func countHeld(app: AppID?) throws(StoreError) -> HeldCounts {
    try readers.read { (db) throws(StoreError) in try db.heldCounts(app: app) }
  }

  /// Resumes all that is held but schedules.
  public func resumeHeld(app: AppID?, now: Timestamp) throws(StoreError) -> HeldCounts {
    try write { (context) throws(StoreError) in
      context.note(.everything)
      var counts = try context.db.heldCounts(app: app)
      counts[.schedule] = 0
      for push in try context.db.heldPushes(app: app) { try context.open(push, now) }
      for sql: StaticString in [
        "UPDATE push_plans SET held_at = NULL WHERE held_at IS NOT NULL AND (app = ?1 OR ?1 IS NULL)",
        "UPDATE webhooks SET held_at = NULL WHERE held_at IS NOT NULL AND (app = ?1 OR ?1 IS NULL)",
      ] {
        let update = try context.db.prepare(sql)
        update.bind(1, app)
        try update.run()
      }
      return counts
    }
  }
}

private enum HeldSQL {
  /// What is held and would go out, one select for each kind.
  static let all = """
    SELECT 1 AS kind, id, app, held_at, start_at, waiting + in_flight, name FROM pushes INDEXED BY pushes_held
      WHERE held_at IS NOT NULL AND state = #push.paused
    UNION ALL SELECT 2, l.push, l.app, l.held_at, l.due_at, 0, coalesce(l.key, p.name)
      FROM push_plans l INDEXED BY push_plans_held JOIN pushes p ON p.id = l.push
      WHERE l.held_at IS NOT NULL AND l.due_at IS NOT NULL
    UNION ALL SELECT 3, id, app, held_at, NULL, 0, NULL FROM schedules
      WHERE held_at IS NOT NULL AND paused_at IS NOT NULL AND ended_at IS NULL
    UNION ALL SELECT 4, id, app, held_at, NULL, queued, url FROM webhooks WHERE held_at IS NOT NULL AND enabled = 1
    """
}

extension Connection {
  fileprivate func heldCounts(app: AppID?) throws(StoreError) -> HeldCounts {
    let select = try prepareOnce(
      "SELECT kind, count(*) FROM (\(HeldSQL.all)) AS held WHERE app = ?1 OR ?1 IS NULL GROUP BY kind")
    select.bind(1, app)
    var counts = HeldCounts()
    while try select.step() {
      if let kind = HeldKind(rawValue: select.int(0)) { counts[kind] = select.int(1) }
    }
    return counts
  }

  fileprivate func heldPushes(app: AppID?) throws(StoreError) -> [PushID] {
    let select = try prepare(
      """
      SELECT id FROM pushes INDEXED BY pushes_held
      WHERE held_at IS NOT NULL AND state = #push.paused AND (app = ?1 OR ?1 IS NULL) ORDER BY id
      """)
    select.bind(1, app)
    var ids: [PushID] = []
    while try select.step() { ids.append(select.id(0)) }
    return ids
  }
}

extension SQLStore {
  /// Marks every unfinished push as restored, and holds everything that could go out by itself, in one transaction; what a person
  /// paused before stays theirs.
  ///
  /// The original may have sent each delivery that the copy says is waiting (see `Transitions`).
  /// New batches of webhooks and new pushes get numbers far beyond those of the copy: the original may have given those away,
  /// and a receiver would take a new batch for one that it knows.
  func settleRestored(since: Timestamp, isHolding: Bool) throws(StoreError) -> HeldCounts {
    try write { (context) throws(StoreError) in
      let mark = try context.db.prepare(
        "UPDATE pushes SET restored_at = ?1 WHERE state IN (#push.draft, #push.scheduled, #push.sending, #push.paused, #push.planned)"
      )
      mark.bind(1, since)
      try mark.run()
      if isHolding { try context.db.holdEverything(since) }
      // Sessions that have ended, and invitations that were used, since the copy was made must not be valid again.
      try context.db.execute("DELETE FROM sessions; UPDATE accounts SET invitation = NULL, invited_until = NULL")
      try context.db.skipKeys(of: "outbox", numbersSkipped)
      try context.db.execute("UPDATE sequence SET next = next + \(numbersSkipped)")
      return try context.db.heldCounts(app: nil)
    }
  }
}

extension Connection {
  fileprivate func holdEverything(_ since: Timestamp) throws(StoreError) {
    for sql: StaticString in [
      """
      UPDATE pushes SET resumed_at = CASE WHEN state = #push.sending THEN coalesce(resumed_at, created_at) ELSE resumed_at END,
        state = #push.paused, open = 0, held_at = ?1
      WHERE state IN (#push.scheduled, #push.sending)
      """,
      "UPDATE push_plans SET held_at = ?1 WHERE due_at IS NOT NULL",
      """
      UPDATE schedules SET next_at = NULL, computed_at = NULL, paused_at = ?1, held_at = ?1, revision = revision + 1
      WHERE paused_at IS NULL AND ended_at IS NULL
      """,
      "UPDATE webhooks SET held_at = ?1 WHERE enabled = 1",
    ] {
      let update = try prepare(sql)
      update.bind(1, since)
      try update.run()
    }
  }
}

/// More than a server gives away between two backups; a database can be restored eight million times before the numbers end.
private let numbersSkipped: Int64 = 1 << 40
