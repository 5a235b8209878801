internal import PushPayload
internal import Signing
internal import StoreModel
internal import WireJSON

/// How parts of an app's credentials are read from requests and from what is sealed.
enum SealedSetting {
  /// Checks and reads what a request gives for a slot, whose shape was checked before, with what is saved there.
  ///
  /// - Returns: the setting, and what is sealed of it.
  static func read(
    _ json: JSONValue, _ slot: CredentialSlot, saved: Credential?, vault: Vault, rotates: Bool = false
  ) throws(Problem) -> (setting: any ProviderSetting, sealable: JSONValue) {
    try checkEnvironment(json, slot)
    // What another key has sealed can be replaced, and nothing of it kept.
    let readable = saved.flatMap { try? open($0, vault) }
    let json = slot.setting.kept.whole(
      EgressSetting.keepingPassword(json, saved: saved, vault: vault), saved: readable)
    let whole = try slot.setting.sealable(
      json,
      saved: { () throws(Problem) in try saved.map { (credential) throws(Problem) in try open(credential, vault) } },
      rotates: rotates, at: FieldPath(members: slot.rawValue))
    return (try read(whole, slot), whole)
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
  private static func read(_ json: JSONValue, _ slot: CredentialSlot) throws(Problem) -> any ProviderSetting {
    var report = Report()
    return try slot.setting.init(json, for: slot, at: FieldPath(members: slot.rawValue), report: &report)
  }

  /// Opens and reads what was sealed.
  static func read(
    opening credential: Credential, _ slot: CredentialSlot, vault: Vault
  ) throws(Problem) -> any ProviderSetting {
    try read(open(credential, vault), slot)
  }

  /// What was sealed.
  static func open(_ credential: Credential, _ vault: Vault) throws(Problem) -> JSONValue {
    let context = CredentialSlot.sealContext(
      app: credential.app, provider: credential.provider, environment: credential.environment)
    let bytes: [UInt8]
    do throws(SigningError) { bytes = try vault.open(credential.sealed, context: context) } catch {
      throw Problem(.internalError, "it was sealed with another key: \(error.message)")
    }
    do throws(JSONError) { return try JSON.parse(bytes) } catch {
      throw Problem(.internalError, "it does not hold JSON")
    }
  }
}
