/// Broadcast channels, and the pushes on them.
public protocol ChannelStore: Sendable {
  /// Saves a channel that Apple has made. Throws `notFound` (app), `conflict` when the channel or its name is known already.
  func createChannel(_ channel: NewChannel, now: Timestamp) throws(StoreError) -> Channel
  /// The channel with a key, or nil.
  func channel(_ id: ChannelID) throws(StoreError) -> Channel?
  /// A page of an app's channels, by key, after `after`.
  func channels(app: AppID, after: ChannelID?, limit: Int) throws(StoreError) -> [Channel]
  /// Whether an app has a channel with this name in this environment.
  func hasChannel(app: AppID, environment: DeviceEnvironment, named name: String) throws(StoreError) -> Bool
  /// Forgets a channel; its pushes stay. Throws `notFound`.
  func deleteChannel(_ id: ChannelID) throws(StoreError)
  /// The second that a broadcast is sent as: later than that of the one before, or the given one. Throws `notFound`.
  func takeSecond(of channel: ChannelID, given: Int64?, now: Timestamp) throws(StoreError) -> BroadcastSecond
  /// A page of what was sent to a channel or an activity, newest first, before `before`.
  func livePushes(of owner: LivePush.Owner, before: PushID?, limit: Int) throws(StoreError) -> [OwnedPush]
}

/// The `timestamp` of a broadcast.
public struct BroadcastSecond: Sendable, Hashable {
  /// Seconds since 1970.
  public let second: Int64
  /// Whether a broadcast before it was of a later second, so that devices ignore this one.
  public let isOlder: Bool

  /// Creates a value from its parts.
  package init(second: Int64, isOlder: Bool) {
    self.second = second
    self.isOlder = isOlder
  }
}

/// A push that belongs to something, and what it does to it.
public struct OwnedPush: Sendable, Hashable {
  /// The push.
  public let push: Push
  /// What it does.
  public let event: LiveEvent

  /// Creates a value from its parts.
  package init(push: Push, event: LiveEvent) {
    self.push = push
    self.event = event
  }
}
