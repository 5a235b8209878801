import Glibc
import TestSupport
import Testing
import WireJSON

/// Liquid wherever a message is sent or shown.
extension PersonalPushTests {
  static let liquid: JSONObject = [
    "title": #"{{ user.first_name | default: "Hello" | upcase }}{% if user.plan == "pro" %}, pro{% endif %}"#,
    "body": "{{ request.offer.percent | plus: 1 }} % in {{ device.city }}",
  ]
  static let values: JSONValue = ["offer": ["percent": 20]]

  private func registerAnn() throws {
    let properties: JSONValue = ["city": "Wien", "first_name": "Ann"]
    try register(
      0, ["locale": "de-AT", "timezone": "UTC", "app_version": "2.1", "user": "ann", "properties": properties])
    #expect(
      try fixture.send("PATCH", "/v1/apps/demo/users/ann", #"{"properties":{"plan":"pro"}}"#).status == 200)
  }

  @Test("A text reads user, device, push and request") func namespaces() throws {
    try registerAnn()
    let (push, answer) = try push([
      "campaign": "winback", "category": "news",
      "values": ["offer": ["percent": 20], "greeting": "Hi", "list": [1, 2]],
      "user_values": ["ann": ["nickname": "Annie"]],
      "message": [
        "title": "{{ request.greeting }} {{ user.nickname }}, {{ user.id }}, {{ user }}, {{ user.plan | upcase }}",
        "body":
          "{{ device.city }} {{ device.locale }} {{ device.timezone }} {{ device.app_version }} {{ push.name }}/{{ push.category }} {{ request.offer.percent }} {{ list | sum }} {{ city }}",
      ],
    ])
    #expect(push["counts"]?["accepted"] == 1, "\(push) \(answer.text)")
    #expect(
      try alert(0) == [
        "title": "Hi Annie, ann, ann, PRO", "body": "Wien de-AT UTC 2.1 winback/news 20 3 Wien",
      ])
  }

  @Test(
    "Every kind of push speaks Liquid",
    arguments: [
      #"{"to":{"users":["ann"]}}"#, #"{"to":{"all":true},"campaign":"c"}"#, #"{"to":{"segment":"all"}}"#,
      #"{"locales":{"de":MESSAGE},"message":{"title":"T","body":"B"}}"#,
      #"{"variants":[{"name":"B","share":100,"message":MESSAGE}],"message":{"title":"T","body":"B"}}"#,
      #"{"variants":[{"name":"B","share":100,"message":{"title":"T","body":"B"},"locales":{"de":MESSAGE}}]}"#,
      #"{"send_at":"TIMEZ"}"#, #"{"send_at_local":"TIME","timezone":"UTC"}"#, #"{"template":"liquid"}"#,
      #"{"repeat":{"every":"day","start":"TIME","timezone":"UTC"}}"#,
    ])
  func everyKind(request: String) throws {
    try registerAnn()
    let message = JSON.minifiedText(.object(Self.liquid))
    let saved = #"{"message":\#(message),"values":{"offer":{"percent":1}}}"#
    #expect(try fixture.send("PUT", "/v1/apps/demo/templates/liquid", saved).status < 300)
    let text = request.replacing("MESSAGE", with: message).replacing("TIME", with: Self.clock(in: 2))
    var body = try #require(try JSON.parse(Array(text.utf8)).object)
    if body["message"] == nil, body["template"] == nil { body["message"] = .object(Self.liquid) }
    if body["to"] == nil { body["to"] = ["all": true] }
    body["values"] = Self.values
    let path = body["repeat"] == nil ? "pushes" : "schedules"
    let answer = try fixture.post("/v1/apps/demo/\(path)", .object(body))
    #expect(answer.status < 300, "\(answer.text)")
    var patience = 600
    while try alert(0) == nil, patience > 0 {
      usleep(50_000)
      patience -= 1
    }
    #expect(try alert(0) == ["title": "ANN, pro", "body": "21 % in Wien"], "\(answer.text)")
  }

