/// What a sender does about a refused message.
///
/// Source: Google, "Error codes" and "Best practices when sending at scale".
public enum FCMConsequence: String, Sendable, Hashable, CaseIterable {
  /// The request is wrong: it is never sent again unchanged.
  case fixRequest
  /// The project, sender or a credential is wrong: sending stops until a person has changed it. The device is kept.
  case configuration
  /// The app instance is gone, or the token can belong to none: the device is retired.
  case retireDevice
  /// The OAuth access token is no longer good: a new one is fetched once and the request goes out once more.
  case refreshToken
  /// A quota is exhausted: the request is retried after `Retry-After`, or else after a minute.
  case waitForQuota
  /// FCM is in trouble: the request is tried again after `Retry-After`, or else with back-off.
  case retryLater
}

extension FCMRejection {
  /// The sender's reaction.
  ///
  /// In order of precedence: the code of `FcmError`, then `error.status`, then the HTTP status. A 404 without
  /// `FcmError` may be a wrong project, so it retires no device.
  public var consequence: FCMConsequence {
    switch code {
    case .unregistered where hasFCMError: .retireDevice
    case .invalidArgument: violations.contains { $0.field == "message.token" } ? .retireDevice : .fixRequest
    case .thirdPartyAuthError, .apnsAuthError, .senderIDMismatch: .configuration
    case .quotaExceeded: .waitForQuota
    case .internal, .unavailable: .retryLater
    default: consequenceOfStatus
    }
  }

  private var consequenceOfStatus: FCMConsequence {
    switch status {
    case 401: hasFCMError ? .configuration : .refreshToken
    case 403, 404: .configuration
    case 429: .waitForQuota
    case 500...: .retryLater
    default: .fixRequest
    }
  }
}
