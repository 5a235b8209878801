internal import HTTPServer
internal import PushPayload
internal import WireJSON

/// Refusals in the form of IMKit's API: `{"RC", "RM", "error": {"code", "message"}}`.
enum IMKitErrors {
  private static let missing = Problem.Kind(name: "imkit-missing", status: 400, title: "A parameter is missing")

  /// A parameter that is missing, in IMKit's own code.
  static func missing(_ message: String) -> Problem { Problem(missing, message) }

  static func response(to problem: Problem) -> HTTPResponse {
    let status = problem.kind.status == 422 ? 400 : problem.kind.status
    let body: JSONValue = [
      "RC": .number(JSONNumber(status)), "RM": .string(title(status)),
      "error": ["code": .string(code(problem)), "message": .string(message(problem))],
    ]
    return HTTPResponse(
      status: status, headers: [("Content-Type", "application/json")] + problem.headers, bytes: JSON.minified(body))
  }

  /// IMKit's own sentence, and what is wrong.
  private static func message(_ problem: Problem) -> String {
    switch problem.kind {
    case .unauthenticated: "Invalid or missing API key: \(problem.detail)"
    case .identityRequired, .identityRefused: "Invalid or expired token: \(problem.detail)"
    default: problem.detail
    }
  }

  private static func code(_ problem: Problem) -> String {
    switch problem.kind {
    case missing: "MISSING_PARAMETER"
    case .unauthenticated: "INVALID_API_KEY"
    case .identityRequired, .identityRefused: "INVALID_TOKEN"
    default:
      switch problem.kind.status {
      case 403: "FORBIDDEN"
      case 404: "NOT_FOUND"
      case 405: "METHOD_NOT_ALLOWED"
      case 409: "CONFLICT"
      case 413: "PAYLOAD_TOO_LARGE"
      case 429: "TOO_MANY_REQUESTS"
      case 500: "INTERNAL_ERROR"
      case 502, 504: "BAD_GATEWAY"
      case 503: "SERVICE_UNAVAILABLE"
      default: "INVALID_PARAMETER"
      }
    }
  }

  private static func title(_ status: Int) -> String {
    switch status {
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 409: "Conflict"
    case 413: "Payload Too Large"
    case 429: "Too Many Requests"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    default: "Internal Server Error"
    }
  }

  /// What an operation of our own says of a message, with the fields as the caller has them.
  static func naming(_ problem: Problem) -> Problem {
    // Missing credentials conflict with what exists; to IMKit's clients that is a request that cannot be taken.
    if problem.kind == .conflict { return Problem(.invalid, problem.detail) }
    guard problem.kind == .invalid else { return problem }
    var report = problem.report
    report.findings = report.findings.map { finding in
      var finding = finding
      if finding.field == "message" || finding.field.hasPrefix("message.") {
        finding.field = "payload" + finding.field.dropFirst("message".count)
      } else if finding.field.hasPrefix("to.users") {
        finding.field = "clients" + finding.field.dropFirst("to.users".count)
      }
      return finding
    }
    return Problem(.invalid, report: report)
  }
}
