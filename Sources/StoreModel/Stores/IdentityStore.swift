/// Signed identity of devices: an app's setting, and its keys.
public protocol IdentityStore: Sendable {
  /// The setting and keys of an app; off and none unless made.
  func identity(app: AppID) throws(StoreError) -> AppIdentity
  /// Sets whether tokens are asked for. Throws `notFound` (app), `conflict` when they are and no key verifies them.
  func setIdentityMode(_ mode: IdentityMode, app: AppID, now: Timestamp) throws(StoreError) -> AppIdentity
  /// Saves a key. Throws `notFound` (app), `conflict` when the app has a key with this name, or too many.
  func createIdentityKey(_ key: NewIdentityKey, now: Timestamp) throws(StoreError) -> IdentityKey
  /// Deletes a key; nothing that it has signed is believed any more. Throws `notFound`.
  func deleteIdentityKey(_ name: String, app: AppID) throws(StoreError)
}
