extension JSONDocument {
  /// A value with everything in it.
  ///
  /// Of a repeated name the last value counts and takes the place of the first.
  public func value(_ node: JSONNode) -> JSONValue {
    switch token(node).kind {
    case .null: return .null
    case .yes: return .bool(true)
    case .no: return .bool(false)
    case .number: return number(node).map { .number($0) } ?? .null
    case .string: return .string(string(node) ?? "")
    case .array: return .array(elementValues(node))
    case .object: return .object(memberValues(node))
    }
  }

  private func elementValues(_ node: JSONNode) -> [JSONValue] {
    var values: [JSONValue] = []
    values.reserveCapacity(count(node))
    for element in elements(of: node) { values.append(value(element)) }
    return values
  }

  private func memberValues(_ node: JSONNode) -> JSONObject {
    let repeats = repeatedNames(in: node)
    var object = JSONObject()
    object.reserveCapacity(count(node))
    guard !repeats.isEmpty else {
      for (name, value) in members(of: node) { object.append(string(name) ?? "", self.value(value)) }
      return object
    }
    var lastValues: [Int: JSONNode] = [:]
    for (name, value) in members(of: node) { lastValues[repeats[name.index] ?? name.index] = value }
    for (name, value) in members(of: node) where repeats[name.index] == nil {
      object.append(string(name) ?? "", self.value(lastValues[name.index] ?? value))
    }
    return object
  }
}
