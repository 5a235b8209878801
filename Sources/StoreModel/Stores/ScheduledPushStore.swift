/// Drafts and scheduled pushes.
///
/// Operations permitted in each state:
///
///     state      edit  schedule  unschedule  start  fail  delete  cancel  pause  resume
///     draft       x       x                    x     x      x       x
///     scheduled   x       x          x         x     x      x       x
///     sending                                                       x       x
///     paused                                                        x       x      x
///     the others
///
/// Everything else throws `conflict`.
public protocol ScheduledPushStore: Sendable {
  /// Keeps a draft or a push that waits. Throws `invalid`, `notFound` (app), `idempotencyMismatch`.
  func addScheduledPush(_ push: NewScheduledPush, now: Timestamp) throws(StoreError) -> CreatedPush
  /// Replaces what a draft or waiting push will be, and its start time, unless that stays. Throws `conflict` when it has started
  /// or is no longer what was `read`, `notFound`, `invalid`.
  func editScheduledPush(
    _ id: PushID, from read: [UInt8], pushClass: PushClass, name: String?, request: [UInt8], start: ScheduledStart?
  ) throws(StoreError)
  /// Sets or changes the start time of a draft or scheduled push. Throws `conflict`, `notFound`.
  func schedulePush(_ id: PushID, _ start: ScheduledStart) throws(StoreError)
  /// Makes a waiting push a draft again. Throws `conflict`, `notFound`.
  func unschedulePush(_ id: PushID) throws(StoreError)
  /// Starts a draft or scheduled push as `push`: expands its audience, stores its payloads and opens it for sending.
  ///
  /// Fails with `conflict`, `notFound`, `invalid`.
  ///
  /// - Parameters:
  ///   - scheduledPush: what `push` was rendered from; fails with `conflict` when its start time or request has changed since, and while
  ///     it waits for an approval.
  ///   - atOnce: whether it starts immediately: its local start time is removed.
  func startScheduledPush(
    _ scheduledPush: ScheduledPush, as push: NewPush, atOnce: Bool, now: Timestamp,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)
  /// Ends a waiting push that cannot be made. Throws `conflict`, `notFound`.
  func failScheduledPush(_ id: PushID, problem: String, now: Timestamp) throws(StoreError)
  /// Removes a draft or waiting push with everything about it. Throws `conflict`, `notFound`.
  func deleteScheduledPush(_ id: PushID) throws(StoreError)
  /// What is kept of a push beside its ledger, or nil.
  func scheduledPush(of id: PushID) throws(StoreError) -> ScheduledPush?
  /// Scheduled pushes that are due and wait for no approval, earliest first.
  func dueScheduledPushes(now: Timestamp, limit: Int) throws(StoreError) -> [ScheduledPush]
  /// A user's scheduled pushes, by key, after `after`.
  func userScheduledPushes(app: AppID, user: String, after: String?, limit: Int) throws(StoreError) -> [ScheduledPush]
  /// A user's scheduled push with a key, or nil.
  func userScheduledPush(app: AppID, _ name: UserPushName) throws(StoreError) -> ScheduledPush?
}
