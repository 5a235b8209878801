internal import StoreModel

/// A change to the attributes of one device or user: which names change, and their new values.
struct AttributeEdit {
  enum Scope {
    case name(String)
    case prefix(String)

    func covers(_ name: String) -> Bool {
      switch self {
      case .name(let own): own == name
      case .prefix(let prefix): name.hasPrefix(prefix)
      }
    }
  }

  let scope: Scope
  var values: [(name: String, value: AttributeValue)] = []

  static func tags(_ tags: [String]) -> AttributeEdit {
    AttributeEdit(scope: .name(AttributeName.tags), values: tags.map { (AttributeName.tags, .text($0)) })
  }

  static func optOut(_ change: OptOutChange) -> [AttributeEdit] {
    var edits: [AttributeEdit] = []
    if let everything = change.everything {
      let values: [(String, AttributeValue)] = everything ? [(AttributeName.optOut, .bool(true))] : []
      edits.append(AttributeEdit(scope: .name(AttributeName.optOut), values: values))
    }
    if let categories = change.categories {
      let name = AttributeName.optOutCategories
      edits.append(AttributeEdit(scope: .name(name), values: categories.map { (name, .text($0)) }))
    }
    return edits
  }

  static func all(_ properties: [Property], prefix: String) -> AttributeEdit {
    AttributeEdit(scope: .prefix(prefix), values: properties.map { (prefix + $0.name, $0.value) })
  }

  static func one(_ change: PropertyChange, prefix: String) -> AttributeEdit {
    let name = prefix + change.name
    return AttributeEdit(scope: .name(name), values: change.value.map { [(name, $0)] } ?? [])
  }
}

/// The statements over the attributes of a level.
private struct AttributeStatements {
  let select: StaticString
  let insert: StaticString
  let delete: StaticString
  let deleteAll: StaticString

  init(_ level: AttributeLevel) {
    switch level {
    case .device:
      select = "SELECT key, value FROM device_attributes WHERE device = ?1"
      insert = "INSERT INTO device_attributes(device, key, value) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING"
      delete = "DELETE FROM device_attributes WHERE device = ?1 AND key = ?2 AND value = ?3"
      deleteAll = "DELETE FROM device_attributes WHERE device = ?1"
    case .user:
      select = "SELECT key, value FROM user_attributes WHERE user = ?1"
      insert = "INSERT INTO user_attributes(user, key, value) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING"
      delete = "DELETE FROM user_attributes WHERE user = ?1 AND key = ?2 AND value = ?3"
      deleteAll = "DELETE FROM user_attributes WHERE user = ?1"
    }
  }
}

private struct AttributeRow: Hashable {
  let key: Int64
  let value: AttributeValue
}

extension WriterContext {
  /// Makes changes to the attributes of a subject; rows that stay as they are are not written.
  mutating func edit(
    _ edits: [AttributeEdit], of subject: Int64, _ scope: AttributeKeys.Scope, isNew: Bool = false
  ) throws(StoreError) {
    guard !edits.isEmpty else { return }
    let statements = AttributeStatements(scope.level)
    var wanted: Set<AttributeRow> = []
    for edit in edits {
      for (name, value) in edit.values {
        wanted.insert(AttributeRow(key: try number(of: .init(name: name, kind: value.kind), scope), value: value))
      }
    }
    if !isNew {
      var gone: [AttributeRow] = []
      for row in try rows(of: subject, scope) {
        guard let name = attributeKeys[scope]?.keys[row.key]?.name else { continue }
        if wanted.remove(row) == nil, edits.contains(where: { $0.scope.covers(name) }) { gone.append(row) }
      }
      try run(statements.delete, gone, subject)
    }
    try run(statements.insert, Array(wanted), subject, isLater: true)
  }

  private func run(
    _ sql: StaticString, _ rows: [AttributeRow], _ subject: Int64, isLater: Bool = false
  ) throws(StoreError) {
    guard !rows.isEmpty else { return }
    let statement = try db.prepare(sql)
    statement.bind(1, subject)
    for row in rows {
      statement.bind(2, row.key)
      statement.bind(3, row.value)
      if isLater { try statement.runLater() } else { try statement.run() }
    }
  }

