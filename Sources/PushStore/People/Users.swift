internal import Ledger
public import StoreModel

extension SQLStore {
  /// Changes a device.
  public func updateDevice(_ id: DeviceID, _ change: DeviceChange, now: Timestamp) throws(StoreError) {
    try change.check()
    try write { (context) throws(StoreError) in try context.update(id, change, now) }
  }

  /// The tokens a device had before, the newest first.
  public func earlierTokens(of device: DeviceID) throws(StoreError) -> [EarlierToken] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare("SELECT token, replaced_at FROM earlier_tokens WHERE device = ?1 ORDER BY id DESC")
      select.bind(1, device)
      var tokens: [EarlierToken] = []
      while try select.step() { tokens.append(EarlierToken(token: select.text(0), replacedAt: select.timestamp(1))) }
      return tokens
    }
  }

  /// The user with the caller's id, or nil.
  public func user(app: AppID, named name: String) throws(StoreError) -> User? {
    try readers.read { (db) throws(StoreError) in try db.user(app, named: name) }
  }

  /// The users with the caller's ids, by id.
  public func users(app: AppID, named names: Set<String>) throws(StoreError) -> [String: User] {
    try readers.read { (db) throws(StoreError) in
      let names = Array(names)
      var found: [User] = []
      try db.ask(User.byName, .numbers(names.map { _ in app.rawValue }), .texts(names)) { found.append(User(row: $1)) }
      return [String: User](try db.complete(found).map { ($0.name, $0) }) { first, _ in first }
    }
  }

  /// A page of an app's users, by key, after `after`.
  public func users(app: AppID, after: UserID?, limit: Int) throws(StoreError) -> [User] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(User.select + "WHERE +app = ?1 AND id > ?2 ORDER BY id LIMIT ?3")
      select.bindAll(app, after?.rawValue ?? 0, Checks.page(limit))
      var page: [User] = []
      while try select.step() { page.append(User(row: select)) }
      return try db.complete(page)
    }
  }

  /// Changes a user, and makes them when they are not there.
  public func updateUser(
    app: AppID, named name: String, _ change: UserChange, now: Timestamp
  ) throws(StoreError) -> User {
    try Checks.text(name, "user")
    try change.check()
    return try write { (context) throws(StoreError) in try context.update(app, name, change, now) }
  }
}

extension WriterContext {
  /// Notes when devices of a user were registered; makes the user when they are new.
  ///
  /// - Parameter seen: the first and the last registration; nil when there was none at a known time.
  func see(
    _ name: String, _ app: AppID, _ seen: ClosedRange<Timestamp>?, _ now: Timestamp
  ) throws(StoreError) -> SeenUser {
    var ahead = FoundAhead()
    return try see(name, app, seen, now, &ahead)
  }

  /// The same for one of several registrations.
  func see(
    _ name: String, _ app: AppID, _ seen: ClosedRange<Timestamp>?, _ now: Timestamp, _ ahead: inout FoundAhead
  ) throws(StoreError) -> SeenUser {
    guard let known = try ahead.user(app, name, db) else {
      let id = try insert(app, name, seen, now, key: ahead.key(of: .users, db))
      let made = SeenUser(id: id, flags: [])
      ahead.note(made, app, name)
      return made
    }
    if let seen {
      let update = try db.prepare(
        """
        UPDATE users SET last_seen_at = max(coalesce(last_seen_at, ?3), ?3),
          first_seen_at = min(coalesce(first_seen_at, ?2), ?2), created_at = min(created_at, ?2)
        WHERE id = ?1 AND (last_seen_at < ?3 OR first_seen_at > ?2 OR last_seen_at IS NULL OR created_at > ?2)
        """)
      update.bindAll(known.id, seen.lowerBound, seen.upperBound)
      try update.run()
    }
    return known
  }

