/// The key of a broadcast channel.
public typealias ChannelID = RowID<Channel>

/// What APNs keeps of a channel's broadcasts for devices that are away.
public enum ChannelStorage: UInt8, Sendable, Hashable, NamedCase {
  /// Nothing: a broadcast is for those who listen now (`message-storage-policy` 0).
  case none = 2
  /// The most recent broadcast, for at most eight hours (`message-storage-policy` 1).
  case mostRecent = 3

  /// `none` or `most-recent`.
  public var name: String {
    switch self {
    case .none: "none"
    case .mostRecent: "most-recent"
    }
  }
}

/// A broadcast channel of APNs, as it is known here.
public struct Channel: Sendable, Hashable {
  /// The key.
  public let id: ChannelID
  /// The app it belongs to.
  public let app: AppID
  /// Which of Apple's environments it is in.
  public let environment: DeviceEnvironment
  /// The bundle ID whose channel it is.
  public let bundleID: String
  /// The id that Apple gave it: base64, opaque.
  public let channelID: String
  /// What APNs keeps; it never changes.
  public let storage: ChannelStorage
  /// The caller's own name for it, unique in the app and environment, or nil.
  public let name: String?
  /// When it was saved here.
  public let createdAt: Timestamp

  /// Creates a value from its parts.
  package init(
    id: ChannelID, app: AppID, environment: DeviceEnvironment, bundleID: String, channelID: String,
    storage: ChannelStorage, name: String?, createdAt: Timestamp
  ) {
    self.id = id
    self.app = app
    self.environment = environment
    self.bundleID = bundleID
    self.channelID = channelID
    self.storage = storage
    self.name = name
    self.createdAt = createdAt
  }
}

/// A channel to be saved.
public struct NewChannel: Sendable, Hashable {
  /// The app it belongs to.
  public var app: AppID
  /// Which of Apple's environments it is in.
  public var environment: DeviceEnvironment
  /// The bundle ID whose channel it is.
  public var bundleID: String
  /// The id that Apple gave it.
  public var channelID: String
  /// What APNs keeps.
  public var storage: ChannelStorage
  /// The caller's own name for it, or nil.
  public var name: String?

  /// Creates a value from its parts.
  public init(
    app: AppID, environment: DeviceEnvironment, bundleID: String, channelID: String, storage: ChannelStorage,
    name: String? = nil
  ) {
    self.app = app
    self.environment = environment
    self.bundleID = bundleID
    self.channelID = channelID
    self.storage = storage
    self.name = name
  }
}

/// What a push does to a Live Activity.
public enum LiveEvent: UInt8, Sendable, Hashable, NamedCase {
  /// Starts it.
  case start = 2
  /// Changes its content.
  case update = 3
  /// Ends it.
  case end = 4

  /// `start`, `update` or `end`, as in the payload.
  public var name: String {
    switch self {
    case .start: "start"
    case .update: "update"
    case .end: "end"
    }
  }
}

/// What a push belongs to besides its app, and what it does to it.
public struct LivePush: Sendable, Hashable {
  /// What a push belongs to.
  public enum Owner: Sendable, Hashable {
    /// A broadcast on a channel.
    case channel(ChannelID)
    /// An update or the end of an activity.
    case activity(ActivityID)

    /// As the columns `kind` and `owner` hold it.
    package var columns: (kind: Int, owner: Int64) {
      switch self {
      case .channel(let id): (2, id.rawValue)
      case .activity(let id): (3, id.rawValue)
      }
    }
  }

  /// What it belongs to: what there is already, or the activity that it starts.
  package let subject: Subject
  /// What it does.
  public let event: LiveEvent
  /// From when on the content that it brings is out of date.
  public var staleAt: Timestamp?
  /// When the activity leaves the lock screen.
  public var dismissalAt: Timestamp?

  package enum Subject: Sendable, Hashable {
    case owned(Owner)
    case starting(NewActivity)
  }

  /// An update or an end.
  public init(owner: Owner, event: LiveEvent) {
    subject = .owned(owner)
    self.event = event
  }

  /// The start of an activity, which is created with the push.
  public init(starting activity: NewActivity) {
    subject = .starting(activity)
    event = .start
  }
}
