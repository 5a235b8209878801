/// Decides which connections a pool opens, uses, pings and closes, without sockets or a clock.
///
/// An event goes in with the current time, decisions come out in ``actions``, and the driver carries them out. All
/// times are durations since one fixed, arbitrary instant of the monotonic clock.
///
/// Invariants:
/// 1. A connection never has more requests than the least of: the peer's limit, ``PoolLimits/streamsPerConnectionMax``,
///    and, before its first accepted request, ``PoolLimits/streamsBeforeFirstAcceptance``.
/// 2. At most ``PoolLimits/connectionsMax`` connections are opening or open; draining and leaving ones do not count,
///    because they accept nothing new.
/// 3. At most one connection is opening at a time, never during a back-off, and never beyond the connect budget. A connection
///    that gets a request accepted costs nothing of it, unless one is lost before the whole budget would have come back.
/// 4. A connection that is opening, draining, leaving, ending or awaiting a ping's answer gets no request.
/// 5. Every connection that is opening or awaiting a ping's answer has a deadline, and ``nextDeadline`` is never later
///    than any.
/// 6. `done` is emitted once, when no send waits and every connection has been reported as closed.
///
/// One connection:
///
/// ```
///            opened                 goAway              last request done
/// opening ──────────▶ open ───────────────▶ draining ────────────────────┐
///    │                 │                        │                        ▼    closed
///    │ timeout         │ no answer to           │ no answer to       leaving ────────▶ (gone)
///    └─────────────────┴── a ping ──────────────┴── a ping ──────────────▲
///                      └─ surplus, or the pool closes ───────────────────┘
/// ```
///
/// `closed` may be reported in any phase. After a decision to close or abort a connection, it is leaving until then,
/// since its requests get their results first.
///
/// The pool:
///
/// ```
///            drain               all done, or the deadline                 every connection closed
/// running ─────────▶ draining ─────────────────────────────▶ closing ──────────────────────────────▶ closed
///    └──────────────────┴──────────────── stop ──────────────────▲
/// ```
///
/// - running: sends are accepted and sent.
/// - draining: nothing new is accepted; what was is still sent, over new connections too.
/// - closing: waiting sends have failed, every connection is leaving, nothing is sent again.
/// - closed: no connection is left, and no further events follow.
public struct PoolMachine: Sendable {
  /// Names one connection for the life of the machine; never used again.
  public typealias ConnectionID = Int

  /// What the driver has to do.
  public enum Action: Sendable, Hashable {
    /// Open a connection; `attempt` counts up and picks the address to begin with.
    case open(ConnectionID, attempt: Int)
    /// Send a PING.
    case ping(ConnectionID)
    /// Close in order: nothing is under way on it.
    case close(ConnectionID)
    /// Drop at once and report every request on it as lost.
    case abort(ConnectionID, ConnectionLoss)
    /// End every waiting send: the pool closes.
    case failWaiting
    /// The pool has closed.
    case done
  }

  /// Why the machine gave a connection up.
  public enum ConnectionLoss: String, Sendable, Hashable {
    /// It was not ready in ``PoolLimits/connectTimeout``.
    case connectTimeout
    /// It did not answer a PING in ``PoolLimits/pingTimeout``.
    case silent
    /// The pool was closed before its requests were done.
    case poolClosed
  }

  enum Phase: Hashable, Sendable {
    case opening
    case open
    case draining
    /// Being closed; its end has not been reported yet.
    case leaving
  }

  /// The life of the pool.
  enum Life: Hashable, Sendable {
    case running
    case draining(until: Duration)
    case closing
    case closed
  }

  struct Connection: Sendable {
    let id: ConnectionID
    var phase: Phase
    var since: Duration
    var peerLimit: Int
    var inFlight = 0
    var isProven = false
    /// Whether its attempt no longer counts against the connect budget.
    var gaveBack = false
    var hasAnswered = false
    var lastReceivedAt: Duration
    var lastUsed: Duration
    /// Since when it has had requests without interruption.
    var busySince: Duration = .zero
    /// When the PING went out that nothing has answered yet.
    var pingSentAt: Duration?

    /// A request's result has shown its end, which will be reported.
    var isEnding = false

    /// Counts against ``PoolLimits/connectionsMax``.
    var isActive: Bool { phase == .opening || phase == .open }

    var isReady: Bool { phase == .open && pingSentAt == nil && !isEnding }

    mutating func received(_ now: Duration) {
      lastReceivedAt = now
      pingSentAt = nil
    }
  }

