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
    _ id: ScheduleID, revision: Int, request: [UInt8], next: ScheduleStep.Next?
  ) throws(StoreError)
  /// Holds a schedule: nothing is due until it goes on; holding twice keeps the first moment. Throws as above.
  func pauseSchedule(_ id: ScheduleID, revision: Int, now: Timestamp) throws(StoreError)
  /// Lets a held schedule go on with its next moment; with nil it has ended. Throws as above.
  func resumeSchedule(
    _ id: ScheduleID, revision: Int, next: ScheduleStep.Next?, now: Timestamp
  ) throws(StoreError)
  /// Schedules whose next moment has come, earliest first.
  func dueSchedules(now: Timestamp, limit: Int) throws(StoreError) -> [Schedule]
  /// Takes one step: makes the push of the moment that is due and moves on to the next, both or neither.
  ///
  /// Fails with `conflict` when that moment is not the next one any more or the schedule was changed, `notFound`, `invalid`.
  /// The request of a push that is made is kept with it, as of any campaign.
  func takeStep(
    _ step: ScheduleStep, now: Timestamp, completion: @escaping @Sendable (Result<PushID?, StoreError>) -> Void)
}
