/// Why APNs refused a notification: the `reason` member of its answer.
///
/// The set is open. A reason that Apple has not documented yet keeps its text, and its ``consequence`` is then read
/// from the HTTP status of the answer.
///
/// Source: Apple, "Handling notification responses from APNs".
public struct APNsReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The text as APNs wrote it, such as `BadDeviceToken`; empty when the answer had no readable reason.
  public let rawValue: String
  /// The HTTP status that APNs documents for this reason; `nil` for a reason that is not in the table.
  public let documentedStatus: Int?
  private let documentedConsequence: APNsConsequence?

  /// Takes any text; a documented reason is found in the table.
  public init(rawValue: String) {
    self = Self.byName[rawValue] ?? APNsReason(unknown: rawValue)
  }

  private init(_ name: String, _ status: Int, _ consequence: APNsConsequence) {
    rawValue = name
    documentedStatus = status
    documentedConsequence = consequence
  }

  private init(unknown name: String) {
    rawValue = name
    documentedStatus = nil
    documentedConsequence = nil
  }

  /// What the sender does about it.
  ///
  /// - Parameter status: the HTTP status of the answer, used for a reason that is not in the table.
  public func consequence(status: Int) -> APNsConsequence {
    documentedConsequence ?? APNsConsequence(status: status)
  }

  /// The reason's text.
  public var description: String { rawValue.isEmpty ? "(no reason)" : rawValue }

  /// Two reasons are the same when their texts are.
  public static func == (left: APNsReason, right: APNsReason) -> Bool { left.rawValue == right.rawValue }

  /// Feeds the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension APNsReason {
  // The table: one line per reason, in the order of Apple's page.

  /// The collapse id is longer than 64 bytes or otherwise bad.
  public static let badCollapseID = APNsReason("BadCollapseId", 400, .fixRequest)
  /// The device token is malformed or belongs to the other environment.
  public static let badDeviceToken = APNsReason("BadDeviceToken", 400, .quarantineDevice)
  /// The `apns-expiration` header is bad.
  public static let badExpirationDate = APNsReason("BadExpirationDate", 400, .fixRequest)
  /// The `apns-id` header is not a canonical UUID.
  public static let badMessageID = APNsReason("BadMessageId", 400, .fixRequest)
  /// The `apns-priority` header is bad, or does not go with the push type.
  public static let badPriority = APNsReason("BadPriority", 400, .fixRequest)
  /// The `apns-topic` header is bad.
  public static let badTopic = APNsReason("BadTopic", 400, .fixRequest)
  /// The device token belongs to another topic.
  public static let deviceTokenNotForTopic = APNsReason("DeviceTokenNotForTopic", 400, .configuration)
  /// A header was sent twice.
  public static let duplicateHeaders = APNsReason("DuplicateHeaders", 400, .fixRequest)
  /// The connection was idle for too long and is being closed.
  public static let idleTimeout = APNsReason("IdleTimeout", 400, .newConnection)
  /// The `apns-push-type` header is bad.
  public static let invalidPushType = APNsReason("InvalidPushType", 400, .fixRequest)
  /// The path holds no device token.
  public static let missingDeviceToken = APNsReason("MissingDeviceToken", 400, .fixRequest)
  /// The `apns-topic` header is missing and the credential does not imply one.
  public static let missingTopic = APNsReason("MissingTopic", 400, .fixRequest)
  /// The body is empty.
  public static let payloadEmpty = APNsReason("PayloadEmpty", 400, .fixRequest)
  /// The credential may not push to this topic.
  public static let topicDisallowed = APNsReason("TopicDisallowed", 400, .configuration)
  /// The client certificate is bad.
  public static let badCertificate = APNsReason("BadCertificate", 403, .configuration)
  /// The client certificate is for the other environment.
  public static let badCertificateEnvironment = APNsReason("BadCertificateEnvironment", 403, .configuration)
  /// The signing key is scoped to the other environment.
  public static let badEnvironmentKeyID = APNsReason("BadEnvironmentKeyIdInToken", 403, .configuration)
  /// The provider token is more than an hour old.
  public static let expiredProviderToken = APNsReason("ExpiredProviderToken", 403, .refreshToken)
  /// The action is not allowed.
  public static let forbidden = APNsReason("Forbidden", 403, .configuration)
  /// The provider token's signature, claims or key is wrong.
  public static let invalidProviderToken = APNsReason("InvalidProviderToken", 403, .configuration)
  /// There is neither a provider token nor a client certificate.
  public static let missingProviderToken = APNsReason("MissingProviderToken", 403, .configuration)
  /// The key of the provider token is unrelated to the one first used on this connection.
  public static let unrelatedKeyID = APNsReason("UnrelatedKeyIdInToken", 403, .newConnection)
  /// The path is not one that APNs serves.
  public static let badPath = APNsReason("BadPath", 404, .fixRequest)
  /// The method is not `POST`.
  public static let methodNotAllowed = APNsReason("MethodNotAllowed", 405, .fixRequest)
  /// The device token has expired.
  public static let expiredToken = APNsReason("ExpiredToken", 410, .retireDevice)
  /// The device token is inactive for the topic.
  public static let unregistered = APNsReason("Unregistered", 410, .retireDevice)
  /// The body is over the limit of its push type.
  public static let payloadTooLarge = APNsReason("PayloadTooLarge", 413, .fixRequest)
  /// The provider token changed more than once in 20 minutes.
  public static let tooManyProviderTokenUpdates = APNsReason("TooManyProviderTokenUpdates", 429, .keepOlderToken)
  /// Too many notifications to this one device.
  public static let tooManyRequests = APNsReason("TooManyRequests", 429, .slowDevice)
  /// APNs failed.
  public static let internalServerError = APNsReason("InternalServerError", 500, .retryLater)
  /// APNs is unavailable.
  public static let serviceUnavailable = APNsReason("ServiceUnavailable", 503, .retryLater)
  /// The server is going away.
  public static let shutdown = APNsReason("Shutdown", 503, .newConnection)

  /// The answer held no reason that could be read.
  public static let none = APNsReason(unknown: "")

  /// Every documented reason, in the order of Apple's page.
  public static let documented: [APNsReason] = [
    .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
    .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken, .missingTopic,
    .payloadEmpty, .topicDisallowed, .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyID,
    .expiredProviderToken, .forbidden, .invalidProviderToken, .missingProviderToken, .unrelatedKeyID, .badPath,
    .methodNotAllowed, .expiredToken, .unregistered, .payloadTooLarge, .tooManyProviderTokenUpdates, .tooManyRequests,
    .internalServerError, .serviceUnavailable, .shutdown,
  ]

  private static let byName: [String: APNsReason] = {
    var table: [String: APNsReason] = [:]
    for reason in documented { table[reason.rawValue] = reason }
    return table
  }()
}
