internal import GatewayPool
internal import StoreModel

/// The deliveries for one provider, app and environment, in two queues: transactional and bulk.
///
/// It isolates failures of sending: a gateway that is down, a credential that was refused and a sender that is full
/// delay one lane only.
struct Lane {
  /// A batch that waits for its sender.
  struct Waiting {
    let push: PushID
    let payload: PreparedPayload
    let expiresAt: Timestamp?
    var entries: ArraySlice<SendBatch.Entry>
    /// What the sends put into the payload's placeholders.
    var texts: SendTexts?
  }

  let key: LaneKey
  // Slices, because a batch is taken from the front without moving the others.
  var urgent: ArraySlice<Waiting> = []
  var bulk: ArraySlice<Waiting> = []
  var breaker: Breaker
  var rate: RateLimit?
  /// Set when the sender had no room; cleared when an answer comes or a little time has passed.
  var busyUntil: Timestamp?
  /// Entries in both queues.
  private(set) var queued = 0
  /// Sends handed over in one batch, at most: fewer while the sender refuses, because it accepts a batch whole or not at
  /// all, and one that is larger than the sender's queue would be refused for ever.
  private(set) var batchMax = Self.batchLargest
  /// Handed to the sender and not answered.
  var onWire = 0
  /// How much of it may be leased.
  var window = SendWindow()
  /// Set while the provider refuses the credential.
  var stop: LaneStop?
  /// Whether the app has no credential for it.
  var lacksSender = false
  /// Whether that is because its credential cannot be opened.
  var isUnusable = false
  /// Whether anything gets out, for a provider of many gateways.
  var wayOut = WayOut()
  /// Why the last send did not reach the gateway.
  var lastFailure = ""
  /// When the first delivery that waits in the store for this lane is due, as of the last read.
  var due: Timestamp?
  /// Since when campaigns have found no room in it.
  private var fullSince: Timestamp?

  private static let batchLargest = 2_000

  init(key: LaneKey, rate: DeliveryOptions.Rate?, breaker: Breaker) {
    self.breaker = breaker
    self.key = key
    self.rate = rate.map { RateLimit(perSecond: $0.perSecond, rampMs: $0.rampMs) }
  }

  /// Changes how fast is sent; what has been saved stays.
  mutating func change(_ new: DeliveryOptions.Rate?) {
    guard let new else { return }
    rate?.change(perSecond: new.perSecond)
  }

  /// The clock was set back by so many milliseconds: nothing waits longer for that.
  mutating func follow(jumpMs: Int64) {
    busyUntil = nil
    fullSince = nil
    breaker.follow(jumpMs: jumpMs)
  }

  // MARK: Whether it is leased for

  /// What may be leased for a lane.
  enum State: Equatable {
    /// Room for so many deliveries: transactional and bulk.
    case open(urgent: Int, bulk: Int)
    /// A few, to see whether it works again.
    case probing(Int)
    /// No room at present; there will be soon.
    case full
    /// Nothing.
    case closed
  }

  /// What may be leased for it, as of the last look.
  private(set) var state = State.closed

  /// After this long without room for campaigns, the app's other lanes no longer wait for this one: it then accepts
  /// fewer than some 30 000 sends a second.
  private static let fullMs: Int64 = 50

  /// Decides what may be leased.
  ///
  /// - Parameter free: what all lanes may still take together.
  mutating func look(at now: Timestamp, free: Int, _ options: DeliveryOptions) {
    if isStopped(at: now) || lacksSender { return state = .closed }
    if stop != nil { return state = Self.probing(Breaker.probeSends - queued - onWire) }
    if breaker.isOpen { return state = Self.probing(breaker.allowed(at: now) - queued) }
    let share = min(window.size, options.window, free)
    let urgent = share - queued - onWire
    let reserve = min(options.transactionalReserve, share / 2)
    var bulk = min(urgent - reserve, options.laneQueue - queued)
    // One that sends at a rate is filled up when half of it is empty: leasing a delivery for each that is sent would cost the
    // store as much as leasing a thousand.
    if rate != nil, bulk > 0, bulk < min(share - reserve, options.laneQueue) / 2 { bulk = 0 }
    fullSince = bulk > 0 ? nil : fullSince ?? now
    let waited = fullSince.map { now.milliseconds - $0.milliseconds } ?? 0
    if urgent > 0 {
      state = .open(urgent: urgent, bulk: max(bulk, waited < Self.fullMs ? 0 : -1))
    } else {
      state = waited < Self.fullMs ? .full : .closed
    }
  }

  /// How much of what is due may be leased.
  var dueRoom: Int {
    switch state {
    case .open(_, let bulk): max(bulk, 0)
    case .probing(let room): room
    case .full, .closed: 0
    }
  }

