/// What is asked of a second person before a push to many devices starts.
public struct ApprovalRequest: Sendable, Hashable {
  /// Devices that the push was for when it was counted.
  public var devices: Int
  /// Devices of the app's other campaigns that count along with them.
  public var recent: Int
  /// The rule: more devices than this need an approval.
  public var above: Int
  /// When the push fails unless it was approved.
  public var until: Timestamp

  /// Creates a value from its parts.
  public init(devices: Int, recent: Int, above: Int, until: Timestamp) {
    self.devices = devices
    self.recent = recent
    self.above = above
    self.until = until
  }
}

/// A second person's decision about a push, or that it is awaited.
public struct Approval: Sendable, Hashable {
  /// How far it is; stored as it is.
  public enum State: UInt8, Sendable, Hashable, NamedCase {
    /// The push does not start.
    case waiting = 1
    /// It starts, or has started.
    case approved = 2
    /// It was cancelled for it.
    case declined = 3
    /// Nobody decided in time: the push failed.
    case expired = 4

    /// The name in the API.
    public var name: String {
      switch self {
      case .waiting: "waiting"
      case .approved: "approved"
      case .declined: "declined"
      case .expired: "expired"
      }
    }
  }

  /// How far it is.
  public let state: State
  /// What was asked.
  public let request: ApprovalRequest
  /// When it was asked.
  public let askedAt: Timestamp
  /// Who decided, or nil.
  public let decidedBy: String?
  /// When, or nil.
  public let decidedAt: Timestamp?
  /// Why it was declined, or nil.
  public let reason: String?

  /// Creates a value from its parts.
  package init(
    state: State, request: ApprovalRequest, askedAt: Timestamp, decidedBy: String?, decidedAt: Timestamp?,
    reason: String?
  ) {
    self.state = state
    self.request = request
    self.askedAt = askedAt
    self.decidedBy = decidedBy
    self.decidedAt = decidedAt
    self.reason = reason
  }
}

/// What a person decides about a push that waits.
public enum ApprovalDecision: Sendable, Hashable {
  /// It starts at its time, or now when that has passed.
  case approve(asked: Timestamp?)
  /// It is cancelled.
  case decline(reason: String?)
}
