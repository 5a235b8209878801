internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Segments in JSON: `{"operator": "AND", "conditions": [{"field": …, "op": …, "value": …}, {"operator": "OR", …}]}`.
struct SegmentLanguage {
  private(set) var report = Report()
  private var conditions = 0

  /// Every operator, in the order of the documentation.
  static let operators = [
    "eq", "neq", "gt", "gte", "lt", "lte", "contains", "not_contains", "exists", "not_exists", "within", "not_within",
  ]

  /// Attributes of users that are fields under their own name.
  private static let plainAttributes = UserChange.profileNames + ["tags"]

  /// The fields that have a name of their own.
  static let names = SegmentColumn.allCases.map(\.rawValue) + plainAttributes + ["entitlements"]

  /// What other fields begin with.
  static let families = ["properties.", "entitlements.", SegmentField.aliases]

  /// Whether a name is a field's.
  static func isField(_ name: String) -> Bool {
    names.contains(name) || families.contains { name.utf8.starts(with: $0.utf8) }
  }

  /// The shape in the OpenAPI document; this reader has the better messages.
  static let schema = Schema(
    .map, "Conditions joined by AND, OR and NOT (none of them), or one condition.",
    example: [
      "operator": "AND",
      "conditions": [
        ["field": "properties.plan", "op": "eq", "value": "pro"],
        ["field": "last_seen_at", "op": "within", "value": "7d"],
      ],
    ])

  /// Reads a segment; nil when the report has an error.
  static func read(_ value: JSONValue, at field: FieldPath, into report: inout Report) -> SegmentFilter? {
    var language = SegmentLanguage()
    let filter = language.filter(value, field, depth: 1)
    report.append(language.report)
    return language.report.hasErrors ? nil : filter
  }

  private mutating func error(_ field: FieldPath, _ message: String) {
    guard report.findings.count < Schema.findingsMax else { return }
    report.add(rule: "segment", severity: .error, field: field, message: message)
  }

  // MARK: - Groups

  private mutating func filter(_ value: JSONValue, _ field: FieldPath, depth: Int) -> SegmentFilter {
    guard let object = value.object else {
      error(field, "expected a group or a condition (an object), found \(value.kind)")
      return .or([])
    }
    guard depth <= SegmentLimits.depthMax else {
      error(field, "groups are nested deeper than \(SegmentLimits.depthMax); flatten them")
      return .or([])
    }
    if object["conditions"] != nil || object["operator"] != nil { return group(object, field, depth) }
    conditions += 1
    guard conditions <= SegmentLimits.conditionsMax else {
      error(field, "more than \(SegmentLimits.conditionsMax) conditions; split the segment, or use a tag")
      return .or([])
    }
    return condition(object, field)
  }

  private mutating func group(_ object: JSONObject, _ field: FieldPath, _ depth: Int) -> SegmentFilter {
    noteUnknown(object, known: ["operator", "conditions"], field)
    let word = object["operator"]?.string ?? ""
    if !["AND", "OR", "NOT"].contains(word) {
      error(field.member("operator"), "expected \"AND\", \"OR\" or \"NOT\"\(found(object["operator"]))")
    }
    guard let members = object["conditions"]?.array else {
      error(field.member("conditions"), "expected an array of groups and conditions\(found(object["conditions"]))")
      return .or([])
    }
    if members.isEmpty { error(field.member("conditions"), "expected at least one condition, found none") }
    if members.count > SegmentLimits.conditionsMax {
      error(
        field.member("conditions"), "expected at most \(SegmentLimits.conditionsMax) members, found \(members.count)")
      return .or([])
    }
    var parts: [SegmentFilter] = []
    for (index, member) in members.enumerated() {
      parts.append(filter(member, field.member("conditions").element(index), depth: depth + 1))
    }
    return word == "OR" ? .or(parts) : word == "NOT" ? .none(parts) : .and(parts)
  }

  private mutating func noteUnknown(_ object: JSONObject, known: [String], _ field: FieldPath) {
    for (name, _) in object where !known.contains(name) {
      error(field.member(name), "is not a member here; known: \(known.joined(separator: ", "))")
    }
  }

