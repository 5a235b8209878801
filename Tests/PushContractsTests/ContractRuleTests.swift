import PushContracts
import TestSupport
import Testing

/// The rules of single contracts: the table, the code that reports them and their pages say the same.
struct ContractRuleTests {
  static let folders: [(contract: ContractName, folder: String)] = [
    (.imkit, "IMKit"), (.adobe, "Adobe"), (.onesignal, "OneSignal"), (.amba, "Amba"), (.powerauth, "PowerAuth"),
    (.native, "Native"),
  ]

  static func text(_ path: String) throws -> String {
    String(decoding: try Files.read("\(Files.packageRoot)/\(path)"), as: UTF8.self)
  }

  @Test(arguments: folders.map(\.contract)) func thePageListsTheTable(_ contract: ContractName) throws {
    let page = try Self.text("docs/contracts/\(contract).md")
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `\(contract)-") }.map(String.init)
    let rules = Contracts.rules.filter { $0.id.hasPrefix("\(contract)-") }
    #expect(rows == rules.map { "| `\($0.id)` | \($0.severity) | \($0.condition) |" })
  }

  @Test(arguments: folders.map(\.contract)) func theTableHasWhatTheCodeReports(_ contract: ContractName) throws {
    let folder = try #require(Self.folders.first { $0.contract == contract }).folder
    var reported: Set<String> = []
    let sources = "Sources/PushContracts/\(folder)"
    for file in try Files.list("\(Files.packageRoot)/\(sources)") where !file.hasSuffix("Rules.swift") {
      for part in try Self.text("\(sources)/\(file)").split(separator: "\"")
      where part.hasPrefix("\(contract)-") && part.allSatisfy({ $0 == "-" || $0.isLowercase }) {
        reported.insert(String(part))
      }
    }
    #expect(reported == Set(Contracts.rules.map(\.id).filter { $0.hasPrefix("\(contract)-") }))
  }

  @Test func everyIDIsThereOnceAndIsFound() {
    #expect(Set(Contracts.rules.map(\.id)).count == Contracts.rules.count)
    for rule in Contracts.rules { #expect(Contracts.rule(rule.id) == rule) }
    #expect(Contracts.rule("adobe-color")?.markdown.hasPrefix("### `adobe-color`\n\nwarning: a color of") == true)
    #expect(Contracts.rule("no-such-rule") == nil)
  }
}
