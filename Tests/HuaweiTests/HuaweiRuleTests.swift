import Huawei
import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// The rules of Push Kit's messages and the emulator's Push Kit say the same: what one expects, the other answers.
@Suite(.timeLimit(.minutes(2))) struct HuaweiRuleTests {
  /// The rules of which a message can be sent that breaks them: the client writes the request and its token itself.
  private static let rules = [
    "hms-value", "hms-collapse-key", "hms-content-missing", "hms-notification-incomplete", "hms-unknown-field",
  ]

  private static func send(_ vector: JSONValue?, in lab: HuaweiClientTests.Lab) async throws -> HuaweiOutcome {
    var message = try #require(vector?["input"]?["message"]?.object)
    message["token"] = nil
    return try await lab.client.send(HuaweiRequest(message: message).template(), to: "phone-1")
  }

  @Test(
    "What a rule calls an error is refused with the code that it names, and what is just inside is taken",
    arguments: rules)
  func agree(rule: String) async throws {
    let lab = try HuaweiClientTests.Lab()
    let vector = try JSON.parse(try Files.read("\(Files.packageRoot)/Vectors/rules/\(rule).json"))
    let row = try #require(Rules.rule(rule))
    let outcome = try await Self.send(vector["breaks"], in: lab)
    if case .rejected(let rejection) = outcome {
      #expect(row.severity == .error && rejection.code.rawValue == row.answer)
    } else {
      #expect(row.severity != .error && row.answer == nil, "\(outcome)")
    }
    guard case .accepted = try await Self.send(vector["inside"], in: lab) else {
      Issue.record("what is just inside was refused")
      return
    }
  }

  @Test("Every answer that a rule names is explained")
  func explained() throws {
    let group = try #require(Rules.groups.first { $0.title == "Push Kit messages" })
    for rule in group.rules {
      guard let answer = rule.answer else { continue }
      #expect(Explanations.find(answer).contains { $0.service == .huawei }, "\(rule.text)")
    }
  }
}
