internal import StoreModel

/// A segment as SQL: a condition on a row `d` of `devices`, and its parameters.
///
/// No input of a caller is part of the SQL text: values, names and numbers are bound. Each condition on an attribute is
/// one search in a primary key that begins with the device or the user.
struct SegmentSQL {
  private(set) var text = ""
  private var values: [AttributeValue] = []
  private let deviceKeys: AttributeKeys
  private let userKeys: AttributeKeys
  private let firstParameter: Int
  private let now: Timestamp

  /// Compiles a filter; `firstParameter` is the number of the first free parameter of the statement.
  init(
    _ filter: SegmentFilter, app: AppID, firstParameter: Int, now: Timestamp, _ db: borrowing Connection
  ) throws(StoreError) {
    deviceKeys = try db.attributeKeys(.init(app: app, level: .device))
    userKeys = try db.attributeKeys(.init(app: app, level: .user))
    self.firstParameter = firstParameter
    self.now = now
    text = sql(filter)
  }

  func bind(to statement: borrowing Statement) {
    for (index, value) in values.enumerated() { statement.bind(Int32(firstParameter + index), value) }
  }

  private mutating func parameter(_ value: AttributeValue) -> String {
    values.append(value)
    return "?\(firstParameter + values.count - 1)"
  }

  /// What holds for every device, and for none.
  private static let always = "1 = 1"
  private static let never = "1 = 0"

  // MARK: - Groups

  private mutating func sql(_ filter: SegmentFilter) -> String {
    switch filter {
    case .and(let parts): joined(parts, "AND", empty: Self.always)
    case .or(let parts): joined(parts, "OR", empty: Self.never)
    case .none(let parts): "(NOT " + joined(parts, "OR", empty: Self.never) + ")"
    case .condition(let condition): sql(condition)
    }
  }

  private mutating func joined(_ parts: [SegmentFilter], _ word: String, empty: String) -> String {
    guard !parts.isEmpty else { return empty }
    var pieces: [String] = []
    for part in parts { pieces.append(sql(part)) }
    return "(" + pieces.joined(separator: " \(word) ") + ")"
  }

  private mutating func sql(_ condition: SegmentCondition) -> String {
    switch condition.field {
    case .column(let column): sql(column, condition.comparison)
    case .attribute(AttributeName.tags): set(AttributeName.tags, condition.comparison)
    case .attribute(let name): attribute(name, condition.comparison)
    case .entitlements: entitlements(condition.comparison)
    case .alias(let label): alias(label, condition.comparison)
    }
  }

  // MARK: - Columns

  private mutating func sql(_ column: SegmentColumn, _ comparison: SegmentComparison) -> String {
    let expression = Self.expression(column)
    switch comparison {
    case .exists: return "\(expression) IS NOT NULL"
    case .notExists: return "\(expression) IS NULL"
    case .equal(let value): return compare(column, expression, "=", value)
    case .notEqual(let value): return compare(column, expression, "<>", value)
    case .greater(let value): return compare(column, expression, ">", value)
    case .greaterOrEqual(let value): return compare(column, expression, ">=", value)
    case .less(let value): return compare(column, expression, "<", value)
    case .lessOrEqual(let value): return compare(column, expression, "<=", value)
    case .contains(let part): return "coalesce(instr(\(expression), \(parameter(.text(part)))) > 0, \(Self.never))"
    case .notContains(let part): return "coalesce(instr(\(expression), \(parameter(.text(part)))) = 0, \(Self.never))"
    case .within(let span): return "coalesce(\(recent(expression, span)), \(Self.never))"
    case .notWithin(let span): return "coalesce(NOT (\(recent(expression, span))), \(Self.never))"
    }
  }

  private static func expression(_ column: SegmentColumn) -> String {
    func ofUser(_ name: String, else fallback: String) -> String {
      "coalesce((SELECT u.\(name) FROM users u WHERE u.id = d.owner), d.\(fallback))"
    }
    return switch column {
    case .user, .externalID: "d.user"
    case .deviceName: "d.name"
    case .type, .platform: "d.kind"
    case .environment: "d.environment"
    case .locale: "d.locale"
    case .timezone: "d.timezone"
    case .appVersion: "d.app_version"
    case .createdAt: ofUser("created_at", else: "created_at")
    case .firstSeenAt: ofUser("first_seen_at", else: "created_at")
    case .lastSeenAt: ofUser("last_seen_at", else: "registered_at")
    case .registeredAt: "d.registered_at"
    }
  }

  private mutating func compare(
    _ column: SegmentColumn, _ expression: String, _ sign: String, _ value: AttributeValue
  ) -> String {
    switch (column, value) {
    case (.type, .text(let name)):
      return "d.kind \(sign) \(parameter(.integer(Int64(DeviceKind(name: name)?.rawValue ?? 0))))"
    case (.platform, .text(let name)):
      let kinds = DevicePlatform(rawValue: name)?.kinds ?? []
      let holds = "d.kind IN (\(kinds.map { parameter(.integer(Int64($0.rawValue))) }.joined(separator: ", ")))"
      return sign == "=" ? holds : "NOT (\(holds))"
    case (.environment, .text(let name)):
      return "d.environment \(sign) \(parameter(.integer(Int64(DeviceEnvironment(name: name)?.rawValue ?? 0))))"
    case (_, .time) where column.isTimestamp, (_, .text) where !column.isTimestamp:
      return "coalesce(\(expression) \(sign) \(parameter(value)), \(Self.never))"
    default: return Self.never
    }
  }

