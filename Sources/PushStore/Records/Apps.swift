public import StoreModel

extension SQLStore {
  /// Creates an app.
  public func createApp(
    name: String, title: String, settings: [UInt8], now: Timestamp
  ) throws(StoreError) -> App {
    try Checks.text(name, "name", max: 100)
    try Checks.text(title, "title", min: 0)
    try Checks.blob(settings, "settings")
    return try write { (context) throws(StoreError) in
      context.note(.apps)
      if try context.db.app(named: name) != nil {
        throw StoreError(.conflict, "an app named \(name) exists", advice: "choose another name")
      }
      let insert = try context.db.prepare(
        "INSERT INTO apps(name, title, settings, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)")
      insert.bindAll(name, title, settings, now)
      try insert.run()
      return App(
        id: AppID(rawValue: try context.db.lastInsertedRowID()), name: name, title: title, settings: settings,
        createdAt: now, updatedAt: now, stops: [])
    }
  }

  /// The app with a key, or nil.
  public func app(_ id: AppID) throws(StoreError) -> App? {
    try readers.read { (db) throws(StoreError) in try db.app(id) }
  }

  /// The app with a name, or nil.
  public func app(named name: String) throws(StoreError) -> App? {
    try readers.read { (db) throws(StoreError) in try db.app(named: name) }
  }

  /// All apps, by key.
  public func apps() throws(StoreError) -> [App] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        "SELECT id, name, title, settings, created_at, updated_at FROM apps ORDER BY id")
      var apps: [App] = []
      while try select.step() { apps.append(App(row: select)) }
      for stop in try db.stops() {
        if let index = apps.firstIndex(where: { $0.id == stop.lane.app }) { apps[index].stops.append(stop) }
      }
      for index in apps.indices { apps[index].compat = try db.compat(apps[index].id) }
      return apps
    }
  }

  /// Replaces title and settings, and switches vendors' interfaces on and off.
  public func updateApp(
    _ id: AppID, title: String, settings: [UInt8], compat: [CompatChange], now: Timestamp
  ) throws(StoreError) -> App {
    try Checks.text(title, "title", min: 0)
    try Checks.blob(settings, "settings")
    return try write { (context) throws(StoreError) in
      context.note(.apps)
      let update = try context.db.prepare("UPDATE apps SET title = ?2, settings = ?3, updated_at = ?4 WHERE id = ?1")
      update.bindAll(id, title, settings, now)
      try update.run()
      for change in compat { try context.db.set(change, app: id, now: now) }
      guard let app = try context.db.app(id) else { throw Checks.missing("app", id) }
      return app
    }
  }

  /// Removes an app with its credentials, keys and devices.
  public func deleteApp(_ id: AppID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.apps)
      guard try context.db.app(id) != nil else { throw Checks.missing("app", id) }
      context.knownApps.remove(id)
      let busy = try context.db.prepareOnce(
        """
        SELECT id FROM pushes WHERE app = ?1 AND (state IN (#push.scheduled, #push.sending, #push.paused) AND waiting + in_flight > 0 OR state = #push.planned) LIMIT 1
        """)
      busy.bind(1, id)
      if try busy.step() {
        throw StoreError(
          .conflict, "push \(busy.int64(0)) of app \(id) is unfinished",
          advice: "cancel it, wait until nothing is in flight, and delete the app then")
      }
      let outbox = try context.db.prepareOnce(
        "DELETE FROM outbox WHERE webhook IN (SELECT id FROM webhooks WHERE app = ?1)")
      outbox.bind(1, id)
      try outbox.run()
      try context.db.deleteAttributes(app: id)
      try context.db.forgetLivePushes(app: id)
      for table in [
        "credentials", "api_keys", "devices", "users", "attribute_keys", "push_plans", "schedules", "templates",
        "webhooks", "retention", "segments", "suppression", "stops", "identity", "identity_keys", "compat",
        "channels", "activities", "inbox", "shadow_requests", "shadow_totals", "aliases", "device_names", "grants",
        "saved_views", "unapproved", "imports",
      ] {
        try context.db.delete(from: table, app: id)
      }
      let delete = try context.db.prepare("DELETE FROM apps WHERE id = ?1")
      delete.bind(1, id)
      try delete.run()
    }
  }
}

extension Connection {
  func app(_ id: AppID) throws(StoreError) -> App? {
    let select = try prepare(
      "SELECT id, name, title, settings, created_at, updated_at FROM apps WHERE id = ?1")
    select.bind(1, id)
    return try select.step() ? try whole(App(row: select)) : nil
  }

  func app(named name: String) throws(StoreError) -> App? {
    let select = try prepare(
      "SELECT id, name, title, settings, created_at, updated_at FROM apps WHERE name = ?1")
    select.bind(1, name)
    return try select.step() ? try whole(App(row: select)) : nil
  }

  /// The app with its stops and vendors' interfaces.
  private func whole(_ app: App) throws(StoreError) -> App {
    var app = app
    app.stops = try stops().filter { $0.lane.app == app.id }
    app.compat = try compat(app.id)
    return app
  }

  /// The app's ids in the vendors' interfaces that are switched on.
  fileprivate func compat(_ app: AppID) throws(StoreError) -> [String: String] {
    let select = try prepare("SELECT vendor, public_id FROM compat WHERE app = ?1 AND enabled = 1")
    select.bind(1, app)
    var ids: [String: String] = [:]
    while try select.step() { ids[select.text(0)] = select.text(1) }
    return ids
  }

  fileprivate func set(_ change: CompatChange, app: AppID, now: Timestamp) throws(StoreError) {
    try Checks.text(change.vendor, "vendor", max: 40)
    guard let id = change.newID else {
      let disable = try prepareOnce("UPDATE compat SET enabled = 0 WHERE app = ?1 AND vendor = ?2")
      disable.bindAll(app, change.vendor)
      return try disable.run()
    }
    try Checks.text(id, "id", max: 100)
    let enable = try prepareOnce(
      """
      INSERT INTO compat(app, vendor, public_id, enabled, created_at) VALUES (?1, ?2, ?3, 1, ?4)
        ON CONFLICT(app, vendor) DO UPDATE SET enabled = 1
      """)
    enable.bindAll(app, change.vendor, id, now)
    try enable.run()
  }

  /// What belongs to the app's devices and users.
  fileprivate func deleteAttributes(app: AppID) throws(StoreError) {
    for sql in [
      "DELETE FROM frequency WHERE subject IN (SELECT id FROM users WHERE app = ?1)",
      "DELETE FROM frequency WHERE subject IN (SELECT -id FROM devices WHERE app = ?1)",
      "DELETE FROM device_attributes WHERE device IN (SELECT id FROM devices WHERE app = ?1)",
      "DELETE FROM earlier_tokens WHERE device IN (SELECT id FROM devices WHERE app = ?1)",
      "DELETE FROM user_attributes WHERE user IN (SELECT id FROM users WHERE app = ?1)",
    ] {
      let delete = try prepareOnce(sql)
      delete.bind(1, app)
      try delete.run()
    }
  }

  fileprivate func delete(from table: String, app: AppID) throws(StoreError) {
    let delete = try prepareOnce("DELETE FROM \(table) WHERE app = ?1")
    delete.bind(1, app)
    try delete.run()
  }
}

extension App {
  fileprivate init(row: borrowing Statement) {
    self.init(
      id: row.id(0), name: row.text(1), title: row.text(2), settings: row.blob(3), createdAt: row.timestamp(4),
      updatedAt: row.timestamp(5), stops: [])
  }
}
