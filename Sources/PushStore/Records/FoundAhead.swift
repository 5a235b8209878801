internal import Ledger
internal import StoreModel

/// A device as a registration finds it: a row of the statements of ``FoundAhead``, whose first column is the question's place.
struct FoundDevice {
  let id: DeviceID
  let token: String
  let owner: UserID?
  let flags: DeviceFlags
  let registeredAt: Timestamp
  let stateAt: Timestamp
  let user: String?
  let kind: DeviceKind

  fileprivate init(row: borrowing Statement) {
    id = row.id(1)
    token = row.text(2)
    owner = row.optionalID(3)
    flags = DeviceFlags(rawValue: row.int64(4))
    registeredAt = row.timestamp(5)
    stateAt = row.timestamp(6)
    user = row.optionalText(7)
    kind = DeviceKind(rawValue: UInt8(truncatingIfNeeded: row.int(8))) ?? .ios
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
    id = row.id(1)
    flags = DeviceFlags(rawValue: row.int64(2))
  }
}

/// What registrations find: of several on a server it is read for all of them at once, as each question is a message there.
///
/// A registration that may meet what another one of its command has changed asks for itself.
struct FoundAhead {
  /// A text of an app, the same when its bytes are, as in the database: two ways to write “é” are two names.
  private struct Key: Hashable {
    let app: AppID
    private let utf8: [UInt8]

    init(_ app: AppID, _ text: String) {
      self.app = app
      utf8 = Array(text.utf8)
    }

    var text: String { String(decoding: utf8, as: UTF8.self) }
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
    byToken = try Self.read(Self.tokens, tokens, bounds.map(\.last), db) { FoundDevice(row: $0) }
    let names = devices.compactMap { device in device.name.map { Key(device.app, $0) } }
    byName = try Self.read(Self.names, names, [], db) { FoundDevice(row: $0) }
    let users = devices.compactMap { device in device.user.map { Key(device.app, $0) } }
    self.users = try Self.read(Self.users, users, [], db) { SeenUser(row: $0) }
    // One that is found by its name needs no key; what is left over is a gap.
    keys[.devices] = try db.takeKeys(of: Table.devices.rawValue, byToken.values.count { $0 == nil })
    keys[.users] = try db.takeKeys(of: Table.users.rawValue, self.users.values.count { $0 == nil })
  }

  // MARK: - Questions

  func device(_ app: AppID, token: String, _ db: borrowing Connection) throws(StoreError) -> FoundDevice? {
    let (first, last) = TokenRange.bounds(token)
    if isAhead, let known = byToken[Key(app, first)], isAsItWas(known) { return known }
    let select = try db.prepare(parts: Self.token)
    select.bindAll(app, first, last)
    return try select.step() ? FoundDevice(row: select) : nil
  }

  func device(_ app: AppID, name: String, _ db: borrowing Connection) throws(StoreError) -> FoundDevice? {
    if isAhead, let known = byName[Key(app, name)], isAsItWas(known) { return known }
    let select = try db.prepare(parts: Self.name)
    select.bindAll(app, name)
    return try select.step() ? FoundDevice(row: select) : nil
  }

  func user(_ app: AppID, _ name: String, _ db: borrowing Connection) throws(StoreError) -> SeenUser? {
    if isAhead, let known = users[Key(app, name)] { return known }
    let select = try db.prepare(parts: Self.user)
    select.bindAll(app, name)
    return try select.step() ? SeenUser(row: select) : nil
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

  // MARK: - Statements

  private static let token = device("1", "app = ?1 AND token >= ?2 AND token <= ?3")
  private static let name = device("1", "app = ?1 AND name = ?2")
  private static let user = user("1", "app = ?1 AND name = ?2")
  private static let tokens = forAll(device("a.place", "app = a.app AND token >= a.text AND token <= a.last"))
  private static let names = forAll(device("a.place", "app = a.app AND name = a.text"))
  private static let users = forAll(user("a.place", "app = a.app AND name = a.text"))

  private static func device(_ place: String, _ condition: String) -> String {
    """
    SELECT \(place), id, token, owner, flags, registered_at, state_at, user, kind FROM devices WHERE \(condition)
    """
  }

  private static func user(_ place: String, _ condition: String) -> String {
    "SELECT \(place), id, flags FROM users WHERE \(condition)"
  }

  /// One question about all elements of three lists; each of them goes through the index, however many rows the planner expects.
  private static func forAll(_ select: String) -> String {
    """
    SELECT f.* FROM
      unnest(CAST(?1 AS bigint[]), CAST(?2 AS text[]), CAST(?3 AS text[])) WITH ORDINALITY AS a(app, text, last, place),
      LATERAL (\(select) LIMIT 1) f
    """
  }

  /// - Parameter lasts: where the ranges of texts end that begin with those of `keys`.
  private static func read<Found>(
    _ sql: String, _ keys: [Key], _ lasts: [String], _ db: borrowing Connection, _ found: (borrowing Statement) -> Found
  ) throws(StoreError) -> [Key: Found?] {
    guard !keys.isEmpty else { return [:] }
    var result = [Key: Found?](keys.map { ($0, nil) }) { first, _ in first }
    let select = try db.prepare(parts: sql)
    select.bind(1, set: keys.map(\.app.rawValue))
    select.bind(2, set: keys.map(\.text))
    select.bind(3, set: lasts)
    while try select.step() { result[keys[select.int(0) - 1]] = found(select) }
    return result
  }
}
