public import StoreModel

extension SQLStore {
  /// Registers devices, all or none.
  public func registerDevices(
    _ devices: [DeviceRegistration], now: Timestamp
  ) throws(StoreError) -> [RegisteredDevice] {
    try wait { registerDevices(devices, now: now, completion: $0) }
  }

  /// Registrations of more devices than this are imports, and run at bulk priority.
  private static let urgentDevicesMax = 100

  /// Registers devices, all or none, without blocking.
  public func registerDevices(
    _ devices: [DeviceRegistration], now: Timestamp,
    completion: @escaping @Sendable (Result<[RegisteredDevice], StoreError>) -> Void
  ) {
    do throws(StoreError) {
      for device in devices { try device.check() }
    } catch {
      return completion(.failure(error))
    }
    let urgency: WriteUrgency = devices.count > Self.urgentDevicesMax ? .bulk : .urgent
    write(
      { (context) throws(StoreError) in try context.register(devices, now) }, urgency: urgency, completion: completion)
  }

  /// The device with a key, or nil.
  public func device(_ id: DeviceID) throws(StoreError) -> Device? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(parts: Device.select + "WHERE id = ?1")
      select.bind(1, id)
      return try db.devices(select).first
    }
  }

  /// The device with the caller's own id, or nil.
  public func device(app: AppID, named name: String) throws(StoreError) -> Device? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(parts: Device.select + "WHERE app = ?1 AND name = ?2")
      select.bindAll(app, name)
      return try db.devices(select).first
    }
  }

  /// The device with a token, or nil; a browser's is found by its endpoint, whatever the keys are.
  public func device(app: AppID, token: String) throws(StoreError) -> Device? {
    try readers.read { (db) throws(StoreError) in
      let (first, last) = TokenRange.bounds(token)
      let select = try db.prepareOnce(Device.select + "WHERE app = ?1 AND token >= ?2 AND token <= ?3")
      select.bindAll(app, first, last)
      return try db.devices(select).first
    }
  }

  /// A page of devices, by key, after `after`.
  public func devices(
    app: AppID, filter: DeviceFilter, after: DeviceID?, limit: Int
  ) throws(StoreError) -> [Device] {
    try readers.read { (db) throws(StoreError) in
      // Without a user or a state the unary plus keeps SQLite from sorting a whole index for the order by key.
      let plain = filter.user == nil && filter.state == nil
      let select = try db.prepareOnce(
        Device.select + "WHERE \(plain ? "+" : "")app = ?1 AND id > ?2\(filter.condition) ORDER BY id LIMIT ?3")
      select.bindAll(app, after?.rawValue ?? 0, Checks.page(limit))
      select.bind(filter)
      return try db.devices(select)
    }
  }

  /// How many devices the filter names.
  public func countDevices(app: AppID, filter: DeviceFilter) throws(StoreError) -> Int {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce("SELECT count(*) FROM devices WHERE app = ?1\(filter.condition)")
      select.bind(1, app)
      select.bind(filter)
      return try select.step() ? select.int(0) : 0
    }
  }

  /// The kinds of which an app has devices, among those with `isOnlyWhereRegistered`.
  public func registeredKinds(app: AppID) throws(StoreError) -> [DeviceKind] {
    try readers.read { (db) throws(StoreError) in
      // The condition is that of the index (`Schema.carriedDevices`), which holds these kinds alone.
      let select = try db.prepare(
        """
        SELECT k.column1 FROM (VALUES (10), (11)) k WHERE EXISTS (
          SELECT 1 FROM devices INDEXED BY devices_carried WHERE app = ?1 AND kind = k.column1 AND kind IN (#kind.fcmIOS, #kind.fcmWeb))
        """)
      select.bind(1, app)
      var kinds: [DeviceKind] = []
      while try select.step() {
        if let kind = DeviceKind(rawValue: UInt8(truncatingIfNeeded: select.int(0))) { kinds.append(kind) }
      }
      return kinds
    }
  }

  /// Changes whether a device is pushed to.
  public func setDeviceState(
    _ id: DeviceID, _ state: DeviceState, reason: String?, now: Timestamp
  ) throws(StoreError) {
    try Checks.optional(reason, "reason")
    try write { (context) throws(StoreError) in
      let update = try context.db.prepare(
        "UPDATE devices SET state = ?2, state_reason = ?3, state_at = ?4 WHERE id = ?1")
      if state != .active { context.recall.devices.insert(id) }
      update.bindAll(id, Int(state.rawValue), reason, now)
      try update.run()
      if context.db.changes == 0 { throw Checks.missing("device", id) }
    }
  }

  /// Forgets devices; returns how many there were.
  public func removeDevices(_ ids: [DeviceID]) throws(StoreError) -> Int {
    try write { (context) throws(StoreError) in
      var removed = 0
      for id in ids {
        try context.forgetDevice(id)
        removed += context.db.changes
      }
      return removed
    }
  }
}