  /// `2026-11-24T10:00:00`, a few seconds from now, in UTC.
  private static func clock(in seconds: Int) -> String {
    var time = time(nil) + seconds
    var parts = tm()
    gmtime_r(&time, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
      + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
  }

  // MARK: - Shown, not sent

  private func shown(_ path: String, _ more: JSONObject) throws -> ServerFixture.Answer {
    var body: JSONObject = ["contract": "amba", "message": .object(Self.liquid), "topic": "com.example.app"]
    for (name, value) in more { body[name] = value }
    return try fixture.post(path, .object(body))
  }

  @Test("Render and preview show a message as one recipient gets it") func values() throws {
    let recipient: JSONValue = [
      "user": ["first_name": "Ann", "plan": "pro"], "device": ["city": "Wien"], "request": ["offer": ["percent": 20]],
    ]
    let flat: JSONValue = ["first_name": "Ann", "plan": "pro", "city": "Wien", "offer": ["percent": 20]]
    for values in [recipient, flat] {
      let rendered = try shown("/v1/render", ["values": values])
      let expected: JSONValue = ["title": "ANN, pro", "body": "21 % in Wien"]
      #expect(rendered.json["apns"]?["payload"]?["aps"]?["alert"] == expected, "\(rendered.text)")
      let previews =
        try shown("/v1/preview", ["values": values, "locales": ["de", "en"]]).json["previews"]?.array ?? []
      #expect(previews.count == 4 && previews.allSatisfy { $0["title"]?["text"] == "ANN, pro" }, "\(previews)")
    }
  }

  @Test("What is missing, skipped or wrong is in the report; without values the template is shown")
  func findings() throws {
    let missing = try shown("/v1/render", ["values": [:]])
    #expect(missing.rules.filter { $0 == "push-placeholder-empty" }.count == 2, "\(missing.text)")
    #expect(missing.json["apns"]?["payload"]?["aps"]?["alert"]?["title"] == "HELLO")
    let lax = try shown("/v1/render", ["values": [:], "undefined": "lax"])
    #expect(!lax.rules.contains("push-placeholder-empty") && lax.json["apns"] != nil, "\(lax.text)")
    for path in ["/v1/render", "/v1/preview"] {
      let skipped = try shown(path, ["values": [:], "undefined": "skip"])
      #expect(skipped.status == 200 && skipped.rules == ["push-recipient-skipped"], "\(skipped.text)")
      #expect(skipped.json["apns"] == nil && skipped.json["previews"]?.array?.isEmpty != false)
      let plain = try shown(path, [:])
      #expect(plain.status == 200 && plain.rules == ["push-placeholder-unused"], "\(plain.text)")
      let wrong = try shown(path, ["values": [:], "message": ["title": "T", "body": "a\n{{ x | strip | upcasse }}"]])
      #expect(wrong.status == 422 && wrong.text.contains("line 2, column 16"), "\(wrong.text)")
      let abort = try shown(path, ["values": [:], "message": ["title": "{% abort %}", "body": "B"]])
      #expect(Set(abort.rules) == ["push-recipient-skipped"], "\(abort.text)")
    }
  }

  @Test("A push is shown as a stored recipient gets it, in its language and variant") func recipients() throws {
    try registerAnn()
    let id = try #require(try fixture.send("GET", "/v1/apps/demo/devices").json["devices"]?[0]?["id"]?.string)
    func variant(_ title: String, _ body: String) -> JSONValue {
      ["name": "B", "share": 1, "message": ["title": .string(title), "body": .string(body)]]
    }
    func preview(_ more: JSONObject) throws -> ServerFixture.Answer {
      var body: JSONObject = [
        "message": .object(Self.liquid), "values": Self.values,
        "locales": ["de": ["title": "Hallo {{ user.first_name }}", "body": "{{ request.offer.percent }}"]],
        "variants": [variant("B {{ user.first_name }}", "{{ x | default: push.name }}")],
        "campaign": "c",
      ]
      for (name, value) in more { body[name] = value.isNull ? JSONValue?.none : value }
      return try fixture.post("/v1/apps/demo/pushes/preview", .object(body))
    }
    func title(_ answer: ServerFixture.Answer) -> JSONValue? { answer.json["previews"]?[0]?["title"]?["text"] }
    for to: JSONValue in [["user": "ann"], ["device": .string(id)]] {
      let own = try preview(["to": to, "variants": [variant("x", "y")], "svg": true])
      let first = own.json["previews"]?[0]
      #expect(own.status == 200 && first?["device"]?.string == id && first?["user"] == "ann", "\(own.text)")
      #expect(first?["svg"]?.string?.hasPrefix("<svg") == true)
    }
    let german = try preview(["to": ["user": "ann"], "variants": .null])
    #expect(title(german) == "Hallo Ann", "\(german.text)")
    #expect(german.json["previews"]?[0]?["request"]?["payload"]?["aps"]?["alert"]?["body"] == "20")
    let french = try preview(["to": ["user": "ann"], "variants": .null, "locale": "fr"])
    #expect(title(french) == "ANN, pro", "\(french.text)")
    let chosen = try preview(["to": ["user": "ann"], "variant": "B"])
    #expect(title(chosen) == "B Ann" && chosen.json["previews"]?[0]?["variant"] == "B", "\(chosen.text)")
    // Nobody in particular, on each platform.
    let nobody = try preview(["variants": .null])
    #expect(nobody.json["previews"]?.array?.count == 2 && title(nobody) == "HELLO", "\(nobody.text)")
    #expect(nobody.rules.contains("push-placeholder-empty"))
    let skipped = try preview(["variants": .null, "undefined": "skip"])
    #expect(skipped.json["skipped"]?[0]?["reason"] == "template-undefined", "\(skipped.text)")
    #expect(try preview(["variant": "C"]).status == 422 && preview(["to": ["device": "999"]]).status == 422)
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array?.isEmpty == true)
  }
}
