public import GatewayPool

/// How one send ended.
///
/// Exactly one is delivered for every send that was submitted.
public enum HuaweiOutcome: Sendable, Hashable {
  /// Push Kit took the message; the id of its answer, empty when it had none.
  case accepted(requestID: String)
  /// Push Kit refused it and said why.
  case rejected(HuaweiRejection)
  /// There is no answer; whether the message may be sent again is in the failure.
  case failed(SendFailure)
}

/// A message that Push Kit refused.
public struct HuaweiRejection: Sendable, Hashable {
  /// The HTTP status; most refusals come with 200 or 400.
  public let status: Int
  /// The service response code; empty when the answer has none.
  public let code: HuaweiCode
  /// `msg`, for a person; empty when absent, and without the token.
  public let message: String
  /// Whether the answer says that the token of this send is illegal.
  public let isTokenInvalid: Bool
  /// The seconds of a `Retry-After` header.
  public let retryAfter: Int?

  /// Names a rejection.
  public init(
    status: Int, code: HuaweiCode, message: String = "", isTokenInvalid: Bool = false, retryAfter: Int? = nil
  ) {
    self.status = status
    self.code = code
    self.message = message
    self.isTokenInvalid = isTokenInvalid
    self.retryAfter = retryAfter
  }

  /// The code, or the status of an answer without one: the names that explanations have.
  public var reason: String { code == .none ? "\(status)" : code.rawValue }
}

/// One line of an outcome batch: the caller's tag and how that send ended.
public struct HuaweiResult: Sendable, Hashable {
  /// The number the caller gave with the send.
  public let tag: UInt64
  /// How it ended.
  public let outcome: HuaweiOutcome

  /// Pairs a tag with an outcome.
  public init(tag: UInt64, outcome: HuaweiOutcome) {
    self.tag = tag
    self.outcome = outcome
  }
}

/// Takes outcomes, in batches.
public protocol HuaweiSink: AnyObject, Sendable {
  /// Outcomes of sends, in the order in which they came to be known. Called on a network thread: keep it short, hand the
  /// work on. Every submitted send comes exactly once.
  func receive(_ results: [HuaweiResult])
}
