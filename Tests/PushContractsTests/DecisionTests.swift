import PushContracts
import TestSupport
import Testing
import WireJSON

/// Each row of the decisions on a contract's page has an id and a case of the corpus that shows it, and each case that names a
/// decision finds its row: what differs from a vendor on purpose is written down, with its reason.
@Suite struct DecisionTests {
  /// One row of a page.
  private struct Row {
    let id: String
    let cells: [Substring]
  }

  /// The rows below “Decisions”, without the two of the table's head.
  private static func rows(_ contract: ContractName) throws -> [Row] {
    let page = String(decoding: try Files.read("\(Files.packageRoot)/docs/contracts/\(contract).md"), as: UTF8.self)
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let section = lines.drop { $0 != "## Decisions" }.dropFirst().prefix { !$0.hasPrefix("## ") }
    return section.filter { $0.hasPrefix("|") }.dropFirst(2).map { line in
      let cells = line.dropFirst().split(separator: " | ", omittingEmptySubsequences: false)
      return Row(id: cells[0].filter { $0 != "`" && $0 != " " }, cells: cells)
    }
  }

  /// The decisions that a case names: one, or several in an array.
  private static func decisions(_ vector: Vector) -> [String] {
    guard let named = vector.json["decision"] else { return [] }
    return (named.array ?? [named]).map { $0.string ?? "" }
  }

  /// True when the source of a case is a decision: section 6 of the facts about contracts.
  private static func citesDecision(_ vector: Vector) -> Bool {
    let source = vector.json["source"]?.string ?? ""
    return ["decision", "contracts.md 6", "; 6."].contains { source.contains($0) }
  }

  @Test(arguments: Contracts.names)
  func eachDecisionIsShown(_ contract: ContractName) throws {
    let rows = try Self.rows(contract)
    for row in rows {
      #expect(row.cells.count == 3, "expected an id, a question and a decision: \(row.id)")
      #expect(
        row.id.utf8.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }, "\(row.id)")
    }
    let written = rows.map(\.id)
    #expect(Set(written).count == written.count, "an id occurs twice")
    let vectors = Vector.all.filter { $0.path.hasPrefix("\(contract)/") }
    let shown = Set(vectors.flatMap { Self.decisions($0) })
    #expect(Set(written).subtracting(shown).sorted() == [], "no vector of \(contract) has this decision")
    for vector in vectors {
      for decision in Self.decisions(vector) {
        #expect(written.contains(decision), "\(vector.path): docs/contracts/\(contract).md has no row for it")
      }
      let isNamed = !Self.citesDecision(vector) || !Self.decisions(vector).isEmpty
      #expect(isNamed, "\(vector.path): its source is a decision that it does not name")
    }
  }

  @Test func thereAreDecisions() throws {
    for contract in Contracts.names where contract != .native {
      #expect(try !Self.rows(contract).isEmpty, "\(contract)")
    }
  }
}
