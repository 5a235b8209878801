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
}
