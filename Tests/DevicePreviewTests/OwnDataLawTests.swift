import DevicePreview
import PushContracts
import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// Data for Android alone replaces the shared data: a message with it is read, checked, previewed and judged by
/// the device model as the same message is that has it as its data.
///
/// Over written messages of every contract; a failure prints its seed: `POSTRIDER_SEED=…` repeats it.
@Suite struct OwnDataLawTests {
  private static let rounds = 40

  @Test(arguments: Contracts.names, ["android", "android_v2", "androidV2"])
  func ownDataIsTheData(_ contract: ContractName, _ member: String) throws {
    let table = try #require(Contracts.mappingTable(contract))
    var random = SeededRandom.fromEnvironment()
    var compared = 0
    for _ in 0..<Self.rounds {
      guard let message = Self.message(contract, table, &random), let data = message["data"]?.object else { continue }
      var plain = message
      var config = message["android"]?.object ?? [:]
      if member != "android" {
        // The two shapes of Android's options exclude each other.
        plain.removeValue(forKey: "android")
        config = [:]
      }
      var moved = plain
      config["data"] = .object(data)
      moved[member] = .object(config)
      moved["data"] = ["shared": "x"]
      let says = "seed \(random.seed): \(contract): \(moved)"
      compare(["message": .object(plain)], ["message": .object(moved)], contract, member, says)
      compared += 1
    }
    #expect(compared > 0, "seed \(random.seed)")
  }

  private func compare(
    _ plain: JSONValue, _ moved: JSONValue, _ contract: ContractName, _ member: String, _ says: String
  ) {
    #expect(
      Contracts.outcome(contract, of: moved, on: .android) == Contracts.outcome(contract, of: plain, on: .android),
      "\(says)")
    let read = [plain, moved].map { Contracts.parse(platform: .android, payload: $0, contract: contract) }
    #expect(read[0].notification == read[1].notification, "\(says)")
    #expect(Self.findings(read[0].report, "data") == Self.findings(read[1].report, "\(member).data"), "\(says)")
    let shown = [plain, moved].map { payload in
      var json = Preview(PreviewPush(platform: .android, payload: payload, contract: contract)).json
      json.removeValue(forKey: "report")
      return json
    }
    #expect(shown[0] == shown[1], "\(says)")
    let checked = [plain, moved].map { payload in
      var checker = PushChecker()
      let report = checker.checkOnDevice(document: JSON.minified(payload))
      return Report(report.findings.filter { !$0.rule.hasPrefix("fcm-") })
    }
    #expect(Self.findings(checked[0], "data") == Self.findings(checked[1], "\(member).data"), "\(says)")
  }

  /// The findings without their sentences, the data under one path.
  private static func findings(_ report: Report, _ data: String) -> Set<String> {
    Set(
      report.findings.map { finding in
        let index = "message.\(data)"
        let field = finding.field.hasPrefix(index) ? "data" + finding.field.dropFirst(index.count) : finding.field
        return "\(finding.severity) \(finding.rule) \(field)"
      })
  }

  /// A written message of a contract with texts and data.
  private static func message(
    _ contract: ContractName, _ table: MappingTable, _ random: inout SeededRandom
  ) -> JSONObject? {
    var message = JSONObject()
    for row in table.rows where row.source == .message {
      let isNeeded = row.isRequired || row.role == .body || row.role == .data
      if isNeeded || Int.random(in: 0..<4, using: &random) == 0 { message[row.field] = row.example }
    }
    let rendering = Contracts.render(contract, message: .object(message), platforms: [.android])
    guard let body = rendering.fcm?.body, let request = try? JSON.parse(body) else { return nil }
    return request["message"]?.object
  }
}
