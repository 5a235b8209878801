internal import Basics
import PushContracts
import PushCore
import PushPayload
import PushRules
import WireJSON

/// Findings as a SARIF 2.1.0 log, which code hosts show beside the changed lines.
enum CheckSARIF {
  static let schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

  /// The log: one run, the rules that were broken, a result for each finding.
  static func document(_ files: [CheckedFile], _ totals: CheckTotals) -> [UInt8] {
    var rules: [String] = []
    var results: [JSONValue] = []
    for file in files {
      for located in file.findings {
        if !rules.contains(located.finding.rule) { rules.append(located.finding.rule) }
        let index = rules.firstIndex(of: located.finding.rule) ?? 0
        results.append(result(located, of: file, ruleIndex: index))
      }
    }
    let driver: JSONValue = [
      "name": "postrider", "version": .string(Version.current), "rules": .array(rules.map(descriptor)),
    ]
    let run: JSONValue = [
      "tool": ["driver": driver], "columnKind": "unicodeCodePoints",
      "invocations": [
        [
          "executionSuccessful": .bool(totals.unreadable == 0),
          "toolExecutionNotifications": .array(files.compactMap(notification)),
        ]
      ],
      "results": .array(results),
    ]
    let log: JSONValue = ["$schema": .string(schema), "version": "2.1.0", "runs": [run]]
    return JSON.minified(log) + [UInt8(ascii: "\n")]
  }

  private static func descriptor(_ id: String) -> JSONValue {
    guard let rule = Rules.rule(id) else {
      guard let rule = Contracts.rule(id) else { return ["id": .string(id)] }
      // Such as “warning; error when …”.
      let level = rule.severity.prefix { $0.isLetter }
      return descriptor(
        id, "\(rule.severity): \(rule.condition).", help: "See docs/contracts/\(id.prefix { $0 != "-" }).md.",
        ["level": .string(String(level))])
    }
    var configuration: JSONObject = ["level": .string(rule.severity.rawValue)]
    if rule.isOptIn { configuration["enabled"] = false }
    return descriptor(id, rule.statement, help: "\(rule.fix) Source: \(rule.source).", configuration)
  }

  private static func descriptor(
    _ id: String, _ description: String, help: String, _ configuration: JSONObject
  ) -> JSONValue {
    [
      "id": .string(id), "shortDescription": ["text": .string(description)], "help": ["text": .string(help)],
      "defaultConfiguration": .object(configuration),
    ]
  }

  private static func result(_ located: LocatedFinding, of file: CheckedFile, ruleIndex: Int) -> JSONValue {
    let finding = located.finding
    var location: JSONObject = [
      "physicalLocation": [
        "artifactLocation": ["uri": .string(uri(file.name))],
        "region": [
          "startLine": .number(JSONNumber(located.location.line)),
          "startColumn": .number(JSONNumber(located.location.column)),
        ],
      ]
    ]
    if !finding.field.isEmpty {
      let path = FieldPath(parsing: finding.field)
      // The kinds that the standard has for JSON (SARIF 2.1.0, section 3.33.7).
      let kind = if case .element = path.steps.last { "value" } else { "property" }
      location["logicalLocations"] = [["fullyQualifiedName": .string(path.pointer), "kind": .string(kind)]]
    }
    return [
      "ruleId": .string(finding.rule), "ruleIndex": .number(JSONNumber(ruleIndex)),
      "level": .string(finding.severity.rawValue), "message": message(finding.message),
      "locations": [.object(location)],
    ]
  }

  private static func notification(_ file: CheckedFile) -> JSONValue? {
    guard let failure = file.failure else { return nil }
    return [
      "level": "error", "message": message(failure),
      "locations": [["physicalLocation": ["artifactLocation": ["uri": .string(uri(file.name))]]]],
    ]
  }

  /// A message text: braces are doubled, since a single one opens a placeholder (SARIF 2.1.0, section 3.11.5).
  private static func message(_ text: String) -> JSONValue {
    var escaped = ""
    for scalar in text.unicodeScalars {
      if scalar == "{" || scalar == "}" { escaped.unicodeScalars.append(scalar) }
      escaped.unicodeScalars.append(scalar)
    }
    return ["text": .string(escaped)]
  }

  /// A path as a URI reference (RFC 3986): relative paths stay relative.
  static func uri(_ path: String) -> String {
    (path.hasPrefix("/") ? "file://" : "") + PercentEncoding.encode(path, allowing: "/")
  }
}
