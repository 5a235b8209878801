internal import HTTPServer
internal import PushPayload
internal import PushStore
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
  typealias UploadPlan =
    @Sendable (
      Call, Service, @escaping @Sendable (HTTPResponder, Result<Reply, Problem>) -> Void
    ) throws(Problem) -> HTTPUploadPlan

  /// What does the work.
  enum Action: Sendable {
    /// Answers at once, on the server's thread.
    case now(@Sendable (Call, Service) throws(Problem) -> Reply)
    /// Answers when it has read for as long as it takes, on a thread of its own.
    case long(@Sendable (Call, Service) throws(Problem) -> Reply)
    /// Takes a body of one of these types as it arrives.
    case upload(UploadPlan, types: [String])
    /// Answers when the store has the change.
    case later(@Sendable (Call, Service, @escaping @Sendable (Result<Reply, Problem>) -> Void) -> Void)
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
  /// Whether it reads and changes nothing of the server's, so that a key of any app may use it.
  let isStateless: Bool
  /// Members of what a GET shows that change by themselves, such as counters; a change of them is no change of what was
  /// written, so `If-Match` looks at the others only.
  let moving: [String]
  /// What a POST that comes again with its `Idempotency-Key` is answered with.
  let repetition: Repetition
  /// The member of its answer that is shown once.
  let secret: DerivedSecret?
  let action: Action

  init(
    _ method: HTTPMethod, _ pattern: String, _ access: Access, name: String, about: String, query: [Query] = [],
    body: Schema? = nil, answers: [Answer], isStateless: Bool = false, moving: [String] = [],
    repetition: Repetition? = nil, secret: DerivedSecret? = nil, action: Action
  ) {
    self.method = method
    self.pattern = pattern
    self.segments = pattern.split(separator: "/").map { part in
      part.hasPrefix("{") ? .parameter(String(part.dropFirst().dropLast())) : .fixed(String(part))
    }
    parameterNames = segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    self.access = access
    self.name = name
    self.about = about
    self.query = query
    self.body = body
    self.answers = answers
    self.isStateless = isStateless
    self.moving = moving
    self.repetition = repetition ?? (method == .post && !isStateless ? .answer : .harmless)
    self.secret = secret
    self.action = action
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

  init(
    http: HTTPRequest, parameters: [String], caller: Caller?, body: JSONValue, report: Report, now: Timestamp,
    idempotency: IdempotencyHeader?
  ) {
    self.http = http
    self.parameters = parameters
    self.caller = caller
    self.body = body
    self.report = report
    self.now = now
    self.idempotency = idempotency
  }

  /// The body's member.
  subscript(name: String) -> JSONValue? { body[name] }
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
