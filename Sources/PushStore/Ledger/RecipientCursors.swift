extension SQLiteStore {
  /// Reads what is asked of the recipients of deliveries.
  public func recipients(
    _ queries: [RecipientQuery], _ body: (Int, Int, borrowing RecipientRow) -> Void
  ) throws(StoreError) {
    try readers.view { (db) throws(StoreError) in
      for (number, query) in queries.enumerated() {
        var cursors = try RecipientCursors(query, db)
        try cursors.read(query.deliveries) { body(number, $0, $1) }
      }
    }
  }
}

/// The deliveries of a query side by side with their devices and properties, each read in the order of the deliveries.
///
/// A campaign's deliveries follow one another, and so do mostly their devices: a search finds its row on the page of the
/// one before it.
private struct RecipientCursors: ~Copyable {
  private let keys: PropertyKeys
  private var people: RowCursor
  private var ofUsers: RowCursor
  private var ofDevices: RowCursor
  private let needsDevice: Bool
  private var row: RecipientRow
  /// For each property the value that it has, while a recipient is read.
  private var found: [FoundProperty?]

  /// Deliveries that are further apart are searched for, nearer ones are passed over.
  private static let gapMax: Int64 = 8

  init(_ query: RecipientQuery, _ db: borrowing Connection) throws(StoreError) {
    let keys = try PropertyKeys(query, db)
    let people = try Self.people(db, withDevice: query.fields.needsDevice)
    let users = try db.prepare(
      """
      SELECT d.id, a.key, a.value FROM deliveries d CROSS JOIN devices v ON v.id = d.device
      CROSS JOIN user_attributes a ON a.user = v.owner
      WHERE d.id >= ?1 AND d.id <= ?2 AND a.key >= ?3 AND a.key <= ?4 ORDER BY d.id
      """)
    let devices = try db.prepare(
      """
      SELECT d.id, a.key, a.value FROM deliveries d CROSS JOIN device_attributes a ON a.device = d.device
      WHERE d.id >= ?1 AND d.id <= ?2 AND a.key >= ?3 AND a.key <= ?4 ORDER BY d.id
      """)
    self.people = RowCursor(people)
    ofUsers = RowCursor(users, of: keys.ofUsers)
    ofDevices = RowCursor(devices, of: keys.ofDevices)
    self.keys = keys
    needsDevice = query.fields.needsDevice
    row = RecipientRow(query.fields)
    found = Array(repeating: nil, count: query.fields.properties.count)
  }

  private static func people(_ db: borrowing Connection, withDevice: Bool) throws(StoreError) -> Statement {
    if withDevice {
      return try db.prepare(
        """
        SELECT d.id, v.id, v.user, v.locale, v.timezone, v.app_version FROM deliveries d
        LEFT JOIN devices v ON v.id = d.device WHERE d.id >= ?1 AND d.id <= ?2 ORDER BY d.id
        """)
    }
    return try db.prepare("SELECT d.id, d.device FROM deliveries d WHERE d.id >= ?1 AND d.id <= ?2 ORDER BY d.id")
  }

  mutating func read(
    _ deliveries: [DeliveryID], _ body: (Int, borrowing RecipientRow) -> Void
  ) throws(StoreError) {
    var place = 0
    while place < deliveries.count {
      var end = place + 1
      while end < deliveries.count,
        (1...Self.gapMax).contains(deliveries[end].rawValue - deliveries[end - 1].rawValue)
      {
        end += 1
      }
      let (first, last) = (deliveries[place].rawValue, deliveries[end - 1].rawValue)
      try people.search(first, last)
      try ofUsers.search(first, last)
      try ofDevices.search(first, last)
      for index in place..<end {
        try read(deliveries[index].rawValue)
        body(index, row)
      }
      place = end
    }
  }

  private mutating func read(_ delivery: Int64) throws(StoreError) {
    row.clear()
    guard try people.find(delivery) else { return }
    row.isThere = true
    row.device = people.statement.optionalID(1)
    if needsDevice {
      for slot in 0..<RecipientFields.Slot.properties where !people.statement.isNull(Int32(slot + 2)) {
        row.set(slot, people.statement, Int32(slot + 2))
      }
    }
    // A device's own property is used before its user's of the same name.
    try Self.take(&ofUsers, delivery, keys, &found, &row)
    try Self.take(&ofDevices, delivery, keys, &found, &row)
  }

  private static func take(
    _ cursor: inout RowCursor, _ delivery: Int64, _ keys: borrowing PropertyKeys, _ found: inout [FoundProperty?],
    _ row: inout RecipientRow
  ) throws(StoreError) {
    guard try cursor.find(delivery) else { return }
    for number in found.indices { found[number] = nil }
    while cursor.id == delivery {
      try cursor.take(keys, &found, &row)
      try cursor.next()
    }
  }
}

/// A value of a property while its row is read; the same name may have values of several types.
struct FoundProperty {
  let isText: Bool
  let number: Double
  /// Compared only with another text.
  let text: String

  /// Whether another value comes behind it in the order of SQLite, numbers before texts.
  func isBefore(_ other: FoundProperty) -> Bool {
    if isText != other.isText { return other.isText }
    // SQLite compares texts byte by byte.
    return isText ? text.utf8.lexicographicallyPrecedes(other.text.utf8) : number <= other.number
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

/// A statement whose rows come in the order of the deliveries, which are its first column.
private struct RowCursor: ~Copyable {
  let statement: Statement
  /// The delivery of the row it is at; the largest number behind the last row.
  private(set) var id = Int64.max
  /// Whether it has no rows at all, because nothing is asked of them.
  private let isIdle: Bool

  init(_ statement: consuming Statement) {
    self.statement = statement
    isIdle = false
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

  /// Moves to a delivery; false when it has no row.
  mutating func find(_ delivery: Int64) throws(StoreError) -> Bool {
    while id < delivery { try next() }
    return id == delivery
  }

  /// Takes the property of the row it is at, when it is asked for.
  func take(
    _ keys: borrowing PropertyKeys, _ found: inout [FoundProperty?], _ row: inout RecipientRow
  ) throws(StoreError) {
    guard let key = keys.key(statement.int64(1)) else { return }
    let isText = key.kind == .text
    let slot = RecipientFields.Slot.properties + key.property
    let isFirst = found[key.property] == nil
    let value = FoundProperty(
      isText: isText, number: isText ? 0 : statement.double(2), text: isText && !isFirst ? statement.text(2) : "")
    if !isFirst, let known = found[key.property] {
      let known = FoundProperty(isText: known.isText, number: known.number, text: row.text(slot) ?? "")
      guard known.isBefore(value) else { return }
    }
    found[key.property] = value
    if isText { row.set(slot, statement, 2) } else { row.set(slot, statement.attribute(2, key.kind).text) }
  }
}
