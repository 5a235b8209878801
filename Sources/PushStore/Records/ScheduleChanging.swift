public import StoreModel

extension SQLStore {
  /// Changes the content of a schedule, and from a given run on its times.
  public func editSchedule(
    _ id: ScheduleID, revision: Int, request: [UInt8], next: ScheduleStep.Next?, now: Timestamp
  ) throws(StoreError) {
    try Checks.request(request)
    try change(id, revision) { (context) throws(StoreError) in
      let update = try context.db.prepare("UPDATE schedules SET request = ?2 WHERE id = ?1")
      update.bindAll(id, request)
      try update.run()
      guard let next else { return }
      // A paused schedule gets its next run when it resumes.
      let move = try context.db.prepare(
        """
        UPDATE schedules SET next_at = CASE WHEN paused_at IS NULL THEN CAST(?2 AS BIGINT) END, next_number = ?3, problem = NULL,
          computed_at = CASE WHEN paused_at IS NULL THEN CAST(?4 AS BIGINT) END, from_at = ?4
        WHERE id = ?1
        """)
      move.bindAll(id, next.at, next.number, now)
      try move.run()
    }
  }

  /// Pauses a schedule: nothing is due until it resumes.
  public func pauseSchedule(_ id: ScheduleID, revision: Int, now: Timestamp) throws(StoreError) {
    try change(id, revision) { (context) throws(StoreError) in
      let update = try context.db.prepare(
        "UPDATE schedules SET next_at = NULL, computed_at = NULL, paused_at = coalesce(paused_at, ?2) WHERE id = ?1")
      update.bindAll(id, now)
      try update.run()
    }
  }

  /// Resumes a paused schedule at its next run; without one it has ended.
  public func resumeSchedule(
    _ id: ScheduleID, revision: Int, next: ScheduleStep.Next?, now: Timestamp
  ) throws(StoreError) {
    try change(id, revision) { (context) throws(StoreError) in
      let update = try context.db.prepare(
        """
        UPDATE schedules SET next_at = ?2, next_number = coalesce(?3, next_number), paused_at = NULL, held_at = NULL,
          ended_at = ?4, computed_at = ?5, from_at = ?5
        WHERE id = ?1
        """)
      update.bindAll(id, next?.at, next.map { Int64($0.number) }, next == nil ? now : nil, now)
      try update.run()
    }
  }

  /// Runs a change of a schedule that has not ended and is still as it was read.
  private func change(
    _ id: ScheduleID, _ revision: Int, _ body: @escaping @Sendable (inout WriterContext) throws(StoreError) -> Void
  ) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.schedules)
      let count = try context.db.prepare(
        "UPDATE schedules SET revision = revision + 1 WHERE id = ?1 AND revision = ?2 AND ended_at IS NULL")
      count.bindAll(id, revision)
      try count.run()
      if context.db.changes == 1 { return try body(&context) }
      let select = try context.db.prepare("SELECT ended_at IS NOT NULL FROM schedules WHERE id = ?1")
      select.bind(1, id)
      guard try select.step() else { throw Checks.missing("schedule", id) }
      throw select.bool(0)
        ? StoreError(.conflict, "schedule \(id) has ended", advice: "make a new one")
        : StoreError(.conflict, "schedule \(id) was changed meanwhile", advice: "read it again")
    }
  }
}
