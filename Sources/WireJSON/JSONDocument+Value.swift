extension JSONDocument {
  /// A value with everything in it.
  ///
  /// Of a repeated name the last value wins and takes the position of the first.
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

  /// The members of an object in a document of which it is known that no object in it has a name twice.
  package func uniqueMembers(_ node: JSONNode) -> JSONObject {
    var object = JSONObject()
    object.reserveCapacity(count(node))
    let end = next(node.index)
    var index = node.index &+ 2
    while index < end {
      unsafe object.append(
        StringText.decode(Token(word: words[index]), source), uniqueValue(JSONNode(index: index &+ 1)))
      index = next(index &+ 1)
    }
    return object
  }

  /// A value with everything in it, in such a document.
  package func uniqueValue(_ node: JSONNode) -> JSONValue {
    switch token(node).kind {
    case .object: return .object(uniqueMembers(node))
    case .array:
      var values: [JSONValue] = []
      values.reserveCapacity(count(node))
      let end = next(node.index)
      var index = node.index &+ 2
      while index < end {
        values.append(uniqueValue(JSONNode(index: index)))
        index = next(index)
      }
      return .array(values)
    default: return value(node)
    }
  }

  private func elementValues(_ node: JSONNode) -> [JSONValue] {
    var values: [JSONValue] = []
    values.reserveCapacity(count(node))
    let end = next(node.index)
    var index = node.index &+ 2
    while index < end {
      values.append(value(JSONNode(index: index)))
      index = next(index)
    }
    return values
  }

  private func memberValues(_ node: JSONNode) -> JSONObject {
    let repeats = repeatedNames(in: node)
    guard repeats.isEmpty else { return memberValues(node, repeats) }
    var object = JSONObject()
    object.reserveCapacity(count(node))
    let end = next(node.index)
    var index = node.index &+ 2
    while index < end {
      unsafe object.append(StringText.decode(Token(word: words[index]), source), value(JSONNode(index: index &+ 1)))
      index = next(index &+ 1)
    }
    return object
  }

  private func memberValues(_ node: JSONNode, _ repeats: [Int: Int]) -> JSONObject {
    var object = JSONObject()
    var lastValues: [Int: JSONNode] = [:]
    for (name, value) in members(of: node) { lastValues[repeats[name.index] ?? name.index] = value }
    for (name, value) in members(of: node) where repeats[name.index] == nil {
      object.append(string(name) ?? "", self.value(lastValues[name.index] ?? value))
    }
    return object
  }
}
