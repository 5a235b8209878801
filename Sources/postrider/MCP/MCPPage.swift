/// The tools as Markdown; `docs/mcp.md` shows the table.
enum MCPPage {
  static let markdown: String =
    (["| tool | takes | what it does |", "| --- | --- | --- |"] + MCPTool.all.map(row)).joined(separator: "\n")

  private static func row(_ tool: MCPTool) -> String {
    let input = tool.input.map { "`\($0.name)`\($0.isRequired ? "" : "?")" }.joined(separator: ", ")
    return "| `\(tool.name)` | \(input.isEmpty ? "nothing" : input) | \(tool.effect.text)\(tool.about) |"
  }
}

extension MCPTool.Effect {
  /// What the table says of it, ahead of the description.
  fileprivate var text: String {
    switch self {
    case .computes: ""
    case .reads: "Asks the server. "
    case .keeps: "Writes to the server. "
    case .sends: "**Sends**; only with `--allow-send`. "
    }
  }
}
