internal import WireJSON

/// A refusal by FCM or by Google's API layer before it, in the shape of `google.rpc.Status`.
///
/// Source: Firebase, “FCM error codes”; the details are `FcmError`, `google.rpc.BadRequest`, `google.rpc.QuotaFailure`.
public struct FCMFailure: Sendable, Hashable {
  /// One bad field.
  public struct Violation: Sendable, Hashable {
    /// The path, such as `message.data[0].value`.
    public var field: String
    /// What is wrong with it.
    public var description: String
  }

  /// The HTTP status.
  public var httpStatus: Int
  /// The `google.rpc.Code` by name, such as `INVALID_ARGUMENT`.
  public var status: String
  /// The `errorCode` of the `FcmError` detail; nil when the API layer refuses before FCM looks.
  public var errorCode: String?
  /// What is wrong.
  public var message: String
  /// The fields of a `BadRequest` detail; none when empty.
  public var violations: [Violation] = []
  /// The subject of a `QuotaFailure` detail; nil for none.
  public var quotaSubject: String?
  /// The value of a `retry-after` header, in seconds.
  public var retryAfterSeconds: Int?

  init(_ httpStatus: Int, _ status: String, code: String? = nil, _ message: String) {
    self.httpStatus = httpStatus
    self.status = status
    self.errorCode = code
    self.message = message
  }

  /// Every documented `FcmError.errorCode` with its status, for rules and scripts.
  public static let documented: [FCMFailure] = [
    FCMFailure(500, "UNKNOWN", code: "UNSPECIFIED_ERROR", "no further information is available"),
    FCMFailure(400, "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", "a field of the request is not valid"),
    FCMFailure(
      401, "UNAUTHENTICATED", code: "THIRD_PARTY_AUTH_ERROR",
      "the APNs or web push credential of the project is missing or not accepted"),
    FCMFailure(401, "UNAUTHENTICATED", code: "APNS_AUTH_ERROR", "the APNs credential of the project is not accepted"),
    FCMFailure(
      403, "PERMISSION_DENIED", code: "SENDER_ID_MISMATCH", "the registration token belongs to another sender"),
    FCMFailure(404, "NOT_FOUND", code: "UNREGISTERED", "the app instance is no longer registered"),
    quotaExceeded(subject: "project"),
    FCMFailure(500, "INTERNAL", code: "INTERNAL", "the server met an internal error"),
    FCMFailure(503, "UNAVAILABLE", code: "UNAVAILABLE", "the service is overloaded or down"),
  ]

  /// Finds a documented failure by its code.
  public static func named(_ code: String) -> FCMFailure? { documented.first { $0.errorCode == code } }

  static func quotaExceeded(subject: String) -> FCMFailure {
    var failure = FCMFailure(
      429, "RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED", "the quota for messages to the \(subject) is used up")
    failure.quotaSubject = subject
    return failure
  }

  /// A field that FCM itself refuses.
  static func invalid(_ field: String, _ description: String) -> FCMFailure {
    var failure = FCMFailure(400, "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", description)
    failure.violations = [Violation(field: field, description: description)]
    return failure
  }

  /// A body that the API layer cannot decode as the message type; it does not reach FCM itself.
  static func unreadable(_ violations: [Violation]) -> FCMFailure {
    let text = violations.map(\.description).joined(separator: "\n")
    var failure = FCMFailure(400, "INVALID_ARGUMENT", text)
    failure.violations = violations
    return failure
  }

  static let unauthenticated = FCMFailure(
    401, "UNAUTHENTICATED", "the request has no valid OAuth 2 access token; it may be missing, wrong or expired")
  static let wrongProject = FCMFailure(
    403, "PERMISSION_DENIED", "the access token's account has no permission to send for this project")
  static let unknownProject = FCMFailure(404, "NOT_FOUND", "no such project")

  /// The failure as JSON, details in the order `FcmError`, `QuotaFailure`, `BadRequest`.
  var json: JSONValue {
    var details: [JSONValue] = []
    if let errorCode {
      details.append([
        "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": .string(errorCode),
      ])
    }
    if let quotaSubject {
      let violation: JSONValue = ["subject": .string(quotaSubject), "description": .string(message)]
      details.append(["@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]])
    }
    if !violations.isEmpty {
      let fields = violations.map { violation -> JSONValue in
        violation.field.isEmpty
          ? ["description": .string(violation.description)]
          : ["field": .string(violation.field), "description": .string(violation.description)]
      }
      details.append(["@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": .array(fields)])
    }
    var error: JSONObject = ["code": .number(JSONNumber(httpStatus)), "message": .string(message)]
    error.append("status", .string(status))
    if !details.isEmpty { error.append("details", .array(details)) }
    return ["error": .object(error)]
  }

  func write(to response: inout GatewayResponse) {
    response.status = httpStatus
    response.add("content-type", "application/json; charset=UTF-8")
    if let retryAfterSeconds { response.add("retry-after", text: String(retryAfterSeconds)) }
    response.append(JSON.pretty(json))
    response.append("\n")
  }
}
