internal import Ledger
internal import StoreModel

extension WriterContext {
  mutating func register(_ devices: [DeviceRegistration], _ now: Timestamp) throws(StoreError) -> [RegisteredDevice] {
    var known: Set<AppID> = []
    for device in devices where known.insert(device.app).inserted {
      guard try db.app(device.app) != nil else { throw Checks.missing("app", device.app) }
    }
    var ahead = try FoundAhead(devices, db)
    var result: [RegisteredDevice] = []
    result.reserveCapacity(devices.count)
    for device in devices { result.append(try register(device, now, &ahead)) }
    return result
  }

  /// What a registration says of the time: a device's own is of now, a file's of when it says.
  private struct RegistrationTimes {
    /// When the device was registered; nil when a file about a known device does not say.
    let registeredAt: Timestamp?
    /// When it was registered first.
    let createdAt: Timestamp?
    /// Whether it shows that the device receives pushes again.
    let revives: Bool
    /// Whether a later registration is known already.
    let isOlder: Bool

    init(_ device: DeviceRegistration, _ found: FoundDevice?, _ now: Timestamp) {
      // Nothing has happened in the future.
      func past(_ instant: Timestamp?) -> Timestamp? { instant.map { min($0, now) } }
      createdAt = past(device.history?.createdAt)
      guard device.source == .file else {
        (registeredAt, revives, isOlder) = (now, true, false)
        return
      }
      let said = past(device.history?.registeredAt)
      let isNewToken = found.map { $0.token != device.token } ?? true
      registeredAt = said ?? (isNewToken ? now : nil)
      let isActive = device.history.map { $0.state == .active } ?? true
      let isLater = said.map { instant in found.map { instant > $0.stateAt } ?? true } ?? false
      revives = isActive && (isLater || isNewToken)
      isOlder = said.map { instant in found.map { instant < $0.registeredAt } ?? false } ?? false
    }

    /// The first and the last registration that it knows of.
    var seen: ClosedRange<Timestamp>? { registeredAt.map { last in min(createdAt ?? last, last)...last } }
  }

  /// The device's own name decides which record is meant, then the token.
  ///
  /// A token belongs to one record only: when a named device takes a token that another record has, that other record
  /// is an older life of the same device, and it goes.
  private mutating func register(
    _ given: DeviceRegistration, _ now: Timestamp, _ ahead: inout FoundAhead
  ) throws(StoreError) -> RegisteredDevice {
    let byToken = try ahead.device(given.app, token: given.token, db)
    var device = given
    device.token = given.token(knownAs: byToken?.token)
    let byName =
      try device.name.map { (name) throws(StoreError) in try ahead.device(device.app, name: name, db) } ?? nil
    defer { ahead.noteChange(device, byToken, byName) }
    let times = RegistrationTimes(device, byName ?? byToken, now)
    if let found = byName ?? byToken, times.isOlder {
      return RegisteredDevice(id: found.id, created: false, isOlder: true)
    }
    try permit(device, byName, byToken)
    if let byToken, !byToken.kind.mayBecome(device.kind) {
      throw StoreError(
        .invalidToken, "the token is that of a device registered with the type \(byToken.kind.name)",
        advice: "give the token of \(device.kind.name), or delete device \(byToken.id) first")
    }
    if let byName, !byName.kind.mayLeaveNameTo(device.kind) {
      throw StoreError(
        .invalidName, "the name is that of a device registered with the type \(byName.kind.name)",
        advice: "give each token of a phone a name of its own, or none")
    }
    let owner = try device.user.map { (user) throws(StoreError) in
      try see(user, device.app, times.seen, now, &ahead)
    }
    if let owner {
      try change(device.userAliases.map { AliasChange($0.label, $0.id) }, of: owner.id, device.app, moves: true)
    }
    if let byName, let byToken, byToken.id != byName.id { try forgetDevice(byToken.id) }
    guard let found = byName ?? byToken else {
      let id = try insert(device, owner, times, now, key: ahead.key(of: .devices, db))
      try edit(device.edits, of: id.rawValue, AttributeKeys.Scope(app: device.app, level: .device), isNew: true)
      if let names = device.otherNames, !names.isEmpty { try set(otherNames: names, of: id, device.app) }
      return RegisteredDevice(id: id, created: true)
    }
    if found.token != device.token {
      try remember(found.token, of: found.id, now)
      recall.devices.insert(found.id)
    }
    if device.optOut != OptOutChange() { recall.devices.insert(found.id) }
    // A file that names no user says nothing of the user.
    let keepsOwner = device.source == .file && device.user == nil
    let left = keepsOwner ? false : try leaveOwner(of: found.id, from: found.owner, to: owner?.id)
    let flags = left ? [] : keepsOwner ? found.flags : found.flags.intersection(.own)
    try update(found.id, device, owner, flags, times, keepsOwner: keepsOwner)
    try edit(device.edits, of: found.id.rawValue, AttributeKeys.Scope(app: device.app, level: .device))
    if let names = device.otherNames { try set(otherNames: names, of: found.id, device.app) }
    return RegisteredDevice(id: found.id, created: false)
  }

