/// The form of an address.
public enum AddressForm: Sendable, Hashable {
  /// A device token of APNs: hexadecimal bytes.
  case deviceToken
  /// The id of a broadcast channel of APNs.
  case channel
  /// A registration token of FCM.
  case registrationToken
  /// A Firebase installation id.
  case installationID
  /// A browser's subscription, as a ``WebAddress``.
  case subscription
  /// A push token of Huawei's.
  case pushToken
}

/// What kind of address a token is.
public enum DeviceKind: UInt8, Sendable, Hashable, NamedCase {
  /// An APNs device token for notifications.
  case ios = 1
  /// An APNs PushKit token for calls.
  case iosVoIP = 2
  /// An APNs token of a Live Activity.
  case iosLiveActivity = 3
  /// An FCM registration token.
  case android = 4
  /// A Firebase installation id, the successor of the registration token (facts: F-disc, `fid`).
  case androidFID = 5
  /// A browser's subscription (W3C Push API), or that of a UnifiedPush app; the token is a ``WebAddress``.
  case web = 6
  /// An FCM registration token of an app of Apple's, which FCM reaches over APNs.
  case fcmIOS = 10
  /// An FCM registration token of a browser, which FCM reaches over its push service.
  case fcmWeb = 11
  /// A push token of Huawei's Push Kit, on a phone with HarmonyOS up to 4 or EMUI, which runs apps for Android.
  case hms = 12
  /// A broadcast channel of APNs: an address that a push goes to, and no device's.
  case iosBroadcast = 20
  /// An APNs token that starts Live Activities of one type (`pushToStartToken`).
  case iosLiveActivityStart = 21

  /// Every kind that a row of the store may have, also that which is no device's.
  public static let all = (1...UInt8(31)).compactMap(DeviceKind.init(rawValue:))
  /// The kinds of devices, which can be registered and pushed to by name.
  public static let allCases = all.filter(\.isDevice)

  /// What is declared of a kind.
  private struct Row {
    let name: String
    let platform: DevicePlatform
    let provider: Provider
    let form: AddressForm
    var isOnlyWhereRegistered = false
    var isForCalls = false

    init(_ name: String, _ platform: DevicePlatform, _ provider: Provider, _ form: AddressForm) {
      (self.name, self.platform, self.provider, self.form) = (name, platform, provider, form)
    }

    func forCalls() -> Row {
      var row = self
      row.isForCalls = true
      return row
    }

    func onlyWhereRegistered() -> Row {
      var row = self
      row.isOnlyWhereRegistered = true
      return row
    }
  }

  /// The kinds, one row each.
  private var row: Row {
    switch self {
    case .ios: Row("ios", .ios, .apns, .deviceToken)
    case .iosVoIP: Row("ios-voip", .ios, .apns, .deviceToken).forCalls()
    case .iosLiveActivity: Row("ios-live-activity", .ios, .apns, .deviceToken)
    case .android: Row("android", .android, .fcm, .registrationToken)
    case .androidFID: Row("android-fid", .android, .fcm, .installationID)
    case .web: Row("web", .web, .web, .subscription)
    case .fcmIOS: Row("fcm-ios", .ios, .fcm, .registrationToken).onlyWhereRegistered()
    case .fcmWeb: Row("fcm-web", .web, .fcm, .registrationToken).onlyWhereRegistered()
    case .hms: Row("hms", .android, .hms, .pushToken)
    case .iosBroadcast: Row("ios-broadcast", .ios, .apns, .channel)
    case .iosLiveActivityStart: Row("ios-live-activity-start", .ios, .apns, .deviceToken)
    }
  }

  /// Whether a device of this kind may be registered with the same token as one of another: a token is never that of
  /// another provider, nor a Live Activity's that of an app.
  ///
  /// A token of APNs' form that was said to be another provider's turns out to be APNs' own.
  package func mayBecome(_ other: DeviceKind) -> Bool {
    if self == other { return true }
    return (provider == other.provider || other.form == .deviceToken) && !isLiveActivity && !other.isLiveActivity
  }

  /// Whether what is sent to it rings, and nothing else is shown.
  public var isForCalls: Bool { row.isForCalls }

  /// Whether a name of this kind of address may become that of another: calls, activities and notifications have
  /// addresses of their own on one phone, which a name must not confuse.
  package func mayLeaveNameTo(_ other: DeviceKind) -> Bool {
    self == other || ![self, other].contains { $0.isLiveActivity || $0.row.isForCalls }
  }

  /// Whether it is that of a broadcast channel, which the provider serves on a gateway of its own.
  public var isChannel: Bool { row.form == .channel }

  /// The name used in the API, such as `ios`, `ios-voip`, `android-fid`, `web`, `fcm-ios`, `hms`.
  public var name: String { row.name }

