/// The result that Push Kit names in an answer, as it writes it: eight digits.
///
/// The set is open; a code that Huawei has not documented keeps its text.
///
/// Source: Huawei, "Sending Downlink Messages", service response codes.
public struct HuaweiCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The text as Push Kit wrote it, such as `80300007`; empty when the answer had none.
  public let rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The code's text.
  public var description: String { rawValue.isEmpty ? "(no code)" : rawValue }

  /// The answer held no code that could be read.
  public static let none = HuaweiCode(rawValue: "")
  /// Everything was taken.
  public static let success = HuaweiCode(rawValue: "80000000")
  /// Some of the tokens are illegal.
  public static let partialSuccess = HuaweiCode(rawValue: "80100000")
  /// All tokens are invalid.
  public static let invalidTokens = HuaweiCode(rawValue: "80300007")
  /// The request has a wrong access token, or that of another app.
  public static let authentication = HuaweiCode(rawValue: "80200001")
  /// The access token has expired.
  public static let accessTokenExpired = HuaweiCode(rawValue: "80200003")
  /// The token of a service account has expired.
  public static let jwtExpired = HuaweiCode(rawValue: "80200005")
  /// The app may not send messages.
  public static let noPermission = HuaweiCode(rawValue: "80300002")
  /// The app may not send messages of high priority.
  public static let noHighPriority = HuaweiCode(rawValue: "80300011")
  /// Too many messages to topics at a time.
  public static let tooManyTopicTasks = HuaweiCode(rawValue: "80100017")
  /// Push Kit could not ask the OAuth service.
  public static let oauthUnavailable = HuaweiCode(rawValue: "80600003")
  /// Push Kit failed.
  public static let systemError = HuaweiCode(rawValue: "81000001")

  /// The codes by which Push Kit refuses the request itself: parameters, structure, expiry, collapse key, sensitive words,
  /// the signature of a review, size, number of tokens, address of receipts.
  static let requests: Set<String> = [
    "80100001", "80100003", "80100004", "80100013", "80100016", "80100018", "80300008", "80300010", "80300013",
  ]

  /// Every documented code but those of success.
  public static let documented: [HuaweiCode] =
    requests.sorted().map(HuaweiCode.init)
    + [
      .invalidTokens, .authentication, .accessTokenExpired, .jwtExpired, .noPermission, .noHighPriority,
      .tooManyTopicTasks, .oauthUnavailable, .systemError,
    ]
}

/// What a sender does about a refused message.
public enum HuaweiConsequence: String, Sendable, Hashable, CaseIterable {
  /// The request is wrong: it is never sent again unchanged.
  case fixRequest
  /// The app, the project or a permission is wrong. The device is kept.
  case configuration
  /// The token is illegal: the device is retired.
  case retireDevice
  /// The access token is no longer good: a new one is fetched once and the request goes out once more.
  case refreshToken
  /// Too much at a time: the request is tried again after a minute.
  case slowDown
  /// Push Kit is in trouble: the request is tried again with back-off.
  case retryLater
}

extension HuaweiRejection {
  /// The sender's reaction: by the code where the answer has one that is known, else by the HTTP status.
  ///
  /// A code is a statement of Push Kit's; a status alone may be another's on the way, so that it retires no device.
  public var consequence: HuaweiConsequence {
    switch code {
    case .invalidTokens, .partialSuccess: isTokenInvalid ? .retireDevice : .fixRequest
    case .authentication, .accessTokenExpired, .jwtExpired: .refreshToken
    case .noPermission, .noHighPriority: .configuration
    case .tooManyTopicTasks: .slowDown
    case .oauthUnavailable, .systemError: .retryLater
    default: HuaweiCode.requests.contains(code.rawValue) ? .fixRequest : consequenceOfStatus
    }
  }

  private var consequenceOfStatus: HuaweiConsequence {
    switch status {
    case 401: .refreshToken
    case 403, 404: .configuration
    // Huawei's word for its flow control is 503.
    case 429, 503: .slowDown
    case 408, 500...: .retryLater
    default: .fixRequest
    }
  }
}