  private func found(_ value: JSONValue?) -> String {
    guard let value else { return "; it is missing" }
    return value.string.map { ", found \"\($0.prefix(40))\"" } ?? ", found \(value.kind)"
  }

  // MARK: - Conditions

  private mutating func condition(_ object: JSONObject, _ path: FieldPath) -> SegmentFilter {
    noteUnknown(object, known: ["field", "op", "value"], path)
    let field = self.field(object["field"], path.member("field"))
    let word = object["op"]?.string ?? ""
    guard Self.operators.contains(word) else {
      error(
        path.member("op"), "expected one of \(Self.operators.joined(separator: ", "))\(found(object["op"]))")
      return .or([])
    }
    let comparison = self.comparison(word, object["value"], path.member("value"))
    guard let field, let comparison else { return .or([]) }
    if let problem = mismatch(field, word, comparison) {
      error(path, problem)
      return .or([])
    }
    return .condition(SegmentCondition(field, comparison))
  }

  private mutating func field(_ value: JSONValue?, _ path: FieldPath) -> SegmentField? {
    guard let name = value?.string else {
      error(path, "expected the name of a field\(found(value))")
      return nil
    }
    if let column = SegmentColumn(rawValue: name) { return .column(column) }
    if name == "entitlements" { return .entitlements }
    if Self.plainAttributes.contains(name) { return .attribute(name) }
    if name.utf8.starts(with: SegmentField.aliases.utf8) {
      let label = String(name.dropFirst(SegmentField.aliases.count))
      if UserAlias.isLabel(label) { return .alias(label) }
      error(path, "a label has 1 to \(StoreLimits.aliasLabelBytesMax) letters, digits, - and _, such as aliases.crm")
      return nil
    }
    for prefix in Self.families where name.utf8.starts(with: prefix.utf8) {
      let rest = name.utf8.count - prefix.utf8.count
      if (1...StoreLimits.attributeNameBytesMax).contains(rest) { return .attribute(name) }
    }
    error(
      path,
      "no field \"\(name.prefix(80))\"; the fields are \(Self.names.joined(separator: ", ")), properties.NAME,"
        + " entitlements.NAME and aliases.LABEL")
    return nil
  }

  private mutating func comparison(_ word: String, _ value: JSONValue?, _ path: FieldPath) -> SegmentComparison? {
    switch word {
    case "exists", "not_exists":
      if let value, !value.isNull { error(path, "\(word) takes no value; leave it out") }
      return word == "exists" ? .exists : .notExists
    case "contains", "not_contains":
      guard let text = value?.string, (1...StoreLimits.attributeTextBytesMax).contains(text.utf8.count) else {
        error(path, "expected text of 1 to \(StoreLimits.attributeTextBytesMax) bytes\(found(value))")
        return nil
      }
      return word == "contains" ? .contains(text) : .notContains(text)
    case "within", "not_within":
      guard let span = value?.string.flatMap(Self.span) else {
        error(path, "expected a span such as \"7d\", \"12h\", \"30m\" or \"2w\", at most ten years\(found(value))")
        return nil
      }
      return word == "within" ? .within(milliseconds: span) : .notWithin(milliseconds: span)
    default:
      guard let value else {
        error(path, "\(word) needs a value")
        return nil
      }
      guard let read = PropertyFields.value(value, at: path.text, into: &report) else { return nil }
      return Self.comparison(word, read)
    }
  }

  private static func comparison(_ word: String, _ value: AttributeValue) -> SegmentComparison {
    switch word {
    case "eq": .equal(value)
    case "neq": .notEqual(value)
    case "gt": .greater(value)
    case "gte": .greaterOrEqual(value)
    case "lt": .less(value)
    default: .lessOrEqual(value)
    }
  }

