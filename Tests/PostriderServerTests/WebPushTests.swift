import Glibc
import PostriderServer
import ProviderEmulator
import Signing
import TestSupport
import Testing
import WebPush
import WireJSON

/// Browsers as devices, from the registration to what a virtual browser decrypts.
@Suite(.timeLimit(.minutes(3))) struct WebPushTests {
  let world: EndToEndTests
  var fixture: ServerFixture { world.fixture }
  var emulator: ProviderEmulator { world.emulator }
  let key: String

  static let path = "/v1/apps/demo"
  static let message = #""message":{"title":"Grüße","body":"B","data":{"deep_link":"https://shop.example/a","n":1}}"#

  init() throws {
    world = try EndToEndTests()
    let (ports, ca) = (world.emulator.ports, world.emulator.authorityPEM)
    let body: JSONValue = [
      "web": [
        "subject": "mailto:ops@example.com",
        "gateway": ["host": .string(ports.host), "port": .number(JSONNumber(ports.web)), "ca": .string(ca)],
      ]
    ]
    let answer = try world.fixture.send("PUT", "\(Self.path)/credentials", JSON.minifiedText(body))
    #expect(answer.status == 200 && !answer.text.contains("PRIVATE"), "\(answer.text)")
    key = try #require(answer.json["web"]?["public_key"]?.string)
  }

  /// What a page sends of a virtual browser, bound to a key as browsers are.
  func subscribe(_ token: String, key: String?, user: String? = nil) throws -> JSONValue {
    var description = DeviceDescription(provider: .web, token: token)
    description.applicationServerKey = key.flatMap { Base64URL.decode($0) }
    _ = emulator.makeDevice(description)
    let subscription = try #require(emulator.subscription(token))
    var body: JSONObject = ["type": "web"]
    body["endpoint"] = subscription["endpoint"]
    for (name, value) in subscription["keys"]?.object ?? [:] { body[name] = value }
    if let user { body["user"] = .string(user) }
    return .object(body)
  }

  @discardableResult
  func register(_ body: JSONValue, status: Int = 201) throws -> String {
    let answer = try fixture.post("\(Self.path)/devices", body)
    #expect(answer.status == status, "\(answer.text)")
    return answer.json["id"]?.string ?? ""
  }

  func received(_ token: String) -> [String] {
    (emulator.device(.web, token)?.receivedPushes ?? []).filter { $0.problem == nil }
      .map { String(decoding: $0.payload, as: UTF8.self) }
  }

  func deliveries(_ push: String) throws -> [JSONValue] {
    try fixture.send("GET", "\(Self.path)/pushes/\(push)/deliveries").json["deliveries"]?.array ?? []
  }

  @Test("What no message may hold is refused once, also where browsers get it") func refusedOnce() throws {
    try register(subscribe("alice", key: key, user: "alice"))
    let body = #"{"message":{"title":"T","body":"B","channel_id":"c","scheduled_at":"2027-01-01"},"to":{"all":true}}"#
    let answer = try fixture.send("POST", "\(Self.path)/pushes", body)
    #expect(answer.status == 422 && answer.rules.count { $0 == "delivery-field" } == 1, "\(answer.text)")
  }

  @Test("A preview shows what a browser is sent and draws, and no phone in its place") func preview() throws {
    try register(subscribe("alice", key: key, user: "alice"))
    let answer = try fixture.send(
      "POST", "\(Self.path)/pushes/preview", #"{"to":{"user":"alice"},"svg":true,\#(Self.message)}"#)
    #expect(answer.status == 200 && answer.json["skipped"] == [], "\(answer.text)")
    let shown = try #require(answer.json["previews"]?[0])
    #expect(shown["platform"] == "web" && shown["user"] == "alice" && shown["outcome"] == "shown", "\(shown)")
    #expect(shown["title"]?["text"] == "Grüße" && shown["tap"]?["link"] == "https://shop.example/a", "\(shown)")
    #expect(shown["svg"]?.string?.hasPrefix("<svg") == true && answer.json["previews"]?[1] == nil)
    #expect(shown["request"]?["payload"]?["title"] == "Grüße", "\(shown)")
    let message = try fixture.send(
      "POST", "/v1/preview", #"{"contract":"amba","platform":"web",\#(Self.message)}"#)
    #expect(message.json["previews"]?[0]?["body"]?["text"] == "B", "\(message.text)")
    let silent = try fixture.send(
      "POST", "/v1/preview", #"{"contract":"native","platform":"web","message":{"data":{"a":"b"}}}"#)
    #expect(silent.json["previews"]?[0]?["outcome"] == "nothing", "\(silent.text)")
    #expect(silent.rules == ["device-shows-nothing"], "\(silent.text)")
  }

  @Test("A campaign reaches phones and browsers, and the ledger has a row for each") func mixed() throws {
    try world.register()
    try register(subscribe("alice", key: key, user: "alice"))
    let id = try world.push(#"{"to":{"all":true},"campaign":"Spring sale!","expires_in_seconds":600,\#(Self.message)}"#)
    let push = try world.finished(id)
    #expect(push["counts"]?["accepted"] == 3 && push["counts"]?["targeted"] == 3, "\(push)")
    #expect(
      received("alice") == [
        #"{"title":"Grüße","body":"B","tag":"Spring sale!","navigate":"https://shop.example/a","#
          + #""data":{"deep_link":"https://shop.example/a","n":1},"push":"\#(id)"}"#
      ])
    let push1 = try #require(emulator.device(.web, "alice")?.receivedPushes.first)
    let headers = Dictionary(push1.headers.map { ($0.name, $0.value) }) { first, _ in first }
    #expect(headers["urgency"] == "high" && headers["topic"] == WebPushTopic(campaign: "Spring sale!").text)
    #expect((500...600).contains(Int(headers["ttl"] ?? "") ?? 0))
    let row = try #require(try deliveries(id).first { $0["type"] == "web" })
    #expect(row["provider"] == "web" && row["status"] == 201 && row["state"] == "accepted")
    #expect(row["location"]?.string?.hasPrefix(emulator.ports.webOrigin + "/message/") == true)
    let metrics = try fixture.send("GET", "/metrics").text
    #expect(metrics.contains(#"slot="web""#))
  }

  @Test("A browser is the same device at its endpoint, whatever its keys") func identity() throws {
    let first = try subscribe("alice", key: key, user: "alice")
    let id = try register(first)
    #expect(try register(first, status: 200) == id)
    var other = first.object ?? [:]
    let point = try ECPrivateKey.generate().publicKey.point()
    other["p256dh"] = .string(Base64URL.encode(point))
    #expect(try register(.object(other), status: 200) == id)
    let shown = try fixture.send("GET", "\(Self.path)/devices/\(id)").json
    #expect(
      shown["token"]?.string == "\(first["endpoint"]?.string ?? "") \(Base64URL.encode(point)) "
        + "\(first["auth"]?.string ?? "") \(key)")
    #expect(shown["earlier_tokens"]?.array?.count == 1)
    // Whoever reports events names a browser by its endpoint.
    let push = try world.push(#"{"to":{"users":["alice"]},\#(Self.message)}"#)
    _ = try world.finished(push)
    let event: JSONValue = [
      "events": [["type": "opened", "push": .string(push), "token": first["endpoint"] ?? .null]]
    ]
    #expect(try fixture.post("\(Self.path)/events", event).text.contains("recorded"))
  }

  @Test("An endpoint is the same device however its scheme and host are written") func spelling() throws {
    let first = try subscribe("alice", key: key)
    let id = try register(first)
    var other = try #require(first.object)
    let endpoint = try #require(first["endpoint"]?.string)
    // The path is another subscriber's when its letters are.
    let loud = endpoint.replacing("https://", with: "HTTPS://").replacing("localhost", with: "LocalHost")
    #expect(loud != endpoint)
    other["endpoint"] = .string(loud)
    #expect(try register(.object(other), status: 200) == id)
    let known = try fixture.send("GET", "\(Self.path)/devices?type=web").json["devices"]?.array
    #expect(known?.count == 1 && known?.first?["token"]?.string?.hasPrefix(endpoint + " ") == true, "\(known ?? [])")
    let push = try world.push(#"{"to":{"all":true},\#(Self.message)}"#)
    _ = try world.finished(push)
    let event: JSONValue = ["events": [["type": "opened", "push": .string(push), "token": .string(loud)]]]
    #expect(try fixture.post("\(Self.path)/events", event).text.contains("recorded"))
  }

  @Test("What is wrong with a subscription is named, with what to do") func validation() throws {
    let good = try subscribe("alice", key: key)
    let rows: [(member: String, value: JSONValue?, field: String, rule: String, words: String)] = [
      ("endpoint", nil, "endpoint", "request-missing", "is required"),
      ("p256dh", nil, "p256dh", "request-missing", "keys.p256dh"),
      ("auth", nil, "auth", "request-missing", "keys.auth"),
      ("endpoint", "http://push.example/1", "endpoint", "web-subscription", "https://"),
      ("endpoint", "https://u:p@push.example/1", "endpoint", "web-subscription", "user name"),
      ("endpoint", "https://127.0.0.1/1", "endpoint", "web-endpoint-private", "gateway"),
      ("endpoint", "https://127.1/1", "endpoint", "web-endpoint-private", "gateway"),
      ("endpoint", "https://2130706433/1", "endpoint", "web-endpoint-private", "gateway"),
      ("endpoint", "https://0x7f.0.0.1/1", "endpoint", "web-endpoint-private", "gateway"),
      ("endpoint", "https://10.0.0.8/1", "endpoint", "web-endpoint-private", "gateway"),
      ("endpoint", "https://169.254.169.254/latest", "endpoint", "web-endpoint-private", "gateway"),
      ("endpoint", "https://[::1]/1", "endpoint", "web-endpoint-private", "gateway"),
      ("endpoint", "https://[::ffff:10.0.0.1]/1", "endpoint", "web-endpoint-private", "gateway"),
      ("endpoint", "https://[fd00::1]/1", "endpoint", "web-endpoint-private", "gateway"),
      ("endpoint", "https://LOCALHOST/1", "endpoint", "web-endpoint-private", "gateway"),
      ("endpoint", "https://a.localhost:8443/1", "endpoint", "web-endpoint-private", "gateway"),
      ("auth", "c2hvcnQ", "auth", "web-subscription", "16 bytes"),
      ("p256dh", "BAAA", "p256dh", "web-subscription", "toJSON()"),
      (
        "p256dh", .string(Base64URL.encode([4] + [UInt8](repeating: 1, count: 64))), "p256dh", "web-subscription",
        "toJSON()"
      ),
      ("application_server_key", "AAAA", "application_server_key", "web-subscription", "applicationServerKey"),
      ("token", "https://push.example/other a b", "token", "device-token", "another endpoint"),
    ]
    for row in rows {
      var body = good.object ?? [:]
      body[row.member] = row.value
      let answer = try fixture.post("\(Self.path)/devices", .object(body))
      let finding = answer.json["report"]?[0]
      #expect(answer.status == 422 && finding?["field"]?.string == row.field, "\(row): \(answer.text)")
      #expect(finding?["rule"]?.string == row.rule, "\(row): \(answer.text)")
      #expect(finding?["message"]?.string?.contains(row.words) == true, "\(row): \(answer.text)")
      #expect(!answer.text.contains(good["auth"]?.string ?? "?"), "the secret is in an answer")
    }
    #expect(try fixture.post("\(Self.path)/devices", ["type": "ios"]).rules == ["request-missing"])
    #expect(try fixture.send("GET", "\(Self.path)/devices?type=web").json["devices"]?.array?.isEmpty == true)
    #expect(!fixture.lines.text.contains(good["auth"]?.string ?? "?"))
  }

  @Test("An earlier key goes on serving the subscriptions made for it") func rotation() throws {
    try register(subscribe("early", key: key))
    let rotated = try fixture.send("POST", "\(Self.path)/web-push/rotate")
    let new = try #require(rotated.json["public_key"]?.string)
    #expect(rotated.status == 200 && new != key && rotated.json["earlier_keys"] == [.string(key)])
    try register(subscribe("late", key: new))
    // A page that comes again and does not say for which key it subscribed keeps the one it is known with.
    let again = try #require(emulator.subscription("early"))
    var body: JSONObject = ["type": "web"]
    body["endpoint"] = again["endpoint"]
    for (name, value) in again["keys"]?.object ?? [:] { body[name] = value }
    try register(.object(body), status: 200)
    var stranger = (try subscribe("stranger", key: nil)).object ?? [:]
    stranger["application_server_key"] = .string(Base64URL.encode(try ECPrivateKey.generate().publicKey.point()))
    let foreign = try register(.object(stranger))
    let doubted = try fixture.post("\(Self.path)/devices", .object(stranger))
    #expect(doubted.rules == ["web-subscription"] && doubted.text.contains("application_server_key"), "\(doubted.text)")
    for (name, key) in [("early", key), ("late", new)] {
      #expect(try fixture.post("\(Self.path)/devices", subscribe(name, key: key)).rules == [])
    }
    let push = try world.push(#"{"to":{"all":true},\#(Self.message)}"#)
    let counts = try world.finished(push)["counts"]
    #expect(counts?["accepted"] == 2 && counts?["rejected"] == 1, "\(String(describing: counts))")
    #expect(received("early").count == 1 && received("late").count == 1)
    let refused = try #require(try deliveries(push).first { $0["state"] == "rejected" })
    #expect(refused["reason"] == "server-key-unknown" && refused["explanation"]?["next"] != nil)
    #expect(try fixture.send("GET", "\(Self.path)/devices/\(foreign)").json["state"] == "active")
    // Another contact keeps the keys; no key is ever shown; a client may read the public ones.
    let changed = try fixture.send("PUT", "\(Self.path)/credentials", #"{"web":{"subject":"https://example.com/ops"}}"#)
    #expect(changed.json["web"]?["public_key"]?.string == new && changed.json["web"]?["earlier_keys"] == [.string(key)])
    let client = try fixture.key(["client"], app: "demo")
    #expect(try fixture.send("GET", "\(Self.path)/web-push", key: client).json["public_key"]?.string == new)
    #expect(try fixture.send("POST", "\(Self.path)/web-push/rotate", key: client).status == 403)
    #expect(!fixture.lines.text.contains("PRIVATE"))
  }

  @Test("A credential that cannot be used is refused with its field") func credentials() throws {
    let rows = [
      (#"{"web":{"subject":"ops@example.com"}}"#, "web.subject"),
      (#"{"web":{"subject":"mailto:a@b.c","key":"nonsense"}}"#, "web.key"),
      (#"{"web":{"subject":"mailto:a@b.c","key":"AAAA"}}"#, "web.key"),
      (#"{"web":{"subject":"mailto:a@b.c","declarative":true}}"#, "web.url"),
      (#"{"web":{"subject":"mailto:a@b.c","url":"http://example.com"}}"#, "web.url"),
      (#"{"web":{"subject":"mailto:a@b.c","padding":9000}}"#, "web.padding"),
    ]
    for (body, field) in rows {
      let answer = try fixture.send("PUT", "\(Self.path)/credentials", body)
      #expect(answer.status == 422 && answer.json["report"]?[0]?["field"]?.string == field, "\(answer.text)")
      #expect(!answer.text.contains("AuthKey"), "\(answer.text)")
    }
    let rsa = try RSAPrivateKey.generate().pem()
    let wrong: JSONValue = ["web": ["subject": "mailto:a@b.c", "key": .string(rsa)]]
    #expect(try fixture.send("PUT", "\(Self.path)/credentials", JSON.minifiedText(wrong)).status == 422)
    let own = try VAPIDKey.generate()
    let body: JSONValue = ["web": ["subject": "mailto:a@b.c", "key": .string(try own.pem())]]
    let set = try fixture.send("PUT", "\(Self.path)/credentials", JSON.minifiedText(body)).json["web"]
    #expect(set?["public_key"]?.string == own.publicText && set?["earlier_keys"] == [.string(key)])
    #expect(try fixture.send("POST", "\(Self.path)/credentials/check", "{}").json["web"]?["usable"] == true)
  }

  @Test("A later request changes the settings that it names; null removes one") func kept() throws {
    func put(_ web: String) throws -> JSONValue {
      let answer = try fixture.send("PUT", "\(Self.path)/credentials", #"{"web":{\#(web)}}"#)
      #expect(answer.status == 200, "\(answer.text)")
      return try #require(answer.json["web"])
    }
    let first = try put(
      #""subject":"mailto:a@b.c","padding":100,"declarative":true,"url":"https://x.example/","#
        + #""origins":["https://x.example"],"proxy":"http://u:p@127.0.0.1:9""#)
    let second = try put(#""subject":"mailto:new@b.c""#)
    #expect(second["subject"] == "mailto:new@b.c" && second["public_key"]?.string == key)
    for name in ["padding", "declarative", "url", "origins", "gateway", "proxy"] {
      #expect(second[name] != nil && second[name] == first[name], "\(name)")
    }
    let third = try put(
      #""subject":"mailto:a@b.c","padding":null,"declarative":null,"url":null,"origins":null,"gateway":null,"proxy":null"#
    )
    #expect(third["padding"] == 0 && third["declarative"] == false && third["public_key"]?.string == key)
    for name in ["url", "origins", "gateway", "proxy"] { #expect(third[name] == nil, "\(name)") }
  }

  /// One answer of a push service and what the ledger and the device have of it.
  @Test(
    "Only a subscription that has ended retires its device",
    arguments: [(404, "retired"), (410, "retired"), (400, "active"), (401, "active"), (403, "active"), (413, "active")])
  func refusals(status: Int, state: String) throws {
    let id = try register(subscribe("alice", key: key))
    var rule = FaultRule(name: "refuse", effect: .refuse(Refusal("\(status)", status: status)))
    rule.provider = .web
    emulator.add(rule)
    let push = try world.push(#"{"to":{"devices":["\#(id)"]},\#(Self.message)}"#)
    #expect(try world.finished(push)["counts"]?["rejected"] == 1)
    let row = try #require(try deliveries(push).first)
    #expect(row["reason"]?.string == "\(status)" && row["status"]?.int.map { Int($0) } == status, "\(row)")
    #expect(row["explanation"]?["meaning"]?.string?.isEmpty == false)
    #expect(try fixture.send("GET", "\(Self.path)/devices/\(id)").json["state"]?.string == state)
    #expect(try fixture.send("GET", Self.path).json["stops"] == nil)
  }

  @Test("Values and languages reach each browser's own message") func personal() throws {
    let first = try register(subscribe("alice", key: key, user: "alice"))
    try register(subscribe("bob", key: key, user: "bob"))
    let unregistered = try subscribe("carol", key: key)
    var address = unregistered.object ?? [:]
    address["values"] = ["name": "\"Carol\""]
    let user = #"{"to":{"users":["alice","bob"]},"user_values":{"alice":{"name":"Alice"}},"values":{},"#
    let push = try world.push(user + #""message":{"title":"Hi {{name|you}}","body":"B"}}"#)
    #expect(try world.finished(push)["counts"]?["accepted"] == 2)
    #expect(received("alice") == [#"{"title":"Hi Alice","body":"B","push":"\#(push)"}"#])
    #expect(received("bob") == [#"{"title":"Hi you","body":"B","push":"\#(push)"}"#])
    var device: JSONObject = ["type": "web", "values": ["name": "Alice II"]]
    device["token"] = try fixture.send("GET", "\(Self.path)/devices/\(first)").json["token"]
    let tokens: JSONValue = [
      "to": ["tokens": [.object(address), .object(device)]], "message": ["title": "Hi {{name|you}}", "body": "B"],
    ]
    let second = try world.push(JSON.minifiedText(tokens))
    #expect(try world.finished(second)["counts"]?["accepted"] == 2)
    #expect(received("carol") == [#"{"title":"Hi \"Carol\"","body":"B","push":"\#(second)"}"#])
    #expect(received("alice").last == #"{"title":"Hi Alice II","body":"B","push":"\#(second)"}"#)
    let campaign = try fixture.send(
      "POST", "\(Self.path)/pushes",
      #"{"to":{"all":true},"contract":"native","values":{},"message":{"title":"T","collapse_id":"{{name|x}}"}}"#)
    #expect(campaign.rules.contains("push-placeholder-place"), "\(campaign.text)")
  }

  @Test("A message that is too long is refused; padding and the declarative form are the app's choice") func forms()
    throws
  {
    try register(subscribe("alice", key: key))
    // The number of the push has 29 of the 3993 bytes; what phones have is of no matter here.
    let most = 3_964 - #"{"title":"T","body":""}"#.utf8.count
    func sized(_ count: Int) -> String {
      #"{"to":{"filter":{"field":"platform","op":"eq","value":"web"}},"message":{"title":"T","body":"\#(String(repeating: "x", count: count))"}}"#
    }
    let refused = try fixture.send("POST", "\(Self.path)/pushes", sized(most + 1))
    #expect(refused.status == 422 && refused.rules.contains("web-push-too-large"), "\(refused.text.prefix(400))")
    #expect(try world.finished(try world.push(sized(most)))["counts"]?["accepted"] == 1)
    let saved = try fixture.send("GET", "\(Self.path)/credentials").json["web"]?["gateway"]
    let body: JSONValue = [
      "web": [
        "subject": "mailto:a@b.c", "padding": 3993, "declarative": true, "url": "https://www.example.com/",
        "gateway": [
          "host": saved?["host"] ?? .null, "port": saved?["port"] ?? .null, "ca": .string(emulator.authorityPEM),
        ],
      ]
    ]
    #expect(try fixture.send("PUT", "\(Self.path)/credentials", JSON.minifiedText(body)).status == 200)
    let push = try world.push(#"{"to":{"all":true},"message":{"title":"T","body":"B"}}"#)
    #expect(try world.finished(push)["counts"]?["accepted"] == 1)
    #expect(
      received("alice").last
        == #"{"web_push":8030,"notification":{"title":"T","body":"B","navigate":"https://www.example.com/"},"#
        + #""push":"\#(push)"}"#)
  }

  @Test("Browsers go out of the server and into another one as files") func files() throws {
    try register(subscribe("alice", key: key, user: "alice"))
    try register(subscribe("bob", key: key))
    for format in ["csv", "ndjson"] {
      let file = try fixture.send("GET", "\(Self.path)/devices/export?format=\(format)").text
      for device in try fixture.send("GET", "\(Self.path)/devices").json["devices"]?.array ?? [] {
        #expect(try fixture.send("DELETE", "\(Self.path)/devices/\(device["id"]?.string ?? "")").status == 204)
      }
      let read = try fixture.send("PUT", "\(Self.path)/devices/import?format=\(format)", file)
      #expect(read.json["created"] == 2 && read.json["failed"] == 0, "\(read.text)")
    }
    let fields = try subscribe("carol", key: key)
    let text = ["endpoint", "p256dh", "auth"].map { fields[$0]?.string ?? "" }.joined(separator: ",")
    let csv = "type,endpoint,p256dh,auth\r\nweb,\(text)\r\nweb,https://10.0.0.1/a,b,c\r\n"
    let read = try fixture.send("PUT", "\(Self.path)/devices/import?format=csv", csv)
    #expect(read.json["created"] == 1 && read.json["failed"] == 1, "\(read.text)")
    let push = try world.push(
      #"{"to":{"filter":{"field":"platform","op":"eq","value":"web"}},\#(Self.message)}"#)
    #expect(try world.finished(push)["counts"]?["accepted"] == 3)
    #expect(try fixture.send("DELETE", "\(Self.path)/users/alice").status == 200)
    #expect(try fixture.send("GET", "\(Self.path)/devices?type=web").json["devices"]?.array?.count == 2)
  }
}
