/// Why FCM refused a message: `FcmError.errorCode`, or a substitute when the answer has none.
///
/// The set is open; a code that Google has not documented keeps its text.
///
/// Source: Google, "FcmError" of the HTTP v1 API and "Error codes".
public struct FCMErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The text as FCM wrote it, such as `UNREGISTERED`; empty when the answer had none.
  public let rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The code's text.
  public var description: String { rawValue.isEmpty ? "(no code)" : rawValue }

  /// No more is known.
  public static let unspecified = FCMErrorCode(rawValue: "UNSPECIFIED_ERROR")
  /// The request was malformed, or the token is.
  public static let invalidArgument = FCMErrorCode(rawValue: "INVALID_ARGUMENT")
  /// The APNs or Web Push credential stored at Google is bad.
  public static let thirdPartyAuthError = FCMErrorCode(rawValue: "THIRD_PARTY_AUTH_ERROR")
  /// The older name of ``thirdPartyAuthError``.
  public static let apnsAuthError = FCMErrorCode(rawValue: "APNS_AUTH_ERROR")
  /// The token belongs to another sender.
  public static let senderIDMismatch = FCMErrorCode(rawValue: "SENDER_ID_MISMATCH")
  /// The app instance is gone.
  public static let unregistered = FCMErrorCode(rawValue: "UNREGISTERED")
  /// A quota of the project, the device or the topic is used up.
  public static let quotaExceeded = FCMErrorCode(rawValue: "QUOTA_EXCEEDED")
  /// FCM failed.
  public static let `internal` = FCMErrorCode(rawValue: "INTERNAL")
  /// FCM is overloaded.
  public static let unavailable = FCMErrorCode(rawValue: "UNAVAILABLE")
  /// The answer held no code that could be read.
  public static let none = FCMErrorCode(rawValue: "")

  /// Every documented code.
  public static let documented: [FCMErrorCode] = [
    .unspecified, .invalidArgument, .thirdPartyAuthError, .apnsAuthError, .senderIDMismatch, .unregistered,
    .quotaExceeded, .internal, .unavailable,
  ]
}
