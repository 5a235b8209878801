/// Live Activities: their starts, their own addresses, and what is sent to them.
///
/// An activity is created with the push that starts it (`NewPush.live`).
public protocol ActivityStore: Sendable {
  /// The activity with the caller's own id, or nil.
  func activity(app: AppID, named name: String) throws(StoreError) -> Activity?
  /// A page of an app's activities, newest first, before `before`; of one user or of all.
  func activities(app: AppID, user: String?, before: ActivityID?, limit: Int) throws(StoreError) -> [Activity]
  /// How many activities listen to a channel: those that started after `since`, and after the last broadcast that ended what
  /// listened; at most `limit`.
  func activities(listeningTo channel: ChannelID, since: Timestamp, limit: Int) throws(StoreError) -> Int
  /// The addresses of an activity's own, also those that are not pushed to any more.
  func devices(of activity: ActivityID) throws(StoreError) -> [Device]
  /// Makes a registered device an address of an activity's. Throws `notFound`, `conflict` when it has too many.
  func addDevice(_ device: DeviceID, to activity: ActivityID) throws(StoreError)
  /// Counts a send against the activity's budget. Throws `notFound`, `conflict` when it has ended.
  func takeTurn(of activity: ActivityID, urgent: Bool, now: Timestamp) throws(StoreError) -> LiveTurn
  /// Forgets an activity and its addresses; its pushes stay. Throws `notFound`.
  func deleteActivity(_ id: ActivityID) throws(StoreError)
}
