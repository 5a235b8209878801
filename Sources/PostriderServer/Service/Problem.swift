internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Why a request was refused, as problem details (RFC 9457) with the report inside.
struct Problem: Error, Sendable {
  /// A kind of problem: a stable name, the status, and its title.
  struct Kind: Sendable, Hashable {
    let name: String
    let status: Int
    let title: String

    static let badJSON = Kind(name: "bad-json", status: 400, title: "The body is not JSON")
    static let badRequest = Kind(name: "bad-request", status: 400, title: "The request is not well-formed")
    static let invalid = Kind(name: "invalid", status: 422, title: "Invalid request")
    static let unauthenticated = Kind(name: "unauthenticated", status: 401, title: "A valid API key is needed")
    static let signInRefused = Kind(name: "sign-in-refused", status: 401, title: "The sign-in was refused")
    static let forbidden = Kind(name: "forbidden", status: 403, title: "The API key may not do this")
    static let identityRequired = Kind(
      name: "identity-required", status: 401, title: "An identity token is needed")
    static let identityRefused = Kind(
      name: "identity-refused", status: 401, title: "The identity token is not valid")
    static let identityMismatch = Kind(
      name: "identity-mismatch", status: 403, title: "The identity token is not of this user")
    static let notFound = Kind(name: "not-found", status: 404, title: "Not found")
    static let methodNotAllowed = Kind(name: "method-not-allowed", status: 405, title: "The method is not allowed here")
    static let conflict = Kind(name: "conflict", status: 409, title: "The request conflicts with what exists")
    static let idempotencyMismatch = Kind(
      name: "idempotency-mismatch", status: 422, title: "The idempotency key was used for another request")
    static let tooLarge = Kind(name: "too-large", status: 413, title: "The body is too long")
    static let tooMany = Kind(name: "too-many", status: 429, title: "There were too many attempts")
    static let preconditionFailed = Kind(
      name: "precondition-failed", status: 412, title: "It is not as the request expects")
    static let busy = Kind(name: "busy", status: 503, title: "The server cannot take the request now")
    static let storeFailed = Kind(name: "store-failed", status: 503, title: "The store did not take the request")
    /// Never an answer: vendors' interfaces have answers of their own for it.
    static let nobody = Kind(name: "nobody", status: 422, title: "Nobody would get the push")
    static let internalError = Kind(name: "internal", status: 500, title: "The server failed")

    /// Every kind, for the documentation.
    static let all: [Kind] = [
      .badJSON, .badRequest, .invalid, .unauthenticated, .signInRefused, .forbidden, .identityRequired,
      .identityRefused, .identityMismatch, .notFound, .methodNotAllowed, .conflict,
      .idempotencyMismatch, .preconditionFailed, .tooLarge, .tooMany, .busy, .storeFailed, .internalError,
      .vendorUnreachable, .vendorSilent, .issuerUnusable,
    ]
  }

  var kind: Kind
  /// What happened, where, and what to do.
  var detail: String
  var report = Report()
  var headers: [(name: String, value: String)] = []
  /// What failed in the store, when that is why.
  private(set) var cause: StoreError.Code?
  /// Whether who asked is known to operate the server, although the route needs no key.
  var isForOperators = false

  init(_ kind: Kind, _ detail: String, report: Report = Report(), headers: [(name: String, value: String)] = []) {
    self.kind = kind
    self.detail = detail
    self.report = report
    self.headers = headers
  }

  /// A problem whose detail is what the report says first.
  init(_ kind: Kind, report: Report) {
    let errors = report.findings.filter { $0.severity == .error }
    let first = errors.first.map { $0.field.isEmpty ? $0.message : "\($0.field): \($0.message)" } ?? kind.title
    let more = errors.count > 1 ? " (and \(errors.count - 1) more, see the report)" : ""
    self.init(kind, first + more, report: report)
  }

  /// The media type of a problem document.
  static let contentType = "application/problem+json"

  /// The document.
  func response(requestID: HTTPRequestID) -> HTTPResponse {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("type")
    writer.string("urn:postrider:problem:\(kind.name)")
    writer.key("title")
    writer.string(kind.title)
    writer.key("status")
    writer.int(kind.status)
    writer.key("detail")
    writer.string(detail)
    writer.key("request_id")
    writer.string(requestID.description)
    if !report.isEmpty {
      writer.key("report")
      report.write(to: &writer)
    }
    writer.endObject()
    return HTTPResponse(
      status: kind.status, headers: [("Content-Type", Problem.contentType)] + headers, bytes: writer.bytes)
  }
}

extension Problem {
  /// What the store could not do, in the words of the API.
  init(_ error: StoreError) {
    let kind: Kind =
      switch error.code {
      case .conflict: .conflict
      case .notPermitted: .forbidden
      case .notFound: .notFound
      case .invalid, .invalidToken, .invalidName: .invalid
      case .idempotencyMismatch: .idempotencyMismatch
      case .overloaded: .busy
      case .bug: .internalError
      default: .storeFailed
      }
    let detail = "\(error.message); \(error.advice)"
    let fields: [StoreError.Code: String] = [.invalidToken: "token", .invalidName: "name"]
    if let field = fields[error.code] {
      var report = Report()
      report.add(rule: Schema.Rule.value, severity: .error, field: FieldPath(members: field), message: detail)
      self.init(kind, report: report)
      return
    }
    // A caller that is asked to repeat what may have happened would do it twice.
    let isRepeatable = kind.status == 503 && error.code != .inDoubt
    self.init(kind, detail, headers: isRepeatable ? [("Retry-After", "1")] : [])
    cause = error.code
  }

  /// What a caller may see of it: those without a key learn nothing of paths and hosts.
  func shown(to caller: Caller?) -> Problem { caller != nil || isForOperators ? self : outward }

  /// What happened for those who do not operate the server: without paths, hosts, and what only an operator can do.
  var outward: Problem {
    guard kind.status == 503, let text = cause.flatMap({ Problem.outward[$0] }) else { return self }
    var problem = self
    problem.detail = text
    return problem
  }

  private static let outward: [StoreError.Code: String] = [
    .diskFull:
      "the disk of the server is full, and nothing of this request was stored; it is accepted again once there is room",
    .readOnly: "the database of the server cannot be written, and nothing of this request was stored",
    .corrupted: "the database of the server is damaged and cannot be read",
    .notADatabase: "the database of the server is damaged and cannot be read",
    .cannotOpen: "the database of the server cannot be opened",
    .ioFailure: "the database of the server cannot be read or written, and nothing of this request was acknowledged",
    .locked: "another process holds the database of the server; send the request again later",
    .fileGone: "the database of the server was moved away, and nothing of this request was stored",
    .inDoubt:
      "the database of the server was lost while this request was stored, so that its outcome is not known; look"
      + " before you send it again",
    .unavailable: "the database of the server cannot be reached; send the request again later",
    .overloaded: "more requests wait for the disk of the server than it can write; send the request again in a second",
    .closed: "the server is being stopped; send the request again later",
  ]
}
