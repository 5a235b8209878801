import PushContracts
import PushPayload
import TestSupport
import Testing
import WireJSON

/// `render` and `check` of what is written for neither platform: browsers and Huawei's phones.
@Suite("render and check for browsers and Push Kit")
struct TargetCommandTests {
  private static let hello = #"{"title":"Hi","body":"You","data":{"n":42}}"#

  static let cases = [
    CommandCase(
      name: "render writes Push Kit's request, with the device's token in its list",
      arguments: ["render", "--contract", "amba", "--platform", "hms", "--campaign", "c-1", "--token", "t\"1"],
      input: hello,
      output: #"{"hms":{"message":{"token":["t\"1"],"data":"{\"n\":\"42\"}","android":{"notification":{"title":"Hi","#
        + #""body":"You","tag":"c-1","click_action":{"type":3}}}}},"report":[{"rule":"fcm-data-coerced","#
        + #""severity":"note","field":"data.n","message":"the number 42 arrives as its JSON text on Android, where every "#
        + #"data value is a string"}]}"# + "\n"),
    CommandCase(
      name: "render of lines writes what a browser's push service is sent",
      arguments: ["render", "--contract", "amba", "--platform", "web", "--campaign", "c-1", "--lines"],
      input: #"{"title":"Hi","body":"You"}"# + "\n" + #"{"title":"","body":""}"#, status: 1,
      output: #"{"web":{"headers":{"Urgency":"high","Topic":"c-1"},"payload":{"title":"Hi","body":"You","tag":"c-1"}},"#
        + #""report":[]}"# + "\n"
        + #"{"report":[{"rule":"device-shows-nothing","severity":"error","field":"","message":"a browser shows nothing: a browser "#
        + #"has to show something for every push, and the message has no text; add a text"}]}"# + "\n"),
    CommandCase(
      name: "render for Push Kit takes a token and no topic",
      arguments: ["render", "--contract", "amba", "--platform", "hms", "--fcm-topic", "news"], input: hello, status: 2,
      errors: "postrider: render: --platform hms takes a token of Push Kit\n"),
    CommandCase(
      name: "check of messages for browsers needs a contract",
      arguments: ["check", "--platform", "web"], input: "{}", status: 2,
      errors: "postrider: check: --platform web is for messages: no rule is about what a page hands to its own worker\n"
    ),
  ]

  @Test(
    "padding of a web push ends where its message does",
    arguments: [(3_993, "--vapid-key is missing"), (3_994, "1 to 3993")])
  func padding(bytes: Int, said: String) throws {
    let result = try Subprocess.run(
      Postrider.path, ["send", "--platform", "web", "--padding", "\(bytes)"], input: Array(#"{"title":"T"}"#.utf8))
    #expect(result.status == 2 && result.errorText.contains(said), "\(result.errorText)")
  }

  @Test("whole output, whole errors, exit status", arguments: cases)
  func runs(_ row: CommandCase) throws {
    let result = try Subprocess.run(Postrider.path, row.arguments, input: Array(row.input.utf8))
    #expect(result.outputText == row.output)
    #expect(result.errorText.split(separator: "\n").first == row.errors.split(separator: "\n").first)
    #expect(result.status == row.status)
  }

  /// What `check` says of a document, as rules and where they are.
  private static func check(_ document: String, _ arguments: [String]) throws -> [String] {
    let result = try Subprocess.run(
      Postrider.path, ["check", "--format", "json"] + arguments, input: Array(document.utf8))
    let findings = try JSON.parse(result.output)["findings"]?.array ?? []
    return findings.map { "\($0["rule"]?.string ?? "") \($0["pointer"]?.string ?? "")" }
  }

  private static func long(_ count: Int) -> String {
    #"{"title":"Hi","body":""# + String(repeating: "x", count: count) + #""}"#
  }

  @Test("Requests to Push Kit are judged: by their members, and by what the caller says they are")
  func documents() throws {
    let known =
      #"{"message":{"token":["t"],"data":"{}","android":{"ttl":"86400","notification":{"title":"T","body":"B"}}}}"#
    #expect(try Self.check(known, []) == ["hms-notification-incomplete /message/android/notification"])
    let bare = #"{"message":{"token":"t","notification":{"title":"T","body":"B"}}}"#
    #expect(try Self.check(bare, []) == [])
    #expect(
      try Self.check(bare, ["--platform", "hms"]) == [
        "hms-value /message/token", "hms-content-missing /message",
      ])
    let rendered = try Subprocess.run(
      Postrider.path, ["render", "--contract", "native", "--platform", "hms"],
      input: Array(#"{"title":"T","body":"B"}"#.utf8))
    #expect(try Self.check(rendered.outputText, []) == [])
    #expect(try Self.check(rendered.outputText, ["--platform", "hms"]) == [])
  }

  @Test("Messages are judged as browsers and Huawei's phones get them: texts, sizes, values")
  func messages() throws {
    let native = ["--contract", "native", "--platform"]
    #expect(try Self.check(#"{"data":{"n":"1"}}"#, native + ["web"]) == ["device-shows-nothing "])
    #expect(try Self.check(#"{"data":{"n":"1"}}"#, native + ["hms"]) == [])
    #expect(try Self.check(#"{"title":"T"}"#, native + ["hms"]) == ["device-shows-nothing "])
    #expect(try Self.check(Self.long(3_940), native + ["web"]) == [])
    #expect(try Self.check(Self.long(3_941), native + ["web"]) == ["web-push-too-large "])
    #expect(try Self.check(Self.long(4_200), native + ["hms"]).contains("hms-message-too-large "))
    let picture = #"{"title":"T","body":"B","fcm":{"android":{"notification":{"image":"http://e.x/1.png"}}}}"#
    #expect(
      try Self.check(picture, native + ["hms"]) == ["hms-value /hms/message/android/notification/image"])
  }

  @Test("Messages are judged as FCM hands them on to iPhones and browsers, and requests by the block that counts")
  func carried() throws {
    let native = ["--contract", "native", "--platform"]
    for name in ["fcm-ios", "fcm-web"] {
      #expect(try Self.check(#"{"title":"T","body":"B"}"#, native + [name]) == [], "\(name)")
      #expect(try Self.check(Self.long(4_200), native + [name]).contains { $0.contains("too-large") }, "\(name)")
    }
    // An iPhone takes data in the background; a browser has to show something.
    #expect(try Self.check(#"{"data":{"n":"1"}}"#, native + ["fcm-web"]) == ["device-shows-nothing "])
    let wrong =
      #"{"message":{"token":"t","apns":{"payload":{"aps":{"alert":5}}},"webpush":{"notification":{"title":5}}}}"#
    let iPhone = try Self.check(wrong, ["--platform", "fcm-ios"])
    #expect(iPhone.contains { $0.contains("/message/apns/payload/aps/alert") }, "\(iPhone)")
    let browser = try Self.check(wrong, ["--platform", "fcm-web"])
    #expect(browser.contains { $0.contains("/message/webpush/notification/title") }, "\(browser)")
  }

  @Test("The size of Push Kit's request is known for every row of an audience, also inside the text of its data")
  func audience() throws {
    let folder = try TemporaryFolder()
    let message = #"{"title":"Hi {{name}}","body":"B","data":{"city":"{{city}}"}}"#
    let rows = [("Ann", "Graz"), (#"Z"\"#, #"a"b\c"#), ("Bob", String(repeating: "x", count: 4_000))]
    try Files.write(Array(message.utf8), to: folder.path + "/template.json")
    func worst(_ lines: Int) throws -> JSONValue {
      let people = rows.prefix(lines).map { JSON.minifiedText(["name": .string($0.0), "city": .string($0.1)]) + "\n" }
      try Files.write(Array(people.joined().utf8), to: folder.path + "/some.ndjson")
      let result = try Subprocess.run(
        Postrider.path,
        [
          "check", "--contract", "native", "--platform", "hms", "--template", folder.path + "/template.json",
          "--audience", folder.path + "/some.ndjson", "--format", "json",
        ])
      return try #require(try JSON.parse(result.output)["worst"]?[0])
    }
    // The same as of the message with the values in it.
    for count in 1...2 {
      let (name, city) = rows[count - 1]
      let filled: JSONValue = ["title": .string("Hi " + name), "body": "B", "data": ["city": .string(city)]]
      let rendering = Contracts.renderForHuawei(
        .native, message: filled, context: WriteContext(), title: "Notification")
      let found = try worst(count)
      #expect(found["platform"] == "hms")
      #expect(found["bytes"]?.int == rendering.hms?.template().body.count, "\(name)")
    }
    #expect(try worst(3)["too_large"] == 1)
  }

  @Test("check --fit shortens the text of a request to Push Kit")
  func fit() throws {
    let result = try Subprocess.run(
      Postrider.path, ["check", "--fit", "--contract", "native", "--platform", "hms"],
      input: Array(Self.long(4_200).utf8))
    #expect(result.status == 1, "\(result.errorText)")
    let request =
      #"{"message":{"token":["t"],"data":"{}","android":{"notification":{"title":"T","body":""#
      + String(repeating: "x", count: 4_200) + #"","click_action":{"type":3}}}}}"#
    let fitted = try Subprocess.run(Postrider.path, ["check", "--fit"], input: Array(request.utf8))
    #expect(fitted.status == 0, "\(fitted.errorText)")
    // Without the token, which is a byte.
    #expect(fitted.output.count - 2 <= 4_096 && fitted.output.count > 4_000)
  }
}
