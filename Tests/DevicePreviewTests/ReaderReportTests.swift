import DevicePreview
import PushContracts
import PushPayload
import PushRules
import Testing
import WireJSON

/// A preview repeats what the reader of its contract says of the payload, whichever the contract.
@Suite struct ReaderReportTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let contract: ContractName
    let platform: Platform
    let payload: JSONValue
    /// The warnings of the reader.
    let said: [String]
    var testDescription: String { "\(contract) \(platform)" }
  }

  private static let mistyped: JSONValue = [
    "message": ["token": "t", "notification": ["title": "T", "body": 5], "android": ["priority": "high"]]
  ]

  static let rows = [
    Row(contract: .amba, platform: .ios, payload: ["aps": ["alert": ["title": "T", "body": 5]]], said: ["key-type"]),
    Row(contract: .amba, platform: .android, payload: mistyped, said: ["key-type"]),
    Row(
      contract: .imkit, platform: .ios, payload: ["aps": ["alert": ["title": "T", "body": 5]], "type": "x"],
      said: ["key-type"]),
    Row(contract: .imkit, platform: .android, payload: mistyped, said: ["key-type"]),
    Row(
      contract: .powerauth, platform: .ios, payload: ["aps": ["alert": ["title": "T", "body": 5]]], said: ["key-type"]),
    Row(
      contract: .powerauth, platform: .android,
      payload: ["message": ["token": "t", "android": ["notification": ["title": "T", "body": 5]]]], said: ["key-type"]),
    Row(
      contract: .adobe, platform: .ios,
      payload: [
        "aps": ["alert": ["title": "T", "body": "B"], "category": "AEPNotification", "mutable-content": 1],
        "adb_version": 5, "adb_template_type": "basic",
      ], said: ["key-type"]),
    Row(
      contract: .adobe, platform: .android,
      payload: [
        "message": [
          "token": "t",
          "data": [
            "adb_version": "1", "adb_template_type": "basic", "adb_title": "T", "adb_body": "B", "adb_body_ex": "X",
            "adb_n_count": "many",
          ],
        ]
      ], said: ["key-type"]),
    Row(
      contract: .onesignal, platform: .ios, payload: ["aps": ["alert": "Hi"], "custom": ["i": "n", "u": 5]],
      said: ["key-type"]),
    Row(
      contract: .onesignal, platform: .android,
      payload: ["message": ["token": "t", "data": ["custom": #"{"i":"n"}"#, "alert": "Hi", "bg_img": "x"]]],
      said: ["key-type"]),
    Row(
      contract: .native, platform: .ios, payload: ["aps": ["alert": ["title": "T", "body": 5]]], said: ["key-type"]),
    Row(contract: .native, platform: .android, payload: mistyped, said: ["key-type"]),
  ]

  @Test(arguments: rows)
  func isRepeated(_ row: Row) {
    let parsed = Contracts.parse(platform: row.platform, payload: row.payload, contract: row.contract)
    let preview = Preview(PreviewPush(platform: row.platform, payload: row.payload, contract: row.contract))
    #expect(preview.report.findings.starts(with: parsed.report.findings), "\(preview.report.findings)")
    let said = parsed.report.findings.filter { $0.severity == .warning }.map(\.rule)
    #expect(said == row.said && !preview.notification.isSilent, "\(parsed.report.findings)")
  }

  @Test func everyContractHasARow() {
    for contract in Contracts.names {
      #expect(Self.rows.filter { $0.contract == contract }.map(\.platform) == [.ios, .android], "\(contract)")
    }
  }
}