  /// How much later than the connection itself the machine gives it up.
  ///
  /// The connection's own deadlines come first, because it knows the stage; the machine's are there so that nothing
  /// hangs if it says nothing.
  static let margin: Duration = .seconds(1)
  /// How often a back-off is doubled at most; its own limit comes long before.
  private static let doublingsMax = 64

  /// The rules this machine follows.
  public let limits: PoolLimits
  /// Decisions not yet carried out, in order.
  ///
  /// The driver takes and empties them after each event.
  public var actions: [Action] = []
  var connections: [Connection] = []
  private(set) var waiting = 0
  private var nextID = 0
  private var failures = 0
  private var notBefore: Duration = .zero
  private var budget: Int
  private var budgetSince: Duration = .zero
  /// When a connection was last lost before the budget would have been full again.
  private var lostEarlyAt: Duration?
  private(set) var life = Life.running
  private var random: SplitMix

  /// Starts with no connections.
  ///
  /// - Parameters:
  ///   - limits: the rules.
  ///   - seed: decides the jitter of the back-off.
  public init(limits: PoolLimits, seed: UInt64) {
    self.limits = limits
    budget = limits.connectBurst
    random = SplitMix(state: seed)
  }
}

// MARK: - Questions

extension PoolMachine {
  /// How many connections take requests now.
  public var openCount: Int { connections.count { $0.isReady } }

  /// How many connections exist in any phase.
  public var connectionCount: Int { connections.count }

  /// How many requests are under way.
  public var inFlight: Int { connections.reduce(0) { $0 + $1.inFlight } }

  /// Connection failures since the last connection that did its work.
  public var consecutiveFailures: Int { failures }

  /// The connection with the most room, and how many requests it takes now; `nil` when all are full.
  public var mostRoom: (id: ConnectionID, count: Int)? {
    var best: (id: ConnectionID, count: Int)?
    for connection in connections {
      let room = self.room(connection)
      if room > (best?.count ?? 0) { best = (connection.id, room) }
    }
    return best
  }

  /// When ``timePassed(now:)`` is due next; `nil` without a deadline.
  public var nextDeadline: Duration? {
    var next: Duration?
    func consider(_ time: Duration?) {
      if let time, time < next ?? time + .nanoseconds(1) { next = time }
    }
    for connection in connections { consider(deadline(connection)) }
    if case .draining(let deadline) = life { consider(deadline) }
    if wantsConnection { consider(max(notBefore, nextBudgetTime)) }
    return next
  }

  private func room(_ connection: Connection) -> Int {
    guard connection.isReady else { return 0 }
    return max(0, limit(connection) - connection.inFlight)
  }

  private func limit(_ connection: Connection) -> Int {
    let cap = min(connection.peerLimit, limits.streamsPerConnectionMax)
    guard let unproven = limits.streamsBeforeFirstAcceptance, !connection.isProven else { return cap }
    return min(cap, unproven)
  }

  private func deadline(_ connection: Connection) -> Duration? {
    if connection.phase == .leaving { return nil }
    if let pingSentAt = connection.pingSentAt { return pingSentAt + limits.pingTimeout + Self.margin }
    switch connection.phase {
    case .opening: return connection.since + limits.connectTimeout * 2 + Self.margin
    case .open where connection.inFlight > 0, .draining where connection.inFlight > 0:
      return max(connection.lastReceivedAt, connection.busySince) + limits.busySilence
    case .open:
      return isSurplus ? connection.lastUsed + limits.idleClose : nil
    case .draining, .leaving: return nil
    }
  }

  private var isSurplus: Bool { activeCount > limits.connectionsMin }

  /// Connections that count against ``PoolLimits/connectionsMax``.
  private var activeCount: Int { connections.count { $0.isActive } }

  /// Whether sends are accepted and sent.
  public var isRunning: Bool { life == .running }

  /// Whether what waits is still sent.
  var isSending: Bool {
    switch life {
    case .running, .draining: true
    case .closing, .closed: false
    }
  }
}

// MARK: - Events

extension PoolMachine {
  /// The number of requests that wait for a stream has changed.
  public mutating func waitingChanged(to count: Int, now: Duration) {
    waiting = count
    growIfUseful(now)
    advance(now)
  }

