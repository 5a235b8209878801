/// How insistent a notification is: `aps.interruption-level`.
public struct APNsInterruptionLevel: PayloadEnumeration {
  /// The text on the wire.
  public let rawValue: String

  /// Makes a value from its wire text, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `passive`: waits in the list without lighting the screen.
  public static let passive = APNsInterruptionLevel(rawValue: "passive")
  /// `active`: lights the screen, makes a sound; the default.
  public static let active = APNsInterruptionLevel(rawValue: "active")
  /// `time-sensitive`: breaks through Focus and the summary.
  public static let timeSensitive = APNsInterruptionLevel(rawValue: "time-sensitive")
  /// `critical`: breaks through everything; needs an entitlement.
  public static let critical = APNsInterruptionLevel(rawValue: "critical")

  /// The documented values, in the provider’s order.
  public static let known: [APNsInterruptionLevel] = [.passive, .active, .timeSensitive, .critical]
}

/// What happens to a Live Activity: `aps.event`.
public struct APNsLiveActivityEvent: PayloadEnumeration {
  /// The text on the wire.
  public let rawValue: String

  /// Makes a value from its wire text, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `start`: begins one.
  public static let start = APNsLiveActivityEvent(rawValue: "start")
  /// `update`: changes its content.
  public static let update = APNsLiveActivityEvent(rawValue: "update")
  /// `end`: ends it.
  public static let end = APNsLiveActivityEvent(rawValue: "end")

  /// The documented values, in the provider’s order.
  public static let known: [APNsLiveActivityEvent] = [.start, .update, .end]
}
