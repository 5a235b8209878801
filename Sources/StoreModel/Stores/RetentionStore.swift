/// How long the outcomes of pushes are retained by device; counts and series are retained forever.
public struct RetentionPolicy: Sendable, Hashable {
  /// Days after a push has ended until its deliveries, its reports and its content are deleted; nil for never.
  public var deliveriesDays: Int?
  /// Days after a push has ended until its reports are deleted; nil for never.
  public var eventsDays: Int?
  /// Days after a device was last seen until it is forgotten; nil for never.
  ///
  /// For one app only: the policy for apps that have none of their own has no such days.
  public var unseenDays: Int?

  /// Creates a value from its parts.
  public init(deliveriesDays: Int? = nil, eventsDays: Int? = nil, unseenDays: Int? = nil) {
    self.deliveriesDays = deliveriesDays
    self.eventsDays = eventsDays
    self.unseenDays = unseenDays
  }
}

/// The devices of an app that were not seen for a time.
public struct UnseenDevices: Sendable, Hashable {
  /// How many there are, by kind.
  public var kinds: [DeviceKind: Int] = [:]
  /// How many devices the app has that the rule is for, seen or not.
  public var of = 0
  /// When the one that is unseen for longest was last registered; nil when there is none.
  public var oldest: Timestamp?

  /// How many there are.
  public var count: Int { kinds.values.reduce(0, +) }

  /// None.
  public init() {}
}

/// What one step of upkeep did.
public struct PurgeSummary: Sendable, Hashable {
  /// Deliveries deleted.
  public var deliveries = 0
  /// Reports deleted.
  public var events = 0
  /// Devices forgotten because they were not seen for as long as their app's policy says.
  public var devices = 0
  /// Whether there is nothing more to delete for now.
  public var isDone = false

  /// All zero.
  public init() {}
}

/// Retention of deliveries and reports.
public protocol RetentionStore: Sendable {
  /// The policy of an app, or with nil the one for apps that have none of their own. What is nil in it is not set.
  func retention(app: AppID?) throws(StoreError) -> RetentionPolicy
  /// Sets it; an app's `deliveriesDays` and `eventsDays` each override the server's. Throws `invalid` (what, where),
  /// `notFound`.
  func setRetention(app: AppID?, _ policy: RetentionPolicy) throws(StoreError)
  /// Changes it in one transaction and returns the result, so that two callers who change different members do not undo
  /// each other. Throws `invalid` (what, where), `notFound`.
  func changeRetention(
    app: AppID?, _ change: @escaping @Sendable (inout RetentionPolicy) -> Void
  ) throws(StoreError) -> RetentionPolicy
  /// The devices of an app that were last seen before a time: registered then, and so was every other device of their user.
  ///
  /// Reads every device of the app.
  func unseenDevices(app: AppID, before: Timestamp) throws(StoreError) -> UnseenDevices
  /// When ``purge(now:limit:completion:)`` was called last; nil before.
  func latestPurge() throws(StoreError) -> Timestamp?
  /// Deletes up to `limit` rows past their retention period, in one short transaction at bulk priority.
  func purge(
    now: Timestamp, limit: Int, completion: @escaping @Sendable (Result<PurgeSummary, StoreError>) -> Void)
}
