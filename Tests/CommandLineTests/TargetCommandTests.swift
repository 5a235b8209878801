import PushContracts
import PushPayload
import PushRules
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
      name: "render of lines is for one platform or both",
      arguments: ["render", "--contract", "amba", "--platform", "all", "--lines"], input: hello, status: 2,
      errors: "postrider: render: --lines prints one platform or both, not all\n"),
    CommandCase(
      name: "render for Push Kit takes a token and no topic",
      arguments: ["render", "--contract", "amba", "--platform", "hms", "--fcm-topic", "news"], input: hello, status: 2,
      errors: "postrider: render: --platform hms takes a token of Push Kit\n"),
    CommandCase(
      name: "check of messages for browsers needs a contract",
      arguments: ["check", "--platform", "web"], input: "{}", status: 2,
      errors: "postrider: check: --platform web is for messages: no rule is about what a page hands to its own worker\n"
    ),
    CommandCase(
      name: "preview says as what another target is shown",
      arguments: ["preview", "--platform", "fcm-ios"], input: "{}", status: 2,
      errors:
        "postrider: preview: --platform takes one of ios, android, web, not “fcm-ios”; what FCM hands to an iPhone "
        + "is shown as ios\n"),
  ]

  @Test("render for all writes each request as it is written alone", arguments: ["json", "text"])
  func all(format: String) throws {
    func run(_ platform: String, _ format: String = "json") throws -> Subprocess.Result {
      try Subprocess.run(
        Postrider.path,
        [
          "render", "--contract", "amba", "--platform", platform, "--campaign", "c-1", "--topic", "a.b", "--format",
          format,
          "--apns-id", "0a1b2c3d-0000-4000-8000-000000000001", "--now", "1800000000",
        ], input: Array(Self.hello.utf8))
    }
    let all = try run("all", format)
    #expect(all.status == 0, "\(all.errorText)")
    let members = ["ios": "apns", "android": "fcm", "web": "web", "hms": "hms", "fcm-ios": "fcm", "fcm-web": "fcm"]
    for (platform, member) in members {
      let alone = try JSON.parse(Array(run(platform).outputText.utf8))[member] ?? .null
      if format == "text" {
        for title in ["APNs", "FCM", "FCM, iOS over FCM", "FCM, a browser over FCM", "Push Kit", "Web Push"] {
          #expect(all.outputText.split(separator: "\n").contains { $0 == title }, "\(title): \(all.outputText)")
        }
      } else {
        let whole = try JSON.parse(Array(all.outputText.utf8))
        #expect(whole[platform.hasPrefix("fcm-") ? platform : member] == alone && !alone.isNull, "\(platform)")
      }
    }
  }

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

  /// What the provider counts of a message, as it is sent.
  private static func size(_ platform: String, _ message: JSONValue) -> Int? {
    var context = WriteContext()
    context.topic = "app"
    guard let carrier = FCMCarrier(rawValue: platform) else {
      let web = Contracts.renderWeb(.native, message: message, context: context, title: "Notification")
      return web.notification.map { JSON.minified(.object($0)).count }
    }
    let carried = Contracts.render(for: carrier, .native, message: message, context: context, title: "Notification")
    return carried.request.map { FCMBudget.bytes(ofCarried: $0.body) }
  }

  @Test(
    "What FCM hands on and what browsers get is measured for every row of an audience",
    arguments: [("fcm-ios", 4_096), ("fcm-web", 4_096), ("web", 3_964)])
  func audiences(platform: String, bytesMax: Int) throws {
    let folder = try TemporaryFolder()
    let message =
      #"{"title":"Hi {{name}}","body":"{% if city == 'Graz' %}Servus{% endif %}","data":{"city":"{{city}}"}}"#
    try Files.write(Array(message.utf8), to: folder.path + "/template.json")
    func check(_ name: String, _ city: String) throws -> (status: Int32, worst: JSONValue) {
      let row: JSONValue = ["id": "u-1", "name": .string(name), "city": .string(city)]
      try Files.write(JSON.minified(row), to: folder.path + "/some.ndjson")
      let result = try Subprocess.run(
        Postrider.path,
        [
          "check", "--contract", "native", "--platform", platform, "--template", folder.path + "/template.json",
          "--audience", folder.path + "/some.ndjson", "--format", "json",
        ])
      let all = try #require(try JSON.parse(result.output)["worst"]?.array, "\(result.errorText)")
      #expect(all.count == 1)
      return (result.status, try #require(all.first))
    }
    for (name, city, body) in [("Ann", "Graz", "Servus"), (#"Z"\"#, "a\"b\\c\n", "")] {
      let filled: JSONValue = [
        "title": .string("Hi " + name), "body": .string(body), "data": ["city": .string(city)],
      ]
      let found = try check(name, city)
      #expect(found.status == 0)
      #expect(found.worst["platform"] == .string(platform) && found.worst["bytes_max"]?.int == bytesMax)
      #expect(found.worst["bytes"]?.int == Self.size(platform, filled), "\(platform) \(name)")
    }
    let long = try check(String(repeating: "x", count: 6_000), "Wien")
    #expect(long.status == 1 && long.worst["too_large"] == 1 && long.worst["recipient"] == "u-1")
  }

  @Test("A template without a message for whom the worst case is asked proves nothing")
  func nothingToMeasure() throws {
    let folder = try TemporaryFolder()
    let request =
      #"{"message":{"token":"t","notification":{"title":"{{name}}"},"apns":{"payload":{"aps":{"alert":"{{name}}"}}}}}"#
    try Files.write(Array(request.utf8), to: folder.path + "/template.json")
    try Files.write(Array("name\nAnn\n".utf8), to: folder.path + "/some.csv")
    let files = ["--template", folder.path + "/template.json", "--audience", folder.path + "/some.csv"]
    let web = try Subprocess.run(Postrider.path, ["check", "--platform", "fcm-web"] + files)
    #expect(web.status == 1 && web.outputText.isEmpty)
    #expect(
      web.errorText.contains("there is no message for fcm-web in the template, only for android, fcm-ios"),
      "\(web.errorText)")
    let iPhone = try Subprocess.run(Postrider.path, ["check", "--platform", "fcm-ios"] + files)
    let size = #"{"aps":{"alert":"Ann"}}"#.utf8.count
    #expect(iPhone.outputText.hasPrefix("fcm-ios: at most \(size) of 4096 bytes"), "\(iPhone.outputText)")
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
