internal import PushPayload

/// The documentation that is generated from the tables.
public enum RuleBook {
  /// `docs/rules.md`: every rule with its meaning, source, fix and example.
  public static var rulesMarkdown: String {
    var text = """
      # Rules

      Every finding of `postrider check`, of the API and of the library names one of these rules. An **error** is what the
      provider refuses or loses, and a push that a device shows nothing of although it does not say that it is silent; a
      **warning** is accepted and shown, and something is lost, replaced or likely a mistake; a **note** is worth knowing. Ids that begin with a contract's name, such as `onesignal-…`, are on that contract's page in `docs/contracts`.
      `--rule ID=off`, `=note`, `=warning` or `=error` changes how a rule is applied.

      This page is generated from the table in `Sources/PushRules`; `RECORD_SNAPSHOTS=1 swift test --filter RuleBookTests` writes
      it anew.

      """
    for group in Rules.groups {
      text += "\n## \(group.title)\n"
      for rule in group.rules { text += "\n" + markdown(rule) }
    }
    text += """

      ## Open points

      Where the providers' pages leave something open, or say it in two ways, nothing is a hard error.


      """
    return text + OpenPoints.markdown
  }

  /// One rule, as `--explain` shows it.
  public static func markdown(_ rule: Rule) -> String {
    var text = "### `\(rule.text)`\n\n"
    text += "\(rule.isOptIn ? "Off unless asked for; \(rule.severity.rawValue)" : rule.severity.rawValue). "
    text += "\(rule.statement)\n\n"
    text += "- Fix: \(rule.fix)\n"
    text += "- Example: `\(rule.example)`\n"
    if let answer = rule.answer { text += "- The provider answers: `\(answer)`\n" }
    text += "- Source: \(rule.source)\n"
    return text
  }

  /// `docs/reasons.md`: every answer of a provider with what it means, what Postrider does and what to check.
  public static var reasonsMarkdown: String {
    var text = """
      # What the providers answer

      `postrider explain REASON` prints one of these rows; it also reads a whole answer. This page is generated from the table in
      `Sources/PushRules`; `RECORD_SNAPSHOTS=1 swift test --filter RuleBookTests` writes it anew.

      """
    for service in Explanation.Service.allCases {
      text += "\n## \(service.title)\n\n"
      text +=
        "| answer | status | meaning | what Postrider does | what to check next |\n| --- | --- | --- | --- | --- |\n"
      for row in Explanations.all where row.service == service {
        let status = row.status.map { "\($0)" } ?? "–"
        let cells = [row.meaning, row.action, row.next].map(cell)
        text += "| `\(row.reason)` | \(status) | \(cells.joined(separator: " | ")) |\n"
      }
    }
    return text
  }

  /// A text as a cell of a table: its bars are no borders.
  private static func cell(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
