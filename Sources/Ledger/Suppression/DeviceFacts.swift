/// What sending needs to know of a device beside its address.
package struct DeviceFacts: Sendable {
  package let device: Int64
  package let owner: Int64?
  package let flags: DeviceFlags
  /// Greater than the number of every list that was made before it changed hands last; 0 when it never did.
  package let movedNumber: Int64
  package let timezone: String?

  package init(device: Int64, owner: Int64?, flags: DeviceFlags, movedNumber: Int64, timezone: String?) {
    self.device = device
    self.owner = owner
    self.flags = flags
    self.movedNumber = movedNumber
    self.timezone = timezone
  }

  /// Nothing that could keep a push from a device, whatever the app's rules.
  package var isPlain: Bool { flags.isEmpty && movedNumber == 0 }
}
