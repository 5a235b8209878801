import Glibc
import PostriderServer
import ProviderEmulator
import TestSupport
import Testing
import WireJSON

/// Templates, languages, variants and values, from the request to the device.
@Suite(.timeLimit(.minutes(2))) struct PersonalPushTests {
  static let tokens = (1...4).map { String(repeating: "0\($0)", count: 32) }

  let emulator: ProviderEmulator
  let fixture: ServerFixture

  init() throws {
    var configuration = EmulatorConfiguration()
    configuration.scenario.devices = Self.tokens.map { token in
      var device = DeviceDescription(provider: .apns, token: token)
      device.topics = [EndToEndTests.topic]
      return device
    }
    configuration.scenario.devices.append(DeviceDescription(provider: .fcm, token: ServerFixture.androidToken))
    emulator = try ProviderEmulator(configuration)
    fixture = try ServerFixture(clock: .system)
    try fixture.server.makeApp(name: "demo", title: "Demo", contract: "amba")
    let (keys, ports) = (emulator.credentials, emulator.ports)
    func gateway(_ port: UInt16) -> JSONValue {
      ["host": .string(ports.host), "port": .number(JSONNumber(port)), "ca": .string(emulator.authorityPEM)]
    }
    let credentials: JSONValue = [
      "apns": [
        "topic": .string(EndToEndTests.topic), "key": .string(keys.signingKeyPEM), "key_id": .string(keys.keyID),
        "team_id": .string(keys.teamID), "gateway": gateway(ports.apns),
      ],
      "fcm": [
        "service_account": try JSON.parse(keys.serviceAccountJSON(tokenURI: ports.tokenURI)),
        "gateway": gateway(ports.fcm),
      ],
    ]
    try fixture.server.setCredentials(app: "demo", json: JSON.minified(credentials))
  }

  func register(_ index: Int, _ more: JSONObject, status: Int = 201) throws {
    var body: JSONObject = ["type": "ios", "token": .string(Self.tokens[index])]
    for (name, value) in more { body[name] = value }
    let answer = try fixture.post("/v1/apps/demo/devices", .object(body))
    #expect(answer.status == status, "\(answer.text)")
  }

  func push(_ body: JSONObject) throws -> (push: JSONValue, answer: ServerFixture.Answer) {
    var body = body
    if body["to"] == nil { body["to"] = ["all": true] }
    let answer = try fixture.post("/v1/apps/demo/pushes", .object(body))
    let id = try #require(answer.json["id"]?.string, "\(answer.text)")
    return (try fixture.poll("/v1/apps/demo/pushes/\(id)") { $0["finished_at"] != nil }, answer)
  }

  func alert(_ index: Int) throws -> JSONValue? {
    let last = emulator.device(.apns, Self.tokens[index])?.receivedPushes.last
    return try last.map { try JSON.parse($0.payload) }?["aps"]?["alert"]
  }

  @Test("Each device gets its language, with its values") func languagesAndValues() throws {
    try register(0, ["locale": "de-AT", "user": "ann", "properties": ["city": "Wien \"1\""]])
    try register(1, ["locale": "fr", "user": "bob"])
    try register(2, [:])
    let android: JSONValue = [
      "type": "android", "token": .string(ServerFixture.androidToken), "user": "ann", "locale": "de",
      "properties": ["city": "Graz\n"],
    ]
    #expect(try fixture.post("/v1/apps/demo/devices", android).status == 201)
    let (push, answer) = try push([
      "message": [
        "title": "Hello {{name|you}}", "body": "From {{city|somewhere}}, {{sender}}",
        "data": ["q": ["c": "{{city|?}}"]],
      ],
      "locales": [
        "de": ["title": "Hallo {{name|du}}", "body": "Aus {{city|irgendwo}}", "data": ["q": ["c": "{{city|?}}"]]]
      ],
      "values": ["sender": "us"], "user_values": ["ann": ["name": "Ann \\ \"A\""]],
    ])
    #expect(push["counts"]?["accepted"] == 4, "\(push) \(answer.text)")
    #expect(answer.rules == ["fcm-data-coerced", "push-worst-size"])
    #expect(try alert(0) == ["title": "Hallo Ann \\ \"A\"", "body": "Aus Wien \"1\""])
    #expect(try alert(1) == ["title": "Hello you", "body": "From somewhere, us"])
    #expect(try alert(2) == ["title": "Hello you", "body": "From somewhere, us"])
    let last = try #require(emulator.device(.fcm, ServerFixture.androidToken)?.receivedPushes.last)
    let message = try JSON.parse(last.payload)["message"]
    #expect(message?["notification"] == ["title": "Hallo Ann \\ \"A\"", "body": "Aus Graz\n"])
    // A value that is an object arrives as JSON text on Android: the place is escaped twice.
    #expect(try JSON.parse(message?["data"]?["q"]?.string ?? "") == ["c": "Graz\n"])
  }

  @Test("A message of OneSignal's, which holds its languages itself, reaches each device in its own")
  func languagesOfTheMessage() throws {
    try register(0, ["locale": "de-AT"])
    try register(1, ["locale": "fr"])
    let message: JSONValue = [
      "headings": ["en": "Hello", "de": "Hallo"], "contents": ["en": "News", "de": "Neues", "fr": "Nouvelles"],
    ]
    let (push, answer) = try push(["contract": "onesignal", "message": message])
    #expect(push["counts"]?["accepted"] == 2, "\(push) \(answer.text)")
    #expect(try alert(0) == ["title": "Hallo", "body": "Neues"])
    #expect(try alert(1) == ["title": "Hello", "body": "Nouvelles"])
    // As many as there may be are written, and one more is refused.
    let many = JSONObject((0...64).map { ("x\($0)", JSONValue.string("T")) })
    let refused = try fixture.post(
      "/v1/apps/demo/pushes",
      ["to": ["all": true], "contract": "onesignal", "message": ["contents": .object(many)]])
    #expect(refused.status == 422, "\(refused.text)")
  }

  @Test("Any text arrives as it is, in the shortest JSON, on both platforms") func hardTexts() throws {
    let texts = [
      "", "\"", "\\", "a\nb\tc\r\u{8}\u{C}", "\u{1}\u{1F}\u{7F}", "👍🏽", "\u{2028}\u{2029}", "José \"P\" \\ 👨‍👩‍👧‍👦",
      "{{name}}",
    ]
    for (round, text) in texts.enumerated() {
      // The two devices are written in one batch of APNs; one of them has no such property.
      let status = round == 0 ? 201 : 200
      try register(0, ["properties": ["name": .string(text)]], status: status)
      try register(1, [:], status: status)
      let android: JSONValue = [
        "type": "android", "token": .string(ServerFixture.androidToken), "properties": ["name": .string(text)],
      ]
      #expect(try fixture.post("/v1/apps/demo/devices", android).status == status)
      let message: JSONValue = [
        "title": "Hello {{name|you}}", "body": "{{name|a}}{{name|b}}", "data": ["q": ["c": "{{name|?}}"]],
      ]
      let (push, answer) = try push(["message": message, "values": [:]])
      #expect(push["counts"]?["accepted"] == 3, "\(push) \(answer.text)")
      #expect(try alert(0) == ["title": .string("Hello \(text)"), "body": .string(text + text)])
      #expect(try alert(1) == ["title": "Hello you", "body": "ab"])
      let last = try #require(emulator.device(.fcm, ServerFixture.androidToken)?.receivedPushes.last)
      let sent = try JSON.parse(last.payload)["message"]
      #expect(sent?["notification"] == ["title": .string("Hello \(text)"), "body": .string(text + text)])
      #expect(try JSON.parse(sent?["data"]?["q"]?.string ?? "") == ["c": .string(text)])
      for payload in [last.payload, try #require(emulator.device(.apns, Self.tokens[0])?.receivedPushes.last).payload] {
        #expect(JSON.minified(try JSON.parse(payload)) == payload, "\(text.debugDescription)")
      }
    }
  }

  @Test(
    "A text that ends the same way for everybody without a message is reported",
    arguments: [
      ("{{ 1 | divided_by: 0 }}", 422, "push-template-syntax", "error"),
      ("{% abort %}", 202, "push-recipient-skipped", "warning"),
      ("{% if true %}{% abort %}{% endif %}", 202, "push-recipient-skipped", "warning"),
    ])
  func constantFailure(text: String, status: Int, rule: String, severity: String) throws {
    try register(0, [:])
    let body: JSONValue = ["to": ["all": true], "message": ["title": "T", "body": .string(text)], "values": [:]]
    let answer = try fixture.post("/v1/apps/demo/pushes", body)
    #expect(answer.status == status, "\(answer.text)")
    let found = (answer.json["report"]?.array ?? []).filter { $0["rule"]?.string == rule && $0["field"] == "body" }
    #expect(found.map { $0["severity"]?.string } == [severity], "\(answer.text)")
  }

  @Test("A text that fails for some recipients or at some times only is accepted") func failureOfSome() throws {
    for text in ["{{ 1 | divided_by: n }}", "{% assign d = \"now\" | date: \"%s\" %}{{ 1 | divided_by: d }}"] {
      let body: JSONValue = ["to": ["all": true], "message": ["title": "T", "body": .string(text)], "values": [:]]
      let answer = try fixture.post("/v1/apps/demo/pushes", body)
      #expect(answer.status == 202 && !answer.rules.contains("push-template-syntax"), "\(answer.text)")
    }
  }

  @Test("A placeholder in the name of a member is reported, and sent as it is") func placeholderInAName() throws {
    try register(0, [:])
    let answer = try push([
      "message": ["title": "T", "body": "{{name}}", "data": ["{{name}}": "v", "plain": "{{name}}"]],
      "values": ["name": "Ann"],
    ]).answer
    let found = (answer.json["report"]?.array ?? []).filter { $0["rule"] == "push-placeholder-place" }
    #expect(found.count == 1 && found[0]["severity"] == "warning", "\(answer.text)")
    #expect(found.first?["field"]?.string?.contains("{{name}}") == true, "\(answer.text)")
    let payload = try #require(emulator.device(.apns, Self.tokens[0])?.receivedPushes.last).payload
    #expect(String(decoding: payload, as: UTF8.self).contains(#""{{name}}":"v""#))
  }

  @Test(
    "What the audience's own properties make too large is told when the push is made",
    arguments: [#"{"all":true}"#, #"{"users":["user-0","user-1","user-2"]}"#, #"{"segment":"all"}"#])
  func worstSizeOfTheAudience(to: String) throws {
    for index in 0..<3 {
      let text = String(repeating: "x", count: index == 1 ? 1_000 : 10)
      try register(index, ["user": .string("user-\(index)"), "properties": ["bio": .string(text)]])
    }
    let to = try JSON.parse(to)
    let large: JSONValue = ["title": "T", "body": "{{bio|}}{{bio|}}{{bio|}}{{bio|}}{{bio|}}"]
    let (push, answer) = try push(["message": large, "values": [:], "to": to])
    #expect(answer.rules.filter { $0 == "push-recipient-too-large" }.count == 1)
    let finding = answer.json["report"]?.array?.first { $0["rule"] == "push-recipient-too-large" }
    #expect(finding?["field"] == "to")
    #expect(
      finding?["message"]?.string?.hasPrefix(
        "1 of 3 devices that were tried are over the limit with what is known of them; the worst needs 50") == true,
      "\(answer.text)")
    #expect(push["counts"]?["rejected"] == 1 && push["counts"]?["accepted"] == 2, "\(push)")
    let small: JSONValue = ["title": "T", "body": "{{bio|}}"]
    let fits = try self.push(["message": small, "values": [:], "to": to]).answer
    #expect(!fits.rules.contains("push-recipient-too-large"), "\(fits.text)")
  }

  @Test("Braces are text where no values are given, and a warning says so") func bracesStay() throws {
    try register(0, [:])
    let (push, answer) = try push(["message": ["title": "{{name|you}}", "body": "B"]])
    #expect(push["counts"]?["accepted"] == 1)
    #expect(answer.rules == ["push-placeholder-unused"])
    #expect(try alert(0) == ["title": "{{name|you}}", "body": "B"])
  }

  @Test("Variants are shared out by user, whole") func variants() throws {
    for index in 0..<4 { try register(index, ["user": .string("user-\(index / 2)")]) }
    let (push, _) = try push([
      "message": ["title": "base", "body": "B"],
      "variants": [
        ["name": "a", "share": 50, "message": ["title": "a", "body": "B"]],
        ["name": "b", "share": 50, "message": ["title": "b", "body": "B"]],
      ],
    ])
    #expect(push["counts"]?["accepted"] == 4, "\(push)")
    let titles = try (0..<4).map { try alert($0)?["title"]?.string ?? "" }
    #expect(titles[0] == titles[1] && titles[2] == titles[3], "\(titles)")
    #expect(titles.allSatisfy { ["a", "b"].contains($0) }, "\(titles)")
  }

  @Test("Results are counted by variant, the message itself among them") func variantResults() throws {
    for index in 0..<4 { try register(index, ["user": .string("user-\(index)")]) }
    let (push, _) = try push([
      "message": ["title": "base", "body": "B"],
      "variants": [
        ["name": "a", "share": 40, "message": ["title": "a", "body": "B"]],
        ["name": "b", "share": 40, "message": ["title": "b", "body": "B"]],
      ],
    ])
    let path = "/v1/apps/demo/pushes/\(push["id"]?.string ?? "")"
    let titles = try (0..<4).map { try alert($0)?["title"]?.string ?? "" }
    let opened: JSONValue = ["type": "opened", "token": .string(Self.tokens[0]), "push": push["id"] ?? .null]
    #expect(try fixture.post("/v1/apps/demo/events", ["events": [opened, opened]]).status == 200)
    let wanted = JSONValue.array(
      [("a", 40), ("b", 40), ("base", nil)].map { (name: String, share: Int?) in
        let accepted = titles.count { $0 == name }
        let reports = JSONValue.number(JSONNumber(titles[0] == name ? 1 : 0))
        var object = JSONObject()
        if let share {
          object["name"] = .string(name)
          object["share"] = .number(JSONNumber(share))
        }
        for (metric, count) in [
          ("accepted", .number(JSONNumber(accepted))), ("rejected", 0), ("received", reports), ("opened", reports),
          ("action", 0),
        ] as [(String, JSONValue)] { object[metric] = count }
        let rates = ["0.0000", "1.0000", "0.5000", "0.3333", "0.2500"]
        object["open_rate"] =
          accepted == 0 ? .null : (try? JSON.parse(titles[0] == name ? rates[accepted] : rates[0])) ?? .null
        return .object(object)
      })
    #expect(try fixture.send("GET", path).json["variants"] == wanted)
    #expect(try fixture.send("GET", path + "/funnel").json["variants"] == wanted)
    // A push without variants shows none.
    let (plain, _) = try self.push(["message": ["title": "base", "body": "B"]])
    #expect(plain["variants"] == nil)
  }

  @Test("One device whose message is too large is rejected with the reason, the others are sent") func tooLarge() throws
  {
    for index in 0..<2 { try register(index, ["user": .string("user-\(index)")]) }
    let (push, answer) = try push([
      "message": ["title": "{{text|short}}", "body": "B"],
      "user_values": ["user-0": ["text": .string(String(repeating: "x", count: 5_000))]],
    ])
    #expect(push["counts"]?["accepted"] == 1 && push["counts"]?["rejected"] == 1, "\(push)")
    #expect(answer.rules == ["push-recipient-too-large"])
    #expect(answer.json["report"]?[0]?["field"] == "user_values[\"user-0\"]")
    let id = push["id"]?.string ?? ""
    let rows = try fixture.send("GET", "/v1/apps/demo/pushes/\(id)/deliveries?state=rejected").json["deliveries"]
    #expect(rows?[0]?["reason"] == "payload-too-large")
  }

  @Test("An address has values of its own") func tokenValues() throws {
    func address(_ index: Int, _ name: String) -> JSONValue {
      ["type": "ios", "token": .string(Self.tokens[index]), "values": ["name": .string(name)]]
    }
    let (push, _) = try push([
      "message": ["title": "{{name}}", "body": "B"], "to": ["tokens": [address(0, "one"), address(1, "two")]],
    ])
    #expect(push["counts"]?["accepted"] == 2, "\(push)")
    #expect(try [alert(0), alert(1)].map { $0?["title"]?.string } == ["one", "two"])
  }

  @Test("Of an address that is listed twice the first entry counts, and the device shows it once")
  func repeatedAddress() throws {
    func address(_ index: Int, _ name: String?) -> JSONValue {
      let token = name == "two" ? Self.tokens[index].uppercased() : Self.tokens[index]
      var object: JSONObject = ["type": "ios", "token": .string(token)]
      if let name { object["values"] = ["name": .string(name)] }
      return .object(object)
    }
    let to: JSONValue = ["tokens": [address(0, "one"), address(0, "two"), address(1, nil), address(1, "two")]]
    let (push, answer) = try push(["message": ["title": "{{name|none}}", "body": "B"], "to": to])
    #expect(push["counts"]?["accepted"] == 2 && answer.json["repeats"] == 2, "\(push)")
    #expect(try [alert(0), alert(1)].map { $0?["title"]?.string } == ["one", "none"])
    #expect((0...1).map { emulator.device(.apns, Self.tokens[$0])?.receivedPushes.count } == [1, 1])
  }

  @Test("A stored template is sent with defaults and values, and a push that waits uses it as it is then")
  func templates() throws {
    try register(0, [:])
    let path = "/v1/apps/demo/templates/welcome%20back"
    let saved = try fixture.send(
      "PUT", path, #"{"message":{"title":"Hi {{name|you}}","body":"{{shop}}"},"values":{"shop":"Shop"}}"#)
    #expect(saved.status == 201, "\(saved.text)")
    #expect(saved.json["name"] == "welcome back")
    let (push, _) = try push(["template": "welcome back", "values": ["name": "Zoë"]])
    #expect(push["counts"]?["accepted"] == 1, "\(push)")
    #expect(try alert(0) == ["title": "Hi Zoë", "body": "Shop"])
    let draft = try fixture.post(
      "/v1/apps/demo/pushes", ["template": "welcome back", "to": ["all": true], "draft": true])
    let id = try #require(draft.json["id"]?.string, "\(draft.text)")
    let again = try fixture.send("PUT", path, #"{"message":{"title":"Changed","body":"B"}}"#)
    #expect(again.status == 200, "\(again.text)")
    #expect(try fixture.send("POST", "/v1/apps/demo/pushes/\(id)/send").status == 200)
    _ = try fixture.poll("/v1/apps/demo/pushes/\(id)") { $0["finished_at"] != nil }
    #expect(try alert(0)?["title"] == "Changed")
    #expect(try fixture.send("GET", "/v1/apps/demo/templates").json["templates"]?.array?.count == 1)
    #expect(try fixture.send("DELETE", path).status == 204)
    #expect(try fixture.send("GET", path).status == 404)
    let gone = try fixture.post("/v1/apps/demo/pushes", ["template": "welcome back", "to": ["all": true]])
    #expect(gone.status == 422)
    #expect(gone.rules == ["template-unknown"])
  }

  @Test(
    "What is wrong is refused by its field",
    arguments: [
      (#"{"values":{}}"#, "request-missing", "message"),
      (#"{"message":{"title":"T","body":"B"},"values":[]}"#, "request-type", "values"),
      (#"{"message":{"title":"T","body":"B"},"locales":{"de":5}}"#, "", "locales[\"de\"]"),
      (#"{"message":{"title":"T","body":"B"},"locales":{"de":{"title":5,"body":"B"}}}"#, "", "locales[\"de\"].title"),
      (
        #"{"message":{"title":"T","body":"B"},"variants":[{"name":"a","share":9223372036854775807,"message":{}},"#
          + #"{"name":"b","share":9223372036854775807,"message":{}}]}"#, "request-value", "variants[0].share"
      ),
      (
        #"{"message":{"title":"T","body":"B"},"variants":[{"name":"a","share":60,"message":{}},"#
          + #"{"name":"b","share":60,"message":{}}]}"#, "push-variants", "variants"
      ),
      (#"{"message":{"title":"T","body":"B"},"variants":[]}"#, "request-value", "variants"),
      (
        #"{"message":{"title":"T","body":"B"},"variants":[{"name":"a","share":0,"message":{}}]}"#, "request-value",
        "variants[0].share"
      ),
      (#"{"message":{"title":"T","body":"B"},"user_values":{"ann":7}}"#, "request-type", "user_values[\"ann\"]"),
      (#"{"template":"none"}"#, "template-unknown", "template"), (#"{"template":7}"#, "request-type", "template"),
      (
        #"{"contract":"native","message":{"apns":{"headers":{"apns-collapse-id":"{{x|y}}"},"payload":{"aps":{"alert":"a"}}}},"#
          + #""values":{}}"#, "push-placeholder-place", ""
      ),
    ])
  func bad(body: String, rule: String, field: String) throws {
    var object = try JSON.parse(body).object ?? [:]
    object["to"] = ["all": true]
    let answer = try fixture.post("/v1/apps/demo/pushes", .object(object))
    #expect(answer.status == 422, "\(answer.text)")
    let found = (answer.json["report"]?.array ?? []).filter { $0["severity"] == "error" }
    if !rule.isEmpty { #expect(found.first?["rule"]?.string == rule, "\(answer.text)") }
    #expect(found.first?["field"]?.string == field, "\(answer.text)")
  }
}
