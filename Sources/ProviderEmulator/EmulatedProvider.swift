/// Which of the emulated services is meant.
public enum EmulatedProvider: String, Sendable, Hashable, CaseIterable {
  /// Apple's device push gateway.
  case apns
  /// Google's FCM v1 API.
  case fcm
  /// Google's token endpoint.
  case oauth
  /// A push service for browsers (RFC 8030).
  case web

  /// Those that virtual devices receive pushes from.
  static let withDevices: [EmulatedProvider] = [.apns, .fcm, .web]
}

/// Which of Apple's two gateways is emulated.
public enum APNsEnvironment: String, Sendable, Hashable, CaseIterable {
  /// `api.sandbox.push.apple.com`: answers carry `apns-unique-id`.
  case development
  /// `api.push.apple.com`.
  case production
}
