internal import PushStore

/// What goes to one provider for one app and environment, in two queues: what a person waits for, and the rest.
struct Lane {
  struct Key: Hashable {
    let app: AppID
    let provider: Provider
    let environment: DeviceEnvironment
  }

  /// A batch that waits for its sender.
  struct Waiting {
    let push: PushID
    let payload: PreparedPayload
    let expiresAt: Timestamp?
    var entries: ArraySlice<SendBatch.Entry>
  }

  let key: Key
  // Slices, because a batch is taken from the front without moving the others.
  var urgent: ArraySlice<Waiting> = []
  var bulk: ArraySlice<Waiting> = []
  var breaker = Breaker()
  var rate: RateLimit?
  /// Set when the sender had no room; cleared when an answer comes or a little time has passed.
  var busyUntil: Timestamp?
  /// Entries in both queues.
  private(set) var queued = 0

  init(key: Key, rate: DeliveryOptions.Rate?) {
    self.key = key
    self.rate = rate.map { RateLimit(perSecond: $0.perSecond, rampMs: $0.rampMs) }
  }

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

  /// Takes the next batch of at most `max` sends, urgent ones first.
  mutating func next(max: Int) -> (waiting: Waiting, urgent: Bool)? {
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

  /// When something may change by itself, or nil.
  func nextMoment(after now: Timestamp) -> Timestamp? {
    guard queued > 0 else { return nil }
    if let busyUntil { return busyUntil }
    if let moment = breaker.nextMoment, moment > now { return moment }
    return rate?.nextMoment(after: now)
  }

  private static func take(_ max: Int, from queue: inout ArraySlice<Waiting>) -> Waiting? {
    guard var first = queue.first else { return nil }
    if first.entries.count <= max {
      queue.removeFirst()
      return first
    }
    let taken = Waiting(
      push: first.push, payload: first.payload, expiresAt: first.expiresAt, entries: first.entries.prefix(max))
    first.entries = first.entries.dropFirst(max)
    queue[queue.startIndex] = first
    return taken
  }
}
