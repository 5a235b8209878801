/// What a copied database holds.
public struct CopySummary: Sendable, Hashable {
  /// Apps.
  public var apps = 0
  /// Devices, retired ones included.
  public var devices = 0
  /// Pushes.
  public var pushes = 0
  /// Deliveries in the ledger.
  public var deliveries = 0
  /// The size of the file in bytes.
  public var bytes = 0
  /// What is held in the copy.
  public var held = HeldCounts()

  /// Creates a value from its parts.
  package init(
    apps: Int = 0, devices: Int = 0, pushes: Int = 0, deliveries: Int = 0, bytes: Int = 0,
    held: HeldCounts = HeldCounts()
  ) {
    self.apps = apps
    self.devices = devices
    self.pushes = pushes
    self.deliveries = deliveries
    self.bytes = bytes
    self.held = held
  }
}

/// How a copy takes the position of its original.
public struct Restoring: Sendable, Hashable {
  /// When it is restored.
  public let at: Timestamp
  /// Whether everything that could go out by itself is held until a person resumes it.
  public let isHolding: Bool

  /// Creates a value from its parts.
  public init(at: Timestamp, isHolding: Bool) {
    self.at = at
    self.isHolding = isHolding
  }
}
