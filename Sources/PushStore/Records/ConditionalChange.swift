public import StoreModel

extension ConditionalChange {
  /// How long a version is remembered, in milliseconds: longer than any request takes.
  private static let keptMs: Int64 = 3_600_000
  /// The time that is forgotten at once.
  private static let stepMs: Int64 = 600_000

  /// The change together with the check; later changes of the work are as they were.
  static func joined<Output: Sendable>(
    _ change: @escaping @Sendable (inout WriterContext) throws(StoreError) -> Output
  ) -> @Sendable (inout WriterContext) throws(StoreError) -> Output {
    guard let current, current.take() else { return change }
    return { (context) throws(StoreError) in
      try current.check(&context)
      return try change(&context)
    }
  }

  private func check(_ context: inout WriterContext) throws(StoreError) {
    // It runs again when its transaction was rolled back.
    note(wasOvertaken: false)
    for (name, version) in seen {
      guard try context.db.conditionVersion(of: name) == version else {
        note(wasOvertaken: true)
        throw StoreError(.conflict, "it was changed meanwhile", advice: "read it again, and decide anew")
      }
    }
    try forgetOld(&context)
    for (name, version) in seen {
      let upsert = try context.db.prepare(
        """
        INSERT INTO conditions(name, version, at) VALUES (?1, ?2, ?3)
        ON CONFLICT(name) DO UPDATE SET version = excluded.version, at = excluded.at
        """)
      // Beyond every version that it has had, also one that was forgotten.
      upsert.bindAll(name, max(version + 1, now.milliseconds), now)
      try upsert.run()
    }
  }

  /// Gives what is not remembered another version, so that nobody takes what was changed and forgotten for unchanged.
  ///
  /// So it is however long that one has worked or a clock has jumped. It overtakes all who work on what is not remembered, so it is
  /// done for much at once.
  private func forgetOld(_ context: inout WriterContext) throws(StoreError) {
    let old = try context.db.prepare(
      """
      DELETE FROM conditions WHERE at < ?1 AND name <> x''
        AND EXISTS (SELECT 1 FROM conditions AS older WHERE older.at < ?2 AND older.name <> x'')
      """)
    let end = now.adding(milliseconds: -Self.keptMs)
    old.bindAll(end, end.adding(milliseconds: -Self.stepMs))
    try old.run()
    guard context.db.changes > 0 else { return }
    let count = try context.db.prepare(
      """
      INSERT INTO conditions(name, version, at) VALUES (x'', 1, ?1)
      ON CONFLICT(name) DO UPDATE SET version = conditions.version + 1
      """)
    count.bind(1, now)
    try count.run()
  }
}

extension SQLStore {
  /// The version of what has this name, which each ``ConditionalChange`` moves.
  public func conditionVersion(of name: [UInt8]) throws(StoreError) -> Int64 {
    try readers.read { (db) throws(StoreError) in try db.conditionVersion(of: name) }
  }
}

extension Connection {
  fileprivate func conditionVersion(of name: [UInt8]) throws(StoreError) -> Int64 {
    let select = try prepare(
      """
      SELECT coalesce((SELECT version FROM conditions WHERE name = ?1),
        (SELECT -version FROM conditions WHERE name = x''), 0)
      """)
    select.bind(1, name)
    return try select.step() ? select.int64(0) : 0
  }
}
