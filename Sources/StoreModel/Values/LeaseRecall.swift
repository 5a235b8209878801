/// Leased deliveries that must not be sent as they are, because a device changed owners, changed its token, opted out
/// or was deleted.
///
/// Those that have not been sent are released, and the next lease checks them again.
public struct LeaseRecall: Sendable, Hashable {
  /// Devices: all that was leased for them.
  public var devices: Set<DeviceID> = []
  /// Single deliveries, also to addresses that are no devices.
  public var deliveries: Set<DeliveryID> = []

  /// Nothing.
  public init() {}

  /// Whether it is nothing.
  public var isEmpty: Bool { devices.isEmpty && deliveries.isEmpty }

  /// Adds another one.
  public mutating func formUnion(_ other: LeaseRecall) {
    devices.formUnion(other.devices)
    deliveries.formUnion(other.deliveries)
  }
}
