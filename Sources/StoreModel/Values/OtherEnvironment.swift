extension DeviceEnvironment {
  /// The other one.
  public var other: DeviceEnvironment {
    switch self {
    case .production: .development
    case .development: .production
    }
  }
}