extension DeviceRegistration {
  func check() throws(StoreError) {
    try Checks.text(token, "token", max: StoreLimits.tokenBytesMax)
    guard (kind.form == .subscription) == (WebAddress(token) != nil) else {
      throw StoreError(
        .invalid, "the token does not fit the kind \(kind.name)",
        advice: "a browser's token is endpoint, p256dh and auth with spaces between them, and no other has a space")
    }
    if let name { try Checks.text(name, "name") }
    try Checks.optional(user, "user")
    try Checks.optional(locale, "locale")
    try Checks.optional(timezone, "timezone")
    try Checks.optional(appVersion, "app version")
    try userAliases.map { AliasChange($0.label, $0.id) }.check()
    if let otherNames {
      guard otherNames.count <= StoreLimits.otherNamesMax else {
        throw StoreError(
          .invalid, "\(otherNames.count) further ids, at most \(StoreLimits.otherNamesMax) are stored of a device",
          advice: "leave some out")
      }
      for name in otherNames { try Checks.text(name, "further id") }
    }
    if let properties { try AttributeChecks.properties(properties.map { PropertyChange($0.name, $0.value) }) }
    if let tags { try AttributeChecks.tags(tags, "tags") }
    if let categories = optOut.categories { try AttributeChecks.tags(categories, "opt_out_categories") }
  }
}

extension DeviceFilter {
  /// SQL that follows `app = ?1 …`; parameters 11 to 13.
  var condition: String {
    var sql = ""
    if user != nil { sql += " AND user = ?11" }
    if environment != nil { sql += " AND environment = ?12" }
    // A user has few devices, and a state nearly all: SQLite would take either index.
    if state != nil { sql += " AND \(user == nil ? "" : "+")state = ?13" }
    if !kinds.isEmpty { sql += " AND kind IN (\(kinds.map { String($0.rawValue) }.joined(separator: ", ")))" }
    return sql
  }
}

extension Statement {
  fileprivate func bind(_ filter: DeviceFilter) {
    if let user = filter.user { bind(11, user) }
    if let environment = filter.environment { bind(12, Int(environment.rawValue)) }
    if let state = filter.state { bind(13, Int(state.rawValue)) }
  }
}

extension Connection {
  /// The devices of all rows of a statement that begins with ``Device/select``.
  func devices(_ select: borrowing Statement) throws(StoreError) -> [Device] {
    var devices: [Device] = []
    while try select.step() { devices.append(Device(row: select)) }
    return try complete(devices)
  }

  /// The devices with these keys, in their order; those that are not there are left out.
  func devices(_ ids: [DeviceID]) throws(StoreError) -> [Device] {
    var devices: [Device] = []
    try ask(Device.byKey, .numbers(ids.map(\.rawValue))) { devices.append(Device(row: $1)) }
    return try complete(devices)
  }

  /// Adds what is known of devices beside their rows.
  private func complete(_ devices: [Device]) throws(StoreError) -> [Device] {
    var devices = devices
    for (index, known) in zip(devices.indices, try attributes(of: devices.map(\.id.rawValue), .device)) {
      devices[index].properties = known.properties
      devices[index].tags = known.tags
      devices[index].optOut = known.optOut
    }
    return devices
  }
}

extension Device {
  static let select = """
    SELECT id, app, name, token, kind, environment, user, locale, timezone, app_version, created_at, registered_at,
    state, state_reason, state_at FROM devices 
    """

  fileprivate static let byKey = KeyedQuestion(select + "WHERE id = ?1 LIMIT 1", .number)

  /// What is known of it beside its row is added later.
  fileprivate init(row: borrowing Statement) {
    self.init(
      id: row.id(0), app: row.id(1), name: row.optionalText(2), token: row.text(3),
      kind: DeviceKind(rawValue: UInt8(truncatingIfNeeded: row.int(4))) ?? .ios,
      environment: DeviceEnvironment(rawValue: UInt8(truncatingIfNeeded: row.int(5))) ?? .production,
      user: row.optionalText(6), locale: row.optionalText(7), timezone: row.optionalText(8),
      appVersion: row.optionalText(9), properties: [], tags: [], optOut: .none, createdAt: row.timestamp(10),
      registeredAt: row.timestamp(11),
      state: DeviceState(rawValue: UInt8(truncatingIfNeeded: row.int(12))) ?? .active,
      stateReason: row.optionalText(13), stateAt: row.timestamp(14))
  }
}
