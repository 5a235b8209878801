internal import HTTPServer
internal import PushPayload
internal import WireJSON

/// Refusals in the forms of OneSignal's REST API.
enum OneSignalErrors {
  // Texts that OneSignal's clients compare with (`errors.py` of its Python client).
  static let noAccess =
    "Access denied.  Please include an 'Authorization: ...' header with a valid API key"
    + " (https://documentation.onesignal.com/docs/en/keys-and-ids#api-keys)."
  static let noTarget =
    "You must include which players, segments, or tags you wish to send this notification to."
  static let noSubscribers = "All included players are not subscribed"
  static let noNotification = "Notification not found"
  private static let tooMany = "API rate limit exceeded."
  private static let unavailable = "Service temporarily unavailable"

  static func response(to problem: Problem) -> HTTPResponse {
    let (status, body) = answer(problem)
    return HTTPResponse(
      status: status, headers: [("Content-Type", "application/json")] + problem.headers, bytes: JSON.minified(body))
  }

  private static func answer(_ problem: Problem) -> (Int, JSONValue) {
    if let own = problem.report.findings.first(where: { $0.rule == conflictRule }) {
      return (409, (try? JSON.parse(own.message)) ?? .null)
    }
    return switch problem.kind.status {
    case 401: (403, ["errors": .string(noAccess)])
    case 403: (403, ["errors": [.string(noAccess), .string(problem.detail)]])
    case 409: (409, ["success": false, "errors": [.string(problem.detail)]])
    case 429: (429, ["errors": [.string(tooMany)], "limit": .string(problem.detail)])
    // The first is what the vendor's clients compare with.
    case 503: (503, ["errors": [.string(unavailable), .string(problem.detail)]])
    case 404, 405, 413, 500, 502, 504: (problem.kind.status, ["errors": [.string(problem.detail)]])
    default: (400, ["errors": .array(texts(problem).map { .string($0) })])
    }
  }

  /// Members of our own requests, by OneSignal's names.
  private static let names = [
    "send_at": "send_after", "expires_in_seconds": "ttl", "throttle_per_minute": "throttle_rate_per_minute",
  ]

  /// One sentence for each error of the report.
  private static func texts(_ problem: Problem) -> [String] {
    let errors = problem.report.findings.filter { $0.severity == .error }
    guard !errors.isEmpty else { return [problem.detail] }
    return errors.map { $0.field.isEmpty ? $0.message : "\(names[$0.field] ?? $0.field): \($0.message)" }
  }

  /// The body of a refusal that has a form of its own.
  private static let conflictRule = "onesignal-conflict"

  /// Aliases that another user has, in the form that the vendor's clients read.
  static func conflict(of aliases: JSONObject) -> Problem {
    let body: JSONValue = [
      "errors": [
        [
          "code": "user-2", "title": "One or more Aliases claimed by another User",
          "meta": ["conflicting_aliases": .object(aliases)],
        ]
      ]
    ]
    let finding = Finding(
      rule: conflictRule, severity: .error, field: "", message: String(decoding: JSON.minified(body), as: UTF8.self))
    return Problem(.conflict, "another user has these aliases", report: Report([finding]))
  }

  /// A refusal that names the member of the request.
  static func refusal(_ field: String, _ message: String) -> Problem {
    Problem(
      .invalid, report: Report([Finding(rule: Schema.Rule.value, severity: .error, field: field, message: message)]))
  }
}
