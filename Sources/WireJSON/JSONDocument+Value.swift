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

  /// The names that stood more than once in their object, each time but the first, in the order of the text.
  public func duplicates() -> [JSONDuplicate] {
    var found: [JSONDuplicate] = []
    collectDuplicates(root, pointer: "", into: &found)
    return found
  }

  private func collectDuplicates(_ node: JSONNode, pointer: String, into found: inout [JSONDuplicate]) {
    switch token(node).kind {
    case .array:
      for (index, element) in elements(of: node).enumerated() where token(element).isContainer {
        collectDuplicates(element, pointer: "\(pointer)/\(index)", into: &found)
      }
    case .object:
      let repeats = repeatedNames(in: node)
      for (name, value) in members(of: node) {
        let isRepeated = repeats[name.index] != nil
        guard isRepeated || token(value).isContainer else { continue }
        let place = pointer + JSONPointer.token(string(name) ?? "")
        if isRepeated { found.append(JSONDuplicate(pointer: place, offset: token(name).offset - 1)) }
        collectDuplicates(value, pointer: place, into: &found)
      }
    default: break
    }
  }

  /// Objects with at most this many members are compared pair by pair, larger ones by sorting.
  private static let pairwiseMembersMax = 16

  /// The tape indices of names that stood in this object before, each with that of the first of its kind.
  private func repeatedNames(in node: JSONNode) -> [Int: Int] {
    let count = count(node)
    if count < 2 { return [:] }
    return count <= JSONDocument.pairwiseMembersMax ? repeatedByPairs(node) : repeatedBySorting(node)
  }

  private func repeatedByPairs(_ node: JSONNode) -> [Int: Int] {
    var repeated: [Int: Int] = [:]
    for (name, _) in members(of: node) {
      for (earlier, _) in members(of: node) {
        if earlier.index == name.index { break }
        if hasSameText(earlier, name) {
          repeated[name.index] = earlier.index
          break
        }
      }
    }
    return repeated
  }

  private func repeatedBySorting(_ node: JSONNode) -> [Int: Int] {
    var names = members(of: node).map { (text: string($0.name) ?? "", index: $0.name.index) }
    names.sort {
      if $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) { return true }
      return $0.index < $1.index && $0.text.hasSameBytes(as: $1.text)
    }
    var repeated: [Int: Int] = [:]
    var first = 0
    for place in names.indices.dropFirst() {
      if names[place].text.hasSameBytes(as: names[first].text) {
        repeated[names[place].index] = names[first].index
      } else {
        first = place
      }
    }
    return repeated
  }

  private func hasSameText(_ left: JSONNode, _ right: JSONNode) -> Bool {
    let mine = token(left)
    let theirs = token(right)
    if mine.isMarked || theirs.isMarked {
      return (string(left) ?? "").hasSameBytes(as: string(right) ?? "")
    }
    return mine.extent == theirs.extent && BytesEqual.isEqual(source + mine.offset, content(theirs))
  }
}
