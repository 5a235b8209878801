internal import FCM
internal import GatewayPool
internal import HTTP2

/// A submitted batch on its way: writes requests, reads answers, keeps outcomes until they are handed over.
///
/// `@unchecked Sendable`: made by the submitting thread, handed to one pool, and from then on `results` is touched on
/// that pool's loop only; everything else is constant.
final class HuaweiBatchRun: PoolBatch, @unchecked Sendable {
  private let batch: FCMBatch
  private let sink: any HuaweiSink
  private let address: FCMProjectAddress
  private let tokens: FCMTokenSource
  private let plain: HuaweiPlainWay
  private var results: [HuaweiResult] = []

  /// The response headers that are read; ``answered(_:_:in:_:)`` refers to them by index.
  static let wantedHeaders = ["retry-after"]

  init(
    _ batch: FCMBatch, sink: any HuaweiSink, address: FCMProjectAddress, tokens: FCMTokenSource, plain: HuaweiPlainWay
  ) {
    self.batch = batch
    self.sink = sink
    self.address = address
    self.tokens = tokens
    self.plain = plain
    requestBytes = batch.requestBytes + address.path.utf8.count
  }

  var count: Int { batch.count }
  var urgency: SendUrgency { batch.urgency }
  var notAfter: Int64? { batch.notAfter }
  let requestBytes: Int

  func isRecalled(_ entry: Int) -> Bool { batch.isRecalled(entry) }

  func template(_ authorization: PoolAuthorization) throws(SendFailure) -> HTTP2RequestTemplate {
    try batch.template.wire(address, authorization)
  }

  func write(
    _ entry: Int, _ template: HTTP2RequestTemplate, slot: UInt64, timeout: Duration, to wire: inout HTTP2RequestBatch
  ) {
    wire.begin(template, id: slot, timeout: timeout)
    batch.writeBody(of: entry, to: &wire)
    wire.end()
  }

  func answered(
    _ entry: Int, _ response: HTTP2Response, in results: HTTP2Results, _ attempt: PoolAttempt
  ) -> AnswerVerdict {
    let outcome = HuaweiAnswer(
      status: response.status, retryAfter: results.header(0, of: response).flatMap { RetryAfter.seconds(in: $0) },
      body: Array(results.body(of: response))
    ).outcome { batch.target(of: entry) }
    var isProof = true
    // What lies in between has not looked at the access token.
    if case .failed = outcome { isProof = false }
    if case .rejected(let rejection) = outcome, rejection.consequence == .refreshToken {
      isProof = false
      if !attempt.wasReauthorized, tokens.refused(generation: attempt.generation, now: attempt.now) {
        return .reauthorize
      }
    }
    self.results.append(HuaweiResult(tag: batch.tag(of: entry), outcome: outcome))
    return .done(isProof: isProof)
  }

  func failed(_ entry: Int, _ failure: SendFailure) {
    if failure.processing == .notProcessed, failure.cause == .noHTTP2 || failure.cause == .closed,
      plain.takeOver(HuaweiPlainSend(batch: batch, entry: entry, sink: sink))
    {
      return
    }
    results.append(HuaweiResult(tag: batch.tag(of: entry), outcome: .failed(failure)))
  }

  func flush() {
    guard !results.isEmpty else { return }
    var ready: [HuaweiResult] = []
    swap(&ready, &results)
    sink.receive(ready)
  }
}