  private mutating func recent(_ expression: String, _ span: Int64) -> String {
    let from = parameter(.time(now.adding(milliseconds: -span)))
    // The expression may be a search: BETWEEN makes it once.
    return "\(expression) BETWEEN \(from) AND \(parameter(.time(now)))"
  }

  // MARK: - Attributes

  /// Rows of the device or of its user with one of these keys, that fulfil `test` (over `a.value`); never when no key is known.
  private mutating func rows(
    _ numbers: (AttributeKeys) -> [Int64], _ test: (inout SegmentSQL) -> String? = { _ in nil }
  ) -> String {
    var parts: [String] = []
    for (keys, table, subject) in [
      (deviceKeys, "device_attributes", "device"), (userKeys, "user_attributes", "user"),
    ] {
      let found = numbers(keys)
      guard !found.isEmpty else { continue }
      let list = found.map { parameter(.integer($0)) }.joined(separator: ", ")
      let member = found.count == 1 ? "a.key = \(list)" : "a.key IN (\(list))"
      let condition = test(&self).map { " AND \($0)" } ?? ""
      let row = subject == "device" ? "d.id" : "d.owner"
      parts.append("EXISTS (SELECT 1 FROM \(table) a WHERE a.\(subject) = \(row) AND \(member)\(condition))")
    }
    return parts.isEmpty ? Self.never : parts.count == 1 ? parts[0] : "(" + parts.joined(separator: " OR ") + ")"
  }

  private mutating func compare(_ name: String, _ sign: String, _ value: AttributeValue) -> String {
    rows({ $0.numbers[.init(name: name, kind: value.kind)].map { [$0] } ?? [] }) {
      "a.value \(sign) \($0.parameter(value))"
    }
  }

  private mutating func exists(_ name: String) -> String { rows { $0.numbers(named: name) } }

  /// It is there, and `other` does not hold.
  private mutating func exists(_ name: String, andNot other: String) -> String {
    "(\(exists(name)) AND NOT \(other))"
  }

  private mutating func attribute(_ name: String, _ comparison: SegmentComparison) -> String {
    switch comparison {
    case .exists: return exists(name)
    case .notExists: return "NOT \(exists(name))"
    case .equal(let value): return compare(name, "=", value)
    case .notEqual(let value): return exists(name, andNot: compare(name, "=", value))
    case .greater(let value): return compare(name, ">", value)
    case .greaterOrEqual(let value): return compare(name, ">=", value)
    case .less(let value): return compare(name, "<", value)
    case .lessOrEqual(let value): return compare(name, "<=", value)
    case .contains(let part): return contains(name, part)
    case .notContains(let part): return exists(name, andNot: contains(name, part))
    case .within(let span): return within(name, span)
    case .notWithin(let span): return instant(name, andNot: within(name, span))
    }
  }

  private mutating func contains(_ name: String, _ part: String) -> String {
    rows({ $0.numbers[.init(name: name, kind: .text)].map { [$0] } ?? [] }) {
      "instr(a.value, \($0.parameter(.text(part)))) > 0"
    }
  }

  private mutating func within(_ name: String, _ span: Int64) -> String {
    rows({ $0.numbers[.init(name: name, kind: .time)].map { [$0] } ?? [] }) { $0.recent("a.value", span) }
  }

  private mutating func instant(_ name: String, andNot other: String) -> String {
    let there = rows { $0.numbers[.init(name: name, kind: .time)].map { [$0] } ?? [] }
    return "(\(there) AND NOT \(other))"
  }

  /// A set of texts: `eq` and `contains` ask for a member, their opposites for its absence, also from an empty set.
  private mutating func set(_ name: String, _ comparison: SegmentComparison) -> String {
    switch comparison {
    case .equal(let value): compare(name, "=", value)
    case .notEqual(let value): "NOT \(compare(name, "=", value))"
    case .contains(let member): compare(name, "=", .text(member))
    case .notContains(let member): "NOT \(compare(name, "=", .text(member)))"
    case .exists: exists(name)
    case .notExists: "NOT \(exists(name))"
    default: Self.never
    }
  }

  /// The user's alias under a label: one search in the index by user.
  private mutating func alias(_ label: String, _ comparison: SegmentComparison) -> String {
    let row = "EXISTS (SELECT 1 FROM aliases a WHERE a.user = d.owner AND a.label = \(parameter(.text(label)))"
    switch comparison {
    case .exists: return row + ")"
    case .notExists: return "NOT \(row))"
    case .equal(.text(let id)): return "\(row) AND a.id = \(parameter(.text(id))))"
    case .notEqual(.text(let id)): return "\(row) AND a.id <> \(parameter(.text(id))))"
    case .contains(let part): return "\(row) AND instr(a.id, \(parameter(.text(part)))) > 0)"
    case .notContains(let part): return "\(row) AND instr(a.id, \(parameter(.text(part)))) = 0)"
    default: return Self.never
    }
  }

  private mutating func entitlements(_ comparison: SegmentComparison) -> String {
    switch comparison {
    case .exists: rows { $0.numbers(withPrefix: AttributeName.entitlements) }
    case .notExists: "NOT \(rows { $0.numbers(withPrefix: AttributeName.entitlements) })"
    case .contains(let name): exists(AttributeName.entitlements + name)
    case .notContains(let name): "NOT \(exists(AttributeName.entitlements + name))"
    default: Self.never
    }
  }
}
