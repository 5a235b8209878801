internal import PushStore
internal import StoreModel

/// Creates an admin key in the data folder of a stopped server, for whoever has lost all of them.
public enum KeyRecovery {
  /// The key that was created.
  public struct Key: Sendable, Hashable {
    /// Its id in the list of keys.
    public let id: String
    /// Its name in the list of keys.
    public let name: String
    /// Its text, which is not stored.
    public let text: String
  }

  /// Creates an API key with the scope admin, and records it in the audit log.
  ///
  /// The other keys are not changed; revoke with the new one what was lost.
  ///
  /// - Parameters:
  ///   - location: the data folder of a server that is not running, or a database, beside whose servers it works.
  ///   - clock: the time of day, recorded as the time of creation.
  /// - Throws: ``PostriderServerError`` when there is no database, or a server uses the folder.
  public static func run(
    _ location: StoreLocation, clock: WallClock = .system
  ) throws(PostriderServerError) -> Key {
    try StoppedServer.withStore(of: location) { (store) throws(StoreError) in
      try create(store, now: Timestamp(milliseconds: clock.nowMs()))
    }
  }

  private static func create(_ store: SQLStore, now: Timestamp) throws(StoreError) -> Key {
    let text = APIKeyText.random()
    let new = NewAPIKey(
      app: nil, name: "recovered", scopes: Scope.admin.names.joined(separator: " "), prefix: text.shown, hash: text.hash
    )
    let key = try store.createKey(new, now: now)
    let entry = AuditEntry(
      at: now, key: nil, act: "recoverKey", target: "/v1/keys → \(key.id)", app: nil, peer: "", request: "offline")
    try store.wait { store.keepAudit(entry, completion: $0) }
    return Key(id: key.id.description, name: key.name, text: text.text)
  }
}
