/// How urgently a push competes for the senders.
public enum PushClass: UInt8, Sendable, Hashable {
  /// For one person, now: never behind a campaign.
  case transactional = 1
  /// For many: shares the senders with other campaigns.
  case campaign = 2
}

/// The state of a whole push.
public enum PushState: UInt8, Sendable, Hashable, CaseIterable {
  /// Written, not released.
  case draft = 1
  /// Scheduled to start later.
  case scheduled = 2
  /// The audience is being expanded, or deliveries are waiting or on the wire.
  case sending = 3
  /// Held; what was on the wire still ends.
  case paused = 4
  /// Ended by someone; every delivery that was not yet on the wire is `cancelled`.
  case cancelled = 5
  /// Every delivery has its final state.
  case sent = 6
  /// Ended because it expired; every delivery that was not yet on the wire is `expired`.
  case expired = 7
  /// Scheduled; its audience is expanded and its payloads are rendered at the start.
  case planned = 8
  /// It could not be started.
  case failed = 9

  /// The state in lower case; a planned push is called `scheduled`.
  public var name: String {
    switch self {
    case .draft: "draft"
    case .scheduled, .planned: "scheduled"
    case .sending: "sending"
    case .paused: "paused"
    case .cancelled: "cancelled"
    case .sent: "sent"
    case .expired: "expired"
    case .failed: "failed"
    }
  }
}

/// What is done with deliveries that were on the wire when a process died.
public enum UnknownPolicy: UInt8, Sendable, Hashable {
  /// Send again, with the same `apns-id` and collapse id. The ledger names each such delivery.
  case resend = 1
  /// Leave them `unknown`.
  case leave = 2
}

/// One address that is pushed to without being registered.
public struct DeviceAddress: Sendable, Hashable {
  /// The provider's token.
  public var token: String
  /// What kind of address the token is.
  public var kind: DeviceKind
  /// The environment the token belongs to.
  public var environment: DeviceEnvironment

  /// Creates a value from its parts.
  public init(token: String, kind: DeviceKind, environment: DeviceEnvironment = .production) {
    self.token = token
    self.kind = kind
    self.environment = environment
  }
}

/// The target audience of a push.
public enum Audience: Sendable, Hashable {
  /// Every active device of the app that matches the filter; expanded in chunks by `extendAudience`.
  case all(kinds: [DeviceKind])
  /// The active devices in a segment that match the filter; expanded in chunks by `extendAudience`.
  case segment(SegmentFilter, kinds: [DeviceKind])
  /// The active devices of these users; at most `StoreLimits.listedAudienceMax` users.
  case users([String])
  /// These devices; one that is not active is recorded as `rejected` with the reason `device-retired`. At most `StoreLimits.listedAudienceMax`.
  case devices([DeviceID])
  /// These addresses; a registered one is treated as its device. At most `StoreLimits.listedAudienceMax`.
  case addresses([DeviceAddress])
}

/// The bytes for one kind of device, rendered once per push; only the token changes from device to device.
public struct RenderedPayload: Sendable, Hashable {
  /// The kinds of device it is for.
  public var kinds: [DeviceKind]
  /// Request headers (APNs: push type, topic, priority, expiration, collapse id …), in order.
  public var headers: [Header]
  /// The request's body.
  public var body: [UInt8]
  /// Where in `body` the token's text is inserted (FCM), or nil when the token is not in the body (APNs).
  public var tokenOffset: Int?
  /// The language it is for (a BCP 47 tag), or nil for every device that no other one is for.
  public var locale: String?
  /// The index of its A/B variant in the push's list, or nil for the devices of no variant.
  public var variant: Int?
  /// Where values of the recipient's are put in, in rising order.
  public var placeholders: [Placeholder] = []

  /// A placeholder for a value of the recipient.
  public struct Placeholder: Sendable, Hashable {
    /// Where in `body`.
    public var offset: Int
    /// The value's name.
    public var name: String
    /// The text that is used without a value.
    public var fallback: String
    /// How often the text is escaped as JSON: once in a string, twice in JSON inside a string.
    public var depth: Int
    /// A text in Liquid that is rendered for each recipient; name and fallback are empty then.
    public var template: String?
    /// Whether a device shows nothing when the text is empty.
    public var need: Need

    /// Creates a value from its parts.
    public init(
      offset: Int, name: String, fallback: String, depth: Int, template: String? = nil, need: Need = .optional
    ) {
      self.offset = offset
      self.name = name
      self.fallback = fallback
      self.depth = depth
      self.template = template
      self.need = need
    }
  }

  /// What an empty text of a recipient does to the message.
  public enum Need: UInt8, Sendable, Hashable, CaseIterable {
    /// The message is shown without it.
    case optional
    /// Without it a device shows nothing.
    case always
    /// A device shows nothing when all texts with this need are empty.
    case oneOf
  }

  /// Whether it may differ from device to device.
  public var isPersonal: Bool { locale != nil || variant != nil || !placeholders.isEmpty }

