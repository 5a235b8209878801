import DevicePreview
import PushContracts
import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// What the vendors' libraries do on a device, sentence by sentence: the device model, the reader, the checker and the
/// preview say the same of every case.
@Suite struct SDKFactTests {
  /// The time of every preview.
  private static let now = 1_800_000_000

  @Test(arguments: SDKFact.all)
  func holds(_ fact: SDKFact) throws {
    #expect(!(fact.cases.isEmpty && fact.written.isEmpty && fact.vectors.isEmpty && fact.tests.isEmpty))
    for row in fact.cases { try check(row) }
    for row in fact.written { check(row) }
    for vector in fact.vectors {
      #expect((try? Files.read("\(Files.packageRoot)/Vectors/\(vector).json")) != nil, "there is no vector \(vector)")
    }
    for test in fact.tests {
      let parts = test.split(separator: ".").map(String.init)
      let source = try Files.read("\(Files.packageRoot)/Tests/\(parts[0]).swift")
      #expect(String(decoding: source, as: UTF8.self).contains("func \(parts[1])("), "there is no test \(test)")
    }
  }

  private func check(_ row: SDKFact.Case) throws {
    let outcome = Contracts.outcome(row.contract, of: row.payload, on: row.platform)
    let parsed = Contracts.parse(platform: row.platform, payload: row.payload, contract: row.contract)
    let says = "\(row.contract) \(JSON.minifiedText(row.payload)): \(outcome): \(parsed.report.findings)"
    #expect(Self.isExpected(outcome, row.expected), "expected \(row.expected): \(says)")
    let isNothing = if case .nothing = outcome { true } else { false }
    let said = parsed.report.findings.filter { $0.severity != .note }.map { "\($0.severity.rawValue) \($0.rule)" }
    #expect(row.said.map(said.contains) ?? said.isEmpty, "\(says)")
    #expect(parsed.report.hasErrors == isNothing, "\(says)")
    var checker = PushChecker()
    let checked = checker.checkOnDevice(document: JSON.minified(row.payload), platform: row.platform)
    #expect(checked.hasErrors == isNothing, "check: \(says): \(checked.findings)")
    let arriving = Contracts.outcome(row.contract, of: row.payload, on: row.platform, now: Self.now)
    #expect(
      Self.isExpected(arriving, row.arriving ?? row.expected), "expected \(row.arriving ?? row.expected): \(says)")
    try checkPreview(row, arriving, parsed.report, says)
  }

  private func check(_ row: SDKFact.Written) {
    let context = WriteContext(topic: "com.example.app", target: .token("t"), options: row.options)
    let rendering = Contracts.render(row.contract, message: row.message, context: context, platforms: [row.platform])
    let bytes = row.platform == .ios ? rendering.apns?.payload : rendering.fcm?.body
    let says = "\(row.contract) \(JSON.minifiedText(row.message)): \(rendering.report.findings)"
    #expect(bytes.map { String(decoding: $0, as: UTF8.self) } == row.bytes, "\(says)")
    #expect(rendering.apns?.headers.collapseID == row.collapseID, "\(says)")
    let said = rendering.report.findings.map { "\($0.severity.rawValue) \($0.rule)" }
    #expect(row.said.map(said.contains) ?? true, "\(says)")
    #expect(rendering.report.hasErrors == (row.bytes == nil), "\(says)")
  }

  private func checkPreview(
    _ row: SDKFact.Case, _ outcome: DeviceOutcome, _ read: Report, _ says: String
  ) throws {
    var device = PreviewDevice()
    device.now = Self.now
    let push = PreviewPush(platform: row.platform, payload: row.payload, contract: row.contract)
    let preview = Preview(push, on: device)
    #expect(preview.notification.isSilent == !outcome.isVisible, "preview: \(says)")
    #expect(preview.report.findings.starts(with: read.findings), "preview: \(says): \(preview.report.findings)")
    for drawn in row.drawn {
      let parts = drawn.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let found = Self.value(in: .object(preview.json), at: parts[0])
      #expect((found ?? "-") == parts[1], "\(drawn): \(says)")
    }
  }

  /// The value at a path of member names and indices, as its text or JSON; nil when there is none.
  private static func value(in json: JSONValue, at path: String) -> String? {
    var value: JSONValue? = json
    for step in path.split(separator: ".") { value = Int(step).map { value?[$0] } ?? value?[String(step)] }
    return value.map { $0.string ?? JSON.minifiedText($0) }
  }

  private static func isExpected(_ outcome: DeviceOutcome, _ expected: String) -> Bool {
    let kind =
      switch outcome {
      case .shown: "shown"
      case .fallback: "fallback"
      case .silent: "silent"
      case .nothing: "nothing"
      }
    let parts = expected.split(separator: ": ", maxSplits: 1)
    return kind == parts[0] && (parts.count == 1 || (outcome.reason ?? "").contains(parts[1]))
  }

  // MARK: The page

  @Test func theDocumentationIsTheTable() throws {
    let path = "\(Files.packageRoot)/docs/contracts/devices.md"
    let text = try Self.markdown()
    if Files.environment("RECORD_SNAPSHOTS") != nil { try Files.write(Array(text.utf8), to: path) }
    #expect(String(decoding: try Files.read(path), as: UTF8.self) == text)
  }

  private static func markdown() throws -> String {
    var text = """
      # What the libraries on a device do

      Each sentence is what a vendor's library, or the system, does with a payload, and what holds Postrider to it: *cases* are
      payloads of which the device model, `parse`, `check` and `preview` must say the same, and messages of which `render` writes the bytes; *vectors* are files of
      [Vectors](../../Vectors/README.md); *tests* are further tests of the repository.

      This page is generated from the tables in `Tests/DevicePreviewTests`; `RECORD_SNAPSHOTS=1 swift test --filter SDKFactTests` writes
      it anew.

      """
    text += try counts()
    var areas: [String] = []
    for fact in SDKFact.all where !areas.contains(fact.area) { areas.append(fact.area) }
    for area in areas {
      text += "\n## \(area)\n\n| what the device does | cases | vectors | tests |\n| --- | --- | --- | --- |\n"
      for fact in SDKFact.all where fact.area == area {
        let vectors = fact.vectors.map { "`\($0)`" }.joined(separator: ", ")
        let tests = fact.tests.map { "`\($0)`" }.joined(separator: ", ")
        text += "| \(fact.statement) | \(fact.cases.count + fact.written.count) | \(vectors) | \(tests) |\n"
      }
    }
    return text
  }

  /// How many facts, cases, vectors and generated payloads each contract has.
  private static func counts() throws -> String {
    var text = "\n| contract | facts | cases | rows of the device model | vectors | generated payloads per run |\n"
    text += "| --- | --- | --- | --- | --- | --- |\n"
    for contract in Contracts.names {
      let facts = SDKFact.all.filter { fact in
        fact.cases.contains { $0.contract == contract } || fact.written.contains { $0.contract == contract }
          || (fact.vectors + fact.tests).contains { $0.hasPrefix("\(contract)/") }
      }
      let cases =
        SDKFact.all.flatMap(\.cases).count { $0.contract == contract }
        + SDKFact.all.flatMap(\.written).count { $0.contract == contract }
      let models = try rows(of: contract)
      let vectors = try Files.list("\(Files.packageRoot)/Vectors/\(contract)").count { $0.hasSuffix(".json") }
      let generated = DeviceLawTests.payloads(of: contract) + DocumentLawTests.payloads(of: contract)
      // A new vector is no reason to write the page anew.
      text += "| `\(contract)` | \(facts.count) | \(cases) | \(models) | ≥ \(vectors / 10 * 10) | \(generated) |\n"
    }
    return text
  }

  /// The rows of a contract in the table of `DeviceModelTests`.
  private static func rows(of contract: ContractName) throws -> Int {
    let source = try Files.read("\(Files.packageRoot)/Tests/PushContractsTests/DeviceModelTests.swift")
    return String(decoding: source, as: UTF8.self).split(separator: "\n").count {
      let line = $0.drop { $0 == " " }
      return line.hasPrefix("Row(.\(contract),") || line.hasPrefix(".\(contract), .")
    }
  }
}
