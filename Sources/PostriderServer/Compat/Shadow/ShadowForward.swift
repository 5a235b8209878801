internal import Basics
internal import HTTPClient
internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import Synchronization
internal import WireJSON

/// Passes requests on to vendors: the same method, path, query and body, and the vendor's own credentials.
final class ShadowForward: Sendable {
  private struct State: Sendable {
    var client: HTTPClient?
    var isStopped = false
    var underWay = 0
  }

  /// Requests passed on at once, those that wait for their turn included; more are refused.
  static let underWayMax = 1_000
  /// How long the vendor has for an answer, in seconds.
  static let answerSeconds = 20
  /// Bytes of a vendor's answer.
  static let answerBytesMax = 4 * 1_024 * 1_024
  private static let concurrentMax = 64

  private let egress: WebhookEgress
  private let answerMs: Int
  private let state = Mutex(State())

  init(egress: WebhookEgress, answerMs: Int) { (self.egress, self.answerMs) = (egress, answerMs) }

  func stop() {
    let client = state.withLock { state in
      state.isStopped = true
      return state.client.take()
    }
    client?.stop()
  }

  /// The answer of the vendor to the request, or to the same with another body.
  func answer(to request: ShadowedCall, body: [UInt8]? = nil) async throws(Problem) -> VendorAnswer {
    let post = try ShadowForward.post(request, body, allowsPrivate: egress.allowsPrivate)
    let client = try self.client()
    defer { state.withLock { $0.underWay -= 1 } }
    let answer = await withCheckedContinuation { continuation in
      egress.exchange(post, through: client) { continuation.resume(returning: $0) }
    }
    switch answer {
    case .unsent(let why): return VendorAnswer(failure: why, isUnsent: true)
    case .failed(let why): return VendorAnswer(failure: why)
    case .answer(let answer):
      var read = VendorAnswer(status: answer.status, body: answer.body)
      read.contentType = VendorAnswer.shown(answer.fields["Content-Type"])
      for name in VendorAnswer.fields.dropFirst() {
        guard let value = answer.fields[name], value.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { continue }
        read.headers.append((name, value))
      }
      return read
    }
  }

  /// The client, started with the first request, and a slot among those under way.
  private func client() throws(Problem) -> HTTPClient {
    var limits = HTTPClientLimits()
    limits.requestMs = answerMs
    limits.answerBytesMax = ShadowForward.answerBytesMax
    limits.concurrentMax = ShadowForward.concurrentMax
    let client = state.withLock { state -> HTTPClient? in
      guard !state.isStopped, state.underWay < ShadowForward.underWayMax else { return nil }
      if state.client == nil { state.client = HTTPClient(limits: limits) }
      if state.client != nil { state.underWay += 1 }
      return state.client
    }
    guard let client else {
      throw Problem(
        .busy, "too many requests wait for the vendor's answer", headers: [("Retry-After", "1")])
    }
    return client
  }

  // MARK: - The request

  /// Fields that are passed on, besides those that a vendor has keys in.
  private static let passed: [StaticString] = [
    "Content-Type", "Accept", "User-Agent", "Idempotency-Key", "OneSignal-Usage", "Time-Zone", "X-Amba-Timezone",
  ]

  private static func post(
    _ request: ShadowedCall, _ body: [UInt8]?, allowsPrivate: Bool
  ) throws(Problem) -> HTTPPost {
    let head = request.call.http.head
    let isApart = CompatKeyLocation.isApart(head, hosts: request.service.compatHosts)
    guard isApart || request.vendor == .powerAuth else {
      throw Problem(
        .forbidden,
        "requests of this app are forwarded, with the vendor's own key where the vendor expects it; send this server's key in"
          + " the header \(CompatKeyLocation.header), or as the first segment of the path")
    }
    var names = passed
    if isApart { names += ["Authorization"] + request.vendor.keyHeaders }
    var headers: [(name: String, value: String)] = []
    for name in names {
      // A key of this server's goes to nobody.
      guard let value = head.headers.first(name), !value.contains(APIKeyText.leading) else { continue }
      headers.append((name.description, value))
    }
    let url = try url(request)
    var post = HTTPPost(
      url: url, headers: headers, body: body ?? request.call.http.body, allowsPrivate: allowsPrivate)
    post.method = head.method.rawValue
    post.answerFields = VendorAnswer.fields
    return post
  }

  /// The vendor's address, and the path and query of the request.
  private static func url(_ request: ShadowedCall) throws(Problem) -> String {
    let head = request.call.http.head
    guard let path = CompatPath(head, hosts: request.service.compatHosts) else {
      throw Problem(.internalError, "a vendor's request without a vendor's path")
    }
    // A segment of dots would lead elsewhere at the vendor.
    guard !path.segments.contains(where: { $0 == "." || $0 == ".." }) else {
      throw Problem(.invalid, "the path has a segment of dots")
    }
    guard let base = request.setting.url ?? request.vendor.address(isOld: path.isOld) else {
      throw Problem(.internalError, "there is no address to forward to")
    }
    let own = (path.isOld ? request.vendor.oldPrefix : []) + path.segments.dropFirst(2)
    var url = base
    for segment in own { url += "/" + PercentEncoding.encode(segment) }
    for (index, pair) in head.target.query.pairs.enumerated() {
      url += (index == 0 ? "?" : "&") + PercentEncoding.encode(pair.name) + "=" + PercentEncoding.encode(pair.value)
    }
    return url
  }
}

/// Where a request has this server's key when another server's is in its usual field.
enum CompatKeyLocation {
  static let header: StaticString = "Postrider-Key"

  /// Whether it is in a field of its own: the header, or the path.
  static func isApart(_ head: HTTPRequestHead, hosts: [String: CompatVendor]) -> Bool {
    head.headers.occurrences(of: header) > 0 || CompatPath(head, hosts: hosts)?.key != nil
  }
}

extension Problem.Kind {
  static let vendorUnreachable = Problem.Kind(
    name: "vendor-unreachable", status: 502, title: "The vendor was not reached")
  static let vendorSilent = Problem.Kind(name: "vendor-silent", status: 504, title: "The vendor did not answer")
}
