/// What a sender does about a refused notification.
///
/// Source: Apple, "Handling notification responses from APNs".
public enum APNsConsequence: String, Sendable, Hashable, CaseIterable {
  /// The request is wrong: it is never sent again unchanged.
  case fixRequest
  /// The credential, topic or environment is wrong: sending stops until a person has changed it. Says nothing about the
  /// device, which is kept.
  case configuration
  /// The token is malformed or for the other environment: the device is set aside, not retired, because one wrong
  /// setting gives this answer for every device.
  case quarantineDevice
  /// The token is dead: the device is retired unless it registered after the answer's timestamp.
  case retireDevice
  /// Too much for this one device: it waits, the others do not.
  case slowDevice
  /// The provider token has expired: a new one is made once and the request goes out once more.
  case refreshToken
  /// The provider token changed too often: the older one is used again.
  case keepOlderToken
  /// This connection is of no more use: the request goes over another one.
  case newConnection
  /// APNs is in trouble: the request is tried again after 15 minutes or more.
  case retryLater

  /// The consequence of an HTTP status alone, for answers whose reason is missing or not documented.
  public init(status: Int) {
    switch status {
    case 401, 403: self = .configuration
    case 410: self = .retireDevice
    case 429: self = .slowDevice
    case 500...: self = .retryLater
    default: self = .fixRequest
    }
  }
}
