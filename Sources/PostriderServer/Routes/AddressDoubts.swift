internal import PushPayload
internal import StoreModel

/// What is doubtful about an address that is well-formed: what can be reported when it is registered is not left to the first push.
enum AddressDoubts {
  static func add(_ registration: DeviceRegistration, _ entry: AppEntry, to report: inout Report) {
    addOfEnvironment(registration, entry, to: &report)
    switch registration.kind.form {
    case .registrationToken where registration.token.contains("://"):
      report.add(
        rule: "device-token", severity: .warning, field: "token",
        message: "is an address, and FCM's tokens are none; register a browser's subscription with the type web")
    case .registrationToken where isDeviceToken(registration.token), .pushToken where isDeviceToken(registration.token):
      let (provider, library) =
        registration.kind.form == .pushToken ? ("Push Kit", "Huawei") : ("FCM", "Firebase")
      report.add(
        rule: "device-token", severity: .warning, field: "token",
        message:
          "is probably an APNs token, which \(provider) does not know; register it with the type ios, or the token that"
          + " \(library)'s library gives")
    case .subscription:
      guard let web = entry.web, let key = WebAddress(registration.token)?.applicationServerKey,
        key != web.publicKey, !web.earlierKeys.contains(key)
      else { return }
      report.add(
        rule: "web-subscription", severity: .warning, field: "application_server_key",
        message:
          "the app has no such key, nor had it among those that it keeps: pushes are rejected with server-key-unknown;"
          + " subscribe the browser with the key of GET /v1/apps/\(entry.app.name)/web-push")
    default: return
    }
  }

  /// Without any credential of the provider, it is yet to be set, and the app says that itself.
  private static func addOfEnvironment(_ registration: DeviceRegistration, _ entry: AppEntry, to report: inout Report) {
    let (provider, environment) = (registration.kind.provider, registration.environment)
    guard provider.hasEnvironments, entry.reaches(provider),
      let slot = CredentialSlot(provider: provider, environment: environment), entry.credentials[slot] == nil
    else { return }
    report.add(
      rule: "device-token", severity: .warning, field: "environment",
      message:
        "the app has no credential for \(environment.name), so pushes to the device wait until it has one: save"
        + " \"\(slot.rawValue)\" with PUT /v1/apps/\(entry.app.name)/credentials, or correct the environment")
  }

  /// APNs tokens have 32 bytes or more; registration tokens of FCM have other characters than hexadecimal digits.
  private static func isDeviceToken(_ token: String) -> Bool {
    token.utf8.count >= 64 && (try? DeviceToken(token, kind: .apns)) != nil
  }
}