  /// A request header.
  public struct Header: Sendable, Hashable {
    /// The name in lower case.
    public var name: String
    /// The value.
    public var value: String

    /// Creates a value from its parts.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Creates a value from its parts.
  public init(kinds: [DeviceKind], headers: [Header] = [], body: [UInt8], tokenOffset: Int? = nil) {
    self.kinds = kinds
    self.headers = headers
    self.body = body
    self.tokenOffset = tokenOffset
  }
}

/// The name under which a caller may repeat a request without repeating its effect.
public struct IdempotencyKey: Sendable, Hashable {
  /// The caller's key, 1 to 255 bytes.
  public var key: String
  /// A digest of the request; the same key with another digest is refused.
  public var fingerprint: [UInt8]
  /// What is kept instead of the key, which may hold whatever its caller put into it; nil keeps the key.
  ///
  /// Begins with `#`.
  public var digest: String?

  /// Creates a value from its parts.
  public init(key: String, fingerprint: [UInt8], digest: String? = nil) {
    self.key = key
    self.fingerprint = fingerprint
    self.digest = digest
  }

  /// What a digest begins with.
  package static let digestMark = "#"
}

/// A push to be created.
public struct NewPush: Sendable, Hashable {
  /// The app it is sent for.
  public var app: AppID
  /// How urgently it competes for the senders.
  ///
  /// A push to all devices or to a segment is a campaign in any case, because its audience is read in parts.
  public var pushClass: PushClass
  /// The campaign's name, or nil.
  public var name: String?
  /// Its target audience.
  public var audience: Audience
  /// The message as the caller gave it, to be shown again; opaque to the store.
  public var message: [UInt8]
  /// What is sent, by kind of device.
  public var payloads: [RenderedPayload]
  /// When sending may begin; nil means now.
  public var startAt: Timestamp?
  /// When it expires (`apns-expiration`, ttl); it is never sent after that.
  public var expiresAt: Timestamp?
  /// At most this many sends a minute, or nil.
  public var throttlePerMinute: Int?
  /// What is done with deliveries that were on the wire when a process died.
  public var unknownPolicy = UnknownPolicy.resend
  /// 64 random bits from the caller; part of every `apns-id` of this push.
  public var salt: UInt64
  /// The idempotency key, or nil.
  public var idempotency: IdempotencyKey?
  /// Whether it is kept as a draft until `releasePush`.
  public var draft = false
  /// The request it is made from, kept so that it can be sent again; nil keeps none.
  public var request: [UInt8]?
  /// Who wrote the request, kept with it; nil when that is not known.
  public var maker: String?
  /// What personal payloads are filled with and how variants are shared out, as `PersonalValues` in Delivery reads it;
  /// opaque to the store, empty for a push that is the same for all.
  public var personal: [UInt8] = []
  /// The category that devices and users may refuse, or nil.
  public var category: String?
  /// Whether it ignores quiet hours and the frequency cap.
  public var isUrgent = false
  /// Its A/B variants, by index.
  public var variants: [PushVariant] = []
  /// What it belongs to besides its app, and what it does to it; nil for most.
  public var live: LivePush?
  /// Whether nothing is created when no user in its audience has an active device that is not opted out of all.
  public var needsSubscriber = false
  /// Lanes that no credential of the app opens: the devices of a list that would go there are counted in the answer.
  public var lackedLanes: [LaneKey] = []

  /// The class that it is stored with.
  package var storedClass: PushClass {
    switch audience {
    case .all, .segment: .campaign
    case .users, .devices, .addresses: pushClass
    }
  }

  /// Gathers the parts that most pushes have; all others are set afterwards.
  public init(
    app: AppID, pushClass: PushClass = .transactional, name: String? = nil, audience: Audience, message: [UInt8] = [],
    payloads: [RenderedPayload], salt: UInt64, startAt: Timestamp? = nil
  ) {
    self.app = app
    self.pushClass = pushClass
    self.name = name
    self.audience = audience
    self.message = message
    self.payloads = payloads
    self.salt = salt
    self.startAt = startAt
  }
}

/// How many deliveries of a push are in each state.
///
/// The ledger law: `targeted` is always the sum of the others.
public struct LedgerCounts: Sendable, Hashable {
  /// Devices targeted, as far as the audience has been expanded.
  public var targeted = 0
  /// Not yet on the wire, or on the way to another try.
  public var waiting = 0
  /// Leased to a sender; no answer recorded yet.
  public var inFlight = 0
  /// The provider accepted it.
  public var accepted = 0
  /// The provider refused it for good, or a named rule of ours kept it from being sent at all.
  public var rejected = 0
  /// The push expired; no provider ever processed it.
  public var expired = 0
  /// The push was cancelled; no provider ever processed it.
  public var cancelled = 0
  /// A provider may have processed it, the outcome is unknown, and it is not sent again.
  public var unknown = 0

  /// All zero.
  public init() {}

