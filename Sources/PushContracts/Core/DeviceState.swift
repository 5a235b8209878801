public import Basics
import WireJSON

/// What a device shows before a notification comes, as far as the notification can change it.
public struct DeviceState: Sendable, Hashable {
  /// The number on the app's icon; 0 when there is none.
  public var badge: WholeNumber

  /// Says what a device shows.
  public init(badge: WholeNumber = 0) { self.badge = badge }

  /// What every system does with a payload's own badge: it replaces the one before.
  func shown(with badge: WholeNumber?) -> JSONObject {
    ["badge": .number(JSONNumber(badge ?? self.badge))]
  }
}
