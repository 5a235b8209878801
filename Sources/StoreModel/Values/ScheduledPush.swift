/// A push that is stored now and started later: a draft or a scheduled push.
///
/// Its audience is expanded and its payloads are rendered when it starts, so that it reaches the devices that match
/// then.
public struct NewScheduledPush: Sendable, Hashable {
  /// The app it is sent for.
  public var app: AppID
  /// How urgently it will compete for the senders.
  public var pushClass: PushClass
  /// The campaign's name, or nil.
  public var name: String?
  /// The request it is made from when it starts; opaque to the store, at most `StoreLimits.requestBytesMax`.
  public var request: [UInt8]
  /// When it starts; nil keeps it as a draft.
  public var dueAt: Timestamp?
  /// The local time at which each device gets it, or nil.
  public var local: LocalStart?
  /// The one user it is for and the caller's own key of it, or nil.
  ///
  /// An earlier push with the same user and key that has not started is cancelled.
  public var userPushName: UserPushName?
  /// The idempotency key, or nil.
  public var idempotency: IdempotencyKey?
  /// Whether it waits only so that it can be stopped.
  public var isUndoable = false
  /// Who wrote the request, or nil.
  public var maker: String?
  /// The approval that it needs before it starts, or nil.
  public var approval: ApprovalRequest?

  /// Gathers the parts that most pushes have; all others are set afterwards.
  public init(
    app: AppID, pushClass: PushClass, name: String? = nil, request: [UInt8], dueAt: Timestamp?,
    local: LocalStart? = nil, userPushName: UserPushName? = nil, idempotency: IdempotencyKey? = nil
  ) {
    self.app = app
    self.pushClass = pushClass
    self.name = name
    self.request = request
    self.dueAt = dueAt
    self.local = local
    self.userPushName = userPushName
    self.idempotency = idempotency
  }
}

/// A time of each device's own: what its clock shows, or when its app was used last.
public struct LocalStart: Sendable, Hashable {
  /// A time of day, which comes once a day for each device.
  public enum Day: Sendable, Hashable {
    /// What the device's own clock shows, in seconds since its midnight, 0 to 86399.
    case time(Int)
    /// The time of day at which its app last registered it.
    case lastActive
  }

  /// The time, in seconds of a wall clock (`CivilTime.secondsOfClock`); with a time of day, the seconds since 1970 (UTC) from
  /// which it counts.
  public var clock: Int64
  /// The time zone of devices that have none, or an unknown one.
  public var zone: String
  /// The time of day that is waited for from then on; nil when `clock` is the time itself.
  public var day: Day?

  /// Creates a value from its parts.
  public init(clock: Int64, zone: String, day: Day? = nil) {
    self.clock = clock
    self.zone = zone
    self.day = day
  }

  /// The clock that is furthest ahead, in seconds before UTC shows the time.
  public static let aheadSeconds: Int64 = 14 * 3_600
  /// The longest day of a clock, which is set back by an hour.
  public static let daySeconds: Int64 = 25 * 3_600
  /// The clock that is furthest behind.
  public static let behindSeconds: Int64 = 12 * 3_600

  /// When the first time zone on earth reaches the local time.
  public var first: Timestamp { Timestamp(seconds: day == nil ? clock - Self.aheadSeconds : clock) }
  /// When the last one does.
  public var last: Timestamp { Timestamp(seconds: clock + (day == nil ? Self.behindSeconds : Self.daySeconds)) }
}

/// When a push that waits starts.
public struct ScheduledStart: Sendable, Hashable {
  /// When it is started: for a local time, before the first time zone reaches it.
  public var dueAt: Timestamp
  /// The local time at which devices get it; nil for all at once.
  public var local: LocalStart?
  /// Whether it waits only so that it can be stopped.
  public var isUndoable: Bool

  /// Creates a value from its parts.
  public init(dueAt: Timestamp, local: LocalStart?, isUndoable: Bool = false) {
    self.dueAt = dueAt
    self.local = local
    self.isUndoable = isUndoable
  }
}

/// The caller's own name for a push to one user.
public struct UserPushName: Sendable, Hashable {
  /// The user.
  public var user: String
  /// The key, unique among the user's pushes that wait.
  public var key: String

  /// Creates a value from its parts.
  public init(user: String, key: String) {
    self.user = user
    self.key = key
  }
}

/// How a push was created, stored beside its ledger rows.
public struct ScheduledPush: Sendable, Hashable {
  /// The push.
  public let push: PushID
  /// Its app.
  public let app: AppID
  /// The request it is or was made from.
  public let request: [UInt8]
  /// When it starts, or nil when it is a draft or has started.
  public let dueAt: Timestamp?
  /// The local time, or nil.
  public var local: LocalStart?
  /// The user and the caller's key, or nil.
  public let userPushName: UserPushName?
  /// The schedule it is an occurrence of, or nil.
  public let schedule: ScheduleID?
  /// Why it failed to start, or nil.
  public let problem: String?
  /// Since when it does not start because the database was restored; nil when that was resumed.
  public var heldAt: Timestamp?
  /// Whether it waits only so that it can be stopped.
  public var isUndoable = false
  /// Who wrote the request, or nil when that is not known.
  public var maker: String?
  /// The approval that it needs or needed, or nil.
  public var approval: Approval?

  /// Creates a value from its parts.
  package init(
    push: PushID, app: AppID, request: [UInt8], dueAt: Timestamp?, local: LocalStart? = nil,
    userPushName: UserPushName?,
    schedule: ScheduleID?, problem: String?, heldAt: Timestamp? = nil, isUndoable: Bool = false, maker: String? = nil,
    approval: Approval? = nil
  ) {
    self.push = push
    self.app = app
    self.request = request
    self.dueAt = dueAt
    self.local = local
    self.userPushName = userPushName
    self.schedule = schedule
    self.problem = problem
    self.heldAt = heldAt
    self.isUndoable = isUndoable
    self.maker = maker
    self.approval = approval
  }
}

extension ScheduledPush {
  /// The same without its local time: for a push that is sent now after all.
  public var withoutLocal: ScheduledPush {
    var copy = self
    copy.local = nil
    return copy
  }
}
