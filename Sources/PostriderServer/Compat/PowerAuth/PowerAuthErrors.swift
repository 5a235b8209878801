internal import HTTPServer
internal import PushPayload
internal import WireJSON

/// Refusals in the form of the PowerAuth push server: `{"status": "ERROR", "responseObject": {"code", "message"}}`.
enum PowerAuthErrors {
  /// The codes of its classes of errors.
  private enum Code: String {
    case generic = "ERROR_GENERIC"
    case request = "ERROR_REQUEST"
    case noApp = "ERROR_APP_NOT_FOUND"
    case noServer = "ERROR_PA_SERVER_COMM"
    case missing = "ERROR_DATABASE"
    case noMessage = "ERROR_MESSAGE_NOT_FOUND"
    case integrity = "ERROR_DATA_INTEGRITY"
  }

  // Kinds of problems that only this interface has.
  private static let generic = kind("powerauth-generic", 400, "The push server's own refusal")
  private static let noApp = kind("powerauth-no-app", 400, "The application is not there")
  private static let noServer = kind("powerauth-no-server", 400, "Only the PowerAuth server knows")
  private static let noMessage = kind("powerauth-no-message", 400, "The inbox message is not there")
  private static let missing = kind("powerauth-missing", 404, "The record is not there")

  private static func kind(_ name: String, _ status: Int, _ title: String) -> Problem.Kind {
    Problem.Kind(name: name, status: status, title: title)
  }

  /// A refusal that the push server has too, in its words.
  static func refusal(_ message: String) -> Problem { Problem(generic, message) }

  static let otherApp = Problem(noApp, "there is no app with this appId, or it is not the app of the key")

  static let otherMessage = Problem(noMessage, "there is no inbox message with this id; it may have expired")

  /// What only a PowerAuth server could answer.
  static func unknowable(_ message: String) -> Problem { Problem(noServer, message) }

  /// A member that is not what it should be.
  static func violation(_ field: String, _ hint: String) -> Problem { .ofMember(field, hint) }

  /// What an operation of our own says of the body of a message, with the fields as the caller has them.
  static func naming(_ problem: Problem, body: String) -> Problem {
    var problem = problem
    switch problem.kind {
    // Missing credentials conflict with what exists; to the push server that is an ordinary refusal.
    case .conflict: problem.kind = generic
    case .invalid:
      problem.report.findings = problem.report.findings.map { finding in
        var finding = finding
        finding.field = field(finding.field, body)
        return finding
      }
      problem.detail = Problem(.invalid, report: problem.report).detail
    default: break
    }
    return problem
  }

  /// What our own inbox says of a message, with the members as the push server's clients write them.
  static func naming(_ problem: Problem, inbox object: CompatObject) -> Problem {
    guard problem.kind == .invalid else { return problem }
    var problem = problem
    problem.report.findings = problem.report.findings.map { finding in
      var finding = finding
      finding.field = object.field(finding.field == "title" ? "subject" : finding.field)
      return finding
    }
    problem.detail = Problem(.invalid, report: problem.report).detail
    return problem
  }

  /// A field of the contract's message, as a member of the caller's body; all others as they are.
  private static func field(_ field: String, _ body: String) -> String {
    let first = field.prefix { $0 != "." && $0 != "[" }
    if first.isEmpty || first == "message" { return body + field.dropFirst(first.count) }
    return PowerAuthMessage.bodyMembers.contains(String(first)) ? "\(body).\(field)" : field
  }

  /// What an operation of our own says of a record that was there when the request came.
  static func ofRecord(_ problem: Problem) -> Problem {
    var problem = problem
    if problem.kind == .notFound { problem.kind = missing }
    return problem
  }

  /// A refusal of one message of a batch.
  static func nested(_ problem: Problem, _ index: Int) -> Problem {
    guard problem.kind == generic else { return problem }
    return refusal("batch[\(index)]: \(problem.detail)")
  }

  // MARK: - The answer

  static func response(to problem: Problem) -> HTTPResponse {
    var error: JSONObject = [
      "code": .string(code(problem).rawValue), "message": .string(problem.detail),
    ]
    let violations = problem.report.findings.filter { $0.severity == .error }
    if code(problem) == .request, !violations.isEmpty {
      error["violations"] = .array(
        violations.map { ["fieldName": .string($0.field), "invalidValue": .null, "hint": .string($0.message)] })
    }
    var headers = [(name: "Content-Type", value: "application/json")] + PowerAuthRoutes.headers + problem.headers
    if problem.kind.status == 401 { headers.append(("WWW-Authenticate", "Basic realm=\"postrider\"")) }
    return HTTPResponse(
      status: status(problem), headers: headers,
      bytes: JSON.minified(["status": "ERROR", "responseObject": .object(error)]))
  }

  private static func status(_ problem: Problem) -> Int { problem.kind.status == 422 ? 400 : problem.kind.status }

  private static func code(_ problem: Problem) -> Code {
    switch problem.kind {
    case noApp: .noApp
    case noServer: .noServer
    case noMessage: .noMessage
    case missing: .missing
    case .conflict: .integrity
    case .badJSON, .badRequest, .invalid, .idempotencyMismatch: .request
    default: .generic
    }
  }
}
