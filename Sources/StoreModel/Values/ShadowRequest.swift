/// The key of a shadowed request's record.
public typealias ShadowRequestID = RowID<ShadowRequest>

/// What this server made of a request that it did not deliver.
public enum ShadowOutcome: UInt8, Sendable, CaseIterable {
  /// It would have been accepted.
  case accepted = 2
  /// It would have been accepted, and nobody is there to receive it.
  case nobody = 3
  /// It would have been refused.
  case refused = 4
  /// It was not looked at.
  case skipped = 5
  /// It was delivered from here, to the users whose messages are.
  case live = 6
}

/// A request to a vendor's interface while the app is in shadow, before it is stored.
public struct NewShadowRequest: Sendable, Hashable {
  /// The app whose key it came with.
  public var app: AppID
  /// The vendor whose interface it came to.
  public var vendor: String
  /// The operation's name.
  public var operation: String
  /// When it came.
  public var at: Timestamp
  /// The outcome of it.
  public var outcome: ShadowOutcome
  /// The status that the vendor answered; nil where the vendor did not have it, or did not answer.
  public var vendorStatus: Int?
  /// How many devices it would have been sent to.
  public var targeted: Int
  /// What else there is to show, as JSON; opaque to the store.
  public var detail: [UInt8]
  /// What is counted of it.
  public var counts: [ShadowCount]

  /// Creates a value from its parts.
  public init(
    app: AppID, vendor: String, operation: String, at: Timestamp, outcome: ShadowOutcome, vendorStatus: Int?,
    targeted: Int, detail: [UInt8]
  ) {
    self.app = app
    self.vendor = vendor
    self.operation = operation
    self.at = at
    self.outcome = outcome
    self.vendorStatus = vendorStatus
    self.targeted = targeted
    self.detail = detail
    counts = []
  }
}

/// One thing that a request adds to the totals.
public struct ShadowCount: Sendable, Hashable {
  /// What it is.
  public var kind: ShadowTotal.Kind
  /// Which one of the kind.
  public var name: String
  /// How often.
  public var count: Int

  /// Creates a value from its parts.
  public init(_ kind: ShadowTotal.Kind, _ name: String, _ count: Int = 1) {
    (self.kind, self.name, self.count) = (kind, name, count)
  }
}

/// A stored record of a request.
public struct ShadowRequest: Sendable, Hashable {
  /// Its key.
  public let id: ShadowRequestID
  /// What was stored; `counts` is empty.
  public let request: NewShadowRequest

  /// Creates a value from its parts.
  package init(id: ShadowRequestID, request: NewShadowRequest) {
    self.id = id
    self.request = request
  }
}

/// How often something was seen in an app's requests since the totals were cleared.
public struct ShadowTotal: Sendable, Hashable {
  /// What is counted.
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// Requests, by the outcome of them.
    case outcome = 2
    /// Requests, by how the vendor's answer compares.
    case agreement = 3
    /// Requests, by operation.
    case operation = 4
    /// Refusals, by sentence.
    case reason = 5
    /// Requests with a member that is not known here, by its path.
    case unknown = 6
    /// Requests with a difference in the payload, by rule.
    case difference = 7
    /// Devices, by platform.
    case platform = 8
  }

  /// The vendor whose interface it was.
  public let vendor: String
  /// What is counted.
  public let kind: Kind
  /// Which one of the kind.
  public let name: String
  /// How often.
  public let count: Int
  /// When it was seen last.
  public let latest: Timestamp

  /// Creates a value from its parts.
  package init(vendor: String, kind: Kind, name: String, count: Int, latest: Timestamp) {
    self.vendor = vendor
    self.kind = kind
    self.name = name
    self.count = count
    self.latest = latest
  }
}
