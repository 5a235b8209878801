internal import HTTPServer
internal import PushPayload
internal import WireJSON

/// Refusals in the form of Amba's API: `{"error": {"code", "message", "details"}}`.
enum AmbaErrors {
  /// Codes that only this interface has.
  enum Code: String {
    case badTime = "INVALID_SCHEDULED_AT"
    case timeInPast = "SCHEDULED_AT_IN_PAST"
    case badZone = "INVALID_TIMEZONE"
    case alreadySent = "ALREADY_SENT"
    case alreadyScheduled = "ALREADY_SCHEDULED"
    case notRegistered = "REGISTER_FAILED"
  }

  private static let prefix = "amba-"

  static func problem(_ code: Code, _ message: String) -> Problem {
    let status = code == .alreadySent || code == .alreadyScheduled ? 409 : 400
    return Problem(kind(code, status), message)
  }

  private static func kind(_ code: Code, _ status: Int) -> Problem.Kind {
    Problem.Kind(name: prefix + code.rawValue, status: status, title: "Amba's own refusal")
  }

  static func naming(_ problem: Problem, as code: Code) -> Problem {
    var problem = problem
    problem.kind = kind(code, problem.kind.status)
    return problem
  }

  /// What an operation of our own says of a message, with the fields as the caller has them.
  static func naming(_ problem: Problem) -> Problem {
    // Missing credentials conflict with what exists; here that is a request that cannot be taken.
    if problem.kind == .conflict { return Problem(.invalid, problem.detail) }
    guard problem.kind == .invalid else { return problem }
    var report = problem.report
    report.findings = report.findings.map { finding in
      var finding = finding
      finding.field = field(finding.field)
      return finding
    }
    return Problem(.invalid, report: report)
  }

  private static func field(_ field: String) -> String {
    switch field {
    case "to.segment": "segment_id"
    case "to.user": "app_user_id"
    case "to.token.token", "to.token": "device_token"
    default: field.hasPrefix("message.") ? String(field.dropFirst("message.".count)) : field
    }
  }

  static func response(to problem: Problem) -> HTTPResponse {
    var error: JSONObject = ["code": .string(code(problem)), "message": .string(problem.detail)]
    let findings = problem.report.findings.filter { $0.severity == .error }
    if !findings.isEmpty {
      error["details"] = .array(findings.map { ["field": .string($0.field), "message": .string($0.message)] })
    }
    return HTTPResponse(
      status: problem.kind.status == 422 ? 400 : problem.kind.status,
      headers: [("Content-Type", "application/json")] + problem.headers,
      bytes: JSON.minified(["error": .object(error)]))
  }

  private static func code(_ problem: Problem) -> String {
    if problem.kind.name.hasPrefix(prefix) { return String(problem.kind.name.dropFirst(prefix.count)) }
    switch problem.kind {
    case .identityMismatch: return "FORBIDDEN"
    default: break
    }
    switch problem.kind.status {
    case 401: return "UNAUTHORIZED"
    case 403: return "PROJECT_FORBIDDEN"
    case 404: return "NOT_FOUND"
    case 405: return "METHOD_NOT_ALLOWED"
    case 409: return "CONFLICT"
    case 413: return "PAYLOAD_TOO_LARGE"
    case 429: return "RATE_LIMITED"
    case 500: return "INTERNAL_ERROR"
    case 502, 504: return "BAD_GATEWAY"
    case 503: return "SERVICE_UNAVAILABLE"
    default: return "INVALID_INPUT"
    }
  }
}
