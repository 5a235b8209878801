public import StoreModel

extension SQLStore {
  /// The devices that an app's campaigns were sent to without an approval since a minute.
  public func unapproved(app: AppID, since minute: Int64) throws(StoreError) -> Int {
    try readers.read { (db) throws(StoreError) in try db.unapproved(app, since: minute) }
  }

  /// Counts further ones, unless they and those since `since` are more than `above`.
  public func addUnapproved(
    _ devices: Int, app: AppID, minute: Int64, since: Int64, above: Int
  ) throws(StoreError) -> Bool {
    try write { (context) throws(StoreError) in
      let old = try context.db.prepare("DELETE FROM unapproved WHERE app = ?1 AND minute < ?2")
      old.bindAll(app, since)
      try old.run()
      guard try context.db.unapproved(app, since: since) + devices <= above else { return false }
      let upsert = try context.db.prepare(
        """
        INSERT INTO unapproved(app, minute, devices) VALUES (?1, ?2, ?3)
        ON CONFLICT(app, minute) DO UPDATE SET devices = unapproved.devices + excluded.devices
        """)
      upsert.bindAll(app, minute, devices)
      try upsert.run()
      return true
    }
  }
}

extension Connection {
  fileprivate func unapproved(_ app: AppID, since minute: Int64) throws(StoreError) -> Int {
    let select = try prepare("SELECT devices FROM unapproved WHERE app = ?1 AND minute >= ?2")
    select.bindAll(app, minute)
    var sum = 0
    while try select.step() { sum += select.int(0) }
    return sum
  }
}
