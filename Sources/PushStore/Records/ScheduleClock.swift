public import StoreModel

/// Recomputes schedules after the clock was set back: runs that were computed while it was ahead.
///
/// `schedules.computed_at` is the time at which the next run was computed, or at which no further one was found; null
/// while the schedule is paused or was ended by a user. `push_plans.occurrence_at` is the run of each created push, so
/// that none is created twice whatever the clock does.
extension SQLStore {
  /// Schedules whose next run was computed at a time that is still to come.
  public func schedulesAhead(of now: Timestamp, limit: Int) throws(StoreError) -> [Schedule] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        Schedule.select + "WHERE computed_at > ?1 AND paused_at IS NULL ORDER BY computed_at LIMIT ?2")
      select.bindAll(now, Checks.page(limit))
      var ahead: [Schedule] = []
      while try select.step() { ahead.append(Schedule(row: select)) }
      return ahead
    }
  }

  /// The runs that a schedule has made, from `from` on, in their order.
  public func occurrences(of id: ScheduleID, from: Timestamp, limit: Int) throws(StoreError) -> [Timestamp] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        """
        SELECT occurrence_at FROM push_plans WHERE schedule = ?1 AND occurrence_at >= ?2 ORDER BY occurrence_at LIMIT ?3
        """)
      select.bindAll(id, from, Checks.page(limit))
      var times: [Timestamp] = []
      while try select.step() { times.append(select.timestamp(0)) }
      return times
    }
  }

  /// Sets the next run of a schedule by a clock that went back.
  public func rewindSchedule(
    _ id: ScheduleID, revision: Int, next: ScheduleStep.Next?, notMissed: Int, now: Timestamp
  ) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.schedules)
      let update = try context.db.prepare(
        """
        UPDATE schedules SET computed_at = ?3, next_at = coalesce(?4, next_at), next_number = coalesce(?5, next_number),
          missed = max(missed - ?6, 0), ended_at = CASE WHEN ?4 IS NULL THEN ended_at END
        WHERE id = ?1 AND revision = ?2 AND computed_at > ?3 AND paused_at IS NULL
        """)
      update.bindAll(id, revision, now, next?.at, next.map { Int64($0.number) }, notMissed)
      try update.run()
    }
  }
}
