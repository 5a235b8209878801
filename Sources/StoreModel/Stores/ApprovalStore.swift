/// Approvals of pushes to many devices.
public protocol ApprovalStore: Sendable {
  /// Has a scheduled push wait for an approval: it does not start before. Throws `conflict` when it is not scheduled, `notFound`.
  func askApproval(_ id: PushID, _ request: ApprovalRequest, now: Timestamp) throws(StoreError)
  /// Decides about a scheduled push that waits for it. Throws `conflict` when none is awaited or its time has passed,
  /// `notPermitted` when `person` wrote the push, `notFound`.
  func decideApproval(_ id: PushID, _ decision: ApprovalDecision, by person: String, now: Timestamp) throws(StoreError)
  /// Pushes whose approval was not given in time, the earliest first.
  func lateApprovals(now: Timestamp, limit: Int) throws(StoreError) -> [PushID]
  /// Ends a push whose approval was not given in time; does nothing when it was decided meanwhile. Throws `conflict`, `notFound`.
  func expireApproval(_ id: PushID, problem: String, now: Timestamp) throws(StoreError)
  /// An app's pushes that wait for an approval, by key, after `after`.
  func awaitedApprovals(app: AppID, after: PushID?, limit: Int) throws(StoreError) -> [PushID]
  /// Notes who wrote what a draft or scheduled push is made from. Throws `conflict`, `notFound`.
  func setMaker(of id: PushID, _ maker: String?) throws(StoreError)
  /// The same for a schedule.
  func setMaker(of id: ScheduleID, _ maker: String?) throws(StoreError)
}
