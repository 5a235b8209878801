internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// One row of the API: what it is called, who may use it, what it takes and answers, and what does the work.
///
/// The router, the checks and the OpenAPI document all read these rows.
final class Route: Sendable {
  /// A part of a path.
  enum Segment: Sendable, Hashable {
    case fixed(String)
    case parameter(String)
  }

  /// A query parameter.
  struct Query: Sendable {
    let name: String
    let schema: Schema
    var isRequired = false
  }

  /// What a request can be answered with.
  struct Answer: Sendable {
    let status: Int
    let about: String
    var schema: Schema?
    var contentType = "application/json"
    /// Further types it can have instead, when the request asks for one.
    var otherContentTypes: [String] = []
  }

  /// Who may use a route.
  enum Access: Sendable {
    /// Anyone: nothing private is shown and nothing changes.
    case open
    /// A key with one of these scopes; `admin` always may.
    case scopes(Scope)
  }

  /// Says what becomes of a body that is taken as it arrives; the answer goes through the last parameter.
  typealias UploadHandler =
    @Sendable (
      Call, Service, @escaping @Sendable (HTTPResponder, Result<Reply, Problem>) -> Void
    ) throws(Problem) -> HTTPBodyHandling

  /// What may suspend until the store has a change; a function that never does is one, too.
  typealias Work = @Sendable (Call, Service) async throws(Problem) -> Reply

  /// What does the work.
  ///
  /// None of it may wait on its thread (``DiskWaits``).
  enum Action: Sendable {
    /// Reads, and answers at once, on the server's thread.
    case now(@Sendable (Call, Service) throws(Problem) -> Reply)
    /// Changes something: on the server's thread, which serves others until the change is durable.
    case write(Work)
    /// Reads for as long as it takes, and may change something, on the threads of ``Service/longWork``.
    case long(Work)
    /// Takes a body of one of these types as it arrives.
    case upload(UploadHandler, types: [String])
  }

  /// Where a route is, and who may use it.
  struct Endpoint: Sendable {
    let method: HTTPMethod
    let pattern: String
    let access: Access

    static func get(_ pattern: String, _ access: Access) -> Endpoint {
      .init(method: .get, pattern: pattern, access: access)
    }
    static func put(_ pattern: String, _ access: Access) -> Endpoint {
      .init(method: .put, pattern: pattern, access: access)
    }
    static func post(_ pattern: String, _ access: Access) -> Endpoint {
      .init(method: .post, pattern: pattern, access: access)
    }
    static func patch(_ pattern: String, _ access: Access) -> Endpoint {
      .init(method: .patch, pattern: pattern, access: access)
    }
    static func delete(_ pattern: String, _ access: Access) -> Endpoint {
      .init(method: .delete, pattern: pattern, access: access)
    }
  }

  /// What few routes need.
  struct Traits: Sendable {
    /// Whether it reads and changes nothing of the server's, so that a key of any app may use it.
    var isStateless = false
    /// Members of what a GET shows that change by themselves, such as counters: `If-Match` compares the others only.
    var outsideETag: [String] = []
    /// What a POST that comes again with its `Idempotency-Key` is answered with; nil for its first answer, or for nothing
    /// special when the route is stateless.
    var repetition: Repetition?
    /// The member of its answer that is shown once.
    var secrets: [DerivedSecret] = []
    /// Whether it reads an identity token (``IdentityCheck``).
    var readsIdentity = false
    /// The vendor whose interface it belongs to; nil for our own.
    var vendor: CompatVendor?
    /// Answers a request whose body says nothing that needs a word, from its bytes; nil for any other, which goes on to the
    /// action.
    var direct: (@Sendable ([UInt8], Service) -> [UInt8]?)?
    /// Whether what it does is kept in the audit log, though others than administrators may do it.
    var isAudited = false
    /// Whether it only refuses, whatever is sent.
    var isAbsent = false
  }

  let method: HTTPMethod
  let pattern: String
  let segments: [Segment]
  /// The names of the path's parameters, in order.
  let parameterNames: [String]
  let access: Access
  let name: String
  let about: String
  let query: [Query]
  let body: Schema?
  let answers: [Answer]
  let traits: Traits
  let repetition: Repetition
  let action: Action

  init(
    _ endpoint: Endpoint, name: String, about: String, query: [Query] = [], body: Schema? = nil, answers: [Answer],
    traits: Traits = Traits(), action: Action
  ) {
    method = endpoint.method
    pattern = endpoint.pattern
    access = endpoint.access
    segments = pattern.split(separator: "/").map { part in
      part.hasPrefix("{") ? .parameter(String(part.dropFirst().dropLast())) : .fixed(String(part))
    }
    parameterNames = segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    self.name = name
    self.about = about
    self.query = query
    self.body = body
    self.answers = answers
    self.traits = traits
    repetition = traits.repetition ?? (method == .post && !traits.isStateless ? .answer : .harmless)
    self.action = action
  }
}