  /// Refuses a registration that changes a device of a user on whose behalf it does not come.
  ///
  /// One exception: a verified user may take over the device whose current push token the registration has. The provider gives
  /// that token to the device alone, and a phone that changes hands has no token of its former user. A name proves
  /// nothing, as apps choose names that others may know.
  private func permit(
    _ device: DeviceRegistration, _ byName: FoundDevice?, _ byToken: FoundDevice?
  ) throws(StoreError) {
    guard device.principal != .trusted else { return }
    let isOwn = [byName, byToken].compactMap { $0 }.allSatisfy { found in
      let isTakenOver = device.user != nil && found.token.utf8.elementsEqual(device.token.utf8)
      return isTakenOver || device.principal.speaks(for: found.user)
    }
    guard isOwn, device.principal.speaks(for: device.user) else {
      throw StoreError(
        .notPermitted, "the device belongs to another user", advice: "register it on behalf of its user")
    }
  }

  /// What the registration leaves out stays as it was, except the user: a token that comes without one has no user any more,
  /// unless the owner is kept.
  private func update(
    _ id: DeviceID, _ device: DeviceRegistration, _ owner: SeenUser?, _ flags: DeviceFlags, _ times: RegistrationTimes,
    keepsOwner: Bool
  ) throws(StoreError) {
    let update = try db.prepare(
      """
      UPDATE devices SET name = coalesce(?2, name), token = ?3, kind = ?4, environment = ?5,
        user = CASE WHEN ?13 = 1 THEN user ELSE ?6 END, owner = CASE WHEN ?13 = 1 THEN owner ELSE ?7 END,
        locale = coalesce(?8, locale), timezone = coalesce(?9, timezone), app_version = coalesce(?10, app_version),
        flags = ?11, registered_at = coalesce(?12, registered_at),
        state_reason = CASE WHEN ?14 = 1 THEN NULL ELSE state_reason END,
        state_at = CASE WHEN state = #device.active OR ?14 = 0 THEN state_at ELSE ?12 END,
        state = CASE WHEN ?14 = 1 THEN #device.active ELSE state END
      WHERE id = ?1
      """)
    update.bind(1, id)
    bind(device, owner, flags, times.registeredAt, to: update)
    update.bind(13, keepsOwner)
    update.bind(14, times.revives)
    try update.run()
  }

  private func insert(
    _ device: DeviceRegistration, _ owner: SeenUser?, _ times: RegistrationTimes, _ now: Timestamp, key: Int64?
  ) throws(StoreError) -> DeviceID {
    let insert = try db.prepare(
      """
      INSERT INTO devices(id, app, name, token, kind, environment, user, owner, locale, timezone, app_version, flags,
        registered_at, created_at, state, state_at, state_reason)
      VALUES (?17, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
      """)
    insert.bind(1, device.app)
    bind(device, owner, [], times.registeredAt ?? now, to: insert)
    insert.bind(13, times.createdAt ?? now)
    insert.bind(14, Int((device.history?.state ?? .active).rawValue))
    insert.bind(15, min(device.history?.stateAt ?? now, now))
    insert.bind(16, device.history?.stateReason)
    insert.bind(17, key)
    try insert.runLater()
    return if let key { DeviceID(rawValue: key) } else { DeviceID(rawValue: try db.lastInsertedRowID()) }
  }

