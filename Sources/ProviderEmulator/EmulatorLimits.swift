/// How much an emulator keeps of what it is given over the control API and in scenarios.
enum EmulatorLimits {
  /// The most devices, removed ones included until the next scenario.
  static let devicesMax = 1_000_000
  /// The most fault rules.
  static let rulesMax = 10_000
  /// The most connection faults.
  static let connectionFaultsMax = 10_000
  /// The most APNs keys, and the most service accounts.
  static let credentialsMax = 1000
  /// The most broadcast channels of all apps together.
  static let channelsMax = 100_000
  /// The most Firebase projects whose quotas are counted at once.
  static let projectsMax = 10_000
  /// The most concurrent answers that depend on another server.
  static let waitingAnswersMax = 32
}
