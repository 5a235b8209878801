internal import Ledger
public import StoreModel
internal import Synchronization

extension SQLStore {
  /// From now on calls `body` with what other nodes have committed.
  public func observeChanges(behindWrites: Bool, _ body: @escaping @Sendable (SharedChange) -> Void) {
    if behindWrites { orderedChanges.add(body) } else { changes.add(body) }
  }

  /// The status of this node among the others.
  public var nodeStatus: NodeStatus { fleet.nodeStatus }

  /// What time it is by the clock of the database.
  public func sharedTime(elapsedMs: Int64) -> Timestamp? { fleet.sharedTime(elapsedMs: elapsedMs) }

  /// The nodes that have joined and not left.
  public func nodes() throws(StoreError) -> [Node] {
    guard server != nil else { return [] }
    return try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        """
        SELECT name, version, started_at, seen_at, (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
          clock_ahead_ms FROM nodes ORDER BY name
        """)
      var nodes: [Node] = []
      while try select.step() {
        let (seenAt, now) = (select.timestamp(3), select.timestamp(4))
        let unseenMs = max(now.milliseconds - seenAt.milliseconds, 0)
        nodes.append(
          Node(
            name: select.text(0), version: select.text(1), startedAt: select.timestamp(2), seenAt: seenAt,
            unseenMs: unseenMs, clockAheadMs: select.isNull(5) ? nil : select.int64(5), isLive: unseenMs < Node.termMs))
      }
      return nodes
    }
  }

  /// What each node has leased and which duties it has.
  public func nodeWork(now: Timestamp) throws(StoreError) -> [String: NodeWork] {
    try readers.read { (db) throws(StoreError) in
      var work: [String: NodeWork] = [:]
      let leases = try db.prepare("SELECT node, count(*), sum(remaining) FROM leases GROUP BY node")
      while try leases.step() {
        let name = leases.text(0)
        work[name, default: NodeWork()].leases = Int(leases.int64(1))
        work[name, default: NodeWork()].inFlight = Int(leases.int64(2))
      }
      let duties = try db.prepare("SELECT node, name FROM duties WHERE expires_at > ?1 ORDER BY name")
      duties.bind(1, now)
      while try duties.step() { work[duties.text(0), default: NodeWork()].duties.append(duties.text(1)) }
      return work
    }
  }

  /// Takes a duty, or keeps it.
  public func claimDuty(_ duty: Duty, until: Timestamp, now: Timestamp) throws(StoreError) -> DutyTerm? {
    let nodeStatus = fleet.nodeStatus
    guard nodeStatus.trouble == nil else { return nil }
    let (node, instance) = (fleet.name, fleet.instance)
    // Whoever does not have it asks often, and writes nothing for that.
    let isFree = try readers.read { (db) throws(StoreError) in
      try db.nextEpoch(of: duty, for: node, instance, now) != nil
    }
    guard isFree else { return nil }
    return try write { (context) throws(StoreError) in
      guard let epoch = try context.db.nextEpoch(of: duty, for: node, instance, now) else { return nil }
      let update = try context.db.prepare(
        """
        INSERT INTO duties(name, node, instance, epoch, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT(name) DO UPDATE SET node = ?2, instance = ?3, epoch = ?4, expires_at = ?5
        """)
      update.bindAll(duty.rawValue, node, instance, epoch, until)
      try update.run()
      return DutyTerm(duty: duty, epoch: epoch, until: until)
    }
  }

  /// Has the transaction fail unless a term is still this node's.
  public func confirmDuty(_ term: DutyTerm) throws(StoreError) {
    let instance = fleet.instance
    try write { (context) throws(StoreError) in
      // Written, not read: whoever takes the duty waits for this transaction.
      let touch = try context.db.prepare(
        "UPDATE duties SET epoch = epoch WHERE name = ?1 AND epoch = ?2 AND instance = ?3")
      touch.bindAll(term.duty.rawValue, term.epoch, instance)
      try touch.run()
      guard context.db.changes == 1 else {
        throw StoreError(
          .conflict, "another node has taken over “\(term.duty.rawValue)”",
          advice: "nothing needs to be done: this node was away for longer than its term")
      }
    }
  }

  /// Gives a duty back.
  public func releaseDuty(_ term: DutyTerm) throws(StoreError) {
    let instance = fleet.instance
    try write { (context) throws(StoreError) in
      // The row stays, so that epochs only grow.
      let update = try context.db.prepare(
        "UPDATE duties SET expires_at = 0 WHERE name = ?1 AND epoch = ?2 AND instance = ?3")
      update.bindAll(term.duty.rawValue, term.epoch, instance)
      try update.run()
    }
  }

  /// Takes part under a name.
  public func join(_ node: NodeIdentity) throws(StoreError) {
    guard let server else { return }
    guard !node.name.isEmpty, node.name.utf8.count <= StoreLimits.nodeNameBytesMax else {
      throw StoreError(
        .invalid, "“\(node.name.prefix(40))” is no name of a node",
        advice: "use 1 to \(StoreLimits.nodeNameBytesMax) bytes")
    }
    fleet.name = node.name
    let link = try NodeLink(server, node, fleet) { [writer, changes, orderedChanges] news in
      // The writer may be waiting for the transaction of another node: what is only forgotten does not wait with it.
      for change in news { changes.tell(change) }
      // On the writer's thread, behind the group that it is committing: a lease that was made before is announced first.
      writer.between { context in
        for change in news {
          if case .push(let id) = change { context.throttles.forget(id) }
          if change == .everything { context.throttles = ThrottleSlots() }
        }
        for change in news { orderedChanges.tell(change) }
      }
    }
    self.link.withLock { $0 = link }
  }

  /// Hands back at once what the node holds.
  public func leave(now: Timestamp) throws(StoreError) {
    guard let link = link.withLock({ $0.take() }) else { return }
    // The row must not be written again behind this, and nobody else may have the name before it is done.
    link.halt()
    defer { link.stop() }
    let (node, instance) = (fleet.name, fleet.instance)
    try write { (context) throws(StoreError) in
      var summary = RecoverySummary()
      try context.endLeases(of: node, until: Timestamp(milliseconds: 0), now, &summary)
      let duties = try context.db.prepare("UPDATE duties SET expires_at = 0 WHERE node = ?1 AND instance = ?2")
      duties.bindAll(node, instance)
      try duties.run()
      let row = try context.db.prepare("DELETE FROM nodes WHERE name = ?1 AND instance = ?2")
      row.bindAll(node, instance)
      try row.run()
      context.note(.work)
      context.note(.webhooks)
      context.note(.schedules)
    }
  }
}

