internal import Basics
internal import Ledger
internal import StoreModel

/// A device as a registration finds it.
struct FoundDevice {
  fileprivate static let select =
    "SELECT id, token, owner, flags, registered_at, state_at, user, kind FROM devices WHERE"

  let id: DeviceID
  let token: String
  let owner: UserID?
  let flags: DeviceFlags
  let registeredAt: Timestamp
  let stateAt: Timestamp
  let user: String?
  let kind: DeviceKind

  fileprivate init(row: borrowing Statement) {
    id = row.id(0)
    token = row.text(1)
    owner = row.optionalID(2)
    flags = DeviceFlags(rawValue: row.int64(3))
    registeredAt = row.timestamp(4)
    stateAt = row.timestamp(5)
    user = row.optionalText(6)
    kind = DeviceKind(rawValue: UInt8(truncatingIfNeeded: row.int(7))) ?? .ios
  }
}

/// A user as a registration finds or makes them.
struct SeenUser {
  let id: UserID
  let flags: DeviceFlags

  init(id: UserID, flags: DeviceFlags) {
    self.id = id
    self.flags = flags
  }

  fileprivate init(row: borrowing Statement) {
    id = row.id(0)
    flags = DeviceFlags(rawValue: row.int64(1))
  }
}

/// What registrations find: of several on a server it is read for all of them at once, as each question is a message there.
///
/// A registration that may meet what another one of its command has changed asks for itself.
struct FoundAhead {
  /// A text of an app, the same when its bytes are, as in the database.
  private struct Key: Hashable {
    let app: AppID
    let text: ByteKey

    init(_ app: AppID, _ text: String) { (self.app, self.text) = (app, ByteKey(text)) }
  }

  /// A table whose keys are taken before its rows are inserted.
  enum Table: String {
    case devices, users
  }

  /// By the first token that is the same device (``TokenRange``); nil for what is not there.
  private var byToken: [Key: FoundDevice?] = [:]
  private var byName: [Key: FoundDevice?] = [:]
  private var users: [Key: SeenUser?] = [:]
  /// The devices that the command has changed or forgotten.
  private var changed: Set<DeviceID> = []
  private var keys: [Table: Range<Int64>] = [:]
  /// Whether anything was read ahead.
  private var isAhead = false

  /// Knows nothing ahead.
  init() {}

  init(_ devices: [DeviceRegistration], _ db: borrowing Connection) throws(StoreError) {
    guard devices.count > 1, db.writesSets else { return }
    isAhead = true
    let bounds = devices.map { TokenRange.bounds($0.token) }
    let tokens = zip(devices, bounds).map { Key($0.app, $1.first) }
    byToken = Self.unfound(tokens)
    try db.ask(Self.token, Self.apps(tokens), Self.texts(tokens), .texts(bounds.map(\.last))) { index, row in
      byToken[tokens[index]] = FoundDevice(row: row)
    }
    let names = devices.compactMap { device in device.name.map { Key(device.app, $0) } }
    byName = Self.unfound(names)
    try db.ask(Self.name, Self.apps(names), Self.texts(names)) { index, row in
      byName[names[index]] = FoundDevice(row: row)
    }
    let users = devices.compactMap { device in device.user.map { Key(device.app, $0) } }
    self.users = Self.unfound(users)
    try db.ask(Self.user, Self.apps(users), Self.texts(users)) { index, row in
      self.users[users[index]] = SeenUser(row: row)
    }
    // One that is found by its name needs no key; what is left over is a gap.
    keys[.devices] = try db.takeKeys(of: Table.devices.rawValue, byToken.values.count { $0 == nil })
    keys[.users] = try db.takeKeys(of: Table.users.rawValue, self.users.values.count { $0 == nil })
  }

  // MARK: - Questions

  func device(_ app: AppID, token: String, _ db: borrowing Connection) throws(StoreError) -> FoundDevice? {
    let (first, last) = TokenRange.bounds(token)
    if isAhead, let known = byToken[Key(app, first)], isAsItWas(known) { return known }
    var found: FoundDevice?
    try db.ask(Self.token, .numbers([app.rawValue]), .texts([first]), .texts([last])) { found = FoundDevice(row: $1) }
    return found
  }

  func device(_ app: AppID, name: String, _ db: borrowing Connection) throws(StoreError) -> FoundDevice? {
    if isAhead, let known = byName[Key(app, name)], isAsItWas(known) { return known }
    var found: FoundDevice?
    try db.ask(Self.name, .numbers([app.rawValue]), .texts([name])) { found = FoundDevice(row: $1) }
    return found
  }

  func user(_ app: AppID, _ name: String, _ db: borrowing Connection) throws(StoreError) -> SeenUser? {
    if isAhead, let known = users[Key(app, name)] { return known }
    var found: SeenUser?
    try db.ask(Self.user, .numbers([app.rawValue]), .texts([name])) { found = SeenUser(row: $1) }
    return found
  }

  private func isAsItWas(_ known: FoundDevice?) -> Bool { known.map { !changed.contains($0.id) } ?? true }

  /// The key for a new row; nil for a file, which gives it with the row.
  mutating func key(of table: Table, _ db: borrowing Connection) throws(StoreError) -> Int64? {
    if let key = keys[table]?.popFirst() { return key }
    return try db.takeKeys(of: table.rawValue, 1)?.first
  }

  // MARK: - Changes

  /// Notes that a registration was made, and which devices it had found.
  mutating func noteChange(_ device: DeviceRegistration, _ found: FoundDevice?...) {
    guard isAhead else { return }
    for found in found { if let found { changed.insert(found.id) } }
    byToken[Key(device.app, TokenRange.bounds(device.token).first)] = nil
    if let name = device.name { byName[Key(device.app, name)] = nil }
  }

  mutating func note(_ made: SeenUser, _ app: AppID, _ name: String) {
    if isAhead { users[Key(app, name)] = .some(made) }
  }

  // MARK: - Questions to the database

  private static let token = KeyedQuestion(
    "\(FoundDevice.select) app = ?1 AND token >= ?2 AND token <= ?3 LIMIT 1", .number, .text, .text)
  private static let name = KeyedQuestion("\(FoundDevice.select) app = ?1 AND name = ?2 LIMIT 1", .number, .text)
  private static let user = KeyedQuestion(
    "SELECT id, flags FROM users WHERE app = ?1 AND name = ?2 LIMIT 1", .number, .text)

  private static func apps(_ keys: [Key]) -> KeyedQuestion.Values { .numbers(keys.map(\.app.rawValue)) }

  private static func texts(_ keys: [Key]) -> KeyedQuestion.Values { .texts(keys.map(\.text.text)) }

  /// What is known of these before it is asked about them.
  private static func unfound<Found>(_ keys: [Key]) -> [Key: Found?] {
    [Key: Found?](keys.map { ($0, nil) }) { first, _ in first }
  }
}
