public import StoreModel

extension SQLStore {
  /// Reads what is asked of the recipients of deliveries.
  public func recipients(
    _ queries: [RecipientQuery], _ body: (Int, Int, borrowing RecipientRow) -> Void
  ) throws(StoreError) {
    try readers.view { (db) throws(StoreError) in
      for (number, query) in queries.enumerated() {
        var cursors = try RecipientCursors(query, db)
        try cursors.read(query.devices) { body(number, $0, $1) }
      }
    }
  }
}

/// The devices of a query side by side with their properties, each read in the order of the devices.
///
/// A campaign's deliveries follow one another, and so do mostly their devices: a search finds its row on the page of the
/// one before it.
private struct RecipientCursors: ~Copyable {
  private let keys: PropertyKeys
  private var people: RowCursor
  private var ofUsers: RowCursor
  private var ofDevices: RowCursor
  /// What is read of a device itself.
  private let members: [Int]
  private var row: RecipientRow
  /// For each property the value that it has, while a recipient is read.
  private var found: [FoundProperty?]

  /// The columns of the members, by `RecipientFields.Slot`.
  private static let columns = ["user", "locale", "timezone", "app_version"]

  /// Devices that are further apart are searched for, nearer ones are passed over.
  private static let gapMax: Int64 = 8

  init(_ query: RecipientQuery, _ db: borrowing Connection) throws(StoreError) {
    let keys = try PropertyKeys(query, db)
    // SQLite reads every column that is named, also of the rows that are passed over.
    let columns = query.fields.members.map { ", " + Self.columns[$0] }.joined()
    let people = try db.prepare(parts: "SELECT id\(columns) FROM devices WHERE id >= ?1 AND id <= ?2 ORDER BY id")
    let users = try db.prepare(
      """
      SELECT v.id, a.key, a.value FROM devices v CROSS JOIN user_attributes a ON a.user = v.owner
      WHERE v.id >= ?1 AND v.id <= ?2 AND a.key >= ?3 AND a.key <= ?4 ORDER BY v.id, a.key
      """)
    let devices = try Self.properties(query, keys, db)
    self.people = RowCursor(people, isIdle: query.fields.members.isEmpty)
    ofUsers = RowCursor(users, of: keys.ofUsers)
    ofDevices = RowCursor(devices, of: keys.ofDevices)
    self.keys = keys
    members = query.fields.members
    row = RecipientRow(query.fields)
    found = Array(repeating: nil, count: query.fields.properties.count)
  }

  /// The properties of devices: searched for device by device, or all of them in a row where there are few, because a
  /// search costs as much as passing over several rows.
  private static func properties(
    _ query: RecipientQuery, _ keys: borrowing PropertyKeys, _ db: borrowing Connection
  ) throws(StoreError) -> Statement {
    if keys.ofDevices != nil, try haveFew(query.devices, db) {
      return try db.prepare(
        """
        SELECT device, key, value FROM device_attributes
        WHERE device >= ?1 AND device <= ?2 AND key >= ?3 AND key <= ?4 ORDER BY device, key
        """)
    }
    return try db.prepare(
      """
      SELECT v.id, a.key, a.value FROM devices v CROSS JOIN device_attributes a ON a.device = v.id
      WHERE v.id >= ?1 AND v.id <= ?2 AND a.key >= ?3 AND a.key <= ?4 ORDER BY v.id, a.key
      """)
  }

  /// How many devices are looked at to see how many properties they have, and how many are few.
  private static let sampled: Int64 = 32
  private static let few: Int64 = 5

  /// Whether the devices have few properties each, as the first of them show; few devices are not worth the look.
  private static func haveFew(_ devices: [DeviceID?], _ db: borrowing Connection) throws(StoreError) -> Bool {
    guard devices.count >= sampled, let first = devices.first ?? nil else { return false }
    let select = try db.prepare(
      """
      SELECT count(*) FROM (SELECT 1 FROM device_attributes WHERE device >= ?1 AND device < ?1 + ?2 LIMIT ?3) AS sample
      """)
    select.bindAll(first, sampled, sampled * few + 1)
    return try select.step() && select.int64(0) <= sampled * few
  }

  mutating func read(_ devices: [DeviceID?], _ body: (Int, borrowing RecipientRow) -> Void) throws(StoreError) {
    var start = 0
    while start < devices.count {
      guard let first = devices[start]?.rawValue else {
        row.clear()
        body(start, row)
        start += 1
        continue
      }
      var (end, last) = (start + 1, first)
      while end < devices.count, let next = devices[end]?.rawValue, (1...Self.gapMax).contains(next - last) {
        last = next
        end += 1
      }
      try people.search(first, last)
      try ofUsers.search(first, last)
      try ofDevices.search(first, last)
      for index in start..<end {
        if let device = devices[index] { try read(device) }
        body(index, row)
      }
      start = end
    }
  }

