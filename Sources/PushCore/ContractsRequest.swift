package import PushContracts
internal import PushPayload
package import WireJSON

/// `contracts`: the list of contracts, one table, or the difference of two contracts for a message.
package enum ContractsRequest {
  static let options = [
    OptionRow("show", .text), OptionRow("diff", .texts), OptionRow("topic", .text), OptionRow("campaign", .text),
    OptionRow("now", .integer(0...JSONOptions.nowMax)), OptionRow("language", .text), OptionRow("options", .texts),
  ]

  /// Every contract with one sentence about it.
  package static var rows: [(name: String, summary: String)] {
    Contracts.names.map { (name: $0.rawValue, summary: Contracts.summary($0) ?? "") }
  }

  /// An array of `{"name", "summary"}`.
  package static var list: JSONValue {
    .array(rows.map { .object(["name": .string($0.name), "summary": .string($0.summary)]) })
  }

  /// The table of a contract.
  package static func table(_ name: String) throws(CoreError) -> MappingTable {
    guard let table = Contracts.mappingTable(ContractName(rawValue: name)) else { throw unknown(name) }
    return table
  }

  /// What changes for a message when its app moves from one contract to another.
  package static func diff(
    _ names: [String], _ message: JSONValue, _ duplicates: [JSONDuplicate], _ options: some OptionSource
  ) throws(CoreError) -> ContractDiff {
    guard names.count == 2 else {
      throw .usage("diff needs the names of two contracts", option: "diff", fix: "give the old and the new contract")
    }
    for name in names { _ = try table(name) }
    var diff = Contracts.diff(
      ContractName(rawValue: names[0]), ContractName(rawValue: names[1]), message: message,
      context: try options.writeContext())
    for duplicate in duplicates { diff.report.add(duplicate) }
    return diff
  }

  private static func unknown(_ name: String) -> CoreError {
    let known = Contracts.names.map { $0.rawValue }
    let list = known.joined(separator: ", ")
    let hint = Nearest.match(name, among: known).map { "did you mean \($0)?" } ?? "there are \(list)"
    return .usage("no contract “\(name)”; \(hint)", option: "contract", fix: "give one of \(list)")
  }
}
