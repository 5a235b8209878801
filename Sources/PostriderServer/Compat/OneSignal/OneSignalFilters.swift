internal import Basics
internal import WireJSON

/// OneSignal's filters as conditions of a segment: a list, joined by AND unless `{"operator": "OR"}` is between.
enum OneSignalFilters {
  static func filter(_ value: JSONValue) throws(Problem) -> JSONValue {
    guard let list = value.array, !list.isEmpty else {
      throw OneSignalErrors.refusal("filters", "expected an array with at least one filter")
    }
    var groups: [[JSONValue]] = [[]]
    for (index, element) in list.enumerated() {
      guard element.object != nil else {
        throw OneSignalErrors.refusal("filters[\(index)]", "expected an object, found \(element.kind)")
      }
      if let word = element["operator"]?.string, element["field"] == nil {
        guard word == "AND" || word == "OR" else {
          throw OneSignalErrors.refusal("filters[\(index)].operator", "expected \"AND\" or \"OR\"")
        }
        if word == "OR" { groups.append([]) }
      } else {
        groups[groups.count - 1].append(try condition(element, "filters[\(index)]"))
      }
    }
    guard groups.allSatisfy({ !$0.isEmpty }) else {
      throw OneSignalErrors.refusal("filters", "expected a filter before and after each OR")
    }
    return any(groups.map { $0.count == 1 ? $0[0] : ["operator": "AND", "conditions": .array($0)] })
  }

  private static func any(_ conditions: [JSONValue]) -> JSONValue {
    conditions.count == 1 ? conditions[0] : ["operator": "OR", "conditions": .array(conditions)]
  }

  private static let comparisons = [">": "gt", "<": "lt", "=": "eq", "!=": "neq"]
  private static let fields =
    "tag, last_session, first_session, language, app_version and external_id"

  private static let members: Set<String> = ["field", "key", "relation", "value", "hours_ago"]

  private static func condition(_ filter: JSONValue, _ path: String) throws(Problem) -> JSONValue {
    if let (name, _) = filter.object?.first(where: { !members.contains($0.key) }) {
      throw OneSignalErrors.refusal(
        "\(path).\(name.prefix(40))", "is no part of a filter here; an operator is an element of its own")
    }
    // A number is read as its text.
    if let value = filter["value"], value.string == nil, value.number == nil {
      throw OneSignalErrors.refusal("\(path).value", "expected a text, found \(value.kind)")
    }
    let relation = filter["relation"]?.string ?? ""
    let value = filter["value"].flatMap { $0.string ?? $0.number?.text }
    switch filter["field"]?.string {
    case "tag": return try tag(filter["key"]?.string, relation, value, path)
    case "last_session": return try hours("last_seen_at", filter, relation, path)
    case "first_session": return try hours("first_seen_at", filter, relation, path)
    case "language":
      let language = try text(value, path)
      // de is also de-AT: what is behind `de-` and before `de.`, the next character.
      let wider: JSONValue = [
        "operator": "AND",
        "conditions": [comparison("locale", "gte", language + "-"), comparison("locale", "lt", language + ".")],
      ]
      let speaks = any([comparison("locale", "eq", language), wider])
      if relation == "=" { return speaks }
      guard relation == "!=" else { throw unknown(relation, "= and !=", path) }
      return [
        "operator": "AND",
        "conditions": [["field": "locale", "op": "exists"], ["operator": "NOT", "conditions": [speaks]]],
      ]
    case "app_version", "external_id":
      guard relation == "=" || relation == "!=" else { throw unknown(relation, "= and !=", path) }
      return comparison(filter["field"]?.string ?? "", comparisons[relation] ?? "", try text(value, path))
    case let field:
      throw OneSignalErrors.refusal(
        path + ".field", "\"\((field ?? "").prefix(40))\" is not here; the fields are \(fields)")
    }
  }

  private static func comparison(_ field: String, _ op: String, _ value: String) -> JSONValue {
    ["field": .string(field), "op": .string(op), "value": .string(value)]
  }

  private static func text(_ value: String?, _ path: String) throws(Problem) -> String {
    guard let value, !value.isEmpty else { throw OneSignalErrors.refusal(path + ".value", "is required") }
    return value
  }

  private static func unknown(_ relation: String, _ known: String, _ path: String) -> Problem {
    OneSignalErrors.refusal(path + ".relation", "expected \(known), found \"\(relation.prefix(20))\"")
  }

  /// A tag is a property.
  ///
  /// OneSignal's tags are texts, and compared as numbers where they are numbers.
  private static func tag(
    _ key: String?, _ relation: String, _ value: String?, _ path: String
  ) throws(Problem) -> JSONValue {
    guard let key, !key.isEmpty else { throw OneSignalErrors.refusal(path + ".key", "is required") }
    let field = "properties." + key
    if relation == "exists" || relation == "not_exists" { return ["field": .string(field), "op": .string(relation)] }
    guard let op = comparisons[relation] else { throw unknown(relation, ">, <, =, !=, exists and not_exists", path) }
    let wanted = try text(value, path)
    let texts = comparison(field, op, wanted)
    // Equal is what is kept in the same form; greater and less compares any numbers.
    let isOrder = op == "gt" || op == "lt"
    let typed = isOrder ? JSONNumber(text: wanted).map { JSONValue.number($0) } : OneSignalTags.value(wanted)
    guard case .number(let number)? = typed else { return texts }
    let numbers: JSONValue = ["field": .string(field), "op": .string(op), "value": .number(number)]
    // Of a tag that is kept as a number, no text is another value.
    if op == "neq" { return ["operator": "AND", "conditions": [texts, numbers]] }
    return op == "eq" ? any([texts, numbers]) : numbers
  }

  private static func hours(
    _ field: String, _ filter: JSONValue, _ relation: String, _ path: String
  ) throws(Problem) -> JSONValue {
    let text = filter["hours_ago"].flatMap { $0.string ?? $0.number?.text } ?? ""
    guard let hours = Double(text), hours > 0, hours < 87_600 else {
      throw OneSignalErrors.refusal(path + ".hours_ago", "expected a number of hours")
    }
    guard relation == ">" || relation == "<" else { throw unknown(relation, "> and <", path) }
    let minutes = Int((hours * 60).rounded())
    return [
      "field": .string(field), "op": relation == "<" ? "within" : "not_within", "value": .string("\(max(minutes, 1))m"),
    ]
  }
}

/// OneSignal's tags: texts by name, which are properties here.
enum OneSignalTags {
  /// A tag's value as a property: a number where the text is one and nothing else.
  static func value(_ text: String) -> JSONValue {
    guard let whole = Int(text), String(whole) == text else { return .string(text) }
    return .number(JSONNumber(whole))
  }

  /// Tags as changes of properties; an empty text takes one away.
  static func changes(_ tags: JSONValue?) throws(Problem) -> JSONObject {
    guard let tags, !tags.isNull else { return [:] }
    guard let object = tags.object else { throw OneSignalErrors.refusal("tags", "expected an object of texts") }
    var changes = JSONObject()
    for (name, tag) in object {
      switch tag {
      case .string(""), .null: changes[name] = .null
      case .string(let text): changes[name] = value(text)
      case .number, .bool: changes[name] = tag
      case .array, .object: throw OneSignalErrors.refusal("tags.\(name.prefix(80))", "expected a text")
      }
    }
    return changes
  }

  /// A property as a tag.
  static func text(_ value: JSONValue) -> JSONValue {
    switch value {
    case .number(let number): .string(number.text)
    case .bool(let bool): .string(bool ? "true" : "false")
    default: value
    }
  }
}