  private mutating func read(_ device: DeviceID) throws(StoreError) {
    row.clear()
    row.device = device
    if try people.find(device.rawValue) {
      for (index, slot) in members.enumerated() { row.set(slot, people.statement, Int32(index + 1)) }
    }
    // A device's own property is used before its user's of the same name.
    try Self.take(&ofUsers, device.rawValue, keys, &found, &row)
    try Self.take(&ofDevices, device.rawValue, keys, &found, &row)
  }

  private static func take(
    _ cursor: inout RowCursor, _ device: Int64, _ keys: borrowing PropertyKeys, _ found: inout [FoundProperty?],
    _ row: inout RecipientRow
  ) throws(StoreError) {
    guard try cursor.find(device) else { return }
    for number in found.indices { found[number] = nil }
    while cursor.id == device {
      try cursor.take(keys, &found, &row)
      try cursor.next()
    }
  }
}

/// A value of a property while its row is read; the same name may have values of several types.
struct FoundProperty {
  let isText: Bool
  let number: Double

  /// Whether another value comes behind it in the order of SQLite, numbers before texts.
  func isBefore(_ other: FoundProperty, texts: () -> (String, String)) -> Bool {
    if isText != other.isText { return other.isText }
    guard isText else { return number <= other.number }
    // SQLite compares texts byte by byte.
    let (mine, others) = texts()
    return mine.utf8.lexicographicallyPrecedes(others.utf8)
  }
}

/// The numbers of the properties that are asked for, at both levels.
private struct PropertyKeys {
  struct Key {
    let number: Int64
    let property: Int
    let kind: AttributeValue.Kind
  }

  private(set) var keys: [Key] = []
  private(set) var ofUsers: ClosedRange<Int64>?
  private(set) var ofDevices: ClosedRange<Int64>?

  init(_ query: RecipientQuery, _ db: borrowing Connection) throws(StoreError) {
    guard !query.fields.properties.isEmpty else { return }
    let select = try db.prepare(
      "SELECT id, level, type FROM attribute_keys WHERE app = ?1 AND level IN (1, 2) AND name = ?2")
    for (property, name) in query.fields.properties.enumerated() {
      select.bindAll(query.app, AttributeName.properties + name)
      while try select.step() {
        guard let kind = AttributeValue.Kind(rawValue: select.int64(2)) else { continue }
        let number = select.int64(0)
        keys.append(Key(number: number, property: property, kind: kind))
        switch AttributeLevel(rawValue: select.int64(1)) {
        case .user: ofUsers = Self.widen(ofUsers, number)
        case .device: ofDevices = Self.widen(ofDevices, number)
        case nil: break
        }
      }
      select.reset()
    }
  }

  private static func widen(_ range: ClosedRange<Int64>?, _ number: Int64) -> ClosedRange<Int64> {
    guard let range else { return number...number }
    return min(range.lowerBound, number)...max(range.upperBound, number)
  }

  func key(_ number: Int64) -> Key? { keys.first { $0.number == number } }
}

/// A statement whose rows come in the order of the devices, which are its first column.
private struct RowCursor: ~Copyable {
  let statement: Statement
  /// The device of the row it is at; the largest number behind the last row.
  private(set) var id = Int64.max
  /// Whether it has no rows at all, because nothing is asked of them.
  private let isIdle: Bool

  init(_ statement: consuming Statement, isIdle: Bool) {
    self.statement = statement
    self.isIdle = isIdle
  }

  /// Rows with a key; the smallest and the largest that are of interest, or nil when there is none.
  init(_ statement: consuming Statement, of keys: ClosedRange<Int64>?) {
    statement.bind(3, keys?.lowerBound)
    statement.bind(4, keys?.upperBound)
    self.statement = statement
    isIdle = keys == nil
  }

  mutating func search(_ first: Int64, _ last: Int64) throws(StoreError) {
    guard !isIdle else { return }
    statement.reset()
    statement.bind(1, first)
    statement.bind(2, last)
    try next()
  }

  mutating func next() throws(StoreError) { id = try statement.step() ? statement.int64(0) : .max }

  /// Moves to a device; false when it has no row.
  mutating func find(_ device: Int64) throws(StoreError) -> Bool {
    while id < device { try next() }
    return id == device
  }

  /// Takes the property of the row it is at, when it is asked for.
  func take(
    _ keys: borrowing PropertyKeys, _ found: inout [FoundProperty?], _ row: inout RecipientRow
  ) throws(StoreError) {
    guard let key = keys.key(statement.int64(1)) else { return }
    let isText = key.kind == .text
    let slot = RecipientFields.Slot.properties + key.property
    let value = FoundProperty(isText: isText, number: isText ? 0 : statement.double(2))
    if let known = found[key.property] {
      guard known.isBefore(value, texts: { (row.text(slot) ?? "", statement.text(2)) }) else { return }
    }
    found[key.property] = value
    if isText { row.set(slot, statement, 2) } else { row.set(slot, statement.attribute(2, key.kind).text) }
  }
}
