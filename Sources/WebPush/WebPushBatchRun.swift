internal import GatewayPool
internal import HTTP2
internal import Signing

/// The sends of a batch to one push service on their way: encrypts, writes requests, reads answers.
///
/// `@unchecked Sendable`: made by the submitting thread, handed to one pool, and from then on `results` is touched on
/// that pool's loop only; everything else is constant.
final class WebPushBatchRun: PoolBatch, @unchecked Sendable {
  /// The batch without its entries, of which this has a part.
  private let batch: WebPushBatch
  private let entries: [WebPushBatch.Entry]
  private let sink: any WebPushSink
  private let origin: WebPushOrigin
  private var results: [WebPushResult] = []
  let urgency: SendUrgency
  let notAfter: Int64?

  /// The response headers that are read; ``answered(_:_:in:_:)`` refers to them by index.
  static let wantedHeaders = ["location", "retry-after"]

  init(_ batch: WebPushBatch, entries: [WebPushBatch.Entry], origin: WebPushOrigin, sink: any WebPushSink) {
    self.batch = batch
    urgency = batch.urgency
    notAfter = batch.notAfter
    (self.entries, self.origin, self.sink) = (entries, origin, sink)
  }

  var count: Int { entries.count }
  var requestBytes: Int { batch.message.payload.count + WebPushCipher.overheadBytes + 256 }

  func isRecalled(_ entry: Int) -> Bool { batch.recall?.contains(entries[entry].tag) ?? false }

  func template(_ authorization: PoolAuthorization) throws(SendFailure) -> HTTP2RequestTemplate {
    var headers = batch.message.headers.map { HTTP2Header($0.name, $0.value) }
    if let value = authorization.header { headers.append(HTTP2Header("authorization", value)) }
    do {
      return try HTTP2RequestTemplate(authority: origin.authority, headers: headers)
    } catch {
      throw SendFailure(.notProcessed, .invalidRequest, "\(error)")
    }
  }

  func write(
    _ entry: Int, _ template: HTTP2RequestTemplate, slot: UInt64, timeout: Duration, to wire: inout HTTP2RequestBatch
  ) {
    let send = entries[entry]
    wire.begin(template, id: slot, timeout: timeout)
    wire.path(send.subscription.endpoint.path)
    let body = batch.body(of: send)
    if !body.isEmpty { wire.body(body) }
    wire.end()
  }

  func answered(
    _ entry: Int, _ response: HTTP2Response, in results: HTTP2Results, _ attempt: PoolAttempt
  ) -> AnswerVerdict {
    origin.answered()
    let location = results.header(0, of: response).map { String(decoding: $0, as: UTF8.self) }
    let outcome = WebPushOutcome(
      status: response.status, location: location,
      retryAfter: results.header(1, of: response).flatMap { RetryAfter.seconds(in: $0) },
      body: Array(results.body(of: response)))
    keep(entry, outcome)
    return .done(isProof: true)
  }

  func failed(_ entry: Int, _ failure: SendFailure) {
    let send = entries[entry]
    guard failure.processing == .notProcessed, failure.cause == .noHTTP2 || failure.cause == .closed else {
      return keep(entry, .failed(failure))
    }
    if let cause = origin.unreachable() { return keep(entry, .failed(cause)) }
    guard origin.takeOver(WebPushSingle(batch: batch, entry: send, sink: sink)) else {
      return keep(entry, .failed(failure))
    }
  }

  private func keep(_ entry: Int, _ outcome: WebPushOutcome) {
    results.append(WebPushResult(tag: entries[entry].tag, outcome: outcome))
  }

  func flush() {
    guard !results.isEmpty else { return }
    var ready: [WebPushResult] = []
    swap(&ready, &results)
    origin.ended(ready.count)
    sink.receive(ready)
  }
}

/// One send, for a push service that speaks HTTP/1.1.
struct WebPushSingle: Sendable {
  let batch: WebPushBatch
  let entry: WebPushBatch.Entry
  let sink: any WebPushSink
}
