internal import GatewayPool
internal import HTTP2
internal import PushPayload

/// A submitted batch on its way: writes requests, reads answers, keeps outcomes until they are handed over.
///
/// `@unchecked Sendable`: made by the submitting thread, handed to one pool, and from then on `results` is touched on
/// that pool's loop only; everything else is constant.
final class FCMBatchRun: PoolBatch, @unchecked Sendable {
  private let batch: FCMBatch
  private let sink: any FCMSink
  private let project: FCMProjectAddress
  private let tokens: FCMTokenSource
  private var results: [FCMResult] = []

  /// The response headers that are read; ``answered(_:_:in:_:)`` refers to them by index.
  static let wantedHeaders = ["retry-after"]

  init(_ batch: FCMBatch, sink: any FCMSink, project: FCMProjectAddress, tokens: FCMTokenSource) {
    self.batch = batch
    self.sink = sink
    self.project = project
    self.tokens = tokens
    requestBytes = batch.requestBytes + project.path.utf8.count
  }

  var count: Int { batch.entries.count }
  var urgency: SendUrgency { batch.urgency }
  var notAfter: Int64? { batch.notAfter }
  /// The whole body, and the end of the path.
  let requestBytes: Int

  func isRecalled(_ entry: Int) -> Bool { batch.recall?.contains(batch.entries[entry].tag) ?? false }

  func template(_ authorization: PoolAuthorization) throws(SendFailure) -> HTTP2RequestTemplate {
    try batch.template.wire(project, authorization)
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
    let body = results.body(of: response)
    if response.status == 200, let name = unsafe body.withUnsafeBufferPointer({ unsafe FCMAnswer.messageName(in: $0) })
    {
      self.results.append(FCMResult(tag: batch.entries[entry].tag, outcome: .accepted(name: name)))
      return .done(isProof: true)
    }
    let outcome = FCMAnswer(
      status: response.status, retryAfter: results.header(0, of: response).flatMap { RetryAfter.seconds(in: $0) },
      body: Array(body)
    ).outcome
    if case .rejected(let rejection) = outcome, rejection.consequence == .refreshToken, !attempt.wasReauthorized,
      tokens.refused(generation: attempt.generation, now: attempt.now)
    {
      return .reauthorize
    }
    self.results.append(FCMResult(tag: batch.entries[entry].tag, outcome: outcome))
    return .done(isProof: response.status != 401)
  }

  func failed(_ entry: Int, _ failure: SendFailure) {
    results.append(FCMResult(tag: batch.entries[entry].tag, outcome: .failed(failure)))
  }

  func flush() {
    guard !results.isEmpty else { return }
    var ready: [FCMResult] = []
    swap(&ready, &results)
    sink.receive(ready)
  }
}
