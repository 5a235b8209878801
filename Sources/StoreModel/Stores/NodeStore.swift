/// Several servers on one database: who they are, what they tell one another, and what only one of them does at a time.
///
/// With a file there is one server: it is notified of nothing, may always lease, and gets every duty.
public protocol NodeStore: Sendable {
  /// Takes part under a name, until ``leave(now:)``. Throws `conflict` while another server has the name.
  ///
  /// From then on a thread of its own listens for news, shows that the node lives, and compares clocks. Call it once.
  func join(_ node: NodeIdentity) throws(StoreError)
  /// Hands back at once what the node holds: its leases, duties and row. Call it when nothing is sent any more.
  func leave(now: Timestamp) throws(StoreError)
  /// From now on calls `body` with what other nodes have committed, and with `everything` after the connection was lost, on a thread
  /// of the store; it must return quickly, and not wait for the store. There may be several observers.
  ///
  /// `behindWrites` is for those who lease: a recall then comes after every lease of this node that does not know of it, and
  /// everything waits until this node's transaction is over, which may wait for that of another node. The others hear at once.
  func observeChanges(behindWrites: Bool, _ body: @escaping @Sendable (SharedChange) -> Void)
  /// The status of this node among the others; costs a lock.
  var nodeStatus: NodeStatus { get }
  /// What time it is by the clock of the database, reckoned from when a heartbeat read it last by the clock of this machine that
  /// never steps (`SystemClock.elapsedMs()`, which is given); nil with a file. What ends at a time that all nodes judge is dated by
  /// it: a time of day that is set back between two heartbeats would end it too early.
  func sharedTime(elapsedMs: Int64) -> Timestamp?
  /// The nodes that have joined and not left, by name; those that died stay for a day. None with a file.
  func nodes() throws(StoreError) -> [Node]
  /// What each node has leased and which duties it has, by its name; a file's server is called as ``NodeStatus/node`` says.
  func nodeWork(now: Timestamp) throws(StoreError) -> [String: NodeWork]

  /// Takes a duty, or keeps it, until `until`; nil while another node has it, or this one may not lease.
  func claimDuty(_ duty: Duty, until: Timestamp, now: Timestamp) throws(StoreError) -> DutyTerm?
  /// Within ``Store/change(_:completion:)``: has the transaction fail with `conflict` unless the term is still this node's, so that one
  /// that was paused writes nothing over its successor.
  func confirmDuty(_ term: DutyTerm) throws(StoreError)
  /// Gives a duty back before its time.
  func releaseDuty(_ term: DutyTerm) throws(StoreError)
}

/// What a node calls itself.
public struct NodeIdentity: Sendable {
  /// Unique among the servers of a database; what was leased under it belongs to it after a restart, too.
  public var name: String
  /// The program's version, for operators.
  public var version: String
  /// The time of day, which is compared with the database's.
  public var clock: @Sendable () -> Timestamp
  /// How often it shows that it lives and looks whether credentials were changed, in milliseconds; after three times as long it
  /// counts as dead.
  public var heartbeatMs: Int64 = 5_000
  /// What its clock may differ from the database's, in milliseconds.
  public var skewMaxMs: Int64 = 1_000

  /// Creates a value from its parts.
  public init(name: String, version: String = "", clock: @escaping @Sendable () -> Timestamp) {
    self.name = name
    self.version = version
    self.clock = clock
  }
}

/// A server that uses the database.
public struct Node: Sendable, Hashable {
  /// Its name.
  public let name: String
  /// The program's version.
  public let version: String
  /// When it joined, by the database's clock.
  public let startedAt: Timestamp
  /// When it last showed that it lives, by the database's clock.
  public let seenAt: Timestamp
  /// How long ago that was, by the same clock, in milliseconds.
  public let unseenMs: Int64
  /// How far its clock is at least ahead of the database's, as it last measured, in milliseconds; below zero when it is behind.
  ///
  /// Nil for a node of a version that stores no such thing.
  public let clockAheadMs: Int64?
  /// Whether it was seen recently.
  public let isLive: Bool

  /// How long what a node has is treated as its own after the node was last seen, in milliseconds: a lease, a duty, an import.
  ///
  /// So long nobody does it after a node has died.
  package static let termMs: Int64 = 15_000

  /// Creates a value from its parts.
  package init(
    name: String, version: String, startedAt: Timestamp, seenAt: Timestamp, unseenMs: Int64, clockAheadMs: Int64?,
    isLive: Bool
  ) {
    self.name = name
    self.version = version
    self.startedAt = startedAt
    self.seenAt = seenAt
    self.unseenMs = unseenMs
    self.clockAheadMs = clockAheadMs
    self.isLive = isLive
  }
}

/// What a node does currently.
public struct NodeWork: Sendable, Hashable {
  /// What it has leased.
  public var leases = 0
  /// Deliveries under its leases that have no result yet.
  public var inFlight = 0
  /// The duties that it has, by name.
  public var duties: [String] = []

  /// A node that has nothing to do.
  public init() {}
}

/// The status of a node among the others.
public struct NodeStatus: Sendable, Hashable {
  /// Whether there can be other nodes.
  public var isShared = false
  /// The name under which this one has joined.
  public var node = "local"
  /// Nodes that live, this one included: what is rated for all of them is divided by it.
  public var liveNodes = 1
  /// Why this node leases nothing and takes no duties; nil when it may.
  public var trouble: StoreError?

  /// A node that is alone.
  public init() {}
}

/// Something that one node does at a time.
public struct Duty: RawRepresentable, Sendable, Hashable {
  /// Its name in the database.
  public let rawValue: String

  /// Names a duty.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Delivers batches to webhooks.
  public static let webhooks = Duty(rawValue: "webhooks")
  /// Makes the pushes of schedules and plans.
  public static let schedules = Duty(rawValue: "schedules")
  /// Deletes old rows.
  public static let upkeep = Duty(rawValue: "upkeep")
}

/// A duty that this node has, for a while.
public struct DutyTerm: Sendable, Hashable {
  /// The duty.
  public let duty: Duty
  /// Grows each time it changes hands.
  public let epoch: Int64
  /// The end, unless it is kept.
  public let until: Timestamp

  /// Creates a value from its parts.
  package init(duty: Duty, epoch: Int64, until: Timestamp) {
    self.duty = duty
    self.epoch = epoch
    self.until = until
  }
}
