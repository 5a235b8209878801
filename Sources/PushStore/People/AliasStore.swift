public import StoreModel

extension SQLStore {
  /// The user with an alias, or nil.
  public func user(app: AppID, alias: UserAlias) throws(StoreError) -> User? {
    try readers.read { (db) throws(StoreError) in
      guard let name = try db.userName(app, alias.label, alias.id) else { return nil }
      return try db.user(app, named: name)
    }
  }

  /// The users with these ids under one label.
  public func users(app: AppID, label: String, ids: [String]) throws(StoreError) -> [String: String] {
    try readers.read { (db) throws(StoreError) in
      var names: [String: String] = [:]
      for id in ids { names[id] = try db.userName(app, label, id) }
      return names
    }
  }

  /// The device with a further id, or nil.
  public func device(app: AppID, otherName: String) throws(StoreError) -> Device? {
    let id: DeviceID? = try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce("SELECT device FROM device_names WHERE app = ?1 AND name = ?2")
      select.bindAll(app, otherName)
      return try select.step() ? select.id(0) : nil
    }
    return try id.flatMap { (id) throws(StoreError) in try device(id) }
  }
}

extension Connection {
  fileprivate func userName(_ app: AppID, _ label: String, _ id: String) throws(StoreError) -> String? {
    let select = try prepare(
      """
      SELECT u.name FROM aliases a JOIN users u ON u.id = a.user WHERE a.app = ?1 AND a.label = ?2 AND a.id = ?3
      """)
    select.bindAll(app, label, id)
    return try select.step() ? select.text(0) : nil
  }

  /// A user's aliases, by label.
  func aliases(of user: UserID) throws(StoreError) -> [UserAlias] { try aliases(of: [user])[0] }

  /// The same of several users.
  func aliases(of users: [UserID]) throws(StoreError) -> [[UserAlias]] {
    var aliases = [[UserAlias]](repeating: [], count: users.count)
    try ask(Self.aliases, .numbers(users.map(\.rawValue))) { index, row in
      aliases[index].append(UserAlias(row.text(0), row.text(1)))
    }
    return aliases
  }

  private static let aliases = KeyedQuestion("SELECT label, id FROM aliases WHERE user = ?1 ORDER BY label", .number)
}

extension WriterContext {
  /// Changes aliases of a user.
  ///
  /// - Parameter moves: whether an alias that another user has becomes this user's; else it is a conflict.
  func change(
    _ changes: [AliasChange], of user: UserID, _ app: AppID, moves: Bool
  ) throws(StoreError) {
    guard !changes.isEmpty else { return }
    for change in changes {
      guard let id = change.id else {
        let delete = try db.prepare("DELETE FROM aliases WHERE user = ?1 AND label = ?2")
        delete.bindAll(user, change.label)
        try delete.run()
        continue
      }
      if try isKept(UserAlias(change.label, id), by: user, app, moves: moves) { continue }
      let insert = try db.prepare(
        """
        INSERT INTO aliases(app, label, id, user) VALUES (?1, ?2, ?3, ?4)
          ON CONFLICT(user, label) DO UPDATE SET id = ?3
        """)
      insert.bindAll(app, change.label, id, user)
      try insert.run()
    }
    let count = try db.aliases(of: user).count
    guard count <= StoreLimits.aliasesMax else {
      throw StoreError(
        .invalid, "aliases: \(count), at most \(StoreLimits.aliasesMax) are stored of a user", advice: "remove some")
    }
  }

  /// Whether a user has an alias already.
  ///
  /// Takes it from whoever else has it, or refuses.
  private func isKept(
    _ alias: UserAlias, by user: UserID, _ app: AppID, moves: Bool
  ) throws(StoreError) -> Bool {
    let select = try db.prepare("SELECT user FROM aliases WHERE app = ?1 AND label = ?2 AND id = ?3")
    select.bindAll(app, alias.label, alias.id)
    guard try select.step() else { return false }
    if select.int64(0) == user.rawValue { return true }
    guard moves else {
      throw StoreError(
        .conflict, "aliases.\(alias.label): another user has this id",
        advice: "remove it from that user first, or choose another id")
    }
    let delete = try db.prepare("DELETE FROM aliases WHERE app = ?1 AND label = ?2 AND id = ?3")
    delete.bindAll(app, alias.label, alias.id)
    try delete.run()
    return false
  }

  /// Replaces a device's further ids; one that another device had is this device's from now on.
  func set(otherNames names: [String], of device: DeviceID, _ app: AppID) throws(StoreError) {
    try forgetOtherNames(of: device)
    for name in names {
      let insert = try db.prepare(
        """
        INSERT INTO device_names(app, name, device) VALUES (?1, ?2, ?3)
        ON CONFLICT(app, name) DO UPDATE SET device = excluded.device
        """)
      insert.bindAll(app, name, device)
      try insert.run()
    }
  }

  func forgetOtherNames(of device: DeviceID) throws(StoreError) {
    let delete = try db.prepare("DELETE FROM device_names WHERE device = ?1")
    delete.bind(1, device)
    try delete.run()
  }
}

extension [AliasChange] {
  func check() throws(StoreError) {
    for change in self {
      guard UserAlias.isLabel(change.label) else {
        throw StoreError(
          .invalid, "aliases: \"\(change.label.prefix(40))\" is no label",
          advice: "use 1 to \(StoreLimits.aliasLabelBytesMax) letters, digits, - and _")
      }
      if let id = change.id { try Checks.text(id, "aliases.\(change.label)") }
    }
  }
}
