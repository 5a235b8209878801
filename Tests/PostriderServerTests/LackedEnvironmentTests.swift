import Glibc
import PostriderServer
import ProviderEmulator
import TestSupport
import Testing
import WireJSON

/// iPhones of an environment without a credential: named where a push is made, and what waits for them says why.
@Suite(.timeLimit(.minutes(3))) struct LackedEnvironmentTests {
  let world: EndToEndTests
  var fixture: ServerFixture { world.fixture }

  static let path = "/v1/apps/demo"
  static let message = #""message":{"title":"T","body":"B"}"#
  static let waits = "in the environment development, and the app has no \"apns_sandbox\" credential"

  /// The app has credentials for the production environment of APNs and for FCM.
  init() throws {
    world = try EndToEndTests()
    try world.register()
    let phone: JSONValue = [
      "type": "ios", "token": .string(String(repeating: "de", count: 32)), "environment": "development", "user": "dev",
    ]
    #expect(try fixture.post("\(Self.path)/devices", phone).status == 201)
  }

  private func warnings(_ answer: ServerFixture.Answer, _ field: String = "to") -> [String] {
    (answer.json["report"]?.array ?? []).filter {
      $0["rule"] == "push-audience" && $0["severity"] == "warning" && $0["field"] == .string(field)
    }.compactMap { $0["message"]?.string }
  }

  private func expectNamed(_ answer: ServerFixture.Answer, _ start: String, _ field: String = "to") {
    let said = warnings(answer, field)
    #expect(said.count == 1 && said[0].hasPrefix(start) && said[0].contains(Self.waits), "\(answer.text)")
    #expect(said.allSatisfy { $0.contains("its delivery waits as no-credential until there is one") }, "\(said)")
  }

  @Test("A push, its check and its audience name them, whoever it is to") func named() throws {
    let id = try #require(try fixture.send("GET", "\(Self.path)/devices?user=dev").json["devices"]?[0]?["id"]?.string)
    let token = String(repeating: "de", count: 32)
    for to in [
      #"{"users":["dev"]}"#, #"{"devices":["\#(id)"]}"#,
      #"{"tokens":[{"type":"ios","token":"\#(token)","environment":"development"}]}"#,
    ] {
      for path in ["pushes", "pushes/check"] {
        let answer = try fixture.send("POST", "\(Self.path)/\(path)", "{\"to\":\(to),\(Self.message)}")
        expectNamed(answer, "1 of the targeted devices is of type ios")
      }
    }
    for to in [#"{"all":true}"#, #"{"filter":{"field":"platform","op":"eq","value":"ios"}}"#] {
      for path in ["pushes", "pushes/check"] {
        let answer = try fixture.send("POST", "\(Self.path)/\(path)", "{\"to\":\(to),\(Self.message)}")
        expectNamed(answer, "1 device of the audience, among the 1000")
      }
      let count = try fixture.send("POST", "\(Self.path)/audience", "{\"to\":\(to)}")
      expectNamed(count, "1 device of the audience is of type ios")
    }
    let listed = try fixture.send("POST", "\(Self.path)/audience", #"{"to":{"users":["dev"]}}"#)
    expectNamed(listed, "1 device of the audience is of type ios")
    #expect(listed.json["total"] == 1 && listed.json["devices"]?["ios"] == 1, "\(listed.text)")
    // Whoever takes nothing has no delivery that waits.
    let optOut = try fixture.send("PATCH", "\(Self.path)/devices/\(id)", #"{"opt_out":true}"#)
    #expect(optOut.status == 200, "\(optOut.text)")
    for path in ["pushes", "pushes/check"] {
      let answer = try fixture.send("POST", "\(Self.path)/\(path)", "{\"to\":{\"users\":[\"dev\"]},\(Self.message)}")
      #expect(warnings(answer).isEmpty, "\(answer.text)")
    }
  }

  @Test("A test push names them, and prefers what a credential reaches and what shows notifications")
  func tested() throws {
    let test = "\(Self.path)/test-pushes"
    let id = try #require(try fixture.send("GET", "\(Self.path)/devices?user=dev").json["devices"]?[0]?["id"]?.string)
    for to in [#"{"user":"dev"}"#, #"{"device":"\#(id)"}"#] {
      let answer = try fixture.send("POST", test, "{\"to\":\(to),\(Self.message)}")
      #expect(answer.status == 202, "\(answer.text)")
      expectNamed(answer, "1 of the targeted devices is of type ios")
    }
    var ids: [JSONValue] = []
    for (type, token) in [("ios", "ab"), ("ios-voip", "ef")] {
      let phone: JSONValue = [
        "type": .string(type), "token": .string(String(repeating: token, count: 32)), "user": "dev",
      ]
      ids.append(try #require(try fixture.post("\(Self.path)/devices", phone).json["id"]))
    }
    let answer = try fixture.send("POST", test, #"{"to":{"user":"dev"},\#(Self.message)}"#)
    #expect(answer.json["device"] == ids[0], "\(answer.text)")
    #expect(warnings(answer).isEmpty, "\(answer.text)")
  }

  @Test("A push that is sent later, an edit of it, a schedule and an inbox message name them too") func later() throws {
    let body = #""to":{"users":["dev"]},\#(Self.message)"#
    let start = "1 of the targeted devices is of type ios"
    for when in [#""draft":true"#, "\"send_at\":\"\(Self.tomorrow)\""] {
      let answer = try fixture.send("POST", "\(Self.path)/pushes", "{\(when),\(body)}")
      #expect(answer.status == 202, "\(answer.text)")
      expectNamed(answer, start)
      let edited = try fixture.send(
        "PATCH", "\(Self.path)/pushes/\(answer.json["id"]?.string ?? "")", #"{"campaign":"spring"}"#)
      expectNamed(edited, start)
    }
    let schedule =
      #"{\#(body),"campaign":"weekly","repeat":{"every":"day","start":"\#(Self.tomorrow.dropLast())","timezone":"UTC"}}"#
    let made = try fixture.send("POST", "\(Self.path)/schedules", schedule)
    #expect(made.status == 201, "\(made.text)")
    #expect(
      (made.json["report"]?.array ?? []).contains { $0["message"]?.string?.contains(Self.waits) == true },
      "\(made.text)")
    let left = try fixture.send(
      "POST", "\(Self.path)/users/dev/inbox", #"{"title":"T","body":"B","push":{\#(Self.message)}}"#)
    #expect(left.status == 201, "\(left.text)")
    expectNamed(left, start, "push")
    let nobody = try fixture.send(
      "POST", "\(Self.path)/users/nobody/inbox", #"{"title":"T","body":"B","push":{\#(Self.message)}}"#)
    let said = (nobody.json["report"]?.array ?? []).filter { $0["rule"] == "push-user-unreached" }
    #expect(nobody.status == 201 && said.map { $0["field"] } == ["push"], "\(nobody.text)")
    // A push that waits for an approval is not created either.
    #expect(try fixture.send("PATCH", Self.path, #"{"approval":{"above_devices":0}}"#).status == 200)
    let kept = try fixture.send("POST", "\(Self.path)/pushes", "{\(body)}")
    #expect(kept.json["approval"] != nil, "\(kept.text)")
    expectNamed(kept, start)
  }

  @Test("What waits behind the first one says why, and the overview has an alert") func waiting() throws {
    var pushes: [String] = []
    for _ in 0..<3 {
      pushes.append(try world.push(#"{"to":{"users":["dev"]},\#(Self.message)}"#))
      // The first one finds the lane without a credential; the others wait behind it and are not tried.
      try until("the first try") { try row(pushes[0])["not_before"] != nil }
    }
    for push in pushes {
      let row = try row(push)
      #expect(row["state"] == "waiting" && row["reason"] == "no-credential", "\(row)")
      #expect(row["explanation"]?["meaning"]?.string?.contains("credential") == true, "\(row)")
      let found = try fixture.send("GET", "\(Self.path)/pushes/\(push)/deliveries?reason=no-credential").json
      #expect(found["deliveries"]?.array?.count == 1, "\(found)")
      let other = try fixture.send("GET", "\(Self.path)/pushes/\(push)/deliveries?reason=quiet-hours").json
      #expect(other["deliveries"]?.array?.isEmpty == true, "\(other)")
      let lines = try fixture.send("GET", "\(Self.path)/pushes/\(push)/deliveries/export?format=csv").text
      #expect(lines.contains("no-credential"), "\(lines)")
      let number = try #require(try fixture.send("GET", "\(Self.path)/pushes/\(push)").json["number"]?.int)
      let rows = lines.split(separator: "\r\n")
      #expect(rows.count == 2 && rows[0].hasSuffix(",push_number") && rows[1].hasSuffix(",\(number)"), "\(lines)")
    }
    let user = try fixture.send("GET", "\(Self.path)/deliveries?user=dev").json["deliveries"]?.array ?? []
    #expect(user.map { $0["reason"] } == ["no-credential", "no-credential", "no-credential"], "\(user)")
    let timeline = try fixture.send("GET", "\(Self.path)/users/dev/timeline").json["events"]?.array ?? []
    #expect(timeline.filter { $0["kind"] == "sent" }.allSatisfy { $0["reason"] == "no-credential" }, "\(timeline)")
    let alerts = try self.alerts()
    #expect(alerts.map { $0["kind"] } == ["credential-missing"], "\(alerts)")
    #expect(
      alerts[0]["detail"]
        == .string(
          "apns_sandbox: deliveries to devices of the environment development wait, because the app has no credential for"
            + " them; set it with PUT /v1/apps/demo/credentials"))
    // With the credential there is nothing more to say: the reason is that of the lane, not of the row.
    let given = try #require(try world.credentials()["apns"])
    let put = try fixture.send(
      "PUT", "\(Self.path)/credentials", JSON.minifiedText(["apns_sandbox": given]))
    #expect(put.status == 200, "\(put.text)")
    #expect(try self.alerts().isEmpty)
  }

  @Test("The start of a Live Activity names them, waits, and goes out as soon as there is a credential")
  func activity() throws {
    let token = String(repeating: "5e", count: 32)
    let phone: JSONValue = [
      "type": "ios-live-activity-start", "token": .string(token), "environment": "development", "user": "dev",
    ]
    #expect(try fixture.post("\(Self.path)/devices", phone).status == 201)
    let body = #"{"id":"order-1","to":{"user":"dev"},\#(ActivityTests.parts)}"#
    let answer = try fixture.send("POST", "\(Self.path)/activities", body)
    #expect(answer.status == 202, "\(answer.text)")
    expectNamed(answer, "1 of the targeted devices is of type ios-live-activity-start")
    let push = try #require(answer.json["id"]?.string)
    try until("the first try") { try row(push)["not_before"] != nil }
    #expect(try row(push)["reason"] == "no-credential")
    let given = try #require(try world.credentials()["apns"])
    let put = try fixture.send("PUT", "\(Self.path)/credentials", JSON.minifiedText(["apns_sandbox": given]))
    #expect(put.status == 200, "\(put.text)")
    // Nothing else wakes the delivery; what was put aside is due by then.
    let sent = try world.finished(push)
    #expect(sent["finished_at"] != nil && sent["counts"]?["waiting"] == 0, "\(sent)")
  }

  /// The same time tomorrow.
  private static var tomorrow: String {
    var seconds = time(nil) + 86_400
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func alerts() throws -> [JSONValue] {
    (try fixture.send("GET", "\(Self.path)/overview").json["alerts"]?.array ?? []).filter {
      $0["kind"] == "credential-missing"
    }
  }

  private func row(_ push: String) throws -> JSONValue {
    try #require(try fixture.send("GET", "\(Self.path)/pushes/\(push)/deliveries").json["deliveries"]?[0])
  }

  private func until(_ what: String, _ isTrue: () throws -> Bool) throws {
    for _ in 0..<3_000 {
      if try isTrue() { return }
      usleep(10_000)
    }
    Issue.record("waited too long for \(what)")
  }
}
