/// What could go out of a restored database by itself.
public enum HeldKind: Int, Sendable, Hashable, CaseIterable {
  /// A push with deliveries that wait, retries included.
  case push = 1
  /// A scheduled push, including user-scheduled ones.
  case scheduled = 2
  /// A schedule.
  case schedule = 3
  /// A webhook with what is queued for it.
  case webhook = 4

  /// The kind as the API writes it.
  public var name: String {
    switch self {
    case .push: "push"
    case .scheduled: "scheduled"
    case .schedule: "schedule"
    case .webhook: "webhook"
    }
  }
}

/// The position of something held in the list.
public struct HeldID: Sendable, Hashable {
  /// What it is.
  public let kind: HeldKind
  /// Its key among its kind.
  public let id: Int64

  /// Creates a value from its parts.
  public init(kind: HeldKind, id: Int64) {
    self.kind = kind
    self.id = id
  }
}

/// Something that is held until a person resumes it.
public struct HeldItem: Sendable, Hashable {
  /// What it is.
  public let id: HeldID
  /// The app.
  public let app: AppID
  /// Since when it is held: when its database was restored.
  public let since: Timestamp
  /// When it was to start; nil for schedules and webhooks.
  ///
  /// Once that has passed, it starts as soon as it is resumed.
  public let dueAt: Timestamp?
  /// Deliveries of a push, or batches of a webhook, that would go out.
  public let waiting: Int
  /// The campaign, the user's key for the push, or the webhook's address.
  public let name: String?

  /// Creates a value from its parts.
  package init(id: HeldID, app: AppID, since: Timestamp, dueAt: Timestamp?, waiting: Int, name: String?) {
    self.id = id
    self.app = app
    self.since = since
    self.dueAt = dueAt
    self.waiting = waiting
    self.name = name
  }
}

/// How much is held, by kind.
public struct HeldCounts: Sendable, Hashable {
  private var counts: [HeldKind: Int] = [:]

  /// Nothing.
  public init() {}

  /// How many of a kind.
  public subscript(_ kind: HeldKind) -> Int {
    get { counts[kind] ?? 0 }
    set { counts[kind] = newValue }
  }

  /// All together.
  public var total: Int { counts.values.reduce(0, +) }
}

/// What a restored database pauses until an operator resumes it: its waiting deliveries may have been sent since the
/// backup.
public protocol HoldStore: Sendable {
  /// A page of what is held, of one app or of all, by kind and key, after `after`.
  func held(app: AppID?, after: HeldID?, limit: Int) throws(StoreError) -> [HeldItem]
  /// How much is held, of one app or of all.
  func countHeld(app: AppID?) throws(StoreError) -> HeldCounts
  /// Resumes pushes, scheduled pushes and webhooks of one app or of all; returns how many. What is past due starts at
  /// once, the rest at its scheduled time.
  ///
  /// Schedules are resumed individually, with their next run (``ScheduleStore/resumeSchedule(_:revision:next:now:)``).
  func resumeHeld(app: AppID?, now: Timestamp) throws(StoreError) -> HeldCounts
}
