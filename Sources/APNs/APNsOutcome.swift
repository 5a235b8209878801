public import GatewayPool
public import PushPayload

/// How one send ended.
///
/// Exactly one is delivered for every send that was submitted.
public enum APNsOutcome: Sendable, Hashable {
  /// APNs took the notification.
  case accepted(APNsAcceptance)
  /// APNs refused it and said why.
  case rejected(APNsRejection)
  /// There is no answer from APNs; whether the notification may be sent again is in the failure.
  case failed(SendFailure)
}

/// A notification that APNs took.
public struct APNsAcceptance: Sendable, Hashable {
  /// The `apns-id` of the answer; `nil` when it was missing or not a UUID.
  public let id: APNsID?
  /// The `apns-unique-id` that the development environment adds, for Apple's delivery log.
  public let uniqueID: APNsID?

  /// Names an acceptance.
  public init(id: APNsID?, uniqueID: APNsID? = nil) {
    self.id = id
    self.uniqueID = uniqueID
  }
}

/// A notification that APNs refused.
public struct APNsRejection: Sendable, Hashable {
  /// The HTTP status.
  public let status: Int
  /// The reason; ``APNsReason/none`` when the answer had none that could be read.
  public let reason: APNsReason
  /// With status 410: the latest time, in milliseconds since 1970, at which APNs knew the token to be invalid.
  ///
  /// A device that registered later is valid.
  public let timestamp: Int64?
  /// The seconds of a `Retry-After` header.
  ///
  /// Apple documents none; it is honoured when present.
  public let retryAfter: Int?
  /// The `apns-id` of the answer.
  public let id: APNsID?

  /// Names a rejection.
  public init(status: Int, reason: APNsReason, timestamp: Int64? = nil, retryAfter: Int? = nil, id: APNsID? = nil) {
    self.status = status
    self.reason = reason
    self.timestamp = timestamp
    self.retryAfter = retryAfter
    self.id = id
  }

  /// What the sender does about it.
  public var consequence: APNsConsequence { reason.consequence(status: status) }
}

/// One line of an outcome batch: the caller's tag and how that send ended.
public struct APNsResult: Sendable, Hashable {
  /// The number the caller gave with the send.
  public let tag: UInt64
  /// How it ended.
  public let outcome: APNsOutcome

  /// Pairs a tag with an outcome.
  public init(tag: UInt64, outcome: APNsOutcome) {
    self.tag = tag
    self.outcome = outcome
  }
}
