/// How long the outcomes of pushes are retained by device; counts and series are retained forever.
public struct RetentionPolicy: Sendable, Hashable {
  /// Days after a push has ended until its deliveries, its reports and its content are deleted; nil for never.
  public var deliveriesDays: Int?
  /// Days after a push has ended until its reports are deleted; nil for never.
  public var eventsDays: Int?

  /// Creates a value from its parts.
  public init(deliveriesDays: Int? = nil, eventsDays: Int? = nil) {
    self.deliveriesDays = deliveriesDays
    self.eventsDays = eventsDays
  }
}

/// What one step of upkeep did.
public struct PurgeSummary: Sendable, Hashable {
  /// Deliveries deleted.
  public var deliveries = 0
  /// Reports deleted.
  public var events = 0
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
  /// When ``purge(now:limit:completion:)`` was called last; nil before.
  func latestPurge() throws(StoreError) -> Timestamp?
  /// Deletes up to `limit` rows past their retention period, in one short transaction at bulk priority.
  func purge(
    now: Timestamp, limit: Int, completion: @escaping @Sendable (Result<PurgeSummary, StoreError>) -> Void)
}
