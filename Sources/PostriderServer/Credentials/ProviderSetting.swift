internal import PushPayload
internal import PushStore
internal import Signing
internal import WireJSON

/// One part of an app's credentials, read and checked.
enum ProviderSetting: Sendable {
  case apns(APNsSetting)
  case fcm(FCMSetting)
  case web(WebPushSetting)
  case hms(HuaweiSetting)

  /// What is stored of it besides the secret: the store's name for its kind, and what is shown.
  var stored: (kind: String, summary: JSONObject) {
    switch self {
    case .apns(let setting): ("apns-" + (setting.summary["kind"]?.string ?? ""), setting.summary)
    case .fcm(let setting): ("fcm-service-account", setting.summary)
    case .web(let setting): ("web-vapid", setting.summary)
    case .hms(let setting): ("hms-oauth-client", setting.summary)
    }
  }

  /// Checks and reads what a request gives for a slot, whose shape was checked before, with what is saved there.
  ///
  /// - Returns: the setting, and what is sealed of it.
  static func read(
    _ json: JSONValue, _ slot: CredentialSlot, saved: Credential?, vault: Vault, rotates: Bool = false
  ) throws(Problem) -> (setting: ProviderSetting, sealable: JSONValue) {
    try checkEnvironment(json, slot)
    // What another key has sealed can be replaced, and nothing of it kept.
    let readable = saved.flatMap { try? open($0, vault) }
    let json = CredentialKeeping.whole(
      EgressSetting.keepingPassword(json, saved: saved, vault: vault), saved: readable, slot.provider)
    guard slot.provider.names.keepsKeys else { return (try ProviderSetting(json, slot), json) }
    let known = try saved.map { (credential) throws(Problem) in try open(credential, vault) }
    let whole = try WebPushSetting.sealable(
      json, saved: known, rotates: rotates, at: FieldPath(members: slot.rawValue))
    return (try ProviderSetting(whole, slot), whole)
  }

  /// A credential that names one environment in the member of the other would reach the wrong gateway.
  private static func checkEnvironment(_ json: JSONValue, _ slot: CredentialSlot) throws(Problem) {
    guard let named = json["environment"]?.string, let expected = slot.gatewayEnvironment, named != expected else {
      return
    }
    let other = CredentialSlot.allCases.first { $0.gatewayEnvironment == named }
    var report = Report()
    report.add(
      rule: Schema.Rule.value, severity: .error, field: FieldPath(members: slot.rawValue, "environment"),
      message: "expected \"\(expected)\" or nothing, since \"\(slot.rawValue)\" is for that environment"
        + (other.map { "; a credential for the other belongs at \"\($0.rawValue)\"" } ?? ""))
    throw Problem(.invalid, report: report)
  }

  /// Checks and reads what is sealed of a slot.
  private init(_ json: JSONValue, _ slot: CredentialSlot) throws(Problem) {
    var report = Report()
    let field = FieldPath(members: slot.rawValue)
    let isSandbox = slot.environment == .development
    switch slot.provider {
    case .apns: self = .apns(try APNsSetting(json, sandbox: isSandbox, at: field, report: &report))
    case .fcm: self = .fcm(try FCMSetting(json, at: field, report: &report))
    case .web: self = .web(try WebPushSetting(json, at: field, report: &report))
    case .hms: self = .hms(try HuaweiSetting(json, at: field, report: &report))
    }
  }

  /// Opens what was sealed.
  init(opening credential: Credential, _ slot: CredentialSlot, vault: Vault) throws(Problem) {
    try self.init(ProviderSetting.open(credential, vault), slot)
  }

  /// What was sealed.
  static func open(_ credential: Credential, _ vault: Vault) throws(Problem) -> JSONValue {
    let place = CredentialSlot.place(
      app: credential.app, provider: credential.provider, environment: credential.environment)
    let bytes: [UInt8]
    do throws(SigningError) { bytes = try vault.open(credential.sealed, place: place) } catch {
      throw Problem(.internalError, "it was sealed with another key: \(error.message)")
    }
    do throws(JSONError) { return try JSON.parse(bytes) } catch {
      throw Problem(.internalError, "it does not hold JSON")
    }
  }
}
