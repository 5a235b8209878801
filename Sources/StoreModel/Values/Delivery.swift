/// The state of one delivery; each delivery is in exactly one.
public enum DeliveryState: UInt8, Sendable, Hashable, NamedCase {
  /// Not yet on the wire, or on the way to another try.
  case waiting = 3
  /// Leased to a sender; no answer recorded yet.
  case inFlight = 4
  /// The provider accepted it.
  case accepted = 5
  /// The provider refused it for good, or a named rule of ours kept it from being sent at all.
  case rejected = 6
  /// Its push expired; no provider ever processed it.
  case expired = 7
  /// Its push was cancelled; no provider ever processed it.
  case cancelled = 8
  /// A provider may have processed it, the outcome is unknown, and it is not sent again.
  case unknown = 9

  /// The state as the API writes it.
  public var name: String {
    switch self {
    case .waiting: "waiting"
    case .inFlight: "in_flight"
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .expired: "expired"
    case .cancelled: "cancelled"
    case .unknown: "unknown"
    }
  }
}

/// One push to one device, as the ledger has it.
public struct DeliveryRecord: Sendable, Hashable {
  /// The key.
  public let id: DeliveryID
  /// The push it belongs to.
  public let push: PushID
  /// The device, or nil for an address that is not registered or a device that was deleted.
  public let device: DeviceID?
  /// The user of the device, when it has one.
  public let user: String?
  /// What kind of address it went to, when that is still known.
  public let kind: DeviceKind?
  /// The environment of the address, when that is still known.
  public let environment: DeviceEnvironment?
  /// Its state.
  public let state: DeliveryState
  /// Tries that have ended.
  public let attempts: Int
  /// Attempts whose outcome is unknown: the provider may have processed them.
  ///
  /// Above 0, the delivery is never `expired` or `cancelled`; see ``Transitions``.
  public let unknowns: Int
  /// The provider that answered last, or nil when none has.
  public let provider: Provider?
  /// The HTTP status of the last answer; 0 when there was none.
  public let status: Int
  /// The last reason, in the provider's words, or one of the sender's own such as `timeout`; empty when accepted.
  public let reason: String
  /// The provider's name for the message: FCM's message name, or the `apns-id` of an APNs send.
  public let providerID: String?
  /// When the state last changed.
  public let at: Timestamp
  /// When it may be tried again, or nil.
  public let notBefore: Timestamp?
  /// What the device reported.
  public package(set) var events: DeliveryEvents

  /// Creates a value from its parts.
  package init(
    id: DeliveryID, push: PushID, device: DeviceID?, user: String?, kind: DeviceKind?, environment: DeviceEnvironment?,
    state: DeliveryState, attempts: Int, unknowns: Int, provider: Provider?, status: Int, reason: String,
    providerID: String?, at: Timestamp, notBefore: Timestamp?, events: DeliveryEvents
  ) {
    self.id = id
    self.push = push
    self.device = device
    self.user = user
    self.kind = kind
    self.environment = environment
    self.state = state
    self.attempts = attempts
    self.unknowns = unknowns
    self.provider = provider
    self.status = status
    self.reason = reason
    self.providerID = providerID
    self.at = at
    self.notBefore = notBefore
    self.events = events
  }
}

/// The exclusive right to send some deliveries until a deadline.
///
/// When its holder dies, its deliveries become `unknown`.
public struct Lease: Sendable {
  /// The key; every result names it.
  ///
  /// A result under a lease that was taken away is ignored.
  public let id: LeaseID
  /// When it ends, unless renewed.
  public let expiresAt: Timestamp
  /// What may be sent.
  public let deliveries: [LeasedDelivery]
  /// How many more were examined, and rejected, deferred or ended instead: the work continues although nothing is sent.
  public let settled: Int
  /// Of these, first tries whose lane is closed: they wait there now.
  public let parked: [PushID: Int]

  /// Creates a value from its parts.
  package init(id: LeaseID, expiresAt: Timestamp, deliveries: [LeasedDelivery], settled: Int, parked: [PushID: Int]) {
    self.id = id
    self.expiresAt = expiresAt
    self.deliveries = deliveries
    self.settled = settled
    self.parked = parked
  }
}

/// One delivery that may be sent now.
public struct LeasedDelivery: Sendable, Hashable {
  /// The delivery.
  public let id: DeliveryID
  /// Its push.
  public let push: PushID
  /// The device, or nil for an address that is not registered.
  public let device: DeviceID?
  /// Which try this is, from 1; every result names it.
  public let attempt: Int
  /// The token to send to.
  public let token: String
  /// What kind of address the token is.
  public let kind: DeviceKind
  /// The environment the token belongs to.
  public let environment: DeviceEnvironment

  /// Creates a value from its parts.
  package init(
    id: DeliveryID, push: PushID, device: DeviceID?, attempt: Int, token: String, kind: DeviceKind,
    environment: DeviceEnvironment
  ) {
    self.id = id
    self.push = push
    self.device = device
    self.attempt = attempt
    self.token = token
    self.kind = kind
    self.environment = environment
  }
}

/// What a device's answer means for the device itself.
public enum DeviceConsequence: Sendable, Hashable {
  /// The token is invalid since this time; retire the device unless it registered later.
  case retire(since: Timestamp)
  /// The token is suspect; quarantine the device unless it registered after this time.
  case quarantine(since: Timestamp)
}

