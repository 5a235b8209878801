internal import GatewayPool
package import StoreModel

/// The pipeline: events go in by ``turn(_:)``; leases, sends and writes come out; confined to one thread.
///
/// ``DeliveryEngine`` runs it on a thread; a simulation calls its turns one by one.
///
/// Invariants:
/// 1. A delivery is in `flights` from its lease until its result is recorded or refused by the store; its tag is in
///    exactly one of: a lane's queue, the wire (`onWire` counts those), or neither once its result is in `results` or
///    `writing`.
/// 2. ``held``, and what the leases in progress may bring, never exceed twice `options.window`; a lane's share of
///    it never exceeds what is left (the dynamic threshold of shared buffers, Choudhury and Hahne 1998), except by one lease of
///    either kind that was in progress.
/// 3. At most one lease of either kind and one `startScheduled` are in progress; at most one audience expansion per
///    campaign; at most `writesMax` writes.
/// 4. Nothing is passed to a sender before its lease is durable, and no result is dropped while the store refuses.
package final class Pipeline {
  let store: any Store
  let senders: SenderDirectory
  let options: DeliveryOptions
  let mailbox: Mailbox
  let judge: SendJudge

  var flights = FlightTable()
  /// Deliveries that senders have and must not send.
  let recall: SendRecall
  /// Leased deliveries that must not be sent as they are, reported since the last turn.
  var recalls = LeaseRecall()
  var cache = PushCache()
  var lanes: [Lane] = []
  var laneNumbers: [LaneKey: Int] = [:]
  var sinks: [LaneSink] = []
  var onWire = 0

  var results: [DeliveryResult] = []
  var oldestResult: Timestamp?
  var writesUnderWay = 0
  var unwritten = 0
  var refusedWrites: [[DeliveryResult]] = []

  var work = OpenWork()
  var workIsOld = true
  var nextScan = Timestamp(milliseconds: 0)
  /// When a push starts or expires next.
  var nextChange: Timestamp?
  /// Whether more waits in the lanes than was last read, and when that may be read again.
  var waitingIsOld = true
  var nextWaitingScan = Timestamp(milliseconds: 0)
  var leaseUnderWay = false
  var urgentLeaseUnderWay = false
  /// What the last lease of each kind requested.
  var picks: [LeaseRequest.Pick] = []
  var urgentPicks: [LeaseRequest.Pick] = []
  /// How many deliveries the leases in progress may bring.
  var asked = (bulk: 0, urgent: 0)
  var startUnderWay = false
  var materializing: Set<PushID> = []
  var throttles: [PushID: RateLimit] = [:]
  var campaignTurn = 0
  var dueTurn = 0
  /// Campaigns of which nothing but deliveries for closed lanes was found last, and until when no more of these is put aside.
  var parkers: Set<PushID> = []
  var parkRestUntil = Timestamp(milliseconds: 0)
  /// Lanes stopped or let go here, until the store knows it too: how many changes are under way.
  var stopsUnderWay: [LaneKey: Int] = [:]
  var guards: [AppID: GuardBox] = [:]
  /// When a doubtful credential was last reported to operators.
  var doubts: [LaneKey: Timestamp] = [:]

  /// Whether the leases of this node's previous run were ended: nothing is leased before.
  var recovered = false
  private var recoveryUnderWay = false
  /// The status of this node among those of its database, as of this turn.
  var nodeStatus = NodeStatus()
  /// When the right to send what is leased ends, by ``DeliveryOptions/elapsedMs``; the largest number when nobody else can take it.
  var rightUntilMs = Int64.max
  /// Whether everything was taken back since it ended.
  var isTakenBack = false
  var renewalUnderWay = false
  var nextRenewal = Timestamp(milliseconds: 0)
  /// When the leases were last known to be extended, by ``DeliveryOptions/elapsedMs``.
  var renewedMs: Int64?
  /// Until when the leases of others are left alone after the database was away.
  var sparesUntilMs: Int64?
  var heldUntil: Timestamp?
  /// Whether an operator knows of trouble with the store, and what failed last and has not worked since.
  private var isInTrouble = false
  var failing: Set<StoreDuty> = []
  /// The time of the last turn, and the same by the monotonic clock: what they differ by is a jump.
  var lastTurn = Timestamp(milliseconds: 0)
  var lastTurnMs: Int64 = 0
  /// Since when the clock has run evenly, by the monotonic clock; whether it was right before is not known.
  var evenSinceMs: Int64 = 0
  /// The page of the store that is corrected next after a clock change, the one in progress, and when the next check is
  /// due.
  var clockPage: ClockPage?
  var clockUnderWay: ClockPage?
  var nextClockNote = Timestamp(milliseconds: 0)
  var clockChanges = 0
  /// When the end is not put off any longer, by the monotonic clock.
  var stopDeadlineMs: Int64?
  var statistics = DeliveryStatistics()

  package init(store: any Store, senders: SenderDirectory, options: DeliveryOptions, mailbox: Mailbox) {
    self.store = store
    self.senders = senders
    self.options = options
    self.mailbox = mailbox
    recall = SendRecall(clock: options.elapsedMs)
    judge = SendJudge(givingUp: options.givingUp, choices: options.choices)
  }

  /// Runs until it is stopped.
  func run(publish: (DeliveryStatistics) -> Void) {
    begin()
    var events: [PipelineEvent] = []
    var wait: Int64? = 0
    while let milliseconds = wait {
      mailbox.take(into: &events, waitingMs: milliseconds)
      wait = turn(events)
      events.removeAll(keepingCapacity: true)
      publish(currentStatistics)
    }
  }

  /// Ends the leases of this node's previous run, and subscribes to recalls; call it before the first turn.
  package func begin() {
    let mailbox = mailbox
    store.observeRecalls { mailbox.post(.recalled($0)) }
    store.observeChanges(behindWrites: true) { change in
      if change.concernsSending { mailbox.post(.changed(change)) }
    }
    recover()
  }

  /// Takes in what has happened and does what is due.
  ///
  /// - Returns: after how many milliseconds the next turn is due even if nothing happens; nil when it was the last one.
  package func turn(_ events: [PipelineEvent]) -> Int64? {
    lookAtNodes()
    for event in events { handle(event) }
    let now = options.clock()
    notice(now)
    keepToTerm(now)
    takeBackRecalled(now)
    turn(now)
    return isDone ? nil : waitMs(now)
  }

  private func handle(_ event: PipelineEvent) {
    switch event {
    case .wake: workIsOld = true
    case .leased(let result, let urgent): leased(result, urgent: urgent)
    case .materialized(let push, let result): materialized(push, result)
    case .started(let result): started(result)
    case .answers(let lane, let answers): answered(lane, answers)
    case .recorded(let batch, let result): recorded(batch, result)
    case .recovered(let result, let isFirst): recovered(result, isFirst: isFirst)
    case .clockFollowed(let result): clockFollowed(result)
    case .credentialsChanged(let app): resumeLanes(of: app)
    case .stopWritten(let lane): stopWritten(lane)
    case .recheck(let push): takeBack(push)
    case .recalled(let recall): recalls.formUnion(recall)
    case .changed(let change): follow(change)
    case .renewed(let asked, let wasAway, let result): renewed(asked, wasAway: wasAway, result)
    case .stop(let deadline):
      if stopDeadlineMs == nil { stopDeadlineMs = deadline }
    }
  }

  private func turn(_ now: Timestamp) {
    write(now)
    if maySend { for number in lanes.indices { pump(number, now) } }
    guard stopDeadlineMs == nil else { return giveBackAll(now) }
    // In this order: a recovery that failed is tried again when the store has had its rest.
    guard !isHeld(now), recovered else { return }
    // A node that has no right to send extends its leases before it takes more.
    guard maySend else { return renew(now) }
    followClock(now)
    scan(now)
    look(now)
    leaseUrgent(now)
    lease(now)
    forgetLeaseTrouble()
    materialize(now)
    renew(now)
  }

  // MARK: Beginning and end

  private func recover() {
    guard !recoveryUnderWay else { return }
    recoveryUnderWay = true
    let mailbox = mailbox
    let now = leaseTime(options.clock())
    store.recoverLeases(node: options.node, now: now) { mailbox.post(.recovered($0, isFirst: true)) }
  }

  private func recovered(_ result: Result<RecoverySummary, StoreError>, isFirst: Bool) {
    if isFirst { recoveryUnderWay = false }
    switch result {
    case .success(let summary):
      workIsOld = workIsOld || !recovered || summary.leases > 0
      recovered = true
      // Whatever is leased is asked for from now on.
      if isFirst { extendRight(from: options.elapsedMs()) }
      if summary.leases > 0 { options.onEvent?(.recovered(summary)) }
    case .failure(let error):
      // Without this nothing may be leased: what was on the wire has no name yet.
      hold(error)
    }
  }

  private var isDone: Bool {
    guard let stopDeadlineMs else { return false }
    let idle =
      onWire == 0 && results.isEmpty && writesUnderWay == 0 && refusedWrites.isEmpty && !leaseUnderWay
      && !urgentLeaseUnderWay
    return idle || options.monotonicMs() >= stopDeadlineMs
  }

  // MARK: A store that refuses

  /// What the store can refuse while it does everything else.
  enum StoreDuty: Hashable {
    case lease
    case record
  }

  /// Holds everything that needs the store for a second.
  func hold(_ error: StoreError, _ duty: StoreDuty? = nil) {
    if let duty { failing.insert(duty) }
    heldUntil = options.clock().adding(milliseconds: Self.holdMs)
    if !isInTrouble { options.onEvent?(.storeTrouble(error)) }
    isInTrouble = true
  }

  /// Whether the store is given a rest; when the rest is over, it is tried again.
  private func isHeld(_ now: Timestamp) -> Bool {
    guard let heldUntil else { return false }
    if now < heldUntil { return true }
    // The next scan shows whether the store works again.
    workIsOld = true
    if !recovered { recover() }
    return false
  }

  /// A store operation succeeded; the trouble ends when every kind of operation that failed has succeeded again.
  func storeWorks(_ duty: StoreDuty? = nil) {
    if let duty { failing.remove(duty) }
    heldUntil = nil
    guard isInTrouble, failing.isEmpty else { return }
    isInTrouble = false
    options.onEvent?(.storeRecovered)
  }

  /// Clears lease failures when leasing is no longer needed: all that could be leased is paused, stopped, or due later.
  private func forgetLeaseTrouble() {
    guard failing.contains(.lease), heldUntil == nil, !leaseUnderWay, !urgentLeaseUnderWay else { return }
    // What is under way may only leave no room for a lease.
    if flights.count == 0, unwritten == 0 { storeWorks(.lease) }
  }

  private static let holdMs: Int64 = 1_000

  // MARK: Waiting

  private func waitMs(_ now: Timestamp) -> Int64 {
    var next = now.adding(milliseconds: options.pollMs)
    let soon = now.adding(milliseconds: 1)
    // What is due by now was done in this turn; completions arrive as events.
    if let heldUntil, heldUntil > now { next = min(next, heldUntil) }
    if mayLease {
      if workIsOld { next = now }
      if waitingIsOld { next = min(next, max(nextWaitingScan, soon)) }
      if let nextChange, !startUnderWay { next = min(next, max(nextChange, soon)) }
      if !leaseUnderWay { next = min(next, max(nextDue(now) ?? next, soon)) }
      if !parkers.isEmpty, parkRestUntil > now { next = min(next, parkRestUntil) }
    }
    // Results that the store refused are retried after the pause, which is in `next` already.
    if let oldestResult, writesUnderWay == 0, heldUntil.map({ $0 <= now }) ?? true {
      next = min(next, oldestResult.adding(milliseconds: options.recordDelayMs))
    }
    for lane in lanes {
      if let instant = lane.nextDue(after: now), instant > now { next = min(next, instant) }
    }
    for (push, throttle) in throttles where work.campaigns.contains(where: { $0.push == push }) {
      let instant = throttle.nextDue(after: now)
      if instant > now { next = min(next, instant) }
    }
    let wait = max(next.milliseconds - now.milliseconds, 0)
    guard let stopDeadlineMs else { return wait }
    return min(wait, max(stopDeadlineMs - options.monotonicMs(), 0))
  }

  /// When the first delivery is due in a lane that has room for it.
  private func nextDue(_ now: Timestamp) -> Timestamp? {
    var next: Timestamp?
    for lane in lanes {
      guard let due = lane.due, lane.dueRoom > 0 else { continue }
      next = min(next ?? due, due)
    }
    return next
  }

  /// Whether looking for work would lead to a lease now.
  private var mayLease: Bool {
    !(leaseUnderWay && urgentLeaseUnderWay) && maySend && heldUntil == nil && recovered && stopDeadlineMs == nil
      && free > 0
  }

  private var currentStatistics: DeliveryStatistics {
    var current = statistics
    current.inFlight = flights.count
    current.onWire = onWire
    current.queued = lanes.reduce(0) { $0 + $1.queued }
    current.unwritten = unwritten
    return current
  }
}

/// The guard of one app, modified in place: taking it out of a dictionary and putting it back would copy it for every
/// answer.
final class GuardBox {
  var spikes: SpikeGuard

  init(_ spikes: SpikeGuard) { self.spikes = spikes }
}
