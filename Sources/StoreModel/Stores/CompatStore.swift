/// What the interfaces of other vendors ask beyond our own: pages by number, and sums by platform.
public protocol CompatStore: Sendable {
  /// How many pushes an app has.
  func countPushes(app: AppID) throws(StoreError) -> Int
  /// A page of an app's pushes, newest first, after `offset` others.
  func pushes(app: AppID, offset: Int, limit: Int) throws(StoreError) -> [Push]
  /// The newest push of a campaign, or nil.
  func push(app: AppID, named name: String) throws(StoreError) -> Push?
  /// A page of an app's devices, oldest first, after `offset` others.
  func devices(app: AppID, offset: Int, limit: Int) throws(StoreError) -> [Device]
  /// How many devices of these users take messages; it stops as soon as it has found `atMost`.
  func countSubscribed(app: AppID, users: Set<String>, atMost: Int) throws(StoreError) -> Int
  /// How many deliveries of a push ended with each provider in each state; those that no provider answered are left out.
  func countByProvider(push: PushID) throws(StoreError) -> [Provider: [DeliveryState: Int]]
}