  private func insert(
    _ app: AppID, _ name: String, _ seen: ClosedRange<Timestamp>?, _ now: Timestamp, key: Int64?
  ) throws(StoreError) -> UserID {
    let insert = try db.prepare(
      """
      INSERT INTO users(id, app, name, created_at, updated_at, first_seen_at, last_seen_at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    insert.bindAll(key, app, name, seen?.lowerBound ?? now, now, seen?.lowerBound)
    insert.bind(7, seen?.upperBound)
    try insert.runLater()
    return if let key { UserID(rawValue: key) } else { UserID(rawValue: try db.lastInsertedRowID()) }
  }

  fileprivate mutating func update(
    _ app: AppID, _ name: String, _ change: UserChange, _ now: Timestamp
  ) throws(StoreError) -> User {
    var ahead = FoundAhead()
    let known = try ahead.user(app, name, db)
    if known == nil, try db.app(app) == nil { throw Checks.missing("app", app) }
    let id = if let known { known.id } else { try insert(app, name, nil, now, key: ahead.key(of: .users, db)) }
    try edit(
      change.edits, of: id.rawValue, AttributeKeys.Scope(app: app, level: .user), isNew: known == nil)
    try self.change(change.aliases, of: id, app, moves: false)
    let flags = (known?.flags ?? []).applying(change.optOut)
    let update = try db.prepare("UPDATE users SET updated_at = ?2, flags = ?3 WHERE id = ?1")
    update.bindAll(id, now, flags.rawValue)
    try update.run()
    if flags != known?.flags ?? [] { try pass(flags, app, name) }
    if change.optOut != OptOutChange() { try recallDevices(app, name) }
    guard let user = try db.user(app, named: name) else { throw Checks.missing("user", id) }
    guard user.properties.count <= StoreLimits.attributesMax, user.entitlements.count <= StoreLimits.attributesMax
    else {
      throw AttributeChecks.tooMany(max(user.properties.count, user.entitlements.count), "properties")
    }
    return user
  }

  /// Recalls leased deliveries to a user's devices, so that they are checked again.
  mutating func recallDevices(_ app: AppID, _ user: String) throws(StoreError) {
    let select = try db.prepare("SELECT id FROM devices WHERE app = ?1 AND user = ?2")
    select.bindAll(app, user)
    while try select.step() { recall.devices.insert(select.id(0)) }
  }

  /// Copies a user's opt-outs to each of their devices, so that leasing reads them without another lookup.
  private func pass(_ flags: DeviceFlags, _ app: AppID, _ user: String) throws(StoreError) {
    let update = try db.prepare("UPDATE devices SET flags = (flags & 3) | ?3 WHERE app = ?1 AND user = ?2")
    update.bindAll(app, user, flags.asUsers.rawValue)
    try update.run()
  }

  fileprivate mutating func update(_ id: DeviceID, _ change: DeviceChange, _ now: Timestamp) throws(StoreError) {
    let app: AppID
    let owner: UserID?
    var flags: DeviceFlags
    do {
      let select = try db.prepare("SELECT app, owner, flags FROM devices WHERE id = ?1")
      select.bind(1, id)
      guard try select.step() else { throw Checks.missing("device", id) }
      app = select.id(0)
      owner = select.optionalID(1)
      flags = DeviceFlags(rawValue: select.int64(2))
    }
    if change.optOut != OptOutChange() { recall.devices.insert(id) }
    if case .set(let user) = change.user {
      let seen = try user.map { (user) throws(StoreError) in try see(user, app, now...now, now) }
      let left = try leaveOwner(of: id, from: owner, to: seen?.id)
      flags = (left ? [] : flags.intersection(.own)).union(seen?.flags.asUsers ?? [])
      let update = try db.prepare("UPDATE devices SET user = ?2, owner = ?3 WHERE id = ?1")
      update.bindAll(id, user, seen?.id)
      try update.run()
    }
    try set(change.locale, "UPDATE devices SET locale = ?2 WHERE id = ?1", id)
    try set(change.timezone, "UPDATE devices SET timezone = ?2 WHERE id = ?1", id)
    try set(change.appVersion, "UPDATE devices SET app_version = ?2 WHERE id = ?1", id)
    let update = try db.prepare("UPDATE devices SET flags = ?2 WHERE id = ?1")
    update.bindAll(id, flags.applying(change.optOut).rawValue)
    try update.run()
    try edit(change.edits, of: id.rawValue, AttributeKeys.Scope(app: app, level: .device))
    let count = try db.attributes(of: id.rawValue, .device).properties.count
    guard count <= StoreLimits.attributesMax else { throw AttributeChecks.tooMany(count, "properties") }
  }

  private func set(_ change: FieldChange, _ sql: StaticString, _ id: DeviceID) throws(StoreError) {
    guard case .set(let value) = change else { return }
    let update = try db.prepare(sql)
    update.bindAll(id, value)
    try update.run()
  }
}

extension DeviceChange {
  fileprivate func check() throws(StoreError) {
    for (change, field) in [(user, "user"), (locale, "locale"), (timezone, "timezone"), (appVersion, "app version")] {
      if case .set(let value) = change { try Checks.optional(value, field) }
    }
    try AttributeChecks.properties(properties)
    if let tags { try AttributeChecks.tags(tags, "tags") }
    if let categories = optOut.categories { try AttributeChecks.tags(categories, "opt_out_categories") }
  }

  fileprivate var edits: [AttributeEdit] {
    properties.map { .one($0, prefix: AttributeName.properties) } + (tags.map { [.tags($0)] } ?? [])
      + AttributeEdit.optOut(optOut)
  }
}

extension UserChange {
  fileprivate func check() throws(StoreError) {
    try aliases.check()
    try AttributeChecks.properties(properties)
    try AttributeChecks.properties(entitlements, "entitlements")
    try AttributeChecks.properties(profile, "user")
    if let tags { try AttributeChecks.tags(tags, "tags") }
    if let categories = optOut.categories { try AttributeChecks.tags(categories, "opt_out_categories") }
  }

  fileprivate var edits: [AttributeEdit] {
    profile.map { .one($0, prefix: "") } + properties.map { .one($0, prefix: AttributeName.properties) }
      + entitlements.map { .one($0, prefix: AttributeName.entitlements) } + (tags.map { [.tags($0)] } ?? [])
      + AttributeEdit.optOut(optOut)
  }
}

extension Connection {
  func user(_ app: AppID, named name: String) throws(StoreError) -> User? {
    let select = try prepare(parts: User.select + "WHERE app = ?1 AND name = ?2")
    select.bindAll(app, name)
    return try select.step() ? try complete([User(row: select)]).first : nil
  }

  /// Adds what is known of users beside their rows.
  fileprivate func complete(_ users: [User]) throws(StoreError) -> [User] {
    var users = users
    let known = try attributes(of: users.map(\.id.rawValue), .user)
    let aliases = try aliases(of: users.map(\.id))
    for index in users.indices {
      users[index].aliases = aliases[index]
      users[index].profile = known[index].profile
      users[index].properties = known[index].properties
      users[index].entitlements = known[index].entitlements
      users[index].tags = known[index].tags
      users[index].optOut = known[index].optOut
    }
    return users
  }
}

extension User {
  fileprivate static let select =
    "SELECT id, app, name, created_at, updated_at, first_seen_at, last_seen_at FROM users "
  fileprivate static let byName = KeyedQuestion(select + "WHERE app = ?1 AND name = ?2 LIMIT 1", .number, .text)

  /// What is known of them beside their row is added later.
  fileprivate init(row: borrowing Statement) {
    self.init(
      id: row.id(0), app: row.id(1), name: row.text(2), createdAt: row.timestamp(3), updatedAt: row.timestamp(4),
      firstSeenAt: row.optionalTimestamp(5), lastSeenAt: row.optionalTimestamp(6))
  }
}
