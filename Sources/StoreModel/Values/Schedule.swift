/// The key of a schedule.
public typealias ScheduleID = RowID<Schedule>

/// A recurring push; each run is a push of its own.
public struct Schedule: Sendable, Hashable {
  /// The key.
  public let id: ScheduleID
  /// Its app.
  public let app: AppID
  /// The request each push is made from, and the rule; opaque to the store.
  public let request: [UInt8]
  /// The next run, or nil when it has ended.
  public let nextAt: Timestamp?
  /// The number of that occurrence, from 1; skipped ones count.
  public let nextNumber: Int
  /// How often it came.
  public let made: Int
  /// Runs that were missed, because no server was running or the push could not be created.
  public let missed: Int
  /// The last push made, or nil.
  public let lastPush: PushID?
  /// Why the last occurrence could not be made, or nil.
  public let problem: String?
  /// When it was created.
  public let createdAt: Timestamp
  /// When it ended, or nil.
  public let endedAt: Timestamp?
  /// Since when it is held, or nil.
  public let pausedAt: Timestamp?
  /// How often it was changed; a change and a step name it, and are refused when it is another by then.
  public let revision: Int
  /// Since when its rule holds: no run before is made or missed.
  public let fromAt: Timestamp
  /// Who made it, or nil.
  public let author: Author?
  /// Who wrote its request last, or nil when that is not known.
  public var maker: String?

  /// Creates a value from its parts.
  package init(
    id: ScheduleID, app: AppID, request: [UInt8], nextAt: Timestamp?, nextNumber: Int, made: Int, missed: Int,
    lastPush: PushID?, problem: String?, createdAt: Timestamp, endedAt: Timestamp?, pausedAt: Timestamp?, revision: Int,
    fromAt: Timestamp, author: Author?, maker: String? = nil
  ) {
    self.id = id
    self.app = app
    self.request = request
    self.nextAt = nextAt
    self.nextNumber = nextNumber
    self.made = made
    self.missed = missed
    self.lastPush = lastPush
    self.problem = problem
    self.createdAt = createdAt
    self.endedAt = endedAt
    self.pausedAt = pausedAt
    self.revision = revision
    self.fromAt = fromAt
    self.author = author
    self.maker = maker
  }
}

/// One step of a schedule: the result of the occurrence that was due, and the time of the next one.
public struct ScheduleStep: Sendable, Hashable {
  /// The schedule.
  public var schedule: ScheduleID
  /// The run that is due; the step is refused when it is no longer the next one.
  public var expected: Timestamp
  /// The schedule's revision that the push was created from; nil compares only the time of the run.
  public var revision: Int?
  /// The push of this occurrence, or nil when it is missed.
  public var push: NewPush?
  /// The push of this occurrence, when it waits for an approval; `push` is nil then.
  public var waiting: NewScheduledPush?
  /// When the occurrence of the push was due; nil for `expected`.
  ///
  /// The name under which it is made once.
  public var occurrence: Timestamp?
  /// Occurrences passed over with this step.
  public var missed: Int
  /// Why no push could be made, or nil.
  public var problem: String?
  /// The time and number of the next run, or nil when there is none.
  public var next: Next?
  /// The number behind the last occurrence that this step looked at, when there is no next one.
  public var passed: Int?

  /// A future run.
  public struct Next: Sendable, Hashable {
    /// When.
    public var at: Timestamp
    /// Which occurrence, from 1.
    public var number: Int

    /// Creates a value from its parts.
    public init(at: Timestamp, number: Int) {
      self.at = at
      self.number = number
    }
  }

  /// Creates a value from its parts.
  public init(
    schedule: ScheduleID, expected: Timestamp, push: NewPush?, missed: Int = 0, problem: String? = nil, next: Next?
  ) {
    self.schedule = schedule
    self.expected = expected
    self.push = push
    self.missed = missed
    self.problem = problem
    self.next = next
  }
}
