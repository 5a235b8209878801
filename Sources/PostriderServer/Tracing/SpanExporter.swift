internal import HTTP2
internal import HTTPClient
internal import HTTPServer
internal import StoreModel
internal import Synchronization
internal import System
internal import WireJSON

/// Sends ended spans to the collector, in batches, on a thread of its own.
///
/// Nobody waits for it: what does not fit its queue is dropped and counted, and so is what the collector does not take.
final class SpanExporter: Sendable {
  /// A request with spans that the collector has not taken yet.
  private struct Batch: Sendable {
    let body: [UInt8]
    let count: Int
    var attempts = 0
    var notBefore: Int64 = 0
  }

  private struct State: Sendable {
    var queue: [Span] = []
    var batch: Batch?
    var isUnderWay = false
    var isStopping = false
    var exported = 0
    var dropped = 0
    var refused = 0
    /// When the last failure was logged, by the monotonic clock.
    var reportedAt: Int64?
  }

  /// Spans that wait to be sent, at most.
  static let queueMax = 8_192
  /// Spans in one request.
  static let batchMax = 512
  /// How often a batch is offered to the collector.
  static let attemptsMax = 5
  private static let periodMs: Int32 = 1_000
  /// The longest wait that a collector may ask for, in seconds.
  private static let waitSecondsMax: Int64 = 60
  private static let tellMs: Int64 = 300_000
  /// How long the server's end waits for what is left, in milliseconds; a request under way may take as long again.
  private static let flushMs: Int64 = 5_000

  private let setting: TracingSetting
  private let egress: WebhookEgress
  private let json: SpanJSON
  private let log: Log
  private let client: HTTPClient
  private let state = Mutex(State())
  private let thread = Mutex<PeriodicThread?>(nil)
  /// Called with each turn of the thread, before spans are sent.
  private let onTurn: @Sendable () -> Void

  init(
    _ setting: TracingSetting, proxy: HTTP2Proxy?, version: String, log: Log, onTurn: @escaping @Sendable () -> Void
  ) throws(PostriderServerError) {
    self.setting = setting
    // The operator names the collector, which mostly is in the same network.
    egress = WebhookEgress(proxy: proxy, allowsPrivate: true)
    json = SpanJSON(resource: setting.resource + [("service.version", version)], version: version)
    self.log = log
    self.onTurn = onTurn
    var limits = HTTPClientLimits()
    limits.requestMs = Int(Self.flushMs)
    limits.concurrentMax = 1
    guard let client = HTTPClient(limits: limits, authorities: setting.authorities) else {
      throw PostriderServerError(Problem(.internalError, "the thread that sends traces cannot be started"))
    }
    self.client = client
  }

  /// Starts to send.
  func start() throws(HTTPServerError) {
    let ticker = try PeriodicThread(periodMs: Self.periodMs) { [weak self] in self?.turn() }
    thread.withLock { $0 = ticker }
  }

  /// Takes a span, or counts it as dropped.
  func add(_ span: Span) {
    let isFull = state.withLock { state in
      guard state.queue.count < Self.queueMax, !state.isStopping else {
        state.dropped += 1
        return false
      }
      state.queue.append(span)
      return state.queue.count % Self.batchMax == 0
    }
    if isFull { thread.withLockIfAvailable { $0?.wake() } }
  }

  /// Counts spans that were never made.
  func drop(_ count: Int = 1) { state.withLock { $0.dropped += count } }

  /// Sends what is left, for a bounded time, and ends.
  func stop() {
    thread.withLock { $0.take() }?.stop()
    let deadline = SystemClock.monotonicMs() + Self.flushMs
    while SystemClock.monotonicMs() < deadline {
      let ended = Semaphore()
      // A batch that is under way from before is awaited by the client's own end.
      guard send(isLast: true, then: { ended.signal() }) else { break }
      ended.wait()
    }
    client.stop()
    state.withLock { state in
      state.isStopping = true
      state.dropped += state.queue.count
      state.queue = []
    }
  }

