import PushContracts
import PushPayload
import Testing
import WireJSON

@testable import PushContracts

/// Members that a contract does not know are named up to a limit, so that no message costs or says more than its size explains.
@Suite("Many unknown members")
struct UnknownMembersTests {
  private static let texts: [ContractName: JSONObject] = [
    .adobe: ["adb_title": "t", "adb_body": "b"], .onesignal: ["contents": ["en": "b"]],
    .imkit: ["messageType": "text", "sender": "A", "content": "B"],
  ]

  private static func message(_ contract: ContractName, unknown: Int, last: String? = nil) -> JSONValue {
    var members = texts[contract] ?? ["title": "t", "body": "b"]
    for index in 0..<unknown { members.append("zz-\(index)", .number(JSONNumber(index))) }
    if let last { members.append(last, "x") }
    return .object(members)
  }

  private static func unknown(in report: Report) -> [Finding] { report.findings.filter { $0.rule == "field-unknown" } }

  @Test("a hundred are named, and the rest is counted", arguments: Contracts.names)
  func limit(contract: ContractName) {
    let few = Contracts.render(contract, message: Self.message(contract, unknown: 100))
    #expect(Self.unknown(in: few.report).map(\.field) == (0..<100).map { "zz-\($0)" })
    let many = Contracts.render(contract, message: Self.message(contract, unknown: 5100))
    let said = Self.unknown(in: many.report)
    #expect(said.count == 101 && said.last?.field == "")
    #expect(said.last?.message == "5000 more members are no fields of \(contract), so they are left out")
    #expect(many.apns?.payload == few.apns?.payload && many.fcm?.body == few.fcm?.body)
  }

  @Test("a field that decides who gets a push is named wherever it is", arguments: Contracts.names)
  func delivery(contract: ContractName) {
    let message = Self.message(contract, unknown: 300, last: "registration_ids")
    let report = Contracts.render(contract, message: message).report
    #expect(report.findings.contains { $0.rule == DeliveryField.rule && $0.field == "registration_ids" })
    #expect(Self.unknown(in: report).last?.message.utf8.starts(with: "200 more ".utf8) == true)
  }
}
