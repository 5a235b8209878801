internal import PushPayload
internal import PushStore
internal import Signing
internal import WireJSON

/// One part of an app's credentials, read and checked.
enum ProviderSetting: Sendable {
  case apns(APNsSetting)
  case fcm(FCMSetting)

  /// Checks and reads the setting of a slot, whose shape was checked before.
  init(_ json: JSONValue, _ slot: CredentialSlot) throws(Problem) {
    var report = Report()
    let field = FieldPath(members: slot.rawValue)
    switch slot.provider {
    case .apns: self = .apns(try APNsSetting(json, sandbox: slot == .apnsSandbox, at: field, report: &report))
    case .fcm: self = .fcm(try FCMSetting(json, at: field, report: &report))
    }
  }

  /// Opens what was sealed.
  init(opening credential: Credential, _ slot: CredentialSlot, vault: Vault) throws(Problem) {
    let place = CredentialSlot.place(
      app: credential.app, provider: credential.provider, environment: credential.environment)
    let bytes: [UInt8]
    do throws(SigningError) { bytes = try vault.open(credential.sealed, place: place) } catch {
      throw Problem(.internalError, "it was sealed with another key: \(error.message)")
    }
    let json: JSONValue
    do throws(JSONError) { json = try JSON.parse(bytes) } catch {
      throw Problem(.internalError, "it does not hold JSON")
    }
    try self.init(json, slot)
  }
}
