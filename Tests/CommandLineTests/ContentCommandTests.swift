import PushRules
import TestSupport
import Testing

/// One run of a command that works on content: what is typed and fed, and what comes back, whole.
struct CommandCase: Sendable, CustomTestStringConvertible {
  let name: String
  let arguments: [String]
  var input = ""
  var status: Int32 = 0
  var output = ""
  var errors = ""

  var testDescription: String { name }
}

@Suite("render, parse, contracts")
struct ContentCommandTests {
  static let cases = [
    CommandCase(
      name: "render writes both requests",
      arguments: ["render", "--contract", "amba", "--topic", "com.example.app", "--campaign", "c-1"],
      input: #"{"title":"Hi","body":"You","data":{"n":42}}"#,
      output: #"{"apns":{"headers":{"apns-push-type":"alert","apns-priority":"10","apns-topic":"com.example.app","#
        + #""apns-collapse-id":"c-1"},"payload":{"n":42,"aps":{"alert":{"title":"Hi","body":"You"},"mutable-content":1}}},"#
        + #""fcm":{"message":{"token":"<device token>","notification":{"title":"Hi","body":"You"},"android":"#
        + #"{"priority":"high","notification":{"tag":"c-1"}},"data":{"n":"42"}}},"report":[{"rule":"fcm-data-coerced","#
        + #""severity":"note","field":"data.n","message":"the number 42 arrives as its JSON text on Android, where every "#
        + #"data value is a string"}]}"#
        + "\n"),
    CommandCase(
      name: "render writes what FCM hands on to an iPhone",
      arguments: [
        "render", "--contract", "amba", "--platform", "fcm-ios", "--campaign", "c-1", "--token", "t", "--lines",
      ],
      input: #"{"title":"Hi","body":"You"}"#,
      output: #"{"fcm":{"message":{"token":"t","apns":{"headers":{"apns-push-type":"alert","apns-priority":"10","#
        + #""apns-collapse-id":"c-1"},"payload":{"aps":{"alert":{"title":"Hi","body":"You"},"mutable-content":1}}}}},"#
        + #""report":[]}"# + "\n"),
    CommandCase(
      name: "render writes what FCM hands on to a browser, the campaign as a topic",
      arguments: [
        "render", "--contract", "amba", "--platform", "fcm-web", "--campaign", "c-1", "--token", "t",
      ],
      input: #"{"title":"Hi","body":"You"}"#,
      output: #"{"fcm":{"message":{"token":"t","webpush":{"headers":{"Urgency":"high","Topic":"c-1"},"#
        + #""notification":{"title":"Hi","body":"You","tag":"c-1"}}}},"report":[]}"# + "\n"),
    CommandCase(
      name: "render for what FCM hands nothing to says so and exits 1",
      arguments: ["render", "--contract", "native", "--platform", "fcm-web", "--lines"],
      input: #"{"data":{"n":"1"}}"#, status: 1,
      output: #"{"report":[{"rule":"device-shows-nothing","severity":"error","field":"","message":"a browser over FCM "#
        + #"shows nothing: a browser has to show something for every push, and the message has no text; send another message"}]}"#
        + "\n"),
    CommandCase(
      name: "render of a message that is invalid says so and exits 1",
      arguments: ["render", "--contract", "amba"], input: #"{"title":"Hi"}"#, status: 1,
      output:
        #"{"report":[{"rule":"field-missing","severity":"error","field":"body","message":"amba needs body, a string; add it to the message"}]}"#
        + "\n"),
    CommandCase(
      name: "render --lines has a result for each line, also for one that is no JSON",
      arguments: ["render", "--contract", "native", "--platform", "android", "--lines", "--token", "t"],
      input: "{\"title\":\"a\"}\n{bad\n\n{\"title\":5}", status: 3,
      output: #"{"fcm":{"message":{"token":"t","notification":{"title":"a"}}},"report":[]}"# + "\n"
        + #"{"report":[{"rule":"json-invalid","severity":"error","field":"","message":"expected a member name in double "#
        + #"quotes or \"}\", found \"bad\" at line 1, column 2 (byte 1)"}]}"# + "\n"
        + #"{"report":[{"rule":"json-invalid","severity":"error","field":"","message":"expected a value, found the end of "#
        + #"the text at line 1, column 1 (byte 0)"}]}"# + "\n"
        + #"{"report":[{"rule":"field-type","severity":"error","field":"title","message":"expected a string, found the "#
        + #"number 5"}]}"# + "\n"),
    CommandCase(
      name: "broken JSON is shown by line and column",
      arguments: ["render", "--contract", "amba"], input: "{\n  \"title\": tru\n}", status: 3,
      errors: "postrider: render: standard input:2:12: not JSON: expected a value, found \"tru\" at line 2, column 12 "
        + "(byte 13, at /title)\n"),
    CommandCase(
      name: "a missing file is named", arguments: ["render", "--contract", "amba", "/nonexistent/m.json"], status: 3,
      errors: "postrider: render: cannot open /nonexistent/m.json: No such file or directory\n"),
    CommandCase(
      name: "an unknown contract lists the known ones", arguments: ["render", "--contract", "ambo"], status: 2,
      errors: """
        postrider: render: --contract takes one of amba, imkit, powerauth, adobe, onesignal, native, not “ambo”
        postrider: see postrider render --help

        """),
    CommandCase(
      name: "a mistyped option proposes the nearest", arguments: ["render", "--contracts", "amba"], status: 2,
      errors: """
        postrider: render: unknown option “--contracts”; did you mean --contract?
        postrider: see postrider render --help

        """),
    CommandCase(
      name: "a mistyped command proposes the nearest", arguments: ["rendr"], status: 2,
      errors: "postrider: unknown command “rendr”; did you mean “render”?\n"),
    CommandCase(
      name: "a payload that a provider would refuse exits 1",
      arguments: ["render", "--contract", "amba", "--platform", "android"],
      input: #"{"title":"t","body":""# + String(repeating: "x", count: 5000) + #""}"#, status: 1,
      output: #"{"fcm":{"message":{"token":"<device token>","notification":{"title":"t","body":""#
        + String(repeating: "x", count: 5000)
        + #""},"android":{"priority":"high"}}},"report":[{"rule":"fcm-payload-too-large","severity":"error","#
        + #""field":"message","message":"data and notification have 5010 bytes, the limit is 4096; "#
        + #"shorten the text or send a reference, 914 bytes must go"}]}"# + "\n"),
    CommandCase(
      name: "a key that occurs twice is reported",
      arguments: ["render", "--contract", "amba", "--platform", "android", "--format", "text"],
      input: #"{"title":"a","title":"b","body":"c"}"#,
      output: """
        FCM
        {
          "message": {
            "token": "<device token>",
            "notification": {
              "title": "b",
              "body": "c"
            },
            "android": {
              "priority": "high"
            }
          }
        }

        warning json-duplicate-key at title: the key occurs more than once in its object; the last value is taken

        """),
    CommandCase(
      name: "parse reads a payload", arguments: ["parse", "--platform", "ios", "--contract", "amba"],
      input: #"{"screen":"home","aps":{"alert":{"title":"Hi","body":"You"},"mutable-content":1}}"#,
      output:
        #"{"contract":"amba","reason":"asked for","notification":{"title":"Hi","body":"You","data":{"screen":"home"},"#
        + #""amba":{"title":"Hi","body":"You","data":{"screen":"home"}}},"report":[]}"# + "\n"),
    CommandCase(
      name: "parse reads a plain payload", arguments: ["parse", "--platform", "ios"],
      input: #"{"aps":{"alert":"Hi"},"deep_link":"/home"}"#,
      output:
        #"{"contract":"native","reason":"no key identifies a dialect; amba, powerauth and plain payloads look alike, so "#
        + #"name the contract if you know it","notification":{"body":"Hi","data":{"deep_link":"/home"},"native":{"body":"#
        + #""Hi","data":{"deep_link":"/home"}}},"report":[]}"# + "\n"),
    CommandCase(
      name: "a badge on a silent message is the contract's own wish, so a warning",
      arguments: ["render", "--contract", "powerauth", "--platform", "ios", "--topic", "com.x", "--format", "text"],
      input: #"{"badge":2,"silent":true}"#,
      output: """
        APNs
          apns-push-type: background
          apns-priority: 5
          apns-topic: com.x
        {
          "aps": {
            "badge": 2,
            "content-available": 1
          }
        }

        warning apns-background-visible at aps.badge: background pushes show nothing; remove badge or send as alert

        """),
    CommandCase(name: "the version", arguments: ["--version"], output: "postrider 0.1.0\n"),
    CommandCase(
      name: "parse asks for the platform", arguments: ["parse"], input: "{}", status: 2,
      errors: """
        postrider: parse: --platform is missing: ios or android
        postrider: see postrider parse --help

        """),
  ]

  @Test("whole output, whole errors, exit status", arguments: cases)
  func runs(_ row: CommandCase) throws {
    let result = try Subprocess.run(Postrider.path, row.arguments, input: Array(row.input.utf8))
    #expect(result.outputText == row.output)
    #expect(result.errorText == row.errors)
    #expect(result.status == row.status)
  }

  @Test("every setting of an open point is an option", arguments: OpenPoints.all.flatMap(\.options))
  func openPoint(_ option: String) throws {
    let words = option.split(separator: " ").map(String.init)
    #expect(try Postrider.run(words[0], "--help").outputText.contains("  \(words[1]) "), "\(option)")
  }

  @Test(
    "every command explains itself",
    arguments: ["render", "parse", "check", "contracts", "explain", "send", "channels", "emulate", "serve"])
  func help(_ command: String) throws {
    let result = try Postrider.run(command, "--help")
    #expect(result.status == 0)
    #expect(result.outputText.contains("Usage: postrider \(command) [OPTIONS]"))
    #expect(result.errors.isEmpty)
  }
}
