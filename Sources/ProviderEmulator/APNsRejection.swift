/// A refusal by the APNs gateway: status and reason as on Apple's pages “Handling notification responses from APNs” and
/// “Handling error responses from APNs” (channels).
public struct APNsRejection: Sendable, Hashable {
  /// The HTTP status.
  public let status: Int
  /// The value of `reason` in the body.
  public let reason: String

  /// A refusal, documented or not.
  public init(status: Int, reason: String) {
    self.status = status
    self.reason = reason
  }

  static let badCollapseID = APNsRejection(status: 400, reason: "BadCollapseId")
  static let badDeviceToken = APNsRejection(status: 400, reason: "BadDeviceToken")
  static let badExpirationDate = APNsRejection(status: 400, reason: "BadExpirationDate")
  static let badMessageID = APNsRejection(status: 400, reason: "BadMessageId")
  static let badPriority = APNsRejection(status: 400, reason: "BadPriority")
  static let badTopic = APNsRejection(status: 400, reason: "BadTopic")
  static let deviceTokenNotForTopic = APNsRejection(status: 400, reason: "DeviceTokenNotForTopic")
  static let duplicateHeaders = APNsRejection(status: 400, reason: "DuplicateHeaders")
  static let idleTimeout = APNsRejection(status: 400, reason: "IdleTimeout")
  static let invalidPushType = APNsRejection(status: 400, reason: "InvalidPushType")
  static let missingDeviceToken = APNsRejection(status: 400, reason: "MissingDeviceToken")
  static let missingTopic = APNsRejection(status: 400, reason: "MissingTopic")
  static let payloadEmpty = APNsRejection(status: 400, reason: "PayloadEmpty")
  static let topicDisallowed = APNsRejection(status: 400, reason: "TopicDisallowed")
  static let badCertificate = APNsRejection(status: 403, reason: "BadCertificate")
  static let badCertificateEnvironment = APNsRejection(status: 403, reason: "BadCertificateEnvironment")
  static let badEnvironmentKeyID = APNsRejection(status: 403, reason: "BadEnvironmentKeyIdInToken")
  static let expiredProviderToken = APNsRejection(status: 403, reason: "ExpiredProviderToken")
  static let forbidden = APNsRejection(status: 403, reason: "Forbidden")
  static let invalidProviderToken = APNsRejection(status: 403, reason: "InvalidProviderToken")
  static let missingProviderToken = APNsRejection(status: 403, reason: "MissingProviderToken")
  static let unrelatedKeyID = APNsRejection(status: 403, reason: "UnrelatedKeyIdInToken")
  static let badPath = APNsRejection(status: 404, reason: "BadPath")
  static let methodNotAllowed = APNsRejection(status: 405, reason: "MethodNotAllowed")
  static let expiredToken = APNsRejection(status: 410, reason: "ExpiredToken")
  static let unregistered = APNsRejection(status: 410, reason: "Unregistered")
  static let payloadTooLarge = APNsRejection(status: 413, reason: "PayloadTooLarge")
  static let tooManyProviderTokenUpdates = APNsRejection(status: 429, reason: "TooManyProviderTokenUpdates")
  static let tooManyRequests = APNsRejection(status: 429, reason: "TooManyRequests")
  static let internalServerError = APNsRejection(status: 500, reason: "InternalServerError")
  static let serviceUnavailable = APNsRejection(status: 503, reason: "ServiceUnavailable")
  static let shutdown = APNsRejection(status: 503, reason: "Shutdown")

  /// Every refusal a device push can meet.
  public static let devicePush: [APNsRejection] = [
    badCollapseID, badDeviceToken, badExpirationDate, badMessageID, badPriority, badTopic, deviceTokenNotForTopic,
    duplicateHeaders, idleTimeout, invalidPushType, missingDeviceToken, missingTopic, payloadEmpty, topicDisallowed,
    badCertificate, badCertificateEnvironment, badEnvironmentKeyID, expiredProviderToken, forbidden,
    invalidProviderToken, missingProviderToken, unrelatedKeyID, badPath, methodNotAllowed, expiredToken, unregistered,
    payloadTooLarge, tooManyProviderTokenUpdates, tooManyRequests, internalServerError, serviceUnavailable, shutdown,
  ]

  static let featureNotEnabled = APNsRejection(status: 400, reason: "FeatureNotEnabled")
  static let missingChannelID = APNsRejection(status: 400, reason: "MissingChannelId")
  static let badChannelID = APNsRejection(status: 400, reason: "BadChannelId")
  static let channelNotRegistered = APNsRejection(status: 400, reason: "ChannelNotRegistered")
  static let badRequestParams = APNsRejection(status: 400, reason: "BadRequestParams")
  static let badRequestPayload = APNsRejection(status: 400, reason: "BadRequestPayload")
  static let missingPushType = APNsRejection(status: 400, reason: "MissingPushType")
  static let cannotCreateChannelConfig = APNsRejection(status: 400, reason: "CannotCreateChannelConfig")
  static let topicMismatch = APNsRejection(status: 403, reason: "TopicMismatch")

  /// Every further refusal a broadcast or a channel request can meet.
  public static let channels: [APNsRejection] = [
    featureNotEnabled, missingChannelID, badChannelID, channelNotRegistered, badRequestParams, badRequestPayload,
    missingPushType, cannotCreateChannelConfig, topicMismatch,
  ]

  /// Finds a documented refusal by its reason, for scripts.
  public static func named(_ reason: String) -> APNsRejection? {
    devicePush.first { $0.reason == reason } ?? channels.first { $0.reason == reason }
  }
}
