internal import Delivery
internal import Glibc
internal import HTTP2
internal import HTTPServer
internal import StoreModel
internal import Synchronization
internal import System

/// Decides what is traced, follows traced pushes to their end, and hands ended spans to the exporter.
///
/// What it knows of pushes is in memory: a restart ends the traces of those that are under way.
final class Tracer: Sendable {
  /// A push that is followed.
  struct Followed: Sendable {
    /// The trace, and the span of the request that made it.
    let context: TraceContext
    /// Its own span.
    let id: UInt64
    let start: UInt64
    let isCampaign: Bool
    /// Since when it waits for a lease.
    var waitsSince: UInt64
    /// How many more spans it may have below its own.
    var spansLeft: Int
    var droppedSpans = 0
    var events: [Span.Event] = []
    var droppedEvents = 0
    /// When its last delivery had its final state.
    var end: UInt64?
  }

  /// A send that has no answer yet.
  struct OpenSend: Sendable {
    let push: PushID
    let start: UInt64
  }

  struct Book: Sendable {
    var pushes: [PushID: Followed] = [:]
    var sends: [UInt64: OpenSend] = [:]
    var turns = 0
  }

  /// Pushes that are followed at once, at most; the trace of one more ends with its request.
  static let pushesMax = 4_096
  /// Spans of the leases and sends of a push that is no campaign, at most.
  static let spansMax = 64
  /// Events on the span of a push, at most.
  static let eventsMax = 32
  /// How long a push is followed, in nanoseconds: a day.
  private static let followNs: UInt64 = 86_400_000_000_000
  /// Turns between two looks for pushes whose end was not reported: a minute.
  private static let sweepTurns = 60

  let book = Mutex(Book())
  /// How many pushes are followed, so that the pipeline takes no lock while none is.
  let followed = Atomic<Int>(0)
  /// How many sends of them have no answer.
  let open = Atomic<Int>(0)
  private let rate: Double
  private let store: any Store
  private let exporter: Mutex<SpanExporter?> = Mutex(nil)

  init(
    _ setting: TracingSetting, store: any Store, proxy: HTTP2Proxy?, version: String, log: Log
  ) throws(PostriderServerError) {
    rate = setting.rate
    self.store = store
    let exporter = try SpanExporter(setting, proxy: proxy, version: version, log: log) { [weak self] in self?.turn() }
    do throws(HTTPServerError) { try exporter.start() } catch {
      exporter.stop()
      throw PostriderServerError(error)
    }
    self.exporter.withLock { $0 = exporter }
  }

  /// Ends all traces, and sends what is left for a bounded time.
  func stop() {
    let left = book.withLock { book in book.pushes.map { ($0.key, $0.value.end == nil) } }
    for (push, isUnfinished) in left { close(push, at: Tracer.now(), isUnfinished: isUnfinished) }
    exporter.withLock { $0 }?.stop()
  }

  /// The numbers for `/metrics`.
  var gauges: [Metrics.Gauge] { exporter.withLock { $0 }?.gauges ?? [] }

  /// Nanoseconds since 1970-01-01 UTC.
  static func now() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(time.tv_sec, 0)) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  func spanID() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return max(generator.next(), 1)
  }

  func add(_ span: Span) { exporter.withLock { $0 }?.add(span) }
  func drop(_ count: Int) { exporter.withLock { $0 }?.drop(count) }

  /// The trace of a request; nil for one that is not traced.
  ///
  /// The caller's flag decides; where a caller says nothing, requests that send are drawn by the rate.
  func trace(_ headers: HTTPHeaders, sends: Bool) -> RequestTrace? {
    let context: TraceContext
    switch TraceHeader(headers) {
    case .unsampled: return nil
    case .sampled(let caller): context = caller
    case .absent:
      guard sends, rate > 0 else { return nil }
      var generator = SystemRandomNumberGenerator()
      let low = max(generator.next() as UInt64, 1)
      guard rate >= 1 || Double(low >> 11) < rate * Double(1 << 53 as UInt64) else { return nil }
      context = TraceContext(trace: (generator.next(), low), parent: 0)
    }
    return RequestTrace(self, context, start: Tracer.now())
  }

  // MARK: - Pushes

  /// Follows a push from its commit to its end.
  func follow(_ push: PushID, _ new: NewPush, _ context: TraceContext) {
    let isCampaign: Bool =
      switch new.audience {
      case .all, .segment: true
      case .users, .devices, .addresses: new.pushClass == .campaign
      }
    let now = Tracer.now()
    let isFollowed = book.withLock { book in
      guard book.pushes.count < Tracer.pushesMax else { return false }
      book.pushes[push] = Followed(
        context: context, id: spanID(), start: now, isCampaign: isCampaign, waitsSince: now,
        spansLeft: isCampaign ? 0 : Tracer.spansMax)
      return true
    }
    if isFollowed { followed.add(1, ordering: .relaxed) } else { drop(1) }
  }

  /// All deliveries of a push have their final state.
  func finished(_ push: PushID) {
    guard followed.load(ordering: .relaxed) > 0 else { return }
    let now = Tracer.now()
    book.withLock { $0.pushes[push]?.end = now }
  }

  /// Ends the spans of pushes that are over; on the exporter's thread.
  private func turn() {
    let now = Tracer.now()
    let (ended, open) = book.withLock { book in
      book.turns += 1
      let ended = book.pushes.filter { $0.value.end != nil }.map(\.key)
      // A push that is cancelled before it starts, or that has no recipients, ends without a word of the pipeline.
      let isSweep = book.turns % Tracer.sweepTurns == 0
      return (ended, isSweep ? book.pushes.filter { $0.value.end == nil }.map { ($0.key, $0.value.start) } : [])
    }
    for push in ended { close(push, at: now, isUnfinished: false) }
    for (push, start) in open {
      let isOld = now > start && now - start > Tracer.followNs
      // What the store cannot answer now is asked again in a minute.
      guard let record = try? store.push(push) else { continue }
      if isOld || record.state.isOver { close(push, at: now, isUnfinished: !record.state.isOver) }
    }
  }

  /// Ends the span of a push with the outcome of its deliveries.
  private func close(_ push: PushID, at now: UInt64, isUnfinished: Bool) {
    guard let followed = book.withLock({ $0.pushes.removeValue(forKey: push) }) else { return }
    self.followed.subtract(1, ordering: .relaxed)
    var attributes: Span.Attributes = [
      ("postrider.push", .text(push.description)), ("postrider.campaign", .flag(followed.isCampaign)),
    ]
    if let record = try? store.push(push) {
      attributes.append(("postrider.state", .text(record.state.name)))
      for (name, count) in Tracer.counts { attributes.append((name, .int(count(record.counts)))) }
    }
    if isUnfinished { attributes.append(("postrider.unfinished", .flag(true))) }
    if followed.droppedSpans > 0 { attributes.append(("postrider.spans_left_out", .int(followed.droppedSpans))) }
    add(
      Span(
        context: followed.context, id: followed.id, name: "push", kind: .inside, start: followed.start,
        end: followed.end ?? now, attributes: attributes, events: followed.events,
        droppedEvents: followed.droppedEvents))
  }

  private static let counts: [(name: StaticString, count: @Sendable (LedgerCounts) -> Int)] = [
    ("postrider.targeted", { $0.targeted }), ("postrider.accepted", { $0.accepted }),
    ("postrider.rejected", { $0.rejected }), ("postrider.expired", { $0.expired }),
    ("postrider.cancelled", { $0.cancelled }), ("postrider.unknown", { $0.unknown }),
  ]
}
