import PostriderServer
import ProviderEmulator
import PushContracts
import TestSupport
import Testing
import WireJSON

/// FCM tokens of iPhones and browsers, from the registration to what the virtual device shows.
@Suite(.timeLimit(.minutes(3))) struct CarriedPushTests {
  let world: EndToEndTests
  var fixture: ServerFixture { world.fixture }
  var emulator: ProviderEmulator { world.emulator }

  static let path = "/v1/apps/demo"
  static let message = #""message":{"title":"Grüße","body":"B","data":{"deep_link":"https://shop.example/a","n":1}}"#
  static let aps =
    #"{"deep_link":"https://shop.example/a","n":1,"aps":{"alert":{"title":"Grüße","body":"B"},"mutable-content":1}}"#

  init() throws {
    world = try EndToEndTests()
    for (token, carrier) in [("phone:1", "ios"), ("page:1", "web")] {
      var device = DeviceDescription(provider: .fcm, token: token)
      device.carrier = carrier == "ios" ? .ios : .web
      _ = emulator.makeDevice(device)
    }
  }

  @discardableResult
  private func register(_ type: String, _ token: String, user: String? = nil) throws -> String {
    var body: JSONObject = ["type": .string(type), "token": .string(token)]
    if let user { body["user"] = .string(user) }
    let answer = try fixture.post("\(Self.path)/devices", .object(body))
    return try #require(answer.json["id"]?.string, "\(answer.text)")
  }

  private func received(_ token: String) -> [String] {
    (emulator.device(.fcm, token)?.receivedPushes ?? []).map { String(decoding: $0.payload, as: UTF8.self) }
  }

  private func deliveries(_ push: String) throws -> [JSONValue] {
    try fixture.send("GET", "\(Self.path)/pushes/\(push)/deliveries").json["deliveries"]?.array ?? []
  }

  @Test("An APNs token that is registered as one of FCM's is doubted") func doubtfulToken() throws {
    func rules(_ type: String, _ token: String) throws -> [String] {
      let answer = try fixture.post("\(Self.path)/devices", ["type": .string(type), "token": .string(token)])
      #expect(answer.status == 200 || answer.status == 201, "\(answer.text)")
      return answer.rules
    }
    for type in ["fcm-ios", "fcm-web", "android"] {
      #expect(try rules(type, ServerFixture.iosToken) == ["device-token"])
      #expect(try rules(type, "\(type):\(ServerFixture.iosToken)") == [])
      #expect(try rules(type, String(ServerFixture.iosToken.dropLast(2))) == [])
    }
    #expect(try rules("ios", String(ServerFixture.iosToken.reversed())) == [])
  }

  @Test("A campaign reaches phones, and iPhones and browsers by their FCM tokens; each has its row") func mixed() throws
  {
    try world.register()
    try register("fcm-ios", "phone:1", user: "ann")
    try register("fcm-web", "page:1", user: "ann")
    let id = try world.push(#"{"to":{"all":true},"campaign":"Spring sale!","expires_in_seconds":600,\#(Self.message)}"#)
    let push = try world.finished(id)
    #expect(push["counts"]?["accepted"] == 4 && push["counts"]?["targeted"] == 4, "\(push)")
    let direct = try #require(emulator.device(.apns, ServerFixture.iosToken)?.receivedPushes.first)
    #expect(String(decoding: direct.payload, as: UTF8.self) == Self.aps)
    #expect(
      received("phone:1") == [
        #"{"message":{"token":"phone:1","apns":{"headers":{"apns-push-type":"alert","apns-priority":"10","#
          + #""apns-collapse-id":"Spring sale!"},"payload":\#(Self.aps)}}}"#
      ])
    let page = try #require(received("page:1").first.map { try JSON.parse($0) })
    let webpush = try #require(page["message"]?["webpush"])
    #expect(webpush["notification"] == ["title": "Grüße", "body": "B", "tag": "Spring sale!"], "\(page)")
    #expect(webpush["data"] == ["deep_link": "https://shop.example/a", "n": "1"])
    #expect(webpush["fcm_options"] == ["link": "https://shop.example/a"])
    #expect(webpush["headers"]?["Urgency"] == "high" && webpush["headers"]?["Topic"]?.string?.count == 32, "\(page)")
    let rows = try deliveries(id)
    #expect(rows.map { $0["type"]?.string } == ["ios", "android", "fcm-ios", "fcm-web"])
    #expect(rows.map { $0["provider"]?.string } == ["apns", "fcm", "fcm", "fcm"])
    #expect(rows.allSatisfy { $0["status"]?.int == 200 })
  }

  /// What an app's own key may do with the tokens of FCM and of Live Activities.
  @Test(
    "An app's key registers these kinds, with identity only under its own user, and others need a key that may send",
    arguments: [
      ("fcm-ios", "phone:1"), ("fcm-web", "page:1"), ("ios-live-activity-start", String(repeating: "5b", count: 40)),
    ])
  func clientKey(type: String, token: String) throws {
    let (client, reader) = (try fixture.key(["client"], app: "demo"), try fixture.key(["read"], app: "demo"))
    let body = #"{"type":"\#(type)","token":"\#(token)","user":"ann"}"#
    func register(_ body: String, key: String) throws -> ServerFixture.Answer {
      try fixture.send("POST", "\(Self.path)/devices", body, key: key)
    }
    #expect(try register(body, key: reader).status == 403)
    #expect(try register(body, key: client).status == 201)
    #expect(try register(body, key: client).status == 200)
    let wrong = try register(#"{"type":"\#(type)","token":"no token!"}"#, key: client)
    #expect(wrong.status == 422 && wrong.json["report"]?[0]?["field"] == "token", "\(wrong.text)")
    let other = try fixture.key(["client"], app: try another())
    #expect(try register(body, key: other).status == 403)
    #expect(try fixture.send("POST", "\(Self.path)/identity/keys", #"{"algorithm":"HS256"}"#).status == 201)
    #expect(try fixture.send("PUT", "\(Self.path)/identity", #"{"mode":"required"}"#).status == 200)
    let refused = try register(body.replacing("ann", with: "bob"), key: client)
    #expect(refused.status == 401, "\(refused.text)")
    #expect(try fixture.send("GET", "\(Self.path)/devices?user=bob").json["devices"] == [])
    #expect(try fixture.send("GET", "\(Self.path)/devices?user=ann").json["devices"]?.array?.count == 1)
  }

  private func another() throws -> String {
    try fixture.server.makeApp(name: "other", title: "", contract: "amba")
    return "other"
  }

  @Test("Segments name the kinds and the platforms") func segments() throws {
    try world.register()
    try register("fcm-ios", "phone:1")
    try register("fcm-web", "page:1")
    for (field, value, count) in [
      ("type", "fcm-ios", 1), ("type", "fcm-web", 1), ("platform", "ios", 2), ("platform", "web", 1),
      ("platform", "android", 1),
    ] {
      let filter: JSONValue = ["field": .string(field), "op": "eq", "value": .string(value)]
      let answer = try fixture.post("\(Self.path)/audience", ["to": ["filter": filter]])
      #expect(answer.json["total"]?.int == count, "\(field) \(value): \(answer.text)")
    }
    let audience = try fixture.post("\(Self.path)/audience", ["to": ["all": true]]).json
    #expect(audience["devices"]?["fcm-ios"] == 1 && audience["devices"]?["fcm-web"] == 1, "\(audience)")
  }

  @Test("A token that FCM does not know any more retires the device; Apple's key at Google does not")
  func answers() throws {
    var gone = DeviceDescription(provider: .fcm, token: "gone:1")
    gone.carrier = .ios
    gone.registration = .unregistered(sinceMs: 4_000_000_000_000)
    _ = emulator.makeDevice(gone)
    var doubted = DeviceDescription(provider: .fcm, token: "doubted:1")
    doubted.carrier = .ios
    doubted.script = DeviceScript([.refuse(Refusal("THIRD_PARTY_AUTH_ERROR"))], repeatsLast: true)
    _ = emulator.makeDevice(doubted)
    let ids = (try register("fcm-ios", "gone:1"), try register("fcm-ios", "doubted:1"))
    try world.register()
    let id = try world.push(#"{"to":{"all":true},\#(Self.message)}"#)
    let push = try world.finished(id)
    #expect(push["counts"]?["rejected"] == 2 && push["counts"]?["accepted"] == 2, "\(push)")
    let first = try fixture.send("GET", "\(Self.path)/devices/\(ids.0)").json
    #expect(first["state"] == "retired" && first["state_reason"] == "UNREGISTERED", "\(first)")
    let second = try fixture.send("GET", "\(Self.path)/devices/\(ids.1)").json
    #expect(second["state"] == "active", "\(second)")
    #expect(
      try deliveries(id).compactMap { $0["reason"]?.string }.sorted() == ["THIRD_PARTY_AUTH_ERROR", "UNREGISTERED"])
  }

  @Test("A preview shows the iPhone and the browser behind FCM") func preview() throws {
    let phone = try register("fcm-ios", "phone:1", user: "ann")
    let page = try register("fcm-web", "page:1", user: "bob")
    for (device, platform) in [(phone, "ios"), (page, "web")] {
      let answer = try fixture.send(
        "POST", "\(Self.path)/pushes/preview", #"{"to":{"device":"\#(device)"},"svg":true,\#(Self.message)}"#)
      #expect(answer.status == 200 && answer.json["skipped"] == [], "\(answer.text)")
      let shown = try #require(answer.json["previews"]?[0], "\(answer.text)")
      #expect(shown["platform"]?.string == platform && shown["title"]?["text"] == "Grüße", "\(shown)")
      #expect(shown["svg"]?.string?.hasPrefix("<svg") == true)
      #expect(shown["request"]?["message"]?[platform == "ios" ? "apns" : "webpush"] != nil, "\(shown)")
      if platform == "web" { #expect(shown["tap"]?["link"] == "https://shop.example/a", "\(shown)") }
    }
    let all = try fixture.send("POST", "\(Self.path)/pushes/preview", "{\(Self.message)}")
    #expect(all.json["previews"]?.array?.compactMap { $0["platform"]?.string } == ["ios", "android", "ios", "web"])
  }

  @Test("Placeholders are filled in both, and a size that is too large is the recipient's alone") func placeholders()
    throws
  {
    try register("fcm-ios", "phone:1", user: "ann")
    try register("fcm-web", "page:1", user: "ann")
    let text = #""message":{"title":"T","body":"Hi {{name}}","data":{"who":"{{name}}"}}"#
    let id = try world.push(#"{"to":{"users":["ann"]},"user_values":{"ann":{"name":"A \"n\" n"}},\#(text)}"#)
    #expect(try world.finished(id)["counts"]?["accepted"] == 2)
    let phone = try JSON.parse(try #require(received("phone:1").first))
    #expect(phone["message"]?["apns"]?["payload"]?["aps"]?["alert"]?["body"] == #"Hi A "n" n"#, "\(phone)")
    let page = try JSON.parse(try #require(received("page:1").first))
    #expect(page["message"]?["webpush"]?["notification"]?["body"] == #"Hi A "n" n"#, "\(page)")
    #expect(page["message"]?["webpush"]?["data"]?["who"] == #"A "n" n"#, "\(page)")
    let long = String(repeating: "y", count: 4_200)
    let large = try world.push(#"{"to":{"users":["ann"]},"user_values":{"ann":{"name":"\#(long)"}},\#(text)}"#)
    #expect(try world.finished(large)["counts"]?["rejected"] == 2)
    #expect(Set(try deliveries(large).compactMap { $0["reason"]?.string }) == ["payload-too-large"])
    let topic = try fixture.send(
      "POST", "\(Self.path)/pushes",
      #"{"to":{"users":["ann"]},"contract":"native","values":{},"message":{"title":"T","collapse_id":"{{name}}"}}"#)
    #expect(topic.status == 422 && topic.rules.contains("push-placeholder-place"), "\(topic.text)")
  }

  @Test("Without such a device nothing is written for one, and nothing is said of it") func none() throws {
    try world.register()
    let silent = #""contract":"native","message":{"data":{"call":"1"},"apns":{"headers":{"apns-push-type":"voip"}}}"#
    let before = try fixture.send("POST", "\(Self.path)/pushes/check", #"{"to":{"all":true},\#(silent)}"#)
    #expect(!before.text.contains("over FCM"), "\(before.text)")
    try register("fcm-ios", "phone:1")
    let after = try fixture.send("POST", "\(Self.path)/pushes/check", #"{"to":{"all":true},\#(silent)}"#)
    #expect(after.status == 200 && after.text.contains("iOS over FCM shows nothing"), "\(after.text)")
    let named = #"{"to":{"tokens":[{"type":"fcm-ios","token":"phone:1"}]},\#(silent)}"#
    let alone = try fixture.send("POST", "\(Self.path)/pushes", named)
    #expect(alone.status == 422 && alone.rules.contains("device-shows-nothing"), "\(alone.text)")
  }

  @Test("Listed addresses that a message is not for are named, each kind once") func unwritten() throws {
    let other = String(ServerFixture.iosToken.reversed())
    let start = #"{"type":"ios-live-activity-start","token":"\#(other)"}"#
    let body =
      #"{"to":{"tokens":[{"type":"ios","token":"\#(ServerFixture.iosToken)"},\#(start),\#(start)]},\#(Self.message)}"#
    let answer = try fixture.send("POST", "\(Self.path)/pushes", body)
    #expect(answer.status == 202, "\(answer.text)")
    let report = answer.json["report"]?.array ?? []
    let found = report.filter { $0["rule"] == "device-shows-nothing" }
    #expect(found.map { $0["field"]?.string } == ["to.tokens[1]"], "\(answer.text)")
    #expect(found.first?["severity"] == "warning", "\(answer.text)")
    #expect(found.first?["message"]?.string?.contains("/v1/apps/demo/activities") == true, "\(answer.text)")
    let plain = #"{"to":{"tokens":[{"type":"ios","token":"\#(ServerFixture.iosToken)"}]},\#(Self.message)}"#
    #expect(try !fixture.send("POST", "\(Self.path)/pushes", plain).text.contains("device-shows-nothing"))
  }

  @Test("An app with FCM alone needs no bundle id for its iPhones") func alone() throws {
    #expect(try fixture.send("PUT", "\(Self.path)/credentials", #"{"apns":null}"#).status == 200)
    try register("fcm-ios", "phone:1")
    let id = try world.push(#"{"to":{"all":true},\#(Self.message)}"#)
    #expect(try world.finished(id)["counts"]?["accepted"] == 1)
    #expect(received("phone:1").first?.contains("apns-topic") == false)
  }

  @Test("Files name the kinds", arguments: ["text/csv", "application/x-ndjson"]) func files(type: String) throws {
    let csv = "type,token,user\nfcm-ios,phone:1,ann\nfcm-web,page:1,bob\n"
    let lines = #"{"type":"fcm-ios","token":"phone:1","user":"ann"}"# + "\n" + #"{"type":"fcm-web","token":"page:1"}"#
    let answer = try fixture.send(
      "PUT", "\(Self.path)/devices/import", type == "text/csv" ? csv : lines, headers: ["Content-Type: \(type)"])
    #expect(answer.json["created"] == 2 && answer.json["failed"] == 0, "\(answer.text)")
    let exported = try fixture.send("GET", "\(Self.path)/devices/export?format=csv").text
    #expect(exported.contains("fcm-ios") && exported.contains("fcm-web"), "\(exported)")
  }
}
