/// Devices of a kind in an environment: what decides which credential they are reached with.
public struct KindInEnvironment: Sendable, Hashable {
  /// The kind.
  public let kind: DeviceKind
  /// The environment their tokens belong to.
  public let environment: DeviceEnvironment

  /// Creates a value from its parts.
  public init(_ kind: DeviceKind, _ environment: DeviceEnvironment) {
    (self.kind, self.environment) = (kind, environment)
  }

  /// Reads a kind and an environment from two columns of a row; nil for a kind that is not known.
  init?(_ row: borrowing Statement, from column: Int32) {
    guard let kind = DeviceKind(rawValue: UInt8(truncatingIfNeeded: row.int(column))) else { return nil }
    let environment = DeviceEnvironment(rawValue: UInt8(truncatingIfNeeded: row.int(column + 1)))
    self.init(kind, environment ?? .production)
  }
}
