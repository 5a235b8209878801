/// Drafts and pushes that wait for their moment.
///
/// What may be done in which state:
///
///     state      edit  schedule  unschedule  start  fail  delete  cancel  pause  resume
///     draft       x       x                    x     x      x       x
///     scheduled   x       x          x         x     x      x       x
///     sending                                                       x       x
///     paused                                                        x       x      x
///     the others
///
/// Everything else throws `conflict`.
public protocol PlanStore: Sendable {
  /// Keeps a draft or a push that waits. Throws `invalid`, `notFound` (app), `idempotencyMismatch`.
  func planPush(_ push: NewPlannedPush, now: Timestamp) throws(StoreError) -> CreatedPush
  /// Replaces what a draft or waiting push will be. Throws `conflict`, `notFound`, `invalid`.
  func editPlan(_ id: PushID, pushClass: PushClass, name: String?, request: [UInt8]) throws(StoreError)
  /// Sets or moves the moment at which a draft or waiting push starts. Throws `conflict`, `notFound`.
  func schedulePlan(_ id: PushID, dueAt: Timestamp, local: LocalStart?) throws(StoreError)
  /// Makes a waiting push a draft again. Throws `conflict`, `notFound`.
  func unschedulePlan(_ id: PushID) throws(StoreError)
  /// Starts a draft or waiting push as `push`: gathers its audience, keeps its payloads, lets it go.
  ///
  /// Fails with `conflict`, `notFound`, `invalid`.
  ///
  /// - Parameters:
  ///   - plan: what `push` was made from; the push is left alone (`conflict`) when it waits for another moment or is to be
  ///     another by now.
  ///   - atOnce: whether it waits for no clock: its local time is forgotten.
  func startPlan(
    _ plan: PushPlan, as push: NewPush, atOnce: Bool, now: Timestamp,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)
  /// Ends a waiting push that cannot be made. Throws `conflict`, `notFound`.
  func failPlan(_ id: PushID, problem: String, now: Timestamp) throws(StoreError)
  /// Removes a draft or waiting push with everything about it. Throws `conflict`, `notFound`.
  func deletePlan(_ id: PushID) throws(StoreError)
  /// What is kept of a push beside its ledger, or nil.
  func plan(of id: PushID) throws(StoreError) -> PushPlan?
  /// Waiting pushes whose moment has come, earliest first.
  func duePlans(now: Timestamp, limit: Int) throws(StoreError) -> [PushPlan]
  /// The pushes that wait for a user under a key, by key, after `after`.
  func appointments(app: AppID, user: String, after: String?, limit: Int) throws(StoreError) -> [PushPlan]
  /// The push that waits for a user under a key, or nil.
  func appointment(app: AppID, _ appointment: Appointment) throws(StoreError) -> PushPlan?
}
