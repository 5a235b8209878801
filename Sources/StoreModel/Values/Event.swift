/// What a device reports about a notification.
public enum EventKind: UInt8, Sendable, Hashable, NamedCase {
  /// It arrived.
  case received = 2
  /// The person responded to it: tapped it, or one of its buttons.
  case opened = 3
  /// The person chose one of its buttons.
  case action = 4

  /// `received`, `opened` or `action`.
  public var name: String {
    switch self {
    case .received: "received"
    case .opened: "opened"
    case .action: "action"
    }
  }

  /// The event itself and those it implies: a button can only be chosen on a notification that was displayed.
  package var implied: [EventKind] {
    switch self {
    case .received: [.received]
    case .opened: [.received, .opened]
    case .action: [.received, .opened, .action]
    }
  }
}

/// How a device identifies the notification that it reports on.
///
/// The payload has no identifier of ours, so the device reports the one that the provider assigned.
public enum EventTarget: Sendable, Hashable {
  /// The delivery, as the API lists it.
  case delivery(DeliveryID)
  /// The `apns-id`, in two halves (`APNsIDs`).
  case apnsID(high: UInt64, low: UInt64)
  /// FCM's whole name of the message, `projects/…/messages/…`.
  case messageName(String)
  /// A device, and which push or campaign came to it.
  case device(EventDevice, EventPush)
}

/// The device of an event.
public enum EventDevice: Sendable, Hashable {
  /// By its key.
  case id(DeviceID)
  /// By its token.
  case token(String)
}

/// The push of an event.
public enum EventPush: Sendable, Hashable {
  /// By its key.
  case id(PushID)
  /// By its campaign's id, which is the collapse id that the device sees; the newest one that was sent to the device is meant.
  case campaign(String)
}

/// A report of a device.
public struct NewEvent: Sendable, Hashable {
  /// What happened.
  public var kind: EventKind
  /// The button's id; with `action` only, 1 to `StoreLimits.actionBytesMax` bytes.
  public var action: String?
  /// To which notification.
  public var target: EventTarget
  /// When, by the device's clock; nil means now.
  ///
  /// A time in the future is treated as now.
  public var at: Timestamp?

  /// Creates a value from its parts.
  public init(_ kind: EventKind, action: String? = nil, _ target: EventTarget, at: Timestamp? = nil) {
    self.kind = kind
    self.action = action
    self.target = target
    self.at = at
  }
}

/// The result of a report.
public enum EventOutcome: UInt8, Sendable, Hashable, CaseIterable {
  /// It is kept and counted.
  case recorded
  /// It was reported before; nothing was counted.
  case duplicate
  /// The delivery is too old for reports; the event is not counted.
  case late
  /// No such notification was sent by this app.
  case unknown

  /// The outcome in lower case.
  public var name: String {
    switch self {
    case .recorded: "recorded"
    case .duplicate: "duplicate"
    case .late: "late"
    case .unknown: "unknown"
    }
  }
}

/// How many deliveries of a push were reported to have arrived, to have been opened, and which buttons were chosen.
public struct EventCounts: Sendable, Hashable {
  /// Deliveries that arrived.
  public var received = 0
  /// Deliveries that were opened.
  public var opened = 0
  /// Deliveries of which a button was chosen.
  public var action = 0

  /// All zero.
  public init() {}
}

/// How often one button was chosen.
public struct ActionCount: Sendable, Hashable {
  /// The button's id.
  public let action: String
  /// Deliveries of which it was chosen.
  public let count: Int

  /// Creates a value from its parts.
  package init(action: String, count: Int) {
    self.action = action
    self.count = count
  }
}

/// What devices reported about a push.
public struct PushEvents: Sendable, Hashable {
  /// The counts.
  public var counts = EventCounts()
  /// By button, the most chosen first.
  public var actions: [ActionCount] = []

  /// Nothing.
  public init() {}
}

/// What a time series counts.
public enum SeriesMetric: UInt8, Sendable, Hashable, CaseIterable {
  // The first five are the final states of `DeliveryState`.

  /// Deliveries the provider took.
  case accepted = 5
  /// Deliveries refused for good.
  case rejected = 6
  /// Deliveries that expired before they could be sent.
  case expired = 7
  /// Deliveries of pushes that were ended.
  case cancelled = 8
  /// Deliveries with an unknown outcome.
  case unknown = 9
  /// Deliveries reported to have arrived.
  case received = 12
  /// Deliveries reported to have been opened.
  case opened = 13
  /// Deliveries of which a button was chosen.
  case action = 14

  /// The metric as the API writes it.
  public var name: String {
    switch self {
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .expired: "expired"
    case .cancelled: "cancelled"
    case .unknown: "unknown"
    case .received: "received"
    case .opened: "opened"
    case .action: "action"
    }
  }

  package init(_ kind: EventKind) {
    switch kind {
    case .received: self = .received
    case .opened: self = .opened
    case .action: self = .action
    }
  }
}

/// Whose numbers a time series has.
public enum SeriesScope: Sendable, Hashable {
  /// One push.
  case push(PushID)
  /// All pushes of an app.
  case app(AppID)
}

/// The numbers of one stretch of time; those that are zero are left out.
public struct SeriesPoint: Sendable, Hashable {
  /// Where the stretch begins.
  public let start: Timestamp
  /// The numbers.
  public let counts: [SeriesMetric: Int]

  /// Creates a value from its parts.
  public init(start: Timestamp, counts: [SeriesMetric: Int]) {
    self.start = start
    self.counts = counts
  }
}
