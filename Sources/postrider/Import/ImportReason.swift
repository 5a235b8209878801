/// Why a row is left out, or what is doubtful about one that is imported.
enum ImportReason: String, Sendable, CaseIterable {
  // Left out.
  case webPush = "web-push"
  case webKey = "web-key"
  case email
  case sms
  case amazon
  case windows
  case baidu
  case mac
  case apnsToken = "apns-token"
  case otherChannel = "other-channel"
  case unknownKind = "unknown-kind"
  case otherApp = "other-app"
  case noToken = "no-token"
  case deadToken = "dead-token"
  case unreadableStatus = "unreadable-status"
  case invalidToken = "invalid-token"
  case userTooLong = "user-too-long"
  case unreadable

  // Imported, and doubtful.
  case noTime = "no-time"
  case unreadableTime = "unreadable-time"
  case futureTime = "future-time"
  case unreadableOptOut = "unreadable-opt-out"
  case unknownEnvironment = "unknown-environment"
  case zoneFromOffset = "zone-from-offset"
  case unknownZone = "unknown-zone"
  case unknownLocale = "unknown-locale"
  case userPlaceholder = "user-placeholder"
  case propertyLeftOut = "property-left-out"
  case unreadableProperties = "unreadable-properties"
  case valueTooLong = "value-too-long"
  case sameID = "same-id"

  /// What it means, for people.
  var about: String {
    switch self {
    case .webPush: "a browser that is reached by another service than web push"
    case .webKey: "a browser; --web-key gives the public key that it subscribed for"
    case .email: "an e-mail address"
    case .sms: "a telephone number"
    case .amazon: "an Amazon device (ADM)"
    case .windows: "a Windows device"
    case .baidu: "a Baidu device"
    case .mac: "a Mac; its topic is that of another app"
    case .apnsToken: "an APNs token in a list of FCM's; import it as ios with “devices import”"
    case .otherChannel: "a channel that is no push"
    case .unknownKind: "the kind of address is missing or not known"
    case .otherApp: "a row of another app than --vendor-app"
    case .noToken: "no push token"
    case .deadToken: "the vendor says that it sends nothing to this address any more"
    case .unreadableStatus: "whether the vendor sends to this address cannot be read"
    case .invalidToken: "the text is no token of its kind"
    case .userTooLong: "a user's id longer than \(DeviceMapper.userMax) characters"
    case .unreadable: "the row cannot be read"
    case .noTime: "no time of the last session; the device is treated as seen when it is imported (--seen-at)"
    case .unreadableTime: "a time that cannot be read is left out"
    case .futureTime: "a time in the future is left out"
    case .unreadableOptOut: "whether the person has opted out cannot be read; imported as opted out"
    case .unknownEnvironment: "an environment of APNs that is not known; the one of --environment is used"
    case .zoneFromOffset: "only the offset from UTC is known; local times ignore daylight saving"
    case .unknownZone: "a time zone that is not in the IANA database is left out"
    case .unknownLocale: "a language that is no BCP 47 tag is left out"
    case .userPlaceholder: "the user's id is a placeholder such as null; imported without a user"
    case .propertyLeftOut: "a property is too long, duplicated, or one of more than \(DeviceMapper.propertiesMax)"
    case .unreadableProperties: "the properties are no JSON object; imported without them"
    case .valueTooLong: "a text that is too long for its field is left out"
    case .sameID: "an earlier row has the same id and another token; this row replaces it"
    }
  }

  /// Whether the row is imported nevertheless.
  var isDoubt: Bool {
    switch self {
    case .noTime, .unreadableTime, .futureTime, .unreadableOptOut, .unknownEnvironment, .zoneFromOffset, .unknownZone,
      .unknownLocale, .userPlaceholder,
      .propertyLeftOut, .unreadableProperties, .valueTooLong, .sameID:
      true
    default: false
    }
  }
}
