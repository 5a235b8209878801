public import StoreModel

extension SQLStore {
  /// Uses something that is good once.
  public func useOnce(
    _ mark: [UInt8], _ kind: OnceKind, until end: Timestamp, max: Int, now: Timestamp
  ) throws(StoreError) -> OnceUse {
    try write { (context) throws(StoreError) in
      let over = try context.db.prepare("DELETE FROM used_once WHERE kind = ?1 AND ends_at < ?2")
      over.bindAll(kind.rawValue, now)
      try over.run()
      guard try !context.db.wasUsed(mark) else { return .again }
      let count = try context.db.prepare("SELECT count(*) FROM used_once WHERE kind = ?1")
      count.bind(1, kind.rawValue)
      guard try count.step(), count.int(0) < max else { return .full }
      let insert = try context.db.prepare("INSERT INTO used_once(mark, kind, ends_at) VALUES (?1, ?2, ?3)")
      insert.bindAll(mark, kind.rawValue, end)
      try insert.run()
      return .first
    }
  }

  /// When the longest of the windows ends in which one of the subjects has failed too often.
  public func triesBlocked(
    _ subjects: [[UInt8]], by bound: TryBound, now: Timestamp
  ) throws(StoreError) -> Timestamp? {
    try readers.read { (db) throws(StoreError) in try db.triesBlocked(subjects, by: bound, now) }
  }

  /// Counts a failed try for each of the subjects, unless one has failed too often.
  public func countTry(_ subjects: [[UInt8]], by bound: TryBound, now: Timestamp) throws(StoreError) -> Timestamp? {
    try write { (context) throws(StoreError) in
      if let end = try context.db.triesBlocked(subjects, by: bound, now) { return end }
      let last = now.adding(milliseconds: bound.windowMs)
      let over = try context.db.prepare("DELETE FROM failed_tries WHERE ends_at <= ?1 OR ends_at > ?2")
      over.bindAll(now, bound.latestEnd(now))
      try over.run()
      try context.makeRoom(for: subjects.count, by: bound)
      for subject in subjects {
        let upsert = try context.db.prepare(
          """
          INSERT INTO failed_tries(subject, failures, ends_at) VALUES (?1, 1, ?2)
          ON CONFLICT(subject) DO UPDATE SET failures = failed_tries.failures + 1
          """)
        upsert.bindAll(subject, last)
        try upsert.run()
      }
      return nil
    }
  }

  /// A try that was counted has not failed.
  public func takeBackTry(_ subjects: [[UInt8]]) throws(StoreError) {
    try write { (context) throws(StoreError) in
      for subject in subjects {
        let update = try context.db.prepare(
          "UPDATE failed_tries SET failures = failures - 1 WHERE subject = ?1 AND failures > 0")
        update.bind(1, subject)
        try update.run()
      }
    }
  }
}

extension SQLStore {
  /// By what the sealing key is known.
  public func sealMark() throws(StoreError) -> [UInt8]? {
    try readers.read { (db) throws(StoreError) in try db.sealMark() }
  }

  /// Keeps a mark where there is none, or instead of another one.
  public func keepSealMark(_ mark: [UInt8], replaces: Bool) throws(StoreError) -> [UInt8] {
    try write { (context) throws(StoreError) in
      if !replaces, let kept = try context.db.sealMark() { return kept }
      let upsert = try context.db.prepare(
        "INSERT INTO seal(id, mark) VALUES (1, ?1) ON CONFLICT(id) DO UPDATE SET mark = excluded.mark")
      upsert.bind(1, mark)
      try upsert.run()
      return mark
    }
  }
}

extension WriterContext {
  /// Whoever invents accounts to push others out makes room among their own: those with the fewest failures go first.
  fileprivate func makeRoom(for subjects: Int, by bound: TryBound) throws(StoreError) {
    let count = try db.prepare("SELECT count(*) FROM failed_tries")
    guard try count.step(), count.int(0) + subjects > bound.subjects else { return }
    let delete = try db.prepare(
      """
      DELETE FROM failed_tries WHERE subject IN (SELECT subject FROM failed_tries ORDER BY failures, ends_at LIMIT ?1)
      """)
    delete.bind(1, max(subjects, bound.subjects / 10))
    try delete.run()
  }
}

extension TryBound {
  /// A window that ends later was begun by a clock that was ahead; the clocks of nodes differ by less than a window.
  fileprivate func latestEnd(_ now: Timestamp) -> Timestamp { now.adding(milliseconds: 2 * windowMs) }
}

extension Connection {
  fileprivate func wasUsed(_ mark: [UInt8]) throws(StoreError) -> Bool {
    let select = try prepare("SELECT ends_at FROM used_once WHERE mark = ?1")
    select.bind(1, mark)
    return try select.step()
  }

  fileprivate func triesBlocked(
    _ subjects: [[UInt8]], by bound: TryBound, _ now: Timestamp
  ) throws(StoreError) -> Timestamp? {
    var latest: Timestamp?
    for subject in subjects {
      let select = try prepare(
        "SELECT ends_at FROM failed_tries WHERE subject = ?1 AND failures >= ?2 AND ends_at > ?3 AND ends_at <= ?4")
      select.bindAll(subject, bound.failures, now, bound.latestEnd(now))
      if try select.step() { latest = max(latest ?? now, select.timestamp(0)) }
    }
    return latest
  }

  fileprivate func sealMark() throws(StoreError) -> [UInt8]? {
    let select = try prepare("SELECT mark FROM seal")
    return try select.step() ? select.blob(0) : nil
  }
}