  /// A connection is ready: TLS and ALPN are done and the peer's SETTINGS have arrived.
  public mutating func opened(_ id: ConnectionID, streamLimit: Int, now: Duration) {
    update(id) {
      guard $0.phase == .opening else { return }
      $0.phase = .open
      $0.since = now
      $0.peerLimit = streamLimit
      $0.lastReceivedAt = now
      $0.lastUsed = now
    }
    growIfUseful(now)
  }

  /// The peer changed its limit of concurrent streams.
  public mutating func streamLimitChanged(_ id: ConnectionID, to limit: Int, now: Duration) {
    update(id) {
      $0.peerLimit = limit
      $0.received(now)
    }
    growIfUseful(now)
  }

  /// Requests were put on a connection.
  public mutating func started(_ id: ConnectionID, count: Int, now: Duration) {
    update(id) {
      if $0.inFlight == 0 { $0.busySince = now }
      $0.inFlight += count
    }
  }

  /// Requests left a connection, answered or not.
  ///
  /// - Parameters:
  ///   - answered: how many of them got an answer from the peer.
  ///   - accepted: whether one of the answers proves that the credential is good.
  public mutating func finished(_ id: ConnectionID, count: Int, answered: Int, accepted: Bool, now: Duration) {
    update(id) {
      $0.inFlight -= count
      $0.lastUsed = now
      assert($0.inFlight >= 0, "more requests finished than started")
      guard answered > 0 else { return }
      $0.hasAnswered = true
      $0.received(now)
    }
    if answered > 0 { failures = 0 }
    if accepted, answered > 0, let index = index(id), !connections[index].isProven {
      connections[index].isProven = true
      giveBack(index, now)
    }
    closeIfDrained(id)
    growIfUseful(now)
    advance(now)
  }

  /// A request on this connection ran into its deadline: the connection has to show that it lives.
  public mutating func requestTimedOut(_ id: ConnectionID, now: Duration) {
    question(id, now)
  }

  /// A PING was answered.
  public mutating func ponged(_ id: ConnectionID, now: Duration) {
    update(id) { $0.received(now) }
    growIfUseful(now)
  }

  /// The peer sent GOAWAY, or the driver found the connection unfit: it finishes what it has and takes nothing new.
  public mutating func goAway(_ id: ConnectionID, now: Duration) {
    // A peer that leaves in order says so twice (RFC 9113 section 6.8).
    guard let index = index(id), connections[index].isActive else { return }
    if !connections[index].hasAnswered { countFailure(now) }
    countLoss(connections[index], now)
    connections[index].phase = .draining
    closeIfDrained(id)
    growIfUseful(now)
  }

  /// A request came back because its connection is ending: nothing more is put on it.
  ///
  /// ``goAway(_:now:)`` or ``closed(_:now:)`` follows.
  public mutating func ending(_ id: ConnectionID) {
    update(id) { $0.isEnding = true }
  }

  /// A connection is gone, or could not be opened.
  ///
  /// Its requests have been reported before.
  public mutating func closed(_ id: ConnectionID, now: Duration) {
    guard let index = index(id) else { return }
    let connection = connections.remove(at: index)
    // A connection that answered did its work; one that never did counts against the gateway.
    if !connection.hasAnswered && connection.isActive { countFailure(now) }
    if connection.isActive { countLoss(connection, now) }
    growIfUseful(now)
    advance(now)
  }

  /// Time has passed; due at ``nextDeadline``, harmless at any other time.
  public mutating func timePassed(now: Duration) {
    for connection in connections {
      guard let due = deadline(connection), due <= now else { continue }
      if connection.phase == .opening {
        abort(connection.id, .connectTimeout, now)
      } else if connection.pingSentAt != nil {
        abort(connection.id, .silent, now)
      } else if connection.inFlight == 0 {
        closeNow(connection.id)
      } else {
        question(connection.id, now)
      }
    }
    growIfUseful(now)
    advance(now)
  }

  /// Accepts nothing new, lets what was submitted end until `deadline`, then closes.
  ///
  /// Of several deadlines the earliest counts.
  public mutating func drain(until deadline: Duration, now: Duration) {
    switch life {
    case .running: life = .draining(until: deadline)
    case .draining(let earlier): life = .draining(until: min(earlier, deadline))
    case .closing, .closed: return
    }
    advance(now)
  }

  /// Closes at once.
  public mutating func stop(now: Duration) {
    guard isSending else { return }
    beginClosing()
    advance(now)
  }
}

// MARK: - Decisions

