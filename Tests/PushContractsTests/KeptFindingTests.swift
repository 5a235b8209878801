import PushPayload
import Testing
import WireJSON

@testable import PushContracts

/// Findings that are always the same are written from text made once.
@Suite("Findings that keep their text")
struct KeptFindingTests {
  private static func text(_ finding: Finding) -> String {
    var writer = JSONWriter()
    finding.write(to: &writer)
    return writer.text
  }

  @Test("the text is that of the finding, also after a change of any part")
  func changes() {
    let finding = Finding(rule: "r", severity: .note, field: "a.\"b\"", message: "say “it”\n")
    var kept = finding.keeping
    #expect(kept == finding && Set([finding, kept]).count == 1)
    #expect(Self.text(kept) == Self.text(finding) && Self.text(kept) == JSON.minifiedText(.object(finding.json)))
    let changes: [(inout Finding) -> Void] = [
      { $0.severity = .error }, { $0.rule = "s" }, { $0.field = "c" }, { $0.message += "!" },
    ]
    for change in changes {
      kept = finding.keeping
      change(&kept)
      #expect(Self.text(kept) == JSON.minifiedText(.object(kept.json)) && kept != finding)
    }
  }

  @Test("the platforms' findings come in the order of the request", arguments: Contracts.names)
  func order(contract: ContractName) {
    let messages: [ContractName: JSONValue] = [
      .adobe: ["adb_title": "t", "adb_body": "b", "adb_tag": "1", "subtitle": "s", "adb_icon": "x"],
      .onesignal: ["contents": ["en": "b"], "subtitle": ["en": "s"], "small_icon": "x", "thread_id": "y"],
      .imkit: ["messageType": "text", "sender": "A", "content": "B", "icon": "x", "badge": 1],
    ]
    let message = messages[contract] ?? ["title": "t", "body": "b", "subtitle": "s", "icon": "x", "color": "#FF0000"]
    let both = Contracts.render(contract, message: message)
    let turned = Contracts.render(contract, message: message, platforms: [.android, .ios])
    let own = Contracts.render(contract, message: message, platforms: []).report.findings.count
    let ios = Contracts.render(contract, message: message, platforms: [.ios]).report.findings.dropFirst(own)
    let android = Contracts.render(contract, message: message, platforms: [.android]).report.findings.dropFirst(own)
    #expect(both.report.findings.dropFirst(own) == ios + android)
    #expect(turned.report.findings.dropFirst(own) == android + ios)
    #expect(turned.apns == both.apns && turned.fcm == both.fcm)
  }
}