extension Connection {
  /// The epoch of a duty if a node takes it now; nil while another one has it.
  fileprivate func nextEpoch(
    of duty: Duty, for node: String, _ instance: Int64, _ now: Timestamp
  ) throws(StoreError) -> Int64? {
    let select = try prepare("SELECT node, instance, epoch, expires_at FROM duties WHERE name = ?1")
    select.bind(1, duty.rawValue)
    guard try select.step() else { return DutyHolder.firstEpoch }
    let holder = DutyHolder(
      node: select.text(0), instance: select.int64(1), epoch: select.int64(2), until: select.timestamp(3))
    return holder.nextEpoch(for: node, instance, now)
  }
}

/// What is known of the nodes of a database.
final class Fleet: Sendable {
  /// Tells this run of this process from all others.
  let instance = Int64.random(in: 1...Int64.max)
  private let state: Mutex<NodeStatus>
  private let live = Atomic<Int>(1)
  /// The database's time less that of the clock that never steps; the smallest number while it is not known.
  private let sharedOffsetMs = Atomic<Int64>(.min)

  /// - Parameter isShared: whether there can be other nodes.
  init(isShared: Bool) {
    var nodeStatus = NodeStatus()
    nodeStatus.isShared = isShared
    state = Mutex(nodeStatus)
  }

  var name: String {
    get { state.withLock { $0.node } }
    set { state.withLock { $0.node = newValue } }
  }

  var nodeStatus: NodeStatus { state.withLock { $0 } }

  /// The number of live nodes, without the lock.
  var liveNodes: Int { live.load(ordering: .relaxed) }

  func sharedTime(elapsedMs: Int64) -> Timestamp? {
    let offset = sharedOffsetMs.load(ordering: .relaxed)
    return offset == .min ? nil : Timestamp(milliseconds: elapsedMs + offset)
  }

  /// The database has read its clock between two instants of the one that never steps; what took longer than another one says
  /// less than that.
  func note(_ time: Timestamp, after: Int64, before: Int64, withinMs: Int64) {
    guard before - after <= withinMs || sharedOffsetMs.load(ordering: .relaxed) == .min else { return }
    sharedOffsetMs.store(time.milliseconds - after, ordering: .relaxed)
  }

  /// Takes over what the link has found out; true when something differs.
  func set(liveNodes: Int? = nil, trouble: StoreError?) -> Bool {
    if let liveNodes { live.store(max(liveNodes, 1), ordering: .relaxed) }
    return state.withLock { nodeStatus in
      let before = nodeStatus
      nodeStatus.trouble = trouble
      if let liveNodes { nodeStatus.liveNodes = max(liveNodes, 1) }
      return nodeStatus != before
    }
  }
}

/// Who is notified of what other nodes changed.
final class ChangeObservers: Sendable {
  private let bodies = Mutex<[@Sendable (SharedChange) -> Void]>([])

  func add(_ body: @escaping @Sendable (SharedChange) -> Void) { bodies.withLock { $0.append(body) } }

  func tell(_ change: SharedChange) {
    for body in bodies.withLock({ $0 }) { body(change) }
  }
}
