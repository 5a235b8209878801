/// What creating a push did.
public struct CreatedPush: Sendable, Hashable {
  /// The push; 0 when none was created.
  public let id: PushID
  /// False when there is no push, because it needs a subscriber and would reach none.
  public var isCreated: Bool { id.rawValue != 0 }
  /// Its number among the app's pushes, for people; 0 when none was created.
  public var number: Int64 = 0
  /// True when the idempotency key had been used before: nothing new was created, this is the push of the first time.
  public let replayed: Bool
  /// Devices targeted so far; for `Audience.all` the rest is added after creation.
  public let targeted: Int
  /// Indexes in the list of users of those without an active device, the first `StoreLimits.unreachedMax` at most.
  public var unreached: [Int] = []
  /// Entries of a list that name a recipient of the list once more; each recipient gets the push once.
  public var repeats = 0
  /// Devices of a list of users or devices for which the push has no payload, whose deliveries are rejected, or that are
  /// in a lane that the push named as lacked, whose deliveries wait.
  public var unreachable: [KindInEnvironment: Int] = [:]

  package init(
    id: PushID, replayed: Bool, targeted: Int, unreached: [Int] = [], repeats: Int = 0,
    unreachable: [KindInEnvironment: Int] = [:]
  ) {
    self.id = id
    self.replayed = replayed
    self.targeted = targeted
    self.unreached = unreached
    self.repeats = repeats
    self.unreachable = unreachable
  }
}