  /// What `targeted` must be.
  public var sum: Int { waiting + inFlight + accepted + rejected + expired + cancelled + unknown }
  /// Whether the law holds.
  public var balances: Bool { targeted == sum }
}

/// The current state of a push.
public struct Push: Sendable, Hashable {
  /// The key.
  public let id: PushID
  /// The app it is sent for.
  public let app: AppID
  /// Its number among the app's pushes, counted from 1, for people.
  public let number: Int64
  /// How urgently it competes for the senders.
  public let pushClass: PushClass
  /// The campaign's name, or nil.
  public let name: String?
  /// Its state.
  public let state: PushState
  /// How many deliveries are in each state.
  public let counts: LedgerCounts
  /// What devices reported.
  public let events: EventCounts
  /// Whether the audience is complete, so that `targeted` no longer grows.
  public let audienceComplete: Bool
  /// Entries of its list of users, devices or addresses that named a recipient once more.
  public let repeats: Int
  /// Deliveries that were on the wire when a process died and were queued again by policy.
  public let resent: Int
  /// When it was created.
  public let createdAt: Timestamp
  /// When sending may begin.
  public let startAt: Timestamp
  /// When it expires, or nil.
  public let expiresAt: Timestamp?
  /// When every delivery had its final state, or nil.
  public let finishedAt: Timestamp?
  /// At most this many sends a minute, or nil.
  public let throttlePerMinute: Int?
  /// What is done with deliveries that were on the wire when a process died.
  public let unknownPolicy: UnknownPolicy
  /// Its secret random number: for its `apns-id`s, and for who gets which variant.
  public let salt: UInt64
  /// When the backup that it comes from was restored, if it was unfinished then: the original server may have sent any of its
  /// deliveries since the backup was made.
  public let restoredAt: Timestamp?
  /// Who made it, or nil.
  public let author: Author?

  /// Creates a value from its parts.
  package init(
    id: PushID, app: AppID, number: Int64, pushClass: PushClass, name: String?, state: PushState, counts: LedgerCounts,
    events: EventCounts, audienceComplete: Bool, repeats: Int, resent: Int, createdAt: Timestamp, startAt: Timestamp,
    expiresAt: Timestamp?, finishedAt: Timestamp?, throttlePerMinute: Int?, unknownPolicy: UnknownPolicy, salt: UInt64,
    restoredAt: Timestamp?, author: Author?
  ) {
    self.id = id
    self.app = app
    self.number = number
    self.pushClass = pushClass
    self.name = name
    self.state = state
    self.counts = counts
    self.events = events
    self.audienceComplete = audienceComplete
    self.repeats = repeats
    self.resent = resent
    self.createdAt = createdAt
    self.startAt = startAt
    self.expiresAt = expiresAt
    self.finishedAt = finishedAt
    self.throttlePerMinute = throttlePerMinute
    self.unknownPolicy = unknownPolicy
    self.salt = salt
    self.restoredAt = restoredAt
    self.author = author
  }
}

/// The parts of a push that are large and do not change.
public struct PushContent: Sendable, Hashable {
  /// The message as the caller gave it.
  public let message: [UInt8]
  /// What is sent, by kind of device.
  public let payloads: [RenderedPayload]

  /// Creates a value from its parts.
  package init(message: [UInt8], payloads: [RenderedPayload]) {
    self.message = message
    self.payloads = payloads
  }
}

/// What sending needs to know of a push.
public struct SendablePush: Sendable, Hashable {
  /// The key.
  public let id: PushID
  /// The app it is sent for.
  public let app: AppID
  /// How urgently it competes for the senders.
  public let pushClass: PushClass
  /// Its secret random number: for its `apns-id`s, and for who gets which variant.
  public let salt: UInt64
  /// How its `apns-id`s are made.
  public let apnsIDForm: APNsIDs.Form
  /// When sending could begin, or went on after it was paused last: how long deliveries are tried counts from here.
  public let startAt: Timestamp
  /// When it expires, or nil.
  public let expiresAt: Timestamp?
  /// What is sent, by kind of device.
  public let payloads: [RenderedPayload]
  /// What personal payloads are filled with; see `NewPush.personal`.
  public let personal: [UInt8]

  /// Creates a value from its parts.
  package init(
    id: PushID, app: AppID, pushClass: PushClass, salt: UInt64, apnsIDForm: APNsIDs.Form, startAt: Timestamp,
    expiresAt: Timestamp?, payloads: [RenderedPayload], personal: [UInt8]
  ) {
    self.id = id
    self.app = app
    self.pushClass = pushClass
    self.salt = salt
    self.apnsIDForm = apnsIDForm
    self.startAt = startAt
    self.expiresAt = expiresAt
    self.payloads = payloads
    self.personal = personal
  }
}

extension SendablePush {
  /// Its `apns-id`s.
  public var apnsIDs: APNsIDs { APNsIDs(salt: salt, form: apnsIDForm) }
}
