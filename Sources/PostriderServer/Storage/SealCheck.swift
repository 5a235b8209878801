internal import PushStore

/// Whether the sealing key opens what is stored.
struct SealCheck {
  /// What it does not open, in words a person knows it by.
  private(set) var unopened: [String] = []
  private(set) var opened = 0

  /// True when the key opens nothing of what there is: it is another key.
  var isOtherKey: Bool { opened == 0 && !unopened.isEmpty }

  init(_ store: any Store, _ vault: Vault) throws(StoreError) {
    for app in try store.apps() {
      for credential in try store.credentials(app: app.id) {
        let place = CredentialSlot.place(
          app: app.id, provider: credential.provider, environment: credential.environment)
        let slot = CredentialSlot(provider: credential.provider, environment: credential.environment)
        note(vault, credential.sealed, place, "the \(slot?.rawValue ?? credential.kind) credential of app \(app.name)")
      }
      for webhook in try store.webhooks(app: app.id) {
        note(
          vault, webhook.sealed, WebhookSender.place(app.id), "the secret of webhook \(webhook.id) of app \(app.name)")
      }
      for key in try store.identity(app: app.id).keys where key.algorithm == .hs256 {
        note(
          vault, key.material, IdentityVerifier.place(app: app.id, name: key.name),
          "the identity key \(key.name) of app \(app.name)")
      }
    }
  }

  private mutating func note(_ vault: Vault, _ sealed: [UInt8], _ place: String, _ name: String) {
    if (try? vault.open(sealed, place: place)) == nil { unopened.append(name) } else { opened += 1 }
  }

  /// Whether nothing is sealed, so that any key will do.
  static func isNothingSealed(_ store: any Store) throws(StoreError) -> Bool {
    for app in try store.apps() {
      let keys = try store.identity(app: app.id).keys
      if try !store.credentials(app: app.id).isEmpty || keys.contains(where: { $0.algorithm == .hs256 }) {
        return false
      }
    }
    return try store.webhooks(app: nil).isEmpty
  }
}
