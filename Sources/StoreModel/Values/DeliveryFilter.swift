/// Which deliveries are meant; what is nil does not matter.
public struct DeliveryFilter: Sendable, Hashable {
  /// Only those in this state.
  public var state: DeliveryState?
  /// Only those whose last answer had exactly this reason.
  public var reason: String?
  /// Only those that this provider answered last.
  public var provider: Provider?
  /// Only those to this device.
  public var device: DeviceID?
  /// Only those to devices that are this user's now.
  public var user: String?
  /// Only those whose state changed at this time or later.
  public var from: Timestamp?
  /// Only those whose state changed before this time.
  public var until: Timestamp?
  /// Besides those with `reason`, those that wait without any reason for registered devices of these kinds and environments.
  public var unanswered: Set<KindInEnvironment> = []

  /// Creates a value from its parts.
  public init(
    state: DeliveryState? = nil, reason: String? = nil, provider: Provider? = nil, device: DeviceID? = nil,
    user: String? = nil, from: Timestamp? = nil, until: Timestamp? = nil
  ) {
    self.state = state
    self.reason = reason
    self.provider = provider
    self.device = device
    self.user = user
    self.from = from
    self.until = until
  }
}

/// A page of a long list of deliveries.
///
/// It may have fewer rows than requested, even none, although more follow: a page scans a bounded number of rows, so
/// that it takes a bounded time whatever the filter and the length of the list.
public struct DeliveryPage<Cursor: Sendable>: Sendable {
  /// The rows.
  public let rows: [DeliveryRecord]
  /// What the next page comes after; nil when there is none.
  public let next: Cursor?

  /// Creates a value from its parts.
  package init(rows: [DeliveryRecord], next: Cursor?) {
    self.rows = rows
    self.next = next
  }
}

/// What a device reported about one delivery.
public struct DeliveryEvents: Sendable, Hashable {
  /// When it arrived.
  public var receivedAt: Timestamp?
  /// When it was opened.
  public var openedAt: Timestamp?
  /// The buttons that were chosen, by their ids' order.
  public var actions: [String] = []

  /// Nothing.
  public init() {}
}
