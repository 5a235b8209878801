extension WriterContext {
  func register(_ devices: [DeviceRegistration], _ now: Timestamp) throws(StoreError) -> [RegisteredDevice] {
    var known: Set<AppID> = []
    var result: [RegisteredDevice] = []
    result.reserveCapacity(devices.count)
    for device in devices {
      if !known.contains(device.app) {
        guard try db.app(device.app) != nil else { throw Checks.missing("app", device.app) }
        known.insert(device.app)
      }
      result.append(try register(device, now))
    }
    return result
  }

  /// The device's own name decides which record is meant, then the token.
  ///
  /// A token belongs to one record only: when a named device takes a token that another record has, that other record
  /// is an older life of the same device, and it goes.
  private func register(_ device: DeviceRegistration, _ now: Timestamp) throws(StoreError) -> RegisteredDevice {
    let byToken = try find(device.app, token: device.token)
    let byName = try device.name.map { (name) throws(StoreError) in try find(device.app, name: name) } ?? nil
    if let byName {
      if let byToken, byToken != byName { try forget(byToken) }
      try update(byName, device, now)
      return RegisteredDevice(id: byName, created: false)
    }
    if let byToken {
      try update(byToken, device, now)
      return RegisteredDevice(id: byToken, created: false)
    }
    return RegisteredDevice(id: try insert(device, now), created: true)
  }

  private func find(_ app: AppID, token: String) throws(StoreError) -> DeviceID? {
    let select = try db.prepare("SELECT id FROM devices WHERE app = ?1 AND token = ?2")
    select.bind(1, app)
    select.bind(2, token)
    return try select.step() ? select.id(0) : nil
  }

  private func find(_ app: AppID, name: String) throws(StoreError) -> DeviceID? {
    let select = try db.prepare("SELECT id FROM devices WHERE app = ?1 AND name = ?2")
    select.bind(1, app)
    select.bind(2, name)
    return try select.step() ? select.id(0) : nil
  }

  private func forget(_ id: DeviceID) throws(StoreError) {
    let delete = try db.prepare("DELETE FROM devices WHERE id = ?1")
    delete.bind(1, id)
    try delete.run()
  }

  /// What the registration leaves out stays as it was, except the user: a token that comes without one has no user any more.
  private func update(_ id: DeviceID, _ device: DeviceRegistration, _ now: Timestamp) throws(StoreError) {
    let update = try db.prepare(
      """
      UPDATE devices SET name = coalesce(?2, name), token = ?3, kind = ?4, environment = ?5, user = ?6,
        locale = coalesce(?7, locale), timezone = coalesce(?8, timezone), app_version = coalesce(?9, app_version),
        properties = coalesce(?10, properties), registered_at = ?11, state_reason = NULL,
        state_at = CASE WHEN state = 2 THEN state_at ELSE ?11 END, state = 2
      WHERE id = ?1
      """)
    update.bind(1, id)
    bind(device, now, to: update)
    try update.run()
  }

  private func insert(_ device: DeviceRegistration, _ now: Timestamp) throws(StoreError) -> DeviceID {
    let insert = try db.prepare(
      """
      INSERT INTO devices(app, name, token, kind, environment, user, locale, timezone, app_version, properties,
        registered_at, state, state_at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 2, ?11)
      """)
    insert.bind(1, device.app)
    bind(device, now, to: insert)
    try insert.run()
    return DeviceID(rawValue: db.lastInsertedRowID)
  }

  private func bind(_ device: DeviceRegistration, _ now: Timestamp, to statement: borrowing Statement) {
    statement.bind(2, device.name)
    statement.bind(3, device.token)
    statement.bind(4, Int(device.kind.rawValue))
    statement.bind(5, Int(device.environment.rawValue))
    statement.bind(6, device.user)
    statement.bind(7, device.locale)
    statement.bind(8, device.timezone)
    statement.bind(9, device.appVersion)
    statement.bind(10, device.properties)
    statement.bind(11, now)
  }
}