/// How one try of one delivery ended.
public struct DeliveryResult: Sendable, Hashable {
  /// What becomes of the delivery.
  public enum Change: Sendable, Hashable {
    /// The provider took it, under this name (FCM), or nil (APNs: the `apns-id` follows from the delivery).
    case accepted(providerID: String?)
    /// The provider refused it for good; with status 0, a rule of ours did.
    case rejected
    /// A rule of ours ends it, whatever the provider's last answer was: its attempts are used up.
    ///
    /// The delivery becomes `rejected`, or `unknown` when an earlier attempt may have been processed.
    case abandoned
    /// It expired before it could be sent; `unknown` when an earlier attempt may have been processed.
    case expired
    /// Retry at this time; the attempt counts.
    case retry(notBefore: Timestamp)
    /// It was never on the wire; back to waiting, the try does not count.
    case release(notBefore: Timestamp)
    /// The outcome is unknown: the provider may have processed it. The push's policy decides whether it is sent again
    /// at this time; nil leaves it `unknown` in any case.
    case unknown(notBefore: Timestamp?)
  }

  /// The lease under which it was sent.
  public var lease: LeaseID
  /// The delivery.
  public var delivery: DeliveryID
  /// Its push.
  public var push: PushID
  /// Which try ended, as leased.
  public var attempt: Int
  /// What becomes of the delivery.
  public var change: Change
  /// Who answered.
  public var provider: Provider
  /// The HTTP status; 0 when there was none.
  public var status: Int
  /// The reason in the provider's words; empty when accepted.
  ///
  /// Cut at `StoreLimits.reasonBytesMax`.
  public var reason: String
  /// When the answer came.
  public var at: Timestamp
  /// The device, when the answer says something about it.
  public var device: DeviceID?
  /// What the answer means for the device.
  public var consequence: DeviceConsequence?
  /// Which A/B variant was sent: its index in the push's list; the number of variants means the original message; nil
  /// for a push without variants.
  public var variant: Int?
  /// The environment it was sent in: with the app and the provider, the lane in which it waits when it is tried again.
  public var environment = DeviceEnvironment.production
  /// Whether it went to a broadcast channel, whose lane is another one.
  public var isForChannel = false
  /// Whether a refusal of a device's token sends once more in the provider's other environment, instead of ending the
  /// delivery, unless that one has refused it already; the device is then of the other environment.
  public var triesOtherEnvironment = false

  /// Gathers the parts that every result has; all others are set afterwards.
  public init(
    lease: LeaseID, delivery: DeliveryID, push: PushID, attempt: Int, change: Change, provider: Provider,
    answer: (status: Int, reason: String), at: Timestamp
  ) {
    self.lease = lease
    self.delivery = delivery
    self.push = push
    self.attempt = attempt
    self.change = change
    self.provider = provider
    (status, reason) = answer
    self.at = at
  }
}

/// What recording results did.
public struct RecordSummary: Sendable, Hashable {
  /// Results that changed the ledger.
  public var recorded = 0
  /// Results that came too late: the lease had been taken away, or the try had ended before.
  public var late = 0
  /// Devices retired.
  public var retired = 0
  /// Devices quarantined.
  public var quarantined = 0
  /// Pushes that have no delivery left to send.
  public var finished: [PushID] = []

  /// All zero.
  public init() {}
}

/// A request for a lease.
public struct LeaseRequest: Sendable {
  /// One source of deliveries.
  public enum Pick: Sendable, Hashable {
    /// First tries of an app's transactional pushes, oldest first.
    case transactional(app: AppID, max: Int)
    /// First tries of one push, in order of its audience.
    case push(PushID, max: Int)
    /// Tries of one lane that are due, of any push that is being sent: those of transactional pushes first, and of each class the
    /// earliest first.
    ///
    /// With `byTime` the earliest of both classes come first. Probes of a gateway are chosen so: a delivery that breaks each
    /// connection is then not always among them, and does not keep the lane closed for all others.
    case due(LaneKey, max: Int, byTime: Bool = false)
    /// Leases nothing: rejects, with a reason, the deliveries of one lane that have been due since before a time.
    case overdue(LaneKey, before: Timestamp, reason: String, max: Int)
  }

  /// The name of the requesting node.
  public var node: String
  /// How long the lease runs unless renewed, in milliseconds.
  public var durationMs: Int64
  /// Where the deliveries come from, in order.
  public var picks: [Pick]
  /// Lanes that cannot send now: first attempts for them are deferred, one row written for each.
  public var closed: Set<LaneKey>

  /// Creates a value from its parts.
  public init(node: String, durationMs: Int64, picks: [Pick], closed: Set<LaneKey> = []) {
    self.node = node
    self.durationMs = durationMs
    self.picks = picks
    self.closed = closed
  }
}

extension LeaseRequest {
  /// Whether all of it is transactional, so that it runs before bulk work.
  package var isUrgent: Bool {
    picks.allSatisfy { if case .transactional = $0 { true } else { false } }
  }
}

/// The result of expanding a part of an audience.
public struct AudienceProgress: Sendable, Hashable {
  /// Devices added by this call.
  public let added: Int
  /// Whether the audience is complete.
  public let complete: Bool

  /// Creates a value from its parts.
  package init(added: Int, complete: Bool) {
    self.added = added
    self.complete = complete
  }
}

/// What recovering dead leases did.
public struct RecoverySummary: Sendable, Hashable {
  /// Leases that were ended.
  public var leases = 0
  /// Deliveries that were on the wire and are queued again by policy; each is named in the ledger (`unknowns`).
  public var requeued = 0
  /// Deliveries that were on the wire and stay `unknown`.
  public var left = 0

  /// All zero.
  public init() {}
}
