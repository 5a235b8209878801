internal import GatewayPool
internal import HTTP2
internal import PushPayload

/// A submitted batch on its way: writes requests, reads answers, keeps outcomes until they are handed over.
///
/// `@unchecked Sendable`: made by the submitting thread, handed to one pool, and from then on `results` is touched on
/// that pool's loop only; everything else is constant.
final class APNsBatchRun: PoolBatch, @unchecked Sendable {
  private let batch: APNsBatch
  private let sink: any APNsSink
  private let authority: String
  private let credential: APNsTokenSource?
  private var results: [APNsResult] = []

  /// The indexes of the headers in ``wantedHeaders``.
  private enum Wanted {
    static let id = 0
    static let uniqueID = 1
    static let retryAfter = 2
  }

  /// The response headers that are read.
  static let wantedHeaders = ["apns-id", "apns-unique-id", "retry-after"]

  init(_ batch: APNsBatch, sink: any APNsSink, authority: String, credential: APNsTokenSource?) {
    self.batch = batch
    self.sink = sink
    self.authority = authority
    self.credential = credential
    let texts = batch.texts.map { $0.bytesCount / max($0.count, 1) } ?? 0
    requestBytes = 128 + (batch.template.gapped.map { $0.bytes.count + texts } ?? 0)
  }

  var count: Int { batch.entries.count }
  var urgency: SendUrgency { batch.urgency }
  var notAfter: Int64? { batch.notAfter }
  /// Token and `apns-id`, and what is not the same for all.
  let requestBytes: Int

  func isRecalled(_ entry: Int) -> Bool { batch.recall?.contains(batch.entries[entry].tag) ?? false }

  func template(_ authorization: PoolAuthorization) throws(SendFailure) -> HTTP2RequestTemplate {
    try batch.template.wire(authority: authority, authorization)
  }

  func write(
    _ entry: Int, _ template: HTTP2RequestTemplate, slot: UInt64, timeout: Duration, to wire: inout HTTP2RequestBatch
  ) {
    let send = batch.entries[entry]
    wire.begin(template, id: slot, timeout: timeout)
    let start = Int(send.start)
    let tokens = batch.tokens
    wire.path(tokens.span.extracting(start..<start + Int(send.length)))
    let id = APNsIDText(send.id)
    wire.value(id.bytes.span)
    if let gapped = batch.template.gapped, let texts = batch.texts {
      gapped.write(texts, row: batch.rows[entry], to: &wire)
    }
    wire.end()
  }

  func answered(
    _ entry: Int, _ response: HTTP2Response, in results: HTTP2Results, _ attempt: PoolAttempt
  ) -> AnswerVerdict {
    let tag = batch.entries[entry].tag
    var answer = APNsAnswer(status: response.status)
    answer.id = results.header(Wanted.id, of: response).flatMap { APNsID(anyCaseHeader: $0.span) }
    answer.uniqueID = results.header(Wanted.uniqueID, of: response).flatMap { APNsID(anyCaseHeader: $0.span) }
    if response.status == 200 {
      self.results.append(APNsResult(tag: tag, outcome: answer.outcome))
      return .done(isProof: true)
    }
    answer.retryAfter = results.header(Wanted.retryAfter, of: response).flatMap { RetryAfter.seconds(in: $0) }
    answer.body = Array(results.body(of: response))
    let outcome = answer.outcome
    let verdict = self.verdict(on: outcome, attempt)
    switch verdict {
    case .done, .doneAndReconnect: self.results.append(APNsResult(tag: tag, outcome: outcome))
    case .reauthorize, .reconnect: break
    }
    return verdict
  }

  private func verdict(on outcome: APNsOutcome, _ attempt: PoolAttempt) -> AnswerVerdict {
    guard case .rejected(let rejection) = outcome else { return .done(isProof: true) }
    return APNsJudge(credential: credential).verdict(on: rejection, attempt)
  }

  func failed(_ entry: Int, _ failure: SendFailure) {
    results.append(APNsResult(tag: batch.entries[entry].tag, outcome: .failed(failure)))
  }

  func flush() {
    guard !results.isEmpty else { return }
    var ready: [APNsResult] = []
    swap(&ready, &results)
    sink.receive(ready)
  }
}
