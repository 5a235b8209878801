extension Schema {
  /// How the `apns-id`s of a push are made (`APNsIDs.Form`): those that exist keep the ids they were sent with.
  static let apnsIDs = "ALTER TABLE pushes ADD COLUMN apns_ids INTEGER NOT NULL DEFAULT 0;"
}
