internal import GatewayPool
internal import HTTP2
internal import PushPayload

/// One request about channels, or one broadcast, on its way through a pool.
///
/// `@unchecked Sendable`: made by the submitting thread, handed to one pool, and from then on `outcome` is touched on
/// that pool's loop only; everything else is constant.
final class APNsChannelRun: PoolBatch, @unchecked Sendable {
  /// What goes over the wire.
  struct Request {
    let method: String
    let path: String
    let headers: APNsHeaders
    let body: [UInt8]
    let content: APNsChannelContent
  }

  /// The response headers that are read.
  static let wantedHeaders = ["apns-request-id", "apns-channel-id", "apns-unique-id", "retry-after"]

  /// The indexes of the headers in ``wantedHeaders``.
  private enum Wanted {
    static let requestID = 0
    static let channelID = 1
    static let uniqueID = 2
    static let retryAfter = 3
  }

  private let request: Request
  private let authority: String
  private let credential: APNsTokenSource?
  private let completion: @Sendable (APNsChannelOutcome) -> Void
  private var outcome: APNsChannelOutcome?

  let count = 1
  let urgency = SendUrgency.urgent
  let notAfter: Int64?
  let requestBytes = 256

  /// A change of a channel is not taken back.
  func isRecalled(_ entry: Int) -> Bool { false }

  init(
    _ request: Request, notAfter: Int64?, authority: String, credential: APNsTokenSource?,
    completion: @escaping @Sendable (APNsChannelOutcome) -> Void
  ) {
    self.request = request
    self.notAfter = notAfter
    self.authority = authority
    self.credential = credential
    self.completion = completion
  }

  func template(_ authorization: PoolAuthorization) throws(SendFailure) -> HTTP2RequestTemplate {
    var headers: [HTTP2Header] = []
    if let value = authorization.header { headers.append(HTTP2Header("authorization", value)) }
    request.headers.forEach { name, value in headers.append(HTTP2Header(name, value)) }
    do throws(HTTP2HeaderError) {
      return try HTTP2RequestTemplate(
        method: request.method, authority: authority, pathPrefix: request.path, headers: headers, body: request.body)
    } catch {
      throw SendFailure(.notProcessed, .invalidRequest, "\(error)")
    }
  }

  func write(
    _ entry: Int, _ template: HTTP2RequestTemplate, slot: UInt64, timeout: Duration, to wire: inout HTTP2RequestBatch
  ) {
    wire.begin(template, id: slot, timeout: timeout)
    wire.end()
  }

  func answered(
    _ entry: Int, _ response: HTTP2Response, in results: HTTP2Results, _ attempt: PoolAttempt
  ) -> AnswerVerdict {
    func header(_ index: Int) -> ArraySlice<UInt8>? { results.header(index, of: response) }
    var answer = APNsChannelAnswer(status: response.status)
    answer.requestID = header(Wanted.requestID).flatMap { APNsID(anyCaseHeader: $0.span) }
    answer.uniqueID = header(Wanted.uniqueID).flatMap { APNsID(anyCaseHeader: $0.span) }
    answer.channelID = header(Wanted.channelID).map { String(decoding: $0, as: UTF8.self) }
    answer.retryAfter = header(Wanted.retryAfter).flatMap { RetryAfter.seconds(in: $0) }
    answer.body = Array(results.body(of: response))
    answer.isCut = response.bodyTruncated
    let outcome = answer.outcome(of: request.content)
    var verdict = AnswerVerdict.done(isProof: true)
    if case .rejected(let rejection) = outcome {
      verdict = APNsJudge(credential: credential).verdict(on: rejection, attempt)
    }
    switch verdict {
    case .done, .doneAndReconnect: self.outcome = outcome
    case .reauthorize, .reconnect: break
    }
    return verdict
  }

  func failed(_ entry: Int, _ failure: SendFailure) { outcome = .failed(failure) }

  func flush() {
    guard let ready = outcome else { return }
    outcome = nil
    completion(ready)
  }
}
