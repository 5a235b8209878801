import TestSupport
import Testing
import WireJSON

/// `render`, `check` and `preview` have one exit status for one message, and `preview` draws what can be drawn.
@Suite("render, check and preview")
struct AgreementTests {
  /// A message, how it is looked at, and the status of the three commands.
  struct Row: Sendable, CustomTestStringConvertible {
    let contract: String
    let message: String
    let options: String
    let status: Int32

    init(_ contract: String, _ message: String, _ options: String = "", status: Int32) {
      self.contract = contract
      self.message = message
      self.options = options
      self.status = status
    }

    var testDescription: String { "\(contract) \(message.prefix(100)) \(options)" }
  }

  static let rows = [
    Row("powerauth", #"{"silent":true}"#, status: 0),
    Row("powerauth", #"{"silent":true}"#, "--platform ios", status: 0),
    Row("powerauth", #"{"silent":true}"#, "--platform android", status: 1),
    Row("powerauth", #"{"silent":true,"extras":{"k":"v"}}"#, "--platform android", status: 0),
    Row("powerauth", #"{"silent":true,"badge":3}"#, status: 0),
    Row("powerauth", #"{"icon":"i"}"#, "--option fcm-data-only", status: 1),
    Row("powerauth", #"{"badge":3}"#, "--option fcm-data-only", status: 0),
    Row("powerauth", #"{"badge":3}"#, "--option fcm-data-only --platform android", status: 1),
    Row("powerauth", #"{"title":"T"}"#, "--option fcm-data-only", status: 0),
    Row("powerauth", #"{"icon":"i","collapseKey":"k"}"#, "--option fcm-apns", status: 1),
    Row("imkit", #"{"silent":true}"#, status: 0),
    Row("imkit", #"{"silent":true}"#, "--platform android", status: 1),
    Row("imkit", #"{"badge":3}"#, status: 1), Row("imkit", #"{"sound":"s"}"#, status: 1),
    Row("imkit", #"{"collapseKey":"x"}"#, status: 1), Row("imkit", #"{"content":"x"}"#, status: 1),
    Row("imkit", "{}", status: 1), Row("imkit", #"{"type":"x"}"#, status: 0),
    Row("imkit", #"{"type":"x","badge":3}"#, status: 0),
    Row("imkit", #"{"collapseKey":"x"}"#, "--option ios-voip", status: 1),
    Row("imkit", #"{"title":"T"}"#, "--option ios-voip", status: 0),
    Row("imkit", #"{"title":"T"}"#, "--option ios-voip --platform ios", status: 1),
    Row("imkit", #"{"type":"call"}"#, "--option ios-voip", status: 0),
    Row("native", #"{"content_available":true}"#, status: 0),
    Row("native", #"{"content_available":true}"#, "--platform android", status: 1),
    Row("native", #"{"content_available":true,"data":{"k":1}}"#, "--platform android", status: 0),
    Row("native", #"{"title":"T","data":{"from":"x"}}"#, status: 1),
    Row("native", #"{"title":"\#(String(repeating: "x", count: 5000))"}"#, status: 1),
    Row("onesignal", #"{"content_available":true}"#, status: 0),
    Row("onesignal", #"{"content_available":true}"#, "--platform android", status: 1),
    Row("onesignal", #"{"contents":{"en":"Hi"},"data":{"k":1}}"#, "--platform android", status: 0),
    Row("amba", #"{"title":"T"}"#, status: 1), Row("amba", #"{"title":"T","body":"B"}"#, status: 0),
    Row("adobe", #"{"adb_title":"T","adb_body":"B"}"#, status: 0),
    Row("adobe", #"{"adb_title":"T","adb_body":"B","adb_template_type":"input"}"#, status: 1),
  ]

  @Test("one message, one status", arguments: rows)
  func agree(_ row: Row) throws {
    let options = ["--contract", row.contract] + row.options.split(separator: " ").map(String.init)
    for command in ["render", "check", "preview"] {
      let result = try Subprocess.run(Postrider.path, [command] + options, input: Array(row.message.utf8))
      #expect(result.status == row.status, "\(command): \(result.outputText.prefix(2000))\(result.errorText)")
    }
  }

  /// What `preview` is given, and what it shows: the platforms that it draws and the errors of its report.
  @Test(
    "a payload or a message",
    arguments: [
      (["--contract", "onesignal"], #"{"contents":{"en":"Hi"},"data":{"k":1}}"#, "ios shown, android shown"),
      (["--contract", "native", "--platform", "android"], #"{"body":"B","data":{"k":1}}"#, "android shown"),
      (["--contract", "native"], #"{"aps":{"alert":"Hi"}}"#, "ios shown"),
      (
        ["--contract", "native", "--platform", "android"], #"{"aps":{"alert":"Hi"}}"#, "error message-unrecognized"
      ),
      (
        ["--contract", "native"],
        #"{"headers":{"apns-push-type":"background","apns-priority":5,"apns-topic":"a.b"},"payload":{"aps":{"alert":"Hi"}}}"#,
        "ios silent, error apns-background-visible"
      ),
      (["--contract", "amba"], #"{"message":{"token":"t","notification":{"title":"T"}}}"#, "android shown"),
      (["--contract", "imkit"], #"{"message":{"token":"t","data":{"type":"x"}}}"#, "android silent"),
      (
        ["--contract", "amba"], #"{"message":{"notification":{"title":"T"}}}"#,
        "android shown"
      ),
      (["--contract", "imkit"], #"{"message":{"_id":"m","data":{"x":1}},"title":"T"}"#, "ios shown, android shown"),
      (
        ["--contract", "onesignal", "--platform", "android"], #"{"custom":"{\"i\":\"n\"}","alert":"Hi"}"#,
        "android shown"
      ),
      (["--contract", "adobe"], #"{"data":{"adb_version":"1","adb_title":"T","adb_body":"B"}}"#, "android shown"),
      (["--platform", "ios"], #"{"aps":{"alert":"Hi"},"mdm":1}"#, "ios shown"),
      (
        ["--platform", "ios"], #"{"aps":{"alert":"Hi"},"k":"\#(String(repeating: "x", count: 4096))"}"#,
        "ios shown, error apns-payload-too-large"
      ),
      (
        ["--platform", "android"], #"{"message":{"token":"t","notification":{"title":"T"},"data":{"from":"x"}}}"#,
        "android shown, error fcm-data-reserved"
      ),
      (
        ["--contract", "native"], #"{"title":"\#(String(repeating: "x", count: 4096))","sound":"s"}"#,
        "ios shown, android shown, error apns-payload-too-large, error fcm-payload-too-large"
      ),
    ])
  func shows(_ options: [String], _ document: String, _ expected: String) throws {
    let result = try Subprocess.run(Postrider.path, ["preview"] + options, input: Array(document.utf8))
    let json = try JSON.parse(result.output)
    var shown = (json["previews"]?.array ?? []).map { preview in
      (preview["platform"]?.string ?? "") + (preview["silent"] == true ? " silent" : " shown")
    }
    for finding in json["report"]?.array ?? [] where finding["severity"] == "error" {
      shown.append("error \(finding["rule"]?.string ?? "")")
    }
    #expect(shown.joined(separator: ", ") == expected, "\(result.outputText)")
    #expect(result.status == (expected.contains("error") ? 1 : 0))
  }

  @Test("options of a contract go with a message", arguments: ["check", "preview"])
  func optionWithoutContract(_ command: String) throws {
    let result = try Subprocess.run(Postrider.path, [command, "--option", "fcm-ttl"], input: Array("{}".utf8))
    #expect(result.status == 2 && result.errorText.contains("give --contract and a message"))
  }

  @Test("options of a contract do not go with a payload") func optionWithPayload() throws {
    let arguments = ["preview", "--contract", "powerauth", "--option", "fcm-ttl"]
    let result = try Subprocess.run(Postrider.path, arguments, input: Array(#"{"aps":{"alert":"Hi"}}"#.utf8))
    #expect(result.status == 2 && result.errorText.contains("--option is for a message, and this is a payload"))
  }
}
