/// The key of a Live Activity.
public typealias ActivityID = RowID<Activity>

/// A Live Activity that was started by a push.
public struct Activity: Sendable, Hashable {
  /// The key.
  public let id: ActivityID
  /// The app it belongs to.
  public let app: AppID
  /// The caller's own id, unique in the app; the app on the phone reports the activity's token under it.
  public let name: String
  /// Whose it is, or nil.
  public let user: String?
  /// The bundle ID of the app.
  public let bundleID: String
  /// The name of its `ActivityAttributes`.
  public let attributesType: String
  /// The channel it listens to instead of having tokens, or nil.
  public let channel: ChannelID?
  /// Its urgent sends an hour.
  public let budget: LiveBudget
  /// From when on its content is out of date, as the last send said.
  public let staleAt: Timestamp?
  /// When it leaves the lock screen, as its end said.
  public let dismissalAt: Timestamp?
  /// When it was created.
  public let createdAt: Timestamp
  /// When its end was sent.
  public let endedAt: Timestamp?

  /// Creates a value from its parts.
  package init(
    id: ActivityID, app: AppID, name: String, user: String?, bundleID: String, attributesType: String,
    channel: ChannelID?, budget: LiveBudget, staleAt: Timestamp?, dismissalAt: Timestamp?, createdAt: Timestamp,
    endedAt: Timestamp?
  ) {
    self.id = id
    self.app = app
    self.name = name
    self.user = user
    self.bundleID = bundleID
    self.attributesType = attributesType
    self.channel = channel
    self.budget = budget
    self.staleAt = staleAt
    self.dismissalAt = dismissalAt
    self.createdAt = createdAt
    self.endedAt = endedAt
  }
}

/// How many urgent sends (`apns-priority` 10) an activity may have in each hour, and has had.
public struct LiveBudget: Sendable, Hashable {
  /// At most so many in each hour of the clock.
  public let perHour: Int
  /// The hour since 1970 that is counted.
  package let hour: Int64
  /// So many in that hour.
  package let used: Int

  /// Creates a value from its parts.
  package init(perHour: Int, hour: Int64, used: Int) {
    self.perHour = perHour
    self.hour = hour
    self.used = used
  }

  package static let hourMs: Int64 = 3_600_000

  /// How many are left at a time.
  public func left(at now: Timestamp) -> Int {
    hour == now.milliseconds / Self.hourMs ? max(perHour - used, 0) : perHour
  }

  /// When all are there again.
  public static func renewal(after now: Timestamp) -> Timestamp {
    Timestamp(milliseconds: (now.milliseconds / hourMs + 1) * hourMs)
  }
}

/// An activity to be created with its start.
public struct NewActivity: Sendable, Hashable {
  /// The caller's own id, unique in the app.
  public var name: String
  /// Whose it is, or nil.
  public var user: String?
  /// The bundle ID of the app.
  public var bundleID: String
  /// The name of its `ActivityAttributes`.
  public var attributesType: String
  /// The channel it listens to, or nil.
  public var channel: ChannelID?
  /// At most so many urgent sends in each hour.
  public var urgentPerHour: Int
  /// Whether its start is urgent.
  public var startsUrgently: Bool

  /// Creates a value from its parts.
  public init(
    name: String, user: String?, bundleID: String, attributesType: String, channel: ChannelID?, urgentPerHour: Int,
    startsUrgently: Bool
  ) {
    self.name = name
    self.user = user
    self.bundleID = bundleID
    self.attributesType = attributesType
    self.channel = channel
    self.urgentPerHour = urgentPerHour
    self.startsUrgently = startsUrgently
  }
}

/// What one send of an activity gets of its budget.
public struct LiveTurn: Sendable, Hashable {
  /// Whether it may be urgent.
  public let isUrgent: Bool
  /// The second it is sent as, later than that of the send before: a device ignores what is not.
  public let second: Int64
  /// How many urgent sends are left in this hour.
  public let left: Int

  /// Creates a value from its parts.
  package init(isUrgent: Bool, second: Int64, left: Int) {
    self.isUrgent = isUrgent
    self.second = second
    self.left = left
  }
}
