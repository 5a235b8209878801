import DevicePreview
import WireJSON

/// One thing with its members, one line each: `counts.accepted  12`.
struct Details {
  private let value: JSONValue

  /// - Parameter value: an object; its report is left out, it is said on standard error.
  init(_ value: JSONValue) {
    var object = value.object ?? [:]
    object.removeValue(forKey: "report")
    self.value = .object(object)
  }

  /// The text for a terminal, where lists of things are tables of their own; with tabs when there is none.
  func text(width: Int?) -> String {
    var lines = Lines(takesLists: width == nil)
    lines.add(value, "")
    let blocks = lines.blocks.map { "\n\($0.name):\n\($0.text)" }.joined()
    guard let width else { return lines.lines.map { "\($0.name)\t\($0.value)\n" }.joined() + blocks }
    let nameWidth = lines.lines.map { Cell.width($0.name) }.max() ?? 0
    let text = lines.lines.map { line in
      let blank = String(repeating: " ", count: nameWidth - Cell.width(line.name) + 2)
      return line.value.isEmpty ? "\(line.name)\n" : "\(line.name)\(blank)\(Cell.brief(line.value))\n"
    }.joined()
    return text
      + lines.lists.map { list in
        "\n\(list.name):\n" + Table(Details.columns(of: list.values), of: list.values).text(width: width)
      }.joined() + blocks
  }

  /// The members of things, in the order in which they come up.
  private static func columns(of values: [JSONValue]) -> [String] {
    var columns: [String] = []
    for key in values.flatMap({ $0.object?.keys ?? [] }) where !columns.contains(key) { columns.append(key) }
    return columns
  }

  /// Members by their paths.
  private struct Lines {
    /// Whether lists of things become lines too.
    let takesLists: Bool
    var lines: [(name: String, value: String)] = []
    var lists: [(name: String, values: [JSONValue])] = []
    /// Texts of several lines, such as a key in PEM, which are only right line by line.
    var blocks: [(name: String, text: String)] = []

    init(takesLists: Bool) { self.takesLists = takesLists }

    mutating func add(_ value: JSONValue, _ name: String) {
      if let object = value.object, !object.isEmpty {
        for (key, member) in object { add(member, name.isEmpty ? key : "\(name).\(key)") }
      } else if let array = value.array, array.contains(where: { $0.object != nil }) {
        guard takesLists else { return lists.append((Cell.inert(name), array)) }
        for (index, element) in array.enumerated() { add(element, "\(name)[\(index)]") }
      } else if let text = value.string, text.contains("\n") {
        let rows = text.split(separator: "\n").map { InertText(String($0)).text + "\n" }
        blocks.append((Cell.inert(name), rows.joined()))
      } else {
        lines.append((Cell.inert(name), Cell.inert(Cell.text(value))))
      }
    }
  }
}