  /// `7d` in milliseconds.
  static func span(_ text: String) -> Int64? {
    let units: [Character: Int64] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000]
    guard let last = text.last, let unit = units[last], text.utf8.count <= 10,
      let number = UInt32(text.dropLast()), number > 0
    else { return nil }
    let span = Int64(number) * unit
    return span <= SegmentLimits.spanMax ? span : nil
  }

  /// What cannot be compared with what; nil when it can.
  private func mismatch(_ field: SegmentField, _ word: String, _ comparison: SegmentComparison) -> String? {
    let ordered = ["gt", "gte", "lt", "lte"].contains(word)
    if ordered, case .bool = value(comparison) { return "\(word) orders numbers, times and text, not true and false" }
    switch field {
    case .entitlements:
      return ["exists", "not_exists", "contains", "not_contains"].contains(word)
        ? nil : "entitlements is a set of names: use contains, not_contains, exists or not_exists"
    case .attribute("tags"):
      guard !ordered, word != "within", word != "not_within" else {
        return "tags is a set of texts: use contains, not_contains, eq, neq, exists or not_exists"
      }
      if case .text? = value(comparison) { return nil }
      return value(comparison) == nil ? nil : "a tag is text"
    case .attribute: return nil
    case .alias(let label):
      guard !ordered, word != "within", word != "not_within" else {
        return "aliases.\(label) is an id: use eq, neq, contains, not_contains, exists or not_exists"
      }
      if case .text? = value(comparison) { return nil }
      return value(comparison) == nil ? nil : "aliases.\(label) is text: give text"
    case .column(let column): return mismatch(column, word, comparison)
    }
  }

  private func mismatch(_ column: SegmentColumn, _ word: String, _ comparison: SegmentComparison) -> String? {
    let isSpan = word == "within" || word == "not_within"
    if isSpan { return column.isTimestamp ? nil : "\(column.rawValue) is text; \(word) is for timestamps" }
    if column.isTimestamp {
      if word == "contains" || word == "not_contains" { return "\(column.rawValue) is a time; \(word) is for text" }
      guard let value = value(comparison) else { return nil }
      if case .time = value { return nil }
      return "\(column.rawValue) is a time: give one such as \"2026-11-20T12:00:00Z\""
    }
    let names: [SegmentColumn: [String]] = [
      .type: DeviceKind.allCases.map(\.name), .platform: DevicePlatform.allCases.map(\.rawValue),
      .environment: DeviceEnvironment.allCases.map(\.name),
    ]
    if let known = names[column] {
      guard word == "eq" || word == "neq" || value(comparison) == nil && word.hasSuffix("exists") else {
        return "\(column.rawValue) takes eq and neq only"
      }
      guard let value = value(comparison) else { return nil }
      if case .text(let text) = value, known.contains(text) { return nil }
      let said = "\(column.rawValue) is one of \(known.joined(separator: ", "))"
      if column == .platform, case .text(let text) = value, names[.type]?.contains(text) == true {
        return said + "; \(text) is a type: write type = \"\(text)\""
      }
      return said
    }
    guard let value = value(comparison) else { return nil }
    if case .text = value { return nil }
    return "\(column.rawValue) is text: give text"
  }

  private func value(_ comparison: SegmentComparison) -> AttributeValue? {
    switch comparison {
    case .equal(let value), .notEqual(let value), .greater(let value), .greaterOrEqual(let value), .less(let value),
      .lessOrEqual(let value):
      value
    default: nil
    }
  }
}

/// The segments that every app has.
enum SystemSegments {
  static let all: [(name: String, title: String, filter: JSONValue)] = [
    ("all", "Everyone", ["field": "registered_at", "op": "exists"]),
    ("active_7d", "Seen in the last 7 days", ["field": "last_seen_at", "op": "within", "value": "7d"]),
    ("churning", "Not seen for 14 days", ["field": "last_seen_at", "op": "not_within", "value": "14d"]),
    ("premium", "With an entitlement", ["field": "entitlements", "op": "exists"]),
    ("free", "Without an entitlement", ["field": "entitlements", "op": "not_exists"]),
    ("new_users", "New in the last 7 days", ["field": "created_at", "op": "within", "value": "7d"]),
  ]
}
