package import StoreModel

/// What has to be looked up before a device is sent to; 0 for nearly every device.
package struct DeviceFlags: OptionSet, Sendable {
  package let rawValue: Int64

  /// The device has opted out of all pushes.
  package static let optedOut = DeviceFlags(rawValue: 1)
  /// The device has opted out of some categories.
  package static let categories = DeviceFlags(rawValue: 2)
  /// The user has opted out of all pushes.
  package static let userOptedOut = DeviceFlags(rawValue: 4)
  /// The user has opted out of some categories.
  package static let userCategories = DeviceFlags(rawValue: 8)

  /// The part that is the device's own.
  package static let own: DeviceFlags = [.optedOut, .categories]

  /// The flags after a change to what the device or user refuses.
  package func applying(_ change: OptOutChange) -> DeviceFlags {
    var flags = self
    if let everything = change.everything { flags.set(.optedOut, everything) }
    if let categories = change.categories { flags.set(.categories, !categories.isEmpty) }
    return flags
  }

  private mutating func set(_ flag: DeviceFlags, _ isOn: Bool) {
    if isOn { insert(flag) } else { remove(flag) }
  }

  package init(rawValue: Int64) { self.rawValue = rawValue }

  /// The same of a user, as a device of theirs carries it.
  package var asUsers: DeviceFlags { DeviceFlags(rawValue: rawValue << 2) }
}