  /// The numbers for `/metrics`.
  var gauges: [Metrics.Gauge] {
    let (exported, dropped, refused, queued) = state.withLock {
      ($0.exported, $0.dropped, $0.refused, $0.queue.count + ($0.batch?.count ?? 0))
    }
    return [
      Metrics.Gauge(
        name: "postrider_trace_spans_total", kind: .counter,
        help: "Spans of traces: sent to the collector, dropped because too many waited, or not taken by the collector.",
        values: [
          ("result=\"sent\"", exported), ("result=\"dropped\"", dropped), ("result=\"failed\"", refused),
        ]),
      Metrics.Gauge(
        name: "postrider_trace_spans_queued", kind: .gauge, help: "Spans that wait to be sent.", values: [("", queued)]),
    ]
  }

  private func turn() {
    onTurn()
    send(isLast: false, then: {})
  }

  /// Sends the next batch unless one is under way or has to wait; false when nothing was sent.
  @discardableResult
  private func send(isLast: Bool, then done: @escaping @Sendable () -> Void) -> Bool {
    let now = SystemClock.monotonicMs()
    let spans: [Span]? = state.withLock { state in
      guard !state.isUnderWay else { return nil }
      if let batch = state.batch {
        guard batch.notBefore <= now || isLast else { return nil }
        state.isUnderWay = true
        return []
      }
      guard !state.queue.isEmpty else { return nil }
      let spans = Array(state.queue.prefix(Self.batchMax))
      state.queue.removeFirst(spans.count)
      state.isUnderWay = true
      return spans
    }
    guard let spans else { return false }
    if !spans.isEmpty {
      let batch = Batch(body: json.request(spans), count: spans.count)
      state.withLock { $0.batch = batch }
    }
    guard let body = state.withLock({ $0.batch?.body }) else { return false }
    let headers = [("Content-Type", "application/json"), ("User-Agent", "postrider")] + setting.headers
    let post = HTTPPost(url: setting.url, headers: headers, body: body, allowsPrivate: true)
    egress.exchange(post, through: client) { [weak self] answer in
      self?.answered(answer, isLast: isLast)
      done()
    }
    return true
  }

  private func answered(_ answer: HTTPPostAnswer, isLast: Bool) {
    let (why, isFinal, wait): (String?, Bool, Int64?) =
      switch answer {
      case .answer(let answer) where (200..<300).contains(answer.status): (nil, true, nil)
      case .answer(let answer):
        ("status \(answer.status)", ![429, 502, 503, 504].contains(answer.status), answer.retryAfter.map(Int64.init))
      case .failed(let why), .unsent(let why): (why, false, nil)
      }
    let rejected: Int =
      if why == nil, case .answer(let answer) = answer { Self.rejected(answer.body) } else { 0 }
    let now = SystemClock.monotonicMs()
    let tells = state.withLock { state in
      state.isUnderWay = false
      guard var batch = state.batch else { return false }
      guard why != nil else {
        state.batch = nil
        state.exported += batch.count - min(rejected, batch.count)
        state.refused += min(rejected, batch.count)
        return rejected > 0 && Self.isTime(&state.reportedAt, now)
      }
      batch.attempts += 1
      if isFinal || isLast || batch.attempts >= Self.attemptsMax {
        state.refused += batch.count
        state.batch = nil
      } else {
        let seconds = min(wait ?? 1 << Int64(batch.attempts - 1), Self.waitSecondsMax)
        batch.notBefore = now + max(seconds, 1) * 1_000
        state.batch = batch
      }
      return Self.isTime(&state.reportedAt, now)
    }
    guard tells else { return }
    log(
      .warning, "traces not taken by the collector",
      ["detail": .text(why ?? "the collector refused \(rejected) spans of a batch")])
  }

  /// The same trouble is logged every five minutes.
  private static func isTime(_ reportedAt: inout Int64?, _ now: Int64) -> Bool {
    if let last = reportedAt, now - last < tellMs { return false }
    reportedAt = now
    return true
  }

  /// How many spans of a request that it took otherwise a collector refused: `partialSuccess.rejectedSpans`.
  private static func rejected(_ body: [UInt8]) -> Int {
    guard let answer = try? JSON.parse(body), let count = answer["partialSuccess"]?["rejectedSpans"] else { return 0 }
    // 64 bits are text in this encoding, and some collectors write a number.
    if let text = count.string { return max(Int(text) ?? 0, 0) }
    return max(count.int.map { Int($0) } ?? 0, 0)
  }
}
