/// Recurring pushes.
public protocol ScheduleStore: Sendable {
  /// Keeps a schedule. Throws `invalid`, `notFound` (app).
  func createSchedule(
    app: AppID, request: [UInt8], first: ScheduleStep.Next, now: Timestamp
  ) throws(StoreError) -> ScheduleID
  /// The schedule with a key, or nil.
  func schedule(_ id: ScheduleID) throws(StoreError) -> Schedule?
  /// A page of an app's schedules, by key, after `after`.
  func schedules(app: AppID, after: ScheduleID?, limit: Int) throws(StoreError) -> [Schedule]
  /// Ends a schedule; pushes it has made stay. Throws `conflict` when it has ended, `notFound`.
  func endSchedule(_ id: ScheduleID, now: Timestamp) throws(StoreError)
  /// Changes the content of a schedule, and its times from `next` on when that is given; pushes already created are
  /// unchanged.
  ///
  /// Throws `conflict` when it has ended or its revision has changed, `notFound`, `invalid`.
  func editSchedule(
    _ id: ScheduleID, revision: Int, request: [UInt8], next: ScheduleStep.Next?, now: Timestamp
  ) throws(StoreError)
  /// Pauses a schedule: nothing is due until it resumes; pausing it again keeps the first time. Throws as above.
  func pauseSchedule(_ id: ScheduleID, revision: Int, now: Timestamp) throws(StoreError)
  /// Resumes a paused schedule at its next run; with nil it has ended. Throws as above.
  func resumeSchedule(
    _ id: ScheduleID, revision: Int, next: ScheduleStep.Next?, now: Timestamp
  ) throws(StoreError)
  /// Schedules whose next run is due, earliest first.
  func dueSchedules(now: Timestamp, limit: Int) throws(StoreError) -> [Schedule]
  /// Schedules whose next run was computed at a time that is still to come: the clock went back since. Those that are paused or
  /// that a person has ended are left out.
  func schedulesAhead(of now: Timestamp, limit: Int) throws(StoreError) -> [Schedule]
  /// The runs that a schedule has made, by the time they were due, from `from` on.
  func occurrences(of id: ScheduleID, from: Timestamp, limit: Int) throws(StoreError) -> [Timestamp]
  /// Sets the next run of a schedule that ``schedulesAhead(of:limit:)`` gave, and takes back as many runs from those that were
  /// missed; nil leaves it as it is. Does nothing when it was changed or computed anew meanwhile.
  func rewindSchedule(
    _ id: ScheduleID, revision: Int, next: ScheduleStep.Next?, notMissed: Int, now: Timestamp) throws(StoreError)
  /// Takes one step: creates the push of the run that is due and advances to the next one, both or neither.
  ///
  /// A push of an occurrence that was created before is not created again.
  ///
  /// Fails with `conflict` when that run is no longer the next one or the schedule was changed, `notFound`, `invalid`.
  /// The request of a created push is stored with it, as for any campaign.
  func takeStep(
    _ step: ScheduleStep, now: Timestamp, completion: @escaping @Sendable (Result<PushID?, StoreError>) -> Void)
}
