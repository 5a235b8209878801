/// Pushes that come again and again.
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
  /// Changes what a schedule makes, and when `next` is given the moments too, from there on; pushes it has made stay.
  ///
  /// Throws `conflict` when it has ended or is of another revision by now, `notFound`, `invalid`.
  func editSchedule(
    _ id: ScheduleID, revision: Int, request: [UInt8], next: ScheduleStep.Next?, now: Timestamp
  ) throws(StoreError)
  /// Holds a schedule: nothing is due until it goes on; holding twice keeps the first moment. Throws as above.
  func pauseSchedule(_ id: ScheduleID, revision: Int, now: Timestamp) throws(StoreError)
  /// Lets a held schedule go on with its next moment; with nil it has ended. Throws as above.
  func resumeSchedule(
    _ id: ScheduleID, revision: Int, next: ScheduleStep.Next?, now: Timestamp
  ) throws(StoreError)
  /// Schedules whose next moment has come, earliest first.
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
  /// Takes one step: makes the push of the moment that is due and moves on to the next, both or neither.
  ///
  /// A push of an occurrence that was made before is not made again.
  ///
  /// Fails with `conflict` when that moment is not the next one any more or the schedule was changed, `notFound`, `invalid`.
  /// The request of a push that is made is kept with it, as of any campaign.
  func takeStep(
    _ step: ScheduleStep, now: Timestamp, completion: @escaping @Sendable (Result<PushID?, StoreError>) -> Void)
}
