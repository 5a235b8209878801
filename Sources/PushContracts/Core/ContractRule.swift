/// A rule that one contract alone has, beside those of `PushRules`; its id begins with the contract's name.
public struct ContractRule: Sendable, Hashable {
  /// The stable text id, as findings and settings have it.
  public let id: String
  /// How serious a break is: `error`, `warning` or `note`, with what it depends on.
  public let severity: String
  /// When the rule is broken.
  public let condition: String

  init(_ id: String, _ severity: String, _ condition: String) {
    self.id = id
    self.severity = severity
    self.condition = condition
  }
}

extension ContractRule {
  /// The rule as `--explain` shows it.
  public var markdown: String {
    let contract = id.prefix { $0 != "-" }
    return "### `\(id)`\n\n\(severity): \(condition).\n\n- Source: docs/contracts/\(contract).md\n"
  }
}

extension Contracts {
  /// The rules that single contracts have, in the order of their pages.
  public static let rules: [ContractRule] = IMKit.rules + PowerAuth.rules + Adobe.rules + OneSignal.rules

  /// The rule of an id; nil when no contract has one.
  public static func rule(_ id: String) -> ContractRule? { rules.first { $0.id == id } }
}