  /// Whether only a few deliveries are leased for it, to see whether it works again.
  var isProbing: Bool { if case .probing = state { true } else { false } }

  private static func probing(_ room: Int) -> State { room > 0 ? .probing(room) : .closed }

  /// Whether nothing is tried because of a refused credential.
  ///
  /// A time that is further away than any wait is one of a clock that was set back since.
  func isStopped(at now: Timestamp) -> Bool {
    guard let stop else { return false }
    return now < stop.retryAt && stop.retryAt.milliseconds - now.milliseconds <= Backoff.stop.longestMs
  }

  /// Whether nothing is handed over because the gateway is out of reach.
  func isCutOff(at now: Timestamp) -> Bool { breaker.isWaiting(at: now) }

  // MARK: Its queues

  mutating func add(_ waiting: Waiting, urgent isUrgent: Bool) {
    queued += waiting.entries.count
    if isUrgent { urgent.append(waiting) } else { bulk.append(waiting) }
  }

  /// How many sends may be handed over now.
  mutating func allowed(at now: Timestamp) -> Int {
    if let busyUntil, now < busyUntil { return 0 }
    busyUntil = nil
    return min(breaker.allowed(at: now), rate?.available(at: now) ?? .max)
  }

  /// The sender accepted a batch.
  mutating func accepted() { batchMax = min(batchMax * 2, Self.batchLargest) }

  /// The sender had no room for a batch: the next one is half as large.
  mutating func refused(_ count: Int) { batchMax = max(count / 2, 1) }

  /// Takes the next batch of at most `max` sends, urgent ones first.
  mutating func next(max: Int) -> (waiting: Waiting, urgent: Bool)? {
    let max = min(max, batchMax)
    guard max > 0 else { return nil }
    if let taken = Self.take(max, from: &urgent) {
      queued -= taken.entries.count
      return (taken, true)
    }
    guard let taken = Self.take(max, from: &bulk) else { return nil }
    queued -= taken.entries.count
    return (taken, false)
  }

  /// Puts a batch that was refused back where it was.
  mutating func putBack(_ waiting: Waiting, urgent isUrgent: Bool) {
    queued += waiting.entries.count
    if isUrgent {
      urgent.insert(waiting, at: urgent.startIndex)
    } else {
      bulk.insert(waiting, at: bulk.startIndex)
    }
  }

  /// Takes out everything that `matches`.
  mutating func removeAll(where matches: (Waiting) -> Bool) -> [Waiting] {
    let removed = Array(urgent.filter(matches) + bulk.filter(matches))
    urgent.removeAll(where: matches)
    bulk.removeAll(where: matches)
    queued -= removed.reduce(0) { $0 + $1.entries.count }
    return removed
  }

  /// Takes out single deliveries of batches; returns their tags.
  mutating func remove(_ tags: Set<UInt64>) -> [UInt64] {
    guard queued > 0 else { return [] }
    let removed = Self.remove(tags, from: &urgent) + Self.remove(tags, from: &bulk)
    queued -= removed.count
    return removed
  }

  private static func remove(_ tags: Set<UInt64>, from queue: inout ArraySlice<Waiting>) -> [UInt64] {
    var removed: [UInt64] = []
    for index in queue.indices {
      let found = queue[index].entries.lazy.filter { tags.contains($0.tag) }.map(\.tag)
      guard !found.isEmpty else { continue }
      removed += found
      queue[index].entries.removeAll { tags.contains($0.tag) }
    }
    queue.removeAll(where: \.entries.isEmpty)
    return removed
  }

  /// When something may change by itself, or nil.
  func nextDue(after now: Timestamp) -> Timestamp? {
    if let stop, isStopped(at: now) { return stop.retryAt }
    if let probe = breaker.nextDue(after: now) { return probe }
    let patience = fullSince?.adding(milliseconds: Self.fullMs)
    guard queued > 0 else { return patience.flatMap { $0 > now ? $0 : nil } }
    let next = busyUntil ?? rate?.nextDue(after: now)
    guard let patience, patience > now else { return next }
    return min(patience, next ?? patience)
  }

  private static func take(_ max: Int, from queue: inout ArraySlice<Waiting>) -> Waiting? {
    guard var first = queue.first else { return nil }
    if first.entries.count <= max {
      queue.removeFirst()
      return first
    }
    let taken = Waiting(
      push: first.push, payload: first.payload, expiresAt: first.expiresAt, entries: first.entries.prefix(max),
      texts: first.texts)
    first.entries = first.entries.dropFirst(max)
    queue[queue.startIndex] = first
    return taken
  }
}
