/// Users, and what is known of users and devices.
public protocol PeopleStore: Sendable {
  /// Changes a device. Throws `notFound`, `invalid`.
  func updateDevice(_ id: DeviceID, _ change: DeviceChange, now: Timestamp) throws(StoreError)
  /// The tokens a device had before, the newest first; at most `StoreLimits.earlierTokensMax`.
  func earlierTokens(of device: DeviceID) throws(StoreError) -> [EarlierToken]
  /// The user with the caller's id, or nil.
  func user(app: AppID, named name: String) throws(StoreError) -> User?
  /// The users with the caller's ids, by id; those that are unknown are absent.
  func users(app: AppID, named names: Set<String>) throws(StoreError) -> [String: User]
  /// A page of an app's users, by key, after `after`.
  func users(app: AppID, after: UserID?, limit: Int) throws(StoreError) -> [User]
  /// Changes a user, and makes them when they are not there. Throws `invalid`.
  func updateUser(app: AppID, named name: String, _ change: UserChange, now: Timestamp) throws(StoreError) -> User
  /// Forgets a user and everything about them. What the ledger needs of their deliveries stays, without device and token.
  /// Throws `notFound`. Reads every delivery and every kept request there is: seconds for a large ledger, without holding up
  /// other work.
  ///
  /// - Parameters:
  ///   - redaction: takes the user out of documents that are opaque to the store.
  ///   - audit: kept in the same transaction.
  func eraseUser(
    app: AppID, named name: String, redaction: any UserRedaction, audit: AuditEntry?, now: Timestamp
  ) async throws(StoreError) -> UserErasure
  /// A snapshot of all devices of an app, read in chunks. Throws `overloaded` while too many exports are open.
  func exportDevices(app: AppID, now: Timestamp) throws(StoreError) -> any DeviceExport
}

/// A snapshot of the devices of an app.
///
/// While it is open, the write-ahead log cannot be truncated; it ends by itself after `StoreLimits.exportMs`.
public protocol DeviceExport: Sendable {
  /// The next devices, by key; none at the end. Throws `overloaded` when the export took too long.
  func next(now: Timestamp) throws(StoreError) -> [Device]
}
