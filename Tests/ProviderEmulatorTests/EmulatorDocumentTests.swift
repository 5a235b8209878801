import ProviderEmulator
import TestSupport
import Testing

@Suite("docs/emulator.md")
struct EmulatorDocumentTests {
  static let text = Result {
    String(decoding: try Files.read("\(Files.packageRoot)/docs/emulator.md"), as: UTF8.self)
  }

  @Test("the scenario in the documentation is one that is read")
  func scenario() throws {
    let blocks = try Self.text.get().split(separator: "```json scenario\n").dropFirst()
    #expect(blocks.count == 1)
    for block in blocks {
      let json = try #require(block.split(separator: "```").first)
      let scenario = try Scenario(parsing: Array(json.utf8))
      #expect(scenario.seed == 42)
      #expect(scenario.rules.map(\.name) == ["storm", "lost", "dead tokens", "slow topic", "shutdown"])
      #expect(scenario.devices.count == 3)
      #expect(scenario.connections.count == 2)
    }
  }

  @Test("every GET of the control API in the documentation is served")
  func routes() throws {
    let plain = try EmulatorFixture().plain
    let rows = try Self.text.get().split(separator: "\n").filter { $0.hasPrefix("| `GET /control") }
    #expect(rows.count >= 5)
    for row in rows {
      let path = try #require(row.split(separator: "`").dropFirst().first).dropFirst(4)
      guard !path.contains("TOKEN"), !path.contains(",") else { continue }
      #expect(try plain.send("GET", String(path)).status == 200, "\(path)")
    }
  }
}
