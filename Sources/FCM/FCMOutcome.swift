public import GatewayPool

/// How one send ended.
///
/// Exactly one is delivered for every send that was submitted.
public enum FCMOutcome: Sendable, Hashable {
  /// FCM took the message; its name is `projects/{project}/messages/{id}`.
  case accepted(name: String)
  /// FCM refused it and said why.
  case rejected(FCMRejection)
  /// There is no answer from FCM; whether the message may be sent again is in the failure.
  case failed(SendFailure)
}

/// A message that FCM refused.
public struct FCMRejection: Sendable, Hashable {
  /// One entry of `BadRequest.fieldViolations`.
  public struct Violation: Sendable, Hashable {
    /// The path of the field, such as `message.data[0].value`.
    public let field: String
    /// What FCM says about it.
    public let description: String

    /// Names a violation.
    public init(field: String, description: String) {
      self.field = field
      self.description = description
    }
  }

  /// The HTTP status.
  public let status: Int
  /// The code: of `FcmError` when there is one, else of `error.status`, else empty.
  public let code: FCMErrorCode
  /// Whether ``code`` is FCM's own and not from a front end before it.
  public let hasFCMError: Bool
  /// `error.status`, the `google.rpc` code, such as `NOT_FOUND`; empty when absent.
  public let rpcStatus: String
  /// `error.message`, for a person; empty when absent.
  public let message: String
  /// The fields that FCM objects to.
  public let violations: [Violation]
  /// The seconds of the `Retry-After` header.
  public let retryAfter: Int?

  /// Names a rejection.
  public init(
    status: Int, code: FCMErrorCode, hasFCMError: Bool = false, rpcStatus: String = "", message: String = "",
    violations: [Violation] = [], retryAfter: Int? = nil
  ) {
    self.status = status
    self.code = code
    self.hasFCMError = hasFCMError
    self.rpcStatus = rpcStatus
    self.message = message
    self.violations = violations
    self.retryAfter = retryAfter
  }
}

/// One line of an outcome batch: the caller's tag and how that send ended.
public struct FCMResult: Sendable, Hashable {
  /// The number the caller gave with the send.
  public let tag: UInt64
  /// How it ended.
  public let outcome: FCMOutcome

  /// Pairs a tag with an outcome.
  public init(tag: UInt64, outcome: FCMOutcome) {
    self.tag = tag
    self.outcome = outcome
  }
}