  /// What such a device runs.
  public var platform: DevicePlatform { row.platform }

  /// Who carries a push to such an address.
  public var provider: Provider { row.provider }

  /// Whether its provider hands pushes on to the push service of its platform.
  public var isCarried: Bool { platform != provider.row.platform }

  /// What its tokens look like.
  public var form: AddressForm { row.form }

  /// Whether it is a device's address, and no channel's.
  package var isDevice: Bool { form != .channel }

  /// Whether messages are written for it only in apps that have such a device: the credential alone does not say that an
  /// app has any, and a message that cannot be written for them would be refused for nothing.
  public var isOnlyWhereRegistered: Bool { row.isOnlyWhereRegistered }

  /// Whether it is a token of a Live Activity, or one that starts them: it shows no notification.
  public var isLiveActivity: Bool { self == .iosLiveActivity || self == .iosLiveActivityStart }
}

/// Which of a provider's two worlds a token or credential belongs to.
public enum DeviceEnvironment: UInt8, Sendable, Hashable, NamedCase {
  /// Live devices.
  case production = 1
  /// Development builds (APNs sandbox).
  case development = 2

  /// `production` or `development`.
  public var name: String {
    switch self {
    case .production: "production"
    case .development: "development"
    }
  }
}

/// Whether a device is pushed to.
public enum DeviceState: UInt8, Sendable, Hashable, NamedCase {
  /// It is.
  case active = 2
  /// The provider said the token is dead; only a new registration revives it.
  case retired = 3
  /// The token is suspect (wrong environment or malformed); held back until someone looks or it registers again.
  case quarantined = 4

  /// `active`, `retired` or `quarantined`.
  public var name: String {
    switch self {
    case .active: "active"
    case .retired: "retired"
    case .quarantined: "quarantined"
    }
  }
}

/// A device, or more exactly one address of an app on a device.
public struct Device: Sendable, Hashable {
  /// The key.
  public let id: DeviceID
  /// The app it belongs to.
  public let app: AppID
  /// The caller's own id for it, unique in the app, or nil.
  public let name: String?
  /// The provider's token.
  public let token: String
  /// What kind of address the token is.
  public let kind: DeviceKind
  /// The environment the token belongs to.
  public let environment: DeviceEnvironment
  /// The user it belongs to, in the caller's words.
  public let user: String?
  /// A BCP 47 language tag.
  public let locale: String?
  /// An IANA time zone name.
  public let timezone: String?
  /// The version of the app on it.
  public let appVersion: String?
  /// What else is known of it, by name.
  public package(set) var properties: [Property]
  /// Its tags, sorted.
  public package(set) var tags: [String]
  /// The pushes it has opted out of; its user may opt out of more.
  public package(set) var optOut: OptOut
  /// When it was first registered.
  public let createdAt: Timestamp
  /// When the token was last registered; a provider's death notice older than this is ignored.
  public let registeredAt: Timestamp
  /// Whether it is pushed to.
  public let state: DeviceState
  /// Why it is not, in the provider's words.
  public let stateReason: String?
  /// When the state last changed.
  public let stateAt: Timestamp

  /// Creates a value from its parts.
  package init(
    id: DeviceID, app: AppID, name: String?, token: String, kind: DeviceKind, environment: DeviceEnvironment,
    user: String?, locale: String?, timezone: String?, appVersion: String?, properties: [Property], tags: [String],
    optOut: OptOut, createdAt: Timestamp, registeredAt: Timestamp, state: DeviceState, stateReason: String?,
    stateAt: Timestamp
  ) {
    self.id = id
    self.app = app
    self.name = name
    self.token = token
    self.kind = kind
    self.environment = environment
    self.user = user
    self.locale = locale
    self.timezone = timezone
    self.appVersion = appVersion
    self.properties = properties
    self.tags = tags
    self.optOut = optOut
    self.createdAt = createdAt
    self.registeredAt = registeredAt
    self.state = state
    self.stateReason = stateReason
    self.stateAt = stateAt
  }
}