  private func bind(
    _ device: DeviceRegistration, _ owner: SeenUser?, _ flags: DeviceFlags, _ registeredAt: Timestamp?,
    to statement: borrowing Statement
  ) {
    statement.bind(2, device.name)
    statement.bind(3, device.token)
    statement.bind(4, Int(device.kind.rawValue))
    statement.bind(5, Int(device.environment.rawValue))
    statement.bind(6, device.user)
    statement.bind(7, owner?.id)
    statement.bind(8, device.locale)
    statement.bind(9, device.timezone)
    statement.bind(10, device.appVersion)
    let all = flags.applying(device.optOut).union(owner?.flags.asUsers ?? [])
    statement.bind(11, Optional(all.rawValue))
    statement.bind(12, registeredAt)
  }

  private func remember(_ token: String, of device: DeviceID, _ now: Timestamp) throws(StoreError) {
    let insert = try db.prepare("INSERT INTO earlier_tokens(device, token, replaced_at) VALUES (?1, ?2, ?3)")
    insert.bindAll(device, token, now)
    try insert.run()
    let delete = try db.prepare(
      """
      DELETE FROM earlier_tokens WHERE device = ?1 AND id NOT IN
        (SELECT id FROM earlier_tokens WHERE device = ?1 ORDER BY id DESC LIMIT ?2)
      """)
    delete.bindAll(device, StoreLimits.earlierTokensMax)
    try delete.run()
  }

  /// Leaving a user takes along what was known of the device through them: their tags, their properties, their wishes, and
  /// the pushes that were addressed to it as theirs.
  /// - Returns: whether a user was left.
  mutating func leaveOwner(of device: DeviceID, from old: UserID?, to new: UserID?) throws(StoreError) -> Bool {
    guard let old, old != new else { return false }
    let number = try takeNumbers(1) + 1
    recall.devices.insert(device)
    let update = try db.prepare("UPDATE devices SET moved_number = ?2 WHERE id = ?1")
    update.bindAll(device, number)
    try update.run()
    try forgetAttributes(of: device.rawValue, .device)
    let tokens = try db.prepare("DELETE FROM earlier_tokens WHERE device = ?1")
    tokens.bind(1, device)
    try tokens.run()
    try forgetOtherNames(of: device)
    return true
  }

  /// Forgets a device and what belongs to it.
  mutating func forgetDevice(_ id: DeviceID) throws(StoreError) {
    recall.devices.insert(id)
    try forgetAttributes(of: id.rawValue, .device)
    try forgetOtherNames(of: id)
    let tokens = try db.prepare("DELETE FROM earlier_tokens WHERE device = ?1")
    tokens.bind(1, id)
    try tokens.run()
    let frequency = try db.prepare("DELETE FROM frequency WHERE subject = -CAST(?1 AS BIGINT)")
    frequency.bind(1, id)
    try frequency.run()
    let delete = try db.prepare("DELETE FROM devices WHERE id = ?1")
    delete.bind(1, id)
    try delete.run()
  }
}

extension DeviceRegistration {
  /// The token to store: a subscription that names no application server key has the one that it is known with, as it
  /// may be older than the app's current key.
  fileprivate func token(knownAs known: String?) -> String {
    guard kind.form == .subscription, var address = WebAddress(token), address.applicationServerKey == nil else {
      return token
    }
    if let known = known.flatMap(WebAddress.init), known.isSameSubscription(as: address) {
      address.applicationServerKey = known.applicationServerKey
    }
    address.applicationServerKey = address.applicationServerKey ?? usualServerKey
    return address.token
  }

  /// What it says about attributes.
  fileprivate var edits: [AttributeEdit] {
    var edits: [AttributeEdit] = []
    if let properties { edits.append(.all(properties, prefix: AttributeName.properties)) }
    if let tags { edits.append(.tags(tags)) }
    return edits + AttributeEdit.optOut(optOut)
  }
}
