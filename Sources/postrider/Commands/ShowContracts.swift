import PushContracts
import WireJSON

extension Command {
  /// The contracts and their mapping tables.
  static let contracts = Command(
    name: "contracts",
    summary: "Lists the payload contracts, and shows where each field of one of them lands.",
    operands: "[show NAME]", operandsMax: 2,
    options: [Option(name: "--format", value: "FORMAT", help: "How to print.", choices: ["text", "json", "markdown"])],
    examples: ["postrider contracts", "postrider contracts show amba", "postrider contracts show amba --format json"],
    run: runContracts)

  private static func runContracts(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    switch arguments.operands.first {
    case nil: list(format: arguments.value("--format") ?? "text")
    case "show":
      guard arguments.operands.count == 2 else { throw .usage("show needs the name of a contract") }
      try show(arguments.operands[1], format: arguments.value("--format") ?? "text")
    case let other?: throw .usage("unknown word “\(other)”; say nothing to list, or: show NAME")
    }
    return .fine
  }

  private static func list(format: String) {
    let rows = Contracts.names.map { (name: $0.rawValue, summary: Contracts.summary($0) ?? "") }
    if format == "json" {
      let items = rows.map { JSONValue.object(["name": .string($0.name), "summary": .string($0.summary)]) }
      Terminal.print(JSON.minified(.array(items)) + [UInt8(ascii: "\n")])
    } else {
      let width = rows.map(\.name.count).max() ?? 0
      for row in rows {
        Terminal.print(row.name + String(repeating: " ", count: width - row.name.count + 2) + row.summary + "\n")
      }
    }
  }

  private static func show(_ name: String, format: String) throws(Exit) {
    guard let table = Contracts.mappingTable(ContractName(rawValue: name)) else {
      let known = Contracts.names.map(\.rawValue)
      let hint =
        Nearest.match(name, among: known).map { "did you mean \($0)?" } ?? "there are \(known.joined(separator: ", "))"
      throw .usage("no contract “\(name)”; \(hint)")
    }
    switch format {
    case "json": Terminal.print(JSON.minified(table.json) + [UInt8(ascii: "\n")])
    case "markdown": Terminal.print(table.markdown)
    default: Terminal.print(table.text)
    }
  }
}
