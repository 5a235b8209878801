/// Users by the ids that other systems gave them, and devices by their further ids.
public protocol AliasStore: Sendable {
  /// The user with an alias, or nil.
  func user(app: AppID, alias: UserAlias) throws(StoreError) -> User?
  /// The users with these ids under one label: the caller's own ids of the users, by alias; those that are unknown are absent.
  func users(app: AppID, label: String, ids: [String]) throws(StoreError) -> [String: String]
  /// The device that was registered with this among its further ids (`DeviceRegistration.otherNames`), or nil.
  func device(app: AppID, otherName: String) throws(StoreError) -> Device?
}
