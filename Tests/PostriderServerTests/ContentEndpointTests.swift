import PostriderServer
import ProviderEmulator
import TestSupport
import Testing
import WireJSON

/// The endpoints that keep nothing: render, parse, check, preview, explain.
@Suite(.timeLimit(.minutes(1))) struct ContentEndpointTests {
  let fixture: ServerFixture

  init() throws { fixture = try ServerFixture() }

  @Test func rendersTheSeedsMessage() throws {
    let answer = try fixture.send(
      "POST", "/v1/render",
      #"{"contract":"amba","topic":"com.example.app","campaign":"c-1","token":"t","message":{"title":"Welcome back!","#
        + #""body":"Your streak is waiting for you.","data":{"screen":"home","promo":"winback"}}}"#)
    #expect(answer.status == 200)
    #expect(
      answer.json["apns"]?["payload"]?.description
        == #"{"screen":"home","promo":"winback","aps":{"alert":{"title":"Welcome back!","#
        + #""body":"Your streak is waiting for you."},"mutable-content":1}}"#)
    #expect(
      answer.json["fcm"]?.description
        == #"{"message":{"token":"t","notification":{"title":"Welcome back!","#
        + #""body":"Your streak is waiting for you."},"android":{"priority":"high","notification":{"tag":"c-1"}},"#
        + #""data":{"screen":"home","promo":"winback"}}}"#)
    #expect(answer.json["report"]?.description == "[]")
  }

  @Test("What FCM hands on is what a push to such a device sends, and is asked for alone") func rendersWhatFCMHandsOn()
    throws
  {
    let world = try CarriedPushTests()
    let fixture = world.fixture
    for (type, token) in [("fcm-ios", "phone:1"), ("fcm-web", "page:1")] {
      let device: JSONValue = ["type": .string(type), "token": .string(token)]
      #expect(try fixture.post("/v1/apps/demo/devices", device).status == 201)
    }
    let message = CarriedPushTests.message
    let id = try world.world.push(#"{"to":{"all":true},"campaign":"Spring sale!",\#(message)}"#)
    #expect(try world.world.finished(id)["counts"]?["accepted"] == 2)
    for (type, token) in [("fcm-ios", "phone:1"), ("fcm-web", "page:1")] {
      let answer = try fixture.send(
        "POST", "/v1/render",
        #"{"contract":"amba","platforms":["\#(type)"],"campaign":"Spring sale!","token":"\#(token)",\#(message)}"#)
      let sent = try #require(world.emulator.device(.fcm, token)?.receivedPushes.first)
      #expect(answer.status == 200 && answer.json["apns"] == nil, "\(answer.text)")
      #expect(answer.json["fcm"]?.description == String(decoding: sent.payload, as: UTF8.self), "\(answer.text)")
    }
    let nothing = try fixture.send(
      "POST", "/v1/render", #"{"contract":"native","platforms":["fcm-web"],"message":{"apns":{"content-available":1}}}"#
    )
    #expect(nothing.status == 422 && nothing.text.contains("device-shows-nothing"), "\(nothing.text)")
  }

  @Test("A platform that is named twice is one") func rendersOnce() throws {
    for (name, other) in [("ios", "fcm"), ("android", "apns")] {
      let answer = try fixture.send(
        "POST", "/v1/render",
        #"{"contract":"native","platforms":["\#(name)","\#(name)"],"topic":"a.b","token":"t","message":{"title":"T","body":"B"}}"#
      )
      #expect(answer.status == 200 && answer.json.object?.count ?? 0 > 0, "\(answer.text)")
      #expect(answer.json[other] == nil, "\(answer.text)")
    }
  }

  @Test("A message is written for every kind of device at once, each as when it is written alone") func rendersForAll()
    throws
  {
    let kinds = ["ios", "android", "web", "hms", "fcm-ios", "fcm-web"]
    func render(_ kinds: [String], _ message: String = #"{"title":"T","body":"B"}"#) throws -> ServerFixture.Answer {
      let list = kinds.map { "\"\($0)\"" }.joined(separator: ",")
      return try fixture.send(
        "POST", "/v1/render",
        #"{"contract":"native","platforms":[\#(list)],"campaign":"Spring sale!","topic":"a.b","token":"t1","#
          + #""apns_id":"0a1b2c3d-0000-4000-8000-000000000001","message":\#(message)}"#)
    }
    let all = try render(kinds)
    #expect(all.status == 200, "\(all.text)")
    let members = ["ios": "apns", "android": "fcm", "web": "web", "hms": "hms"]
    for kind in kinds {
      let alone = try render([kind])
      let one = try #require(alone.json[members[kind] ?? "fcm"], "\(kind): \(alone.text)")
      #expect(all.json[members[kind] ?? kind]?.description == one.description, "\(kind)")
    }
    #expect(Set((all.json.object ?? [:]).map(\.key)) == Set(members.values + ["fcm-ios", "fcm-web", "report"]))
    // Each finding is said once.
    let findings = all.json["report"]?.array ?? []
    #expect(Set(findings.map(\.description)).count == findings.count, "\(all.text)")
    let two = try render(["ios", "fcm-web"])
    #expect(Set((two.json.object ?? [:]).map(\.key)) == ["apns", "fcm-web", "report"], "\(two.text)")
    // What only some get is a warning for the others.
    let data = try render(kinds, #"{"data":{"a":"b"}}"#)
    #expect(data.status == 200 && data.json["web"] == nil && data.json["hms"] != nil, "\(data.text)")
    #expect(data.json["report"]?.array?.contains { $0["rule"] == "device-shows-nothing" } == true, "\(data.text)")
    #expect(try render(["web"], #"{"data":{"a":"b"}}"#).status == 422)
    #expect(try render(kinds, #"{"titel":5,"title":5}"#).status == 422)
  }

  @Test func parsesAPayload() throws {
    let answer = try fixture.post(
      "/v1/parse",
      [
        "platform": "ios", "contract": "amba",
        "payload": ["screen": "home", "aps": ["alert": ["title": "T", "body": "B"]]],
      ])
    #expect(answer.status == 200)
    #expect(answer.json["contract"] == "amba")
    #expect(answer.json["notification"]?["title"] == "T")
    var call: JSONObject = ["platform": "ios", "payload": ["caller": "Ann"]]
    #expect(try fixture.post("/v1/parse", .object(call)).json["report"]?[0]?["rule"] == "apns-aps-missing")
    call["payload"] = ["aps": [:]]
    #expect(try fixture.post("/v1/parse", .object(call)).json["report"]?[0]?["severity"] == "error")
    call["push_type"] = "voip"
    #expect(try fixture.post("/v1/parse", .object(call)).json["report"] == [])
  }

  @Test func previewsMessagesAndPayloads() throws {
    let message = try fixture.post(
      "/v1/preview", ["contract": "amba", "message": ["title": "T", "body": "B"], "locales": ["en", "ar"]])
    #expect(message.status == 200)
    let previews = message.json["previews"]?.array ?? []
    #expect(
      previews.map { "\($0["platform"]?.string ?? "") \($0["locale"]?.string ?? "") \($0["direction"]?.string ?? "")" }
        == ["ios en ltr", "ios ar rtl", "android en ltr", "android ar rtl"])
    #expect(previews.first?["svg"] == nil)
    let payload = try fixture.post(
      "/v1/preview",
      [
        "platform": "ios", "payload": ["aps": ["alert": ["loc-key": "hi", "loc-args": ["<Anna>"]]]], "svg": true,
        "locales": ["de"], "strings": ["de.lproj/Localizable.strings": #""hi" = "Hallo %@";"#],
      ])
    let preview = try #require(payload.json["previews"]?[0])
    #expect(
      preview["body"] == ["text": "Hallo <Anna>", "origin": "table", "key": "hi", "locale": "de"])
    #expect(preview["svg"]?.string?.contains(">Hallo &lt;Anna&gt;<") == true)
  }

  /// What Apple's pages leave open is a setting of the request.
  @Test(
    arguments: [
      (nil, nil, "Hallo %@ und Bo", "table"), ("key", "specifier", "Hallo %@ und Bo", "table"),
      (nil, "empty", "Hallo  und Bo", "table"), (nil, "null", "Hallo (null) und Bo", "table"),
      ("text", nil, "plain", "payload"),
    ] as [(String?, String?, String, String)])
  func previewsWhatIsOpenAsAsked(first: String?, missing: String?, text: String, origin: String) throws {
    var body: JSONObject = [
      "platform": "ios", "payload": ["aps": ["alert": ["body": "plain", "loc-key": "hi", "loc-args": ["Bo"]]]],
      "locales": ["de"], "strings": ["de.lproj/Localizable.strings": #""hi" = "Hallo %2$@ und %1$@";"#],
    ]
    if let first { body["ios_first"] = .string(first) }
    if let missing { body["ios_missing_argument"] = .string(missing) }
    let preview = try fixture.post("/v1/preview", .object(body)).json["previews"]?[0]
    #expect(preview?["body"]?["text"]?.string == text.replacing("%@", with: "%2$@"))
    #expect(preview?["body"]?["origin"]?.string == origin)
  }

  @Test func refusesWhatCannotBePreviewed() throws {
    let rows: [(JSONValue, String)] = [
      ([:], "expected either \"message\" with \"contract\", or \"payload\""),
      (["payload": ["k": 1]], "platform: the members of the payload do not say whose it is; give ios or android"),
      (
        ["payload": [:], "platform": "ios", "strings": ["a.txt": "x"]],
        "strings: a.txt: expected a path that ends like de.lproj/Localizable.strings, Localizable.xcstrings or "
          + "values-de/strings.xml"
      ),
    ]
    for (body, detail) in rows { #expect(try fixture.post("/v1/preview", body).detail == detail) }
    #expect(try fixture.post("/v1/preview", ["contract": "nope", "message": [:]]).status == 422)
  }

  /// Whatever bytes come, the refusal names byte, pointer and rule.
  @Test(
    arguments: [
      (#"{"document":{"aps":[1,nul]}}"#, 400, "byte 22, at /document/aps/1", "json-invalid", "document.aps[1]"),
      ("", 400, "the body is empty", "json-invalid", ""), ("{", 400, "byte 1", "json-invalid", ""),
      (#"{"document":5}"#, 422, "document: expected an object, found a number", "request-type", "document"),
      (
        "{\"document\":{\"\u{0}\":1}}", 400, "byte 14", "json-invalid", "document"
      ),
    ] as [(String, Int, String, String, String)])
  func refusesAnyBytesByName(body: String, status: Int, said: String, rule: String, field: String) throws {
    let answer = try fixture.send("POST", "/v1/check", body)
    #expect(answer.status == status)
    #expect(answer.detail.contains(said), "\(answer.detail)")
    #expect(answer.json["report"]?[0]?["rule"]?.string == rule, "\(answer.text)")
    #expect(answer.json["report"]?[0]?["field"]?.string == field, "\(answer.text)")
  }

  @Test func checksMessagesAndDocuments() throws {
    let message: JSONValue = ["contract": "amba", "message": ["title": "T", "body": "B"]]
    #expect(try fixture.post("/v1/check", message).text == #"{"legal":true,"report":[]}"#)
    let document: JSONValue = ["document": ["aps": ["badge": "7"]]]
    let answer = try fixture.post("/v1/check", document)
    #expect(answer.json["legal"] == false)
    #expect(answer.json["report"]?[0]?["field"] == "aps.badge")
    let vendor: JSONValue = [
      "document": [
        "message": ["token": "t", "data": ["adb_version": "1", "adb_template_type": "zb", "adb_title": "T"]]
      ]
    ]
    #expect(try fixture.post("/v1/check", vendor).json["report"]?[0]?["rule"] == "adobe-key-missing")
    let mistaken: JSONValue = ["document": ["app_id": "a", "contents": ["en": "Hi"]]]
    #expect(try fixture.post("/v1/check", mistaken).json["report"]?[0]?["rule"] == "document-unrecognized")
    let received: JSONValue = ["document": ["gcm.n.e": "1", "gcm.n.title": "Hi"], "kind": "fcm-received"]
    #expect(try fixture.post("/v1/check", received).json["legal"] == true)
    let legacy: JSONValue = ["document": ["to": "t", "data": ["k": "v"]], "platform": "android"]
    #expect(try fixture.post("/v1/check", legacy).json["report"]?[0]?["rule"] == "fcm-legacy-request")
    let settings: JSONValue = [
      "document": ["message": ["topic": "news", "data": ["k": .string(String(repeating: "x", count: 2048))]]],
      "rules": ["fcm-topic-payload-too-large=error"],
    ]
    #expect(try fixture.post("/v1/check", settings).json["legal"] == false)
    // A checker is used again, its settings are not.
    var wider = try #require(settings.object)
    wider["fcm_topic_bytes"] = 4096
    #expect(try fixture.post("/v1/check", .object(wider)).text == #"{"legal":true,"report":[]}"#)
    wider["fcm_topic_bytes"] = nil
    wider["rules"] = ["fcm-topic-payload-to-large=off"]
    let refused = try fixture.post("/v1/check", .object(wider))
    #expect(refused.status == 422)
    #expect(
      refused.detail == "rules: rule setting \"fcm-topic-payload-to-large=off\": there is no rule "
        + "\"fcm-topic-payload-to-large\"; did you mean \"fcm-topic-payload-too-large\"?")
    #expect(
      try fixture.post("/v1/check", [:]).detail == "expected either \"message\" with \"contract\", or \"document\"")
  }

  @Test(arguments: ["/v1/parse", "/v1/check", "/v1/preview"])
  func aPushTypeIsForAPNs(_ path: String) throws {
    let member = path == "/v1/check" ? "document" : "payload"
    let payload: JSONValue = ["message": ["token": "t", "data": ["k": "v"]]]
    let refused = try fixture.post(path, .object([member: payload, "platform": "android", "push_type": "alert"]))
    #expect(refused.status == 422 && refused.detail == "push_type is for APNs payloads; leave out platform android")
    let unknown = try fixture.post(path, .object([member: payload, "push_type": "Alert"]))
    #expect(unknown.status == 422 && unknown.detail == "push_type: no push type “Alert”; did you mean alert?")
    #expect(try fixture.post(path, .object([member: payload, "platform": "android"])).status == 200)
    let apple = try fixture.post(
      path, .object([member: ["aps": ["alert": "Hi"]], "platform": "ios", "push_type": "alert"]))
    #expect(apple.status == 200)
  }

  /// A message without the request around it is the same thing to every route.
  @Test func bareMessages() throws {
    let bare: JSONValue = ["token": "t", "notification": ["title": "T"]]
    let checked = try fixture.post("/v1/check", ["document": bare, "platform": "android"]).json
    #expect(checked["legal"] == false && checked["report"]?[0]?["rule"] == "fcm-message-missing")
    let preview = try fixture.post("/v1/preview", ["payload": bare, "platform": "android"]).json
    #expect(
      preview["report"]?[0]?["rule"] == "fcm-message-missing" && preview["previews"]?[0]?["title"]?["text"] == "T")
    let parsed = try fixture.post("/v1/parse", ["payload": bare, "platform": "android"]).json
    #expect(parsed["report"]?[0]?["rule"] == "fcm-message-missing" && parsed["notification"]?["title"] == "T")
  }

  /// `render`, `check` and `preview` agree about a message with options of its contract.
  @Test(
    arguments: [
      (["contract": "powerauth", "message": ["silent": true]], true),
      (["contract": "powerauth", "message": ["icon": "i"], "options": ["fcm-data-only"]], false),
      (["contract": "powerauth", "message": ["title": "T"], "options": ["fcm-data-only"]], true),
      (
        [
          "contract": "powerauth", "message": ["title": "T", "validUntil": "2030-01-02T03:04:05Z"],
          "options": ["fcm-ttl"],
        ], true
      ),
      (["contract": "imkit", "message": ["badge": 3]], false),
      (["contract": "native", "message": ["title": "T", "data": ["from": "x"]]], false),
      (["contract": "native", "message": ["title": .string(String(repeating: "x", count: 5000))]], false),
    ] as [(JSONValue, Bool)])
  func agreesAboutMessages(body: JSONValue, isValid: Bool) throws {
    var rendered = try #require(body.object)
    rendered["topic"] = "com.example.app"
    #expect(try fixture.post("/v1/render", .object(rendered)).status == (isValid ? 200 : 422))
    #expect(try fixture.post("/v1/check", body).json["legal"] == .bool(isValid))
    let preview = try fixture.post("/v1/preview", body)
    let findings = (preview.json["report"]?.array ?? []) + (preview.json["previews"]?[0]?["report"]?.array ?? [])
    #expect(findings.contains { $0["severity"] == "error" } == !isValid, "\(preview.text)")
  }

  /// A raw payload is drawn, and its report has what the provider refuses.
  @Test func previewsWhatAProviderRefuses() throws {
    let body: JSONValue = [
      "platform": "android", "payload": ["message": ["notification": ["title": "T"], "data": ["from": "x"]]],
    ]
    let answer = try fixture.post("/v1/preview", body)
    #expect(answer.json["previews"]?[0]?["title"]?["text"] == "T")
    #expect(
      answer.json["report"]?.array?.map { "\($0["severity"]?.string ?? "") \($0["rule"]?.string ?? "")" }
        == ["warning fcm-target-missing", "error fcm-data-reserved"],
      "\(answer.text)")
  }

  /// Without a platform the members of a payload tell it, to `parse` and `preview` alike.
  @Test(
    arguments: [
      (["aps": ["alert": "Hi"]], "ios"), (["message": ["token": "t", "notification": ["title": "T"]]], "android"),
      (["custom": #"{"i":"n"}"#, "alert": "Hi"], "android"), (["title": "T", "body": "B", "data": ["k": 1]], nil),
      (["data": ["k": "v"], "apns": ["payload": [:]]], nil),
    ] as [(JSONValue, String?)])
  func infersThePlatform(payload: JSONValue, platform: String?) throws {
    let parsed = try fixture.post("/v1/parse", ["payload": payload])
    #expect(parsed.status == 200 && parsed.json["platform"]?.string == platform, "\(parsed.text)")
    let preview = try fixture.post("/v1/preview", ["payload": payload])
    #expect(
      preview.status == 200 && preview.json["previews"]?[0]?["platform"]?.string == platform, "\(preview.text)")
    guard let platform else {
      #expect(parsed.json["report"]?[0]?["rule"] == "document-unrecognized", "\(parsed.text)")
      #expect(preview.json["report"]?[0]?["rule"] == "document-unrecognized", "\(preview.text)")
      return
    }
    let named = try fixture.post("/v1/parse", ["payload": payload, "platform": .string(platform)])
    #expect(named.json["platform"] == nil && named.json["notification"] == parsed.json["notification"])
  }

  @Test func asksForThePlatform() throws {
    for path in ["/v1/parse", "/v1/preview"] {
      let answer = try fixture.post(path, ["payload": ["k": 1]])
      let detail = "platform: the members of the payload do not say whose it is; give ios or android"
      #expect(answer.status == 422 && answer.detail == detail, "\(answer.text)")
      let typed = try fixture.post(path, ["payload": ["k": 1], "push_type": "voip"])
      #expect(typed.status == 200 && typed.json["platform"] == nil, "\(typed.text)")
    }
  }

  /// A request to APNs is drawn with the push type and the collapse id in its headers.
  @Test func previewsARequest() throws {
    let request: JSONValue = [
      "headers": [
        "apns-push-type": "alert", "apns-priority": "10", "apns-topic": "com.example.app", "apns-collapse-id": "c",
      ], "payload": ["aps": ["alert": "Hi"]],
    ]
    let answer = try fixture.post("/v1/preview", ["payload": request, "platform": "ios"])
    let preview = answer.json["previews"]?[0]
    #expect(answer.json["report"] == [] && preview?["body"]?["text"] == "Hi" && preview?["replaces"] == "c")
  }

  @Test func explainsReasonsAndWholeAnswers() throws {
    let word = try fixture.post("/v1/explain", ["reason": "BadDeviceToken"])
    #expect(word.status == 200)
    #expect(word.json["explanations"]?[0]?["service"] == "apns")
    #expect(word.json["explanations"]?[0]?["status"] == 400)
    for member in ["meaning", "action", "next"] {
      #expect(word.json["explanations"]?[0]?[member]?.string?.isEmpty == false)
    }
    let apns = try fixture.post("/v1/explain", ["answer": ["reason": "Unregistered", "timestamp": 5]])
    #expect(apns.json["reason"] == "Unregistered")
    #expect(apns.json["details"] == ["inactive since 5 ms after 1970"])
    let detail: JSONValue = [
      "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": "UNREGISTERED",
    ]
    let fcm = try fixture.post(
      "/v1/explain", ["answer": ["error": ["status": "NOT_FOUND", "message": "gone", "details": [detail]]]])
    #expect(fcm.json["reason"] == "UNREGISTERED")
    #expect(fcm.json["explanations"]?[0]?["service"] == "fcm")
    #expect(fcm.json["details"] == ["gone"])
    let unknown = try fixture.post("/v1/explain", ["reason": "NobodyKnows"])
    #expect(unknown.text == #"{"reason":"NobodyKnows","explanations":[],"details":[]}"#)
    #expect(try fixture.post("/v1/explain", [:]).detail == "expected either \"reason\" or \"answer\"")
    let neither = try fixture.post("/v1/explain", ["answer": ["x": 1]])
    #expect(neither.status == 422 || neither.status == 400)
    #expect(
      neither.detail
        == "answer: expected {\"reason\": …} of APNs or {\"error\": {…}} of FCM or {\"code\": …} of Push Kit")
  }
}
