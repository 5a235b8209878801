import TestSupport
import Testing

@Suite("contracts diff")
struct ContractsCommandTests {
  static let cases = [
    CommandCase(
      name: "diff in text: keys that go, come and change, on each platform",
      arguments: ["contracts", "diff", "amba", "native"],
      input: #"{"title":"Hi","body":"You","badge":1,"data":{"screen":"home"}}"#,
      output: """
        amba → native

        the message in native: {"title":"Hi","body":"You","badge":1,"data":{"screen":"home"}}

        iOS
          - aps.mutable-content: 1

        Android
          - message.android.priority: "high"
          + message.android.notification.notification_count: 1

        report
          warning field-not-carried badge: amba does not carry badge to Android

        """),
    CommandCase(
      name: "diff in JSON is one document",
      arguments: ["contracts", "diff", "amba", "native", "--format", "json", "-"],
      input: #"{"title":"Hi","body":"You"}"#,
      output: #"{"from":"amba","to":"native","message":{"title":"Hi","body":"You"},"#
        + #""apns":[{"path":"aps.mutable-content","before":1}],"#
        + #""fcm":[{"path":"message.android.priority","before":"high"}],"report":[]}"# + "\n"),
    CommandCase(
      name: "diff of a contract with itself changes nothing", arguments: ["contracts", "diff", "native", "native"],
      input: #"{"title":"Hi","body":"You"}"#,
      output: """
        native → native

        the message in native: {"title":"Hi","body":"You"}

        iOS
          no change

        Android
          no change

        """),
    CommandCase(
      name: "diff takes the send's topic and campaign",
      arguments: [
        "contracts", "diff", "amba", "native", "--format", "json", "--topic", "com.example.app", "--campaign", "c-1",
      ],
      input: #"{"title":"Hi","body":"You"}"#,
      output: #"{"from":"amba","to":"native","message":{"title":"Hi","body":"You"},"#
        + #""apns":[{"path":"header apns-collapse-id","before":"c-1"},{"path":"aps.mutable-content","before":1}],"#
        + #""fcm":[{"path":"message.android.priority","before":"high"},"#
        + #"{"path":"message.android.notification.tag","before":"c-1"}],"report":[]}"# + "\n"),
    CommandCase(
      name: "a message that the new contract refuses exits 1", arguments: ["contracts", "diff", "native", "amba"],
      input: #"{"title":"Hi"}"#, status: 1,
      output: """
        native → amba

        the message in amba: {"title":"Hi"}

        iOS
          - header apns-push-type: "alert"
          - header apns-priority: "10"
          - aps.alert.title: "Hi"

        Android
          - message.token: "<device token>"
          - message.notification.title: "Hi"

        report
          error field-missing body: amba needs body, a string; add it to the message

        """),
    CommandCase(
      name: "diff needs two names", arguments: ["contracts", "diff", "amba"], status: 2,
      errors: """
        postrider: contracts: diff needs the names of two contracts
        postrider: see postrider contracts --help

        """),
    CommandCase(
      name: "diff of an unknown contract proposes the nearest", arguments: ["contracts", "diff", "amba", "nativ"],
      status: 2,
      errors: """
        postrider: contracts: no contract “nativ”; did you mean native?
        postrider: see postrider contracts --help

        """),
    CommandCase(
      name: "broken JSON is shown by line and column", arguments: ["contracts", "diff", "amba", "native"],
      input: "{", status: 3,
      errors: "postrider: contracts: standard input:1:2: not JSON: expected a member name in double quotes or \"}\", "
        + "found the end of the text at line 1, column 2 (byte 1)\n"),
    CommandCase(
      name: "render takes one target",
      arguments: ["render", "--contract", "amba", "--token", "a", "--fid", "b"], input: "{}", status: 2,
      errors: """
        postrider: render: give one of --token, --fid, --fcm-topic, --condition
        postrider: see postrider render --help

        """),
    CommandCase(
      name: "render takes an FCM topic and an apns-id",
      arguments: [
        "render", "--no-provider-rules", "--contract", "amba", "--fcm-topic", "news", "--apns-id",
        "123e4567-e89b-12d3-a456-426614174000",
      ],
      input: #"{"title":"Hi","body":"You"}"#,
      output: #"{"apns":{"headers":{"apns-push-type":"alert","apns-priority":"10","#
        + #""apns-id":"123e4567-e89b-12d3-a456-426614174000"},"#
        + #""payload":{"aps":{"alert":{"title":"Hi","body":"You"},"mutable-content":1}}},"#
        + #""fcm":{"message":{"topic":"news","notification":{"title":"Hi","body":"You"},"#
        + #""android":{"priority":"high"}}},"report":[]}"# + "\n"),
  ]

  @Test("whole output, whole errors, exit status", arguments: cases)
  func runs(_ row: CommandCase) throws {
    let result = try Subprocess.run(Postrider.path, row.arguments, input: Array(row.input.utf8))
    #expect(result.outputText == row.output)
    #expect(result.errorText == row.errors)
    #expect(result.status == row.status)
  }
}
