import WireJSON

/// What a device shows before a notification comes, as far as the notification can change it.
public struct DeviceState: Sendable, Hashable {
  /// The number on the app's icon; 0 when there is none.
  public var badge: Int

  /// Says what a device shows.
  public init(badge: Int = 0) { self.badge = badge }

  /// What every system does with a payload's own badge: it replaces the one before.
  func shown(with badge: Int?) -> JSONObject {
    ["badge": .number(JSONNumber(badge ?? self.badge))]
  }
}