extension PoolMachine {
  /// Takes the steps of the pool's life that have become due.
  private mutating func advance(_ now: Duration) {
    if case .draining(let deadline) = life, now >= deadline || (waiting == 0 && inFlight == 0) { beginClosing() }
    if life == .closing, waiting == 0, connections.isEmpty {
      life = .closed
      actions.append(.done)
    }
  }

  private mutating func beginClosing() {
    life = .closing
    if waiting > 0 { actions.append(.failWaiting) }
    for connection in connections where connection.phase != .leaving {
      leave(connection.id, connection.inFlight > 0 ? .abort(connection.id, .poolClosed) : .close(connection.id))
    }
  }

  /// More connections are wanted when requests wait that no present or coming connection has room for.
  private var wantsConnection: Bool {
    guard isSending, waiting > 0, activeCount < limits.connectionsMax else { return false }
    for connection in connections {
      switch connection.phase {
      case .opening: return false
      case .open:
        // An unauthenticated connection will accept more streams soon; a second one would have to authenticate as well.
        if limits.streamsBeforeFirstAcceptance != nil && !connection.isProven { return false }
        if room(connection) > 0 { return false }
      case .draining, .leaving: continue
      }
    }
    return true
  }

  private mutating func growIfUseful(_ now: Duration) {
    guard wantsConnection, now >= notBefore else { return }
    refillBudget(now)
    guard budget > 0 else { return }
    budget -= 1
    let id = nextID
    nextID += 1
    connections.append(
      Connection(
        id: id, phase: .opening, since: now, peerLimit: limits.streamsBeforeSettings, lastReceivedAt: now, lastUsed: now
      ))
    actions.append(.open(id, attempt: id))
  }

  private mutating func countFailure(_ now: Duration) {
    failures += 1
    var wait = min(limits.backoffBase, limits.backoffMax)
    for _ in 0..<min(failures - 1, Self.doublingsMax) { wait = min(wait * 2, limits.backoffMax) }
    // Between half and the whole of the wait, so that many pools do not come back at the same instant.
    let jitter = wait / 1024 * Int(random.next() >> 55)
    notBefore = now + wait - jitter
  }

  /// The time in which the whole budget comes back.
  private var refillTime: Duration { limits.connectInterval * limits.connectBurst }

  /// A pool that grows is no storm, unless its connections do not last.
  private mutating func giveBack(_ index: Int, _ now: Duration) {
    if let lostEarlyAt, now - lostEarlyAt < refillTime { return }
    connections[index].gaveBack = true
    budget = min(budget + 1, limits.connectBurst)
  }

  /// Takes the attempt again that a connection had given back, if it did not last.
  private mutating func countLoss(_ connection: Connection, _ now: Duration) {
    guard now - connection.since < refillTime else { return }
    lostEarlyAt = now
    if connection.gaveBack { budget = max(budget - 1, 0) }
  }

  private var nextBudgetTime: Duration { budget > 0 ? .zero : budgetSince + limits.connectInterval }

  private mutating func refillBudget(_ now: Duration) {
    guard budget < limits.connectBurst else {
      budgetSince = now
      return
    }
    while budget < limits.connectBurst && budgetSince + limits.connectInterval <= now {
      budget += 1
      budgetSince += limits.connectInterval
    }
  }

  private mutating func question(_ id: ConnectionID, _ now: Duration) {
    guard let index = index(id), connections[index].pingSentAt == nil else { return }
    guard connections[index].phase == .open || connections[index].phase == .draining else { return }
    connections[index].pingSentAt = now
    actions.append(.ping(id))
  }

  private mutating func closeIfDrained(_ id: ConnectionID) {
    guard let index = index(id), connections[index].phase == .draining, connections[index].inFlight == 0 else { return }
    closeNow(id)
  }

  private mutating func closeNow(_ id: ConnectionID) { leave(id, .close(id)) }

  private mutating func abort(_ id: ConnectionID, _ loss: ConnectionLoss, _ now: Duration) {
    countFailure(now)
    leave(id, .abort(id, loss))
  }

  private mutating func leave(_ id: ConnectionID, _ action: Action) {
    update(id) { $0.phase = .leaving }
    actions.append(action)
  }

  private func index(_ id: ConnectionID) -> Int? { connections.firstIndex { $0.id == id } }

  private mutating func update(_ id: ConnectionID, _ change: (inout Connection) -> Void) {
    guard let index = index(id) else { return }
    change(&connections[index])
  }
}

/// The generator behind the jitter (SplitMix64): small, and the same for the same seed.
struct SplitMix: RandomNumberGenerator, Sendable {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
