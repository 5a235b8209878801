internal import PushStore

/// One of an app's credentials: one for each provider and environment.
enum CredentialSlot: String, Sendable, CaseIterable {
  case apns
  case apnsSandbox = "apns_sandbox"
  case fcm
  case web
  case hms

  private var lane: (provider: Provider, environment: DeviceEnvironment) {
    switch self {
    case .apns: (.apns, .production)
    case .apnsSandbox: (.apns, .development)
    case .fcm: (.fcm, .production)
    case .web: (.web, .production)
    case .hms: (.hms, .production)
    }
  }

  var provider: Provider { lane.provider }

  var environment: DeviceEnvironment { lane.environment }

  /// Apple's word for the environment; the other providers have one gateway.
  var gatewayEnvironment: String? {
    switch self {
    case .apns: "production"
    case .apnsSandbox: "sandbox"
    case .fcm, .web, .hms: nil
    }
  }

  /// The schema of what a request gives for it, by its name in the table, and what is shown of it.
  private var schemas: (given: String, shown: Schema) {
    switch self {
    case .apns: ("APNsCredential", APNsSetting.shown("APNs for devices of the production environment."))
    case .apnsSandbox: ("APNsCredential", APNsSetting.shown("APNs for devices of the development environment."))
    case .fcm: ("FCMCredential", FCMSetting.shown)
    case .web: ("WebPushCredential", WebPushSetting.shown)
    case .hms: ("HuaweiCredential", HuaweiSetting.shown)
    }
  }

  /// Each of them as a member of a request.
  static let given = allCases.map { Schema.Property.nullable($0.rawValue, .named($0.schemas.given)) }

  /// Each of them as a member of an answer.
  static let shown = allCases.map { Schema.Property.optional($0.rawValue, $0.schemas.shown) }

  init?(provider: Provider, environment: DeviceEnvironment) {
    guard let slot = CredentialSlot.allCases.first(where: { $0.provider == provider && $0.environment == environment })
    else { return nil }
    self = slot
  }

  /// The lane of an app that this credential opens.
  func lane(of app: AppID) -> LaneKey { LaneKey(app: app, provider: provider, environment: environment) }

  init?(_ lane: LaneKey) { self.init(provider: lane.provider, environment: lane.environment) }

  /// The context to which a sealed credential is bound.
  static func place(app: AppID, provider: Provider, environment: DeviceEnvironment) -> String {
    "app/\(app)/\(provider.name)/\(environment.name)"
  }
}

/// The names of the credentials that an app may have.
package enum CredentialNames {
  /// All of them, as members of a request.
  package static let all = CredentialSlot.allCases.map(\.rawValue)
}
