internal import PushStore
internal import Signing
internal import StoreModel

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
        let context = CredentialSlot.sealContext(
          app: app.id, provider: credential.provider, environment: credential.environment)
        let slot = CredentialSlot(provider: credential.provider, environment: credential.environment)
        note(
          vault, credential.sealed, context, "the \(slot?.rawValue ?? credential.kind) credential of app \(app.name)")
      }
      for webhook in try store.webhooks(app: app.id) {
        note(
          vault, webhook.sealed, WebhookSender.sealContext(app.id),
          "the secret of webhook \(webhook.id) of app \(app.name)")
      }
      for key in try store.identity(app: app.id).keys where key.algorithm == .hs256 {
        note(
          vault, key.material, IdentityVerifier.sealContext(app: app.id, name: key.name),
          "the identity key \(key.name) of app \(app.name)")
      }
    }
  }

  private mutating func note(_ vault: Vault, _ sealed: [UInt8], _ context: String, _ name: String) {
    if (try? vault.open(sealed, context: context)) == nil { unopened.append(name) } else { opened += 1 }
  }

  /// Notes the key that all servers of a database share, and refuses another one.
  ///
  /// A key that opens what is sealed is the right one, whatever was noted.
  static func keepMark(_ store: any Store, _ vault: Vault, replaces: Bool) throws {
    let own = HMACSHA256.authenticate(Array("seal mark".utf8), key: vault.derivation)
    guard try store.keepSealMark(own, replaces: replaces) == own else {
      throw DataFolderError(
        description: "the other servers of this database have another sealing key: start with theirs, in"
          + " \(DataFolder.keyName) of the data folder or in POSTRIDER_SEALING_KEY; if it is lost, start one with"
          + " --replace-sealing-key, and the others with its key")
    }
  }

  fileprivate func otherKey(in folder: DataFolder) -> DataFolderError {
    DataFolderError(
      description:
        "the sealing key opens nothing of what is stored (\(unopened.prefix(5).joined(separator: ", "))):"
        + " start with the key that sealed it, from \(folder.path)/\(DataFolder.keyName) or POSTRIDER_SEALING_KEY;"
        + " if that key is lost, start with --replace-sealing-key and save the credentials again")
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

extension PostriderServer {
  /// The vault with the sealing key, when it opens what is stored.
  static func vault(
    _ folder: DataFolder, _ store: SQLStore, _ configuration: PostriderServerConfiguration, _ log: Log
  ) throws(PostriderServerError) -> Vault {
    let (vault, check): (Vault, SealCheck)
    do {
      // Where other servers may have begun already, a key is never made up beside theirs.
      let isNothingSealed = try SealCheck.isNothingSealed(store) && store.sealMark() == nil
      vault = try Vault(key: try folder.sealingKey(isNothingSealed: isNothingSealed))
      check = try SealCheck(store, vault)
      if check.isOtherKey && !configuration.replacesSealingKey { throw check.otherKey(in: folder) }
      if configuration.database != nil {
        try SealCheck.keepMark(store, vault, replaces: configuration.replacesSealingKey || check.opened > 0)
      }
    } catch let error as StoreError {
      throw PostriderServerError(error)
    } catch let error as DataFolderError {
      throw PostriderServerError(error)
    } catch let error as SigningError {
      throw PostriderServerError(error)
    } catch { throw PostriderServerError(DataFolderError(description: "\(error)")) }
    for name in check.unopened { log(.error, "not opened by the sealing key", ["detail": .text(name)]) }
    return vault
  }
}
