import WireJSON

/// One thing with its members, one line each: `counts.accepted  12`.
struct Details {
  private var lines: [(name: String, value: String)] = []

  /// - Parameter value: an object; its report is left out, it is said on standard error.
  init(_ value: JSONValue) {
    var object = value.object ?? [:]
    object.removeValue(forKey: "report")
    add(.object(object), "")
  }

  private mutating func add(_ value: JSONValue, _ name: String) {
    if let object = value.object, !object.isEmpty {
      for (key, member) in object { add(member, name.isEmpty ? key : "\(name).\(key)") }
    } else if let array = value.array, array.contains(where: { $0.object != nil }) {
      for (index, element) in array.enumerated() { add(element, "\(name)[\(index)]") }
    } else {
      lines.append((Cell.inert(name), Cell.inert(Cell.text(value))))
    }
  }

  /// The text for a terminal; with tabs when there is none.
  func text(width: Int?) -> String {
    let nameWidth = lines.map { Cell.width($0.name) }.max() ?? 0
    return lines.map { line in
      guard width != nil else { return "\(line.name)\t\(line.value)\n" }
      let blank = String(repeating: " ", count: nameWidth - Cell.width(line.name) + 2)
      return line.value.isEmpty ? "\(line.name)\n" : "\(line.name)\(blank)\(line.value)\n"
    }.joined()
  }
}
