extension JSON {
  /// A text for people: two spaces per level, one member or element per line, no newline at the end.
  public static func pretty(_ value: JSONValue) -> String {
    var text = ""
    write(value, indent: "\n", to: &text)
    return text
  }

  private static func write(_ value: JSONValue, indent: String, to text: inout String) {
    let inner = indent + "  "
    switch value {
    case .array(let elements) where !elements.isEmpty:
      text += "["
      for (index, element) in elements.enumerated() {
        text += index == 0 ? inner : "," + inner
        write(element, indent: inner, to: &text)
      }
      text += indent + "]"
    case .object(let members) where !members.isEmpty:
      text += "{"
      for (index, member) in members.enumerated() {
        text += index == 0 ? inner : "," + inner
        text += minifiedText(.string(member.key)) + ": "
        write(member.value, indent: inner, to: &text)
      }
      text += indent + "}"
    default: text += minifiedText(value)
    }
  }
}