extension Route {
  /// Whether it sends a push, so that it is traced by the server's own rate.
  var sends: Bool {
    if repetition == .push { return true }
    guard traits.vendor != nil, method == .post, case .fixed(let name) = segments.last else { return false }
    return Dispatcher.takers.contains(name)
  }

  /// Whether it counts or does what takes long, so that what it answers is not compared with an earlier answer.
  var isLong: Bool {
    if case .long = action { return true }
    return false
  }

  /// What shows the representation that `If-Match` is compared with; nil where it would take long.
  var showing: Work? {
    switch action {
    case .now(let action): action
    case .write(let action): action
    case .long, .upload: nil
    }
  }
}

/// One request on its way through a route.
///
/// A class, because it is handed on many times and never changes.
final class Call: Sendable {
  let http: HTTPRequest
  /// The values of the path's parameters, in order.
  let parameters: [String]
  /// Who sent it; nil on open routes.
  let caller: Caller?
  /// The parsed body; null when the route takes none.
  let body: JSONValue
  /// What the check of the request had to say: warnings only, errors end the call before.
  let report: Report
  /// When the request came.
  let now: Timestamp
  /// The idempotency key of a POST that has one.
  let idempotency: IdempotencyHeader?
  /// What becomes of it besides an answer.
  let company: Company

  /// What goes along with a request on its way.
  struct Company: Sendable {
    /// What replaces delivering; nil for a request that delivers.
    var shadow: ShadowTrial?
    /// Its trace; nil for most.
    var trace: RequestTrace?
    /// Whether a push that would reach nobody is not made: ``Problem/Kind/nobody`` is thrown instead.
    var needsSubscriber = false
    /// Throws 412 when what is changed is not as `If-Match` says, for work that reads it again; nil without the header.
    var recheck: (@Sendable () async throws(Problem) -> Void)?
  }

  /// What replaces delivering; nil for a request that delivers.
  var shadow: ShadowTrial? { company.shadow }
  /// Its trace; nil for most.
  var trace: RequestTrace? { company.trace }

  init(
    http: HTTPRequest, parameters: [String], caller: Caller?, body: JSONValue, report: Report, now: Timestamp,
    idempotency: IdempotencyHeader?, company: Company = Company()
  ) {
    self.http = http
    self.parameters = parameters
    self.caller = caller
    self.body = body
    self.report = report
    self.now = now
    self.idempotency = idempotency
    self.company = company
  }

  /// The body's member.
  subscript(name: String) -> JSONValue? { body[name] }

  /// The same call with another body.
  func with(body: JSONValue) -> Call { with(body: body, shadow: shadow) }

  /// The same call, which can look again whether things are as its `If-Match` says.
  func with(recheck: @escaping @Sendable () async throws(Problem) -> Void) -> Call {
    with { $0.recheck = recheck }
  }

  /// The same call with another body, delivering nothing.
  func with(body: JSONValue, shadow: ShadowTrial?) -> Call {
    with(body: body) { $0.shadow = shadow }
  }

  private func with(body: JSONValue? = nil, _ change: (inout Company) -> Void) -> Call {
    var company = company
    change(&company)
    return Call(
      http: http, parameters: parameters, caller: caller, body: body ?? self.body, report: report, now: now,
      idempotency: idempotency, company: company)
  }
}

/// A successful answer.
struct Reply: Sendable {
  var status: Int
  var json: [UInt8]
  var headers: [(name: String, value: String)] = []
  var contentType = "application/json"
  /// Instead of `json`, when the answer comes bit by bit.
  var stream: HTTPStream?
  /// Instead of `json`, when the answer is long: appends a piece for each call, false after the last.
  ///
  /// An error breaks the answer off.
  var producer: (@Sendable (inout [UInt8]) throws -> Bool)?

  init(_ status: Int = 200, json: [UInt8]) {
    self.status = status
    self.json = json
  }

  init(_ status: Int = 200, _ value: JSONValue) { self.init(status, json: JSON.minified(value)) }

  /// An object, with the report as its last member when it has something to say.
  init(_ status: Int = 200, _ object: JSONObject, report: Report) {
    var object = object
    if !report.isEmpty { object["report"] = report.json }
    self.init(status, .object(object))
  }

  /// An answer without content.
  static let noContent = Reply(204, json: [])

  var response: HTTPResponse {
    if let stream {
      return HTTPResponse(
        status: status, headers: [("Content-Type", contentType), ("Cache-Control", "no-store")] + headers,
        body: .stream(stream))
    }
    if let producer {
      return HTTPResponse(
        status: status, headers: [("Content-Type", contentType), ("Cache-Control", "no-store")] + headers,
        body: .produced(producer))
    }
    if status == 204 { return HTTPResponse(status: 204, headers: headers) }
    return HTTPResponse(status: status, headers: [("Content-Type", contentType)] + headers, bytes: json)
  }
}
