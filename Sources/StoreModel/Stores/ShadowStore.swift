/// Records of requests to vendors' interfaces that were checked and not delivered.
public protocol ShadowStore: Sendable {
  /// Stores records and adds to the totals, with low priority. Over the limit of an app
  /// (`StoreLimits.shadowRequestsPerAppMax`) the oldest records go. Records of an app that is gone are left out.
  func addShadowRequests(
    _ requests: [NewShadowRequest], completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)
  /// A page of an app's records, newest first, before `before`.
  func shadowRequests(app: AppID, before: ShadowRequestID?, limit: Int) throws(StoreError) -> [ShadowRequest]
  /// One record of an app, or nil.
  func shadowRequest(_ id: ShadowRequestID, app: AppID) throws(StoreError) -> ShadowRequest?
  /// An app's totals, by vendor and kind, the largest first.
  func shadowTotals(app: AppID) throws(StoreError) -> [ShadowTotal]
  /// Removes an app's records and totals.
  func clearShadow(app: AppID) throws(StoreError)
}