  private mutating func rows(of subject: Int64, _ scope: AttributeKeys.Scope) throws(StoreError) -> [AttributeRow] {
    let select = try db.prepare(AttributeStatements(scope.level).select)
    select.bind(1, subject)
    var rows: [AttributeRow] = []
    while try select.step() {
      guard let kind = try key(select.int64(0), scope)?.kind else { continue }
      rows.append(AttributeRow(key: select.int64(0), value: select.attribute(1, kind)))
    }
    return rows
  }

  /// Forgets all attributes of a subject; returns how many there were.
  @discardableResult
  func forgetAttributes(of subject: Int64, _ level: AttributeLevel) throws(StoreError) -> Int {
    let delete = try db.prepare(AttributeStatements(level).deleteAll)
    delete.bind(1, subject)
    try delete.run()
    return db.changes
  }
}

extension Statement {
  func bind(_ index: Int32, _ value: AttributeValue) {
    switch value {
    case .text(let text): bind(index, text)
    case .integer(let number): bind(index, Optional(number))
    case .real(let number): bind(index, number)
    case .bool(let bool): bind(index, bool)
    case .time(let instant): bind(index, Optional(instant))
    }
  }

  func attribute(_ column: Int32, _ kind: AttributeValue.Kind) -> AttributeValue {
    switch kind {
    case .text: .text(text(column))
    case .number: isReal(column) ? .real(double(column)) : .integer(int64(column))
    case .bool: .bool(bool(column))
    case .time: .time(timestamp(column))
    }
  }
}

/// The attributes of one subject, sorted into its members.
struct AttributeSet {
  var properties: [Property] = []
  var entitlements: [Property] = []
  var tags: [String] = []
  var optOut = OptOut.none
  var profile: [String: String] = [:]

  mutating func add(_ name: String, _ value: AttributeValue) {
    if name.hasPrefix(AttributeName.properties) {
      properties.append(Property(String(name.dropFirst(AttributeName.properties.count)), value))
    } else if name.hasPrefix(AttributeName.entitlements) {
      entitlements.append(Property(String(name.dropFirst(AttributeName.entitlements.count)), value))
    } else if name == AttributeName.optOut {
      optOut.everything = true
    } else if case .text(let text) = value {
      switch name {
      case AttributeName.tags: tags.append(text)
      case AttributeName.optOutCategories: optOut.categories.append(text)
      default: profile[name] = text
      }
    }
  }
}

extension Connection {
  /// What is known of a device or a user, in order of the names.
  func attributes(of subject: Int64, _ level: AttributeLevel) throws(StoreError) -> AttributeSet {
    try attributes(of: [subject], level)[0]
  }

  /// The same of several.
  func attributes(of subjects: [Int64], _ level: AttributeLevel) throws(StoreError) -> [AttributeSet] {
    var sets = [AttributeSet](repeating: AttributeSet(), count: subjects.count)
    try ask(level == .device ? AttributeSet.ofDevice : AttributeSet.ofUser, .numbers(subjects)) { index, row in
      guard let kind = AttributeValue.Kind(rawValue: row.int64(1)) else { return }
      sets[index].add(row.text(0), row.attribute(2, kind))
    }
    return sets
  }
}

extension AttributeSet {
  fileprivate static let ofDevice = KeyedQuestion(
    """
    SELECT k.name, k.type, a.value FROM device_attributes a CROSS JOIN attribute_keys k ON k.id = a.key
    WHERE a.device = ?1 ORDER BY k.name, k.type = 1, a.value
    """, .number)
  fileprivate static let ofUser = KeyedQuestion(
    """
    SELECT k.name, k.type, a.value FROM user_attributes a CROSS JOIN attribute_keys k ON k.id = a.key
    WHERE a.user = ?1 ORDER BY k.name, k.type = 1, a.value
    """, .number)
}
