import ProviderEmulator
import PushPayload
import PushRules
import Testing

/// The linter and the gateway follow one set of rules: what one expects, the other answers.
@Suite("Agreement with PushRules")
struct RuleAgreementTests {
  /// The reasons that APNs answers with, by the linter's findings.
  static func predicted(_ fixture: APNsFixture) -> Set<String> {
    var checker = PushChecker()
    let fields = fixture.headers.filter { $0.0 != "authorization" }.map { APNsHeader(name: $0.0, value: $0.1) }
    let report = checker.check(APNsRequest(headers: APNsHeaders(reading: fields), payload: fixture.body))
    return Set(report.findings.filter { $0.severity == .error }.compactMap { Rules.rule($0.rule)?.answer })
  }

  /// Rows about what a linter does not see: path, method, token, setting; and what it calls `json-invalid`.
  static let beyond: Set<String> = [
    "another path", "no token", "no token and no slash", "GET", "a token that is not hexadecimal",
    "half a byte of token", "no push type where it is wanted", "no JSON",
  ]

  @Test(
    "what the gateway refuses, the linter has predicted",
    arguments: (APNsGatewayTests.headerRows + APNsGatewayTests.payloadRows).filter {
      !beyond.contains($0.testDescription)
    })
  func refused(row: APNsGatewayTests.Row) throws {
    var fixture = try APNsFixture()
    try row.change(&fixture)
    let predicted = Self.predicted(fixture)
    let answer = fixture.send()
    #expect(predicted.contains { answer.contains("\"\($0)\"") }, "predicted \(predicted), answered \(answer)")
  }

  @Test("what the gateway accepts, the linter lets pass", arguments: APNsGatewayTests.acceptedRows)
  func accepted(row: APNsGatewayTests.Row) throws {
    var fixture = try APNsFixture()
    try row.change(&fixture)
    let predicted = Self.predicted(fixture)
    #expect(fixture.send() == "200 ")
    #expect(predicted.isEmpty)
  }

  @Test("every form of a header has its reason at the gateway and its rule", arguments: APNsHeaderForm.allCases)
  func forms(form: APNsHeaderForm) {
    #expect(APNsRejection.named(form.reason)?.status == 400)
    #expect(Rules.all.contains { $0.answer == form.reason && $0.severity == .error })
    #expect(APNsHeaders.names.contains(form.name))
  }

  @Test("every answer that a rule names is one the emulator can give")
  func answers() {
    for rule in Rules.all {
      guard let answer = rule.answer else { continue }
      // Push Kit's answers are held against the emulator with its client.
      guard !rule.text.hasPrefix("hms-") else { continue }
      #expect(APNsRejection.named(answer) != nil || FCMFailure.named(answer) != nil, "\(rule.text)")
    }
  }
}
