public import WireJSON

extension Report {
  /// Adds the finding of a key that occurs more than once in its object: the last value is used.
  public mutating func add(_ duplicate: JSONDuplicate) {
    add(
      rule: "json-duplicate-key", severity: .warning, field: FieldPath(pointer: duplicate.pointer),
      message: "the key occurs more than once in its object; the last value is taken")
  }
}

extension FieldPath {
  /// The path of a JSON pointer (RFC 6901); a step of digits is read as an array index.
  public init(pointer: String) {
    var steps: [Step] = []
    for token in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      let index = Int(token).flatMap { String($0) == token ? Step.element($0) : nil }
      steps.append(index ?? .member(FieldPath.unescaped(token)))
    }
    self.init(steps)
  }

  private static func unescaped(_ token: Substring) -> String {
    var name: [UInt8] = []
    var isEscape = false
    for byte in token.utf8 {
      if isEscape {
        name.append(byte == UInt8(ascii: "1") ? UInt8(ascii: "/") : UInt8(ascii: "~"))
        isEscape = false
      } else if byte == UInt8(ascii: "~") {
        isEscape = true
      } else {
        name.append(byte)
      }
    }
    return String(decoding: name, as: UTF8.self)
  }
}
