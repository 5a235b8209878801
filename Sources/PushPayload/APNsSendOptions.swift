/// A collapse id that APNs accepts: 1 to 64 bytes of UTF-8.
public struct APNsCollapseID: Sendable, Hashable {
  /// The header's text.
  public let text: String

  /// Takes a text of 1 to ``APNsHeaders/collapseIDBytesMax`` bytes without control characters; nil for any other.
  public init?(_ text: String) {
    guard (1...APNsHeaders.collapseIDBytesMax).contains(text.utf8.count),
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return nil }
    self.text = text
  }
}

/// What every kind of send may say beside its payload.
public struct APNsSendOptions: Sendable, Hashable {
  /// Until when APNs keeps the notification; nil leaves it to APNs, at most 30 days.
  public var expiration: APNsExpiration?
  /// Notifications with the same id replace each other on the device.
  public var collapseID: APNsCollapseID?
  /// The notification's own id; nil has APNs make one.
  public var id: APNsID?

  /// Makes options; everything left to APNs unless given.
  public init(expiration: APNsExpiration? = nil, collapseID: APNsCollapseID? = nil, id: APNsID? = nil) {
    self.expiration = expiration
    self.collapseID = collapseID
    self.id = id
  }
}

/// The priorities that a visible notification or a Live Activity may have.
public enum APNsUrgency: Sendable, Hashable {
  /// 10: now.
  case immediate
  /// 5: when the device's power state allows.
  case powerAware

  /// The header's value.
  public var priority: APNsPriority { self == .immediate ? .immediate : .powerAware }
}
