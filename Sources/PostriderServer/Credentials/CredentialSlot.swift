internal import StoreModel

/// One of an app's credentials: one for each provider and environment.
enum CredentialSlot: String, Sendable, CaseIterable {
  case apns
  case apnsSandbox = "apns_sandbox"
  case fcm
  case web
  case hms

  /// What is declared of a slot.
  private struct Row {
    let setting: any ProviderSetting.Type
    let provider: Provider
    var environment = DeviceEnvironment.production
    /// Apple's word for the environment.
    var gatewayEnvironment: String?
  }

  /// The slots, one row each.
  private var row: Row {
    switch self {
    case .apns: Row(setting: APNsSetting.self, provider: .apns, gatewayEnvironment: "production")
    case .apnsSandbox:
      Row(setting: APNsSetting.self, provider: .apns, environment: .development, gatewayEnvironment: "sandbox")
    case .fcm: Row(setting: FCMSetting.self, provider: .fcm)
    case .web: Row(setting: WebPushSetting.self, provider: .web)
    case .hms: Row(setting: HuaweiSetting.self, provider: .hms)
    }
  }

  /// What reads and uses it.
  var setting: any ProviderSetting.Type { row.setting }

  var provider: Provider { row.provider }

  var environment: DeviceEnvironment { row.environment }

  /// Apple's word for the environment; the other providers have one gateway.
  var gatewayEnvironment: String? { row.gatewayEnvironment }

  /// The shapes of what requests give, by name: slots of one provider share theirs.
  static let schemas: [(name: String, schema: Schema)] = allCases.reduce(into: []) { schemas, slot in
    let name = slot.setting.schemaName
    if !schemas.contains(where: { $0.name == name }) { schemas.append((name, slot.setting.schema)) }
  }

  /// Each of them as a member of a request.
  static let given = allCases.map { Schema.Property.nullable($0.rawValue, .named($0.setting.schemaName)) }

  /// Each of them as a member of an answer.
  static let shown = allCases.map { Schema.Property.optional($0.rawValue, $0.setting.shown(for: $0)) }

  init?(provider: Provider, environment: DeviceEnvironment) {
    guard let slot = CredentialSlot.allCases.first(where: { $0.provider == provider && $0.environment == environment })
    else { return nil }
    self = slot
  }

  /// The lane of an app that this credential opens.
  func lane(of app: AppID) -> LaneKey { LaneKey(app: app, provider: provider, environment: environment) }

  init?(_ lane: LaneKey) { self.init(provider: lane.provider, environment: lane.environment) }

  /// The context to which a sealed credential is bound.
  static func sealContext(app: AppID, provider: Provider, environment: DeviceEnvironment) -> String {
    "app/\(app)/\(provider.name)/\(environment.name)"
  }
}

/// The names of the credentials that an app may have.
package enum CredentialNames {
  /// All of them, as members of a request.
  package static let all = CredentialSlot.allCases.map(\.rawValue)
}