/// One registration of a device.
///
/// Registering again is harmless and revives a retired device.
public struct DeviceRegistration: Sendable, Hashable {
  /// The app it belongs to.
  public var app: AppID
  /// The caller's own id for it; a second registration with this id and another token moves it to that token.
  public var name: String?
  /// The provider's token, 1 to 4,096 bytes.
  public var token: String
  /// What kind of address the token is.
  public var kind: DeviceKind
  /// The environment the token belongs to.
  public var environment: DeviceEnvironment
  /// The user it belongs to.
  public var user: String?
  /// A BCP 47 language tag.
  public var locale: String?
  /// An IANA time zone name.
  public var timezone: String?
  /// The version of the app on it.
  public var appVersion: String?
  /// Replaces its other properties; nil keeps them.
  public var properties: [Property]?
  /// Replaces its tags; nil keeps them.
  public var tags: [String]?
  /// Replaces the further ids by which it is found; nil keeps them.
  public var otherNames: [String]?
  /// Aliases that its user gets; one that another user has becomes this user's.
  public var userAliases: [UserAlias] = []
  /// Changes to the pushes it has opted out of.
  public var optOut = OptOutChange()
  /// Who says it.
  public var source = RegistrationSource.device
  /// What another server knew of it; of a device that is new here.
  public var history: DeviceHistory?
  /// On whose behalf it comes; it takes no device from another user.
  public var principal = Principal.trusted
  /// The application server key of a browser's subscription that names none and is not known with one.
  public var usualServerKey: String?

  /// Gathers the parts that most registrations have; all others are set afterwards.
  public init(
    app: AppID, token: String, kind: DeviceKind, environment: DeviceEnvironment = .production, name: String? = nil,
    user: String? = nil, locale: String? = nil, timezone: String? = nil
  ) {
    (self.app, self.token, self.kind, self.environment) = (app, token, kind, environment)
    (self.name, self.user, self.locale, self.timezone) = (name, user, locale, timezone)
  }
}

/// Who says that a device exists.
public enum RegistrationSource: Sendable, Hashable {
  /// The device, or its backend for it, now.
  case device
  /// A file, which repeats what was known when it was written.
  ///
  /// It changes what is stored, but a known device does not count as active for it: a retired or quarantined one stays
  /// so, and time and user stay unless the file says otherwise. A line older than the last registration changes nothing.
  case file
}

/// What a server knows of a device that no registration says.
public struct DeviceHistory: Sendable, Hashable {
  /// Whether it is pushed to.
  public var state: DeviceState
  /// Why not.
  public var stateReason: String?
  /// When the state last changed; nil for now.
  public var stateAt: Timestamp?
  /// When it was first registered; nil for now.
  public var createdAt: Timestamp?
  /// When it was last registered; nil for now.
  public var registeredAt: Timestamp?

  /// Creates a value from its parts.
  public init(
    state: DeviceState = .active, stateReason: String? = nil, stateAt: Timestamp? = nil, createdAt: Timestamp? = nil,
    registeredAt: Timestamp? = nil
  ) {
    self.state = state
    self.stateReason = stateReason
    self.stateAt = stateAt
    self.createdAt = createdAt
    self.registeredAt = registeredAt
  }
}

/// A change to a device that is registered; what is not named stays.
public struct DeviceChange: Sendable, Hashable {
  /// The user it belongs to; what was known of the device through another user goes (see `DeviceRegistration`).
  public var user = FieldChange.keep
  /// A BCP 47 language tag.
  public var locale = FieldChange.keep
  /// An IANA time zone name.
  public var timezone = FieldChange.keep
  /// The version of the app on it.
  public var appVersion = FieldChange.keep
  /// Single properties.
  public var properties: [PropertyChange] = []
  /// Replaces its tags; nil keeps them.
  public var tags: [String]?
  /// Changes to the pushes it has opted out of.
  public var optOut = OptOutChange()

  /// Nothing changes.
  public init() {}
}

/// A token that a device had before.
public struct EarlierToken: Sendable, Hashable {
  /// The token.
  public let token: String
  /// When it was replaced by another.
  public let replacedAt: Timestamp

  /// Creates a value from its parts.
  package init(token: String, replacedAt: Timestamp) {
    self.token = token
    self.replacedAt = replacedAt
  }
}

/// What a registration did.
public struct RegisteredDevice: Sendable, Hashable {
  /// The device.
  public let id: DeviceID
  /// Whether it was new.
  public let created: Bool
  /// Whether a later registration is known, so that a file's line changed nothing.
  public let isOlder: Bool

  package init(id: DeviceID, created: Bool, isOlder: Bool = false) {
    self.id = id
    self.created = created
    self.isOlder = isOlder
  }
}

/// Which devices are meant.
public struct DeviceFilter: Sendable, Hashable {
  /// Only these kinds; empty means all.
  public var kinds: [DeviceKind]
  /// Only this user.
  public var user: String?
  /// Only this environment.
  public var environment: DeviceEnvironment?
  /// Only this state; nil means all.
  public var state: DeviceState?

  /// Creates a value from its parts.
  public init(
    kinds: [DeviceKind] = [], user: String? = nil, environment: DeviceEnvironment? = nil, state: DeviceState? = nil
  ) {
    self.kinds = kinds
    self.user = user
    self.environment = environment
    self.state = state
  }
}
