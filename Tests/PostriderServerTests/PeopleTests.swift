import PostriderServer
import TestEngines
import TestSupport
import Testing
import WireJSON

@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct PeopleTests {
  let fixture: ServerFixture

  init() throws { fixture = try ServerFixture() }

  @Test("Devices and campaigns are found by the caller's own ids") func ownIDs() throws {
    _ = try fixture.makeDemo()
    for (name, user) in [("phone-1", "ann"), ("phone-2", "bob")] {
      let body: JSONValue = [
        "type": "android", "token": .string("token-of-\(name)"), "name": .string(name), "user": .string(user),
      ]
      #expect(try fixture.post("/v1/apps/demo/devices", body).status == 201)
    }
    func names(_ query: String) throws -> [String?] {
      let answer = try fixture.send("GET", "/v1/apps/demo/devices?\(query)")
      return (answer.json["devices"]?.array ?? []).map { $0["name"]?.string }
    }
    #expect(try names("name=phone-1") == ["phone-1"] && names("name=phone-3") == [])
    #expect(try names("name=phone-1&user=ann&type=android&state=active") == ["phone-1"])
    #expect(try names("name=phone-1&user=bob") == [] && names("name=phone-1&type=ios") == [])
    #expect(try names("name=phone-1&state=retired") == [])
    #expect(try fixture.send("GET", "/v1/apps/demo/devices?name=").status == 400)
    for title in ["A", "B"] {
      let body: JSONValue = [
        "to": ["users": ["ann"]], "message": ["title": .string(title), "body": "b"], "campaign": "spring",
      ]
      #expect(try fixture.post("/v1/apps/demo/pushes", body).status == 202)
    }
    let pushes = try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array ?? []
    let found = try fixture.send("GET", "/v1/apps/demo/pushes?campaign=spring&limit=1").json["pushes"]?.array ?? []
    // Their counts may change meanwhile.
    #expect(pushes.count == 2 && found.map { $0["id"] } == [pushes[0]["id"]])
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes?campaign=autumn").json["pushes"] == [])
  }

  @Test func aDeviceIsChangedMemberByMember() throws {
    let (ios, _) = try fixture.makeDemo()
    let path = "/v1/apps/demo/devices/\(ios)"
    let set = try fixture.send(
      "PATCH", path,
      #"{"user":"ann","locale":"de","tags":["vip","beta"],"opt_out_categories":["news"],"properties":"#
        + #"{"age":41,"plan":"pro","on":true,"score":0.5,"since":"2026-11-20T13:00:00+01:00"}}"#)
    #expect(set.status == 200)
    #expect(
      set.json["properties"]?.description
        == #"{"age":41,"on":true,"plan":"pro","score":0.5,"since":"2026-11-20T12:00:00.000Z"}"#)
    let after = try fixture.send(
      "PATCH", path, #"{"locale":null,"properties":{"plan":null,"age":42.0},"opt_out":true}"#)
    #expect(after.json["locale"] == nil && after.json["user"] == "ann" && after.json["tags"] == ["beta", "vip"])
    #expect(after.json["properties"]?["age"] == 42 && after.json["properties"]?["plan"] == nil)
    #expect(after.json["opt_out"] == true && after.json["opt_out_categories"] == ["news"])
    #expect(try fixture.send("GET", path).text == after.text)
    #expect(try fixture.send("PATCH", "/v1/apps/demo/devices/999", "{}").status == 404)
  }

  /// A body, and the field that the refusal names.
  static let bad: [(body: String, field: String)] = [
    (#"{"properties":{"deep":{"a":1}}}"#, "properties.deep"), (#"{"properties":{"list":[1]}}"#, "properties.list"),
    (#"{"properties":{"":1}}"#, "properties."), (#"{"properties":{"n":1e999}}"#, "properties.n"),
    (#"{"properties":{"\#(String(repeating: "n", count: 65))":1}}"#, "properties.\(String(repeating: "n", count: 64))"),
    (#"{"properties":{"t":"\#(String(repeating: "t", count: 1025))"}}"#, "properties.t"),
    (#"{"properties":5}"#, "properties"), (#"{"tags":"vip"}"#, "tags"), (#"{"tags":[1]}"#, "tags[0]"),
    (#"{"tags":["\#(String(repeating: "ä", count: 60))"]}"#, "tags[0]"), (#"{"tags":[""]}"#, "tags[0]"),
    (#"{"opt_out":"yes"}"#, "opt_out"), (#"{"opt_out_categories":[null]}"#, "opt_out_categories[0]"),
  ]

  @Test(arguments: bad) func whatIsWrongIsNamed(_ row: (body: String, field: String)) throws {
    let (ios, _) = try fixture.makeDemo()
    for path in ["/v1/apps/demo/devices/\(ios)", "/v1/apps/demo/users/ann"] {
      let answer = try fixture.send("PATCH", path, row.body)
      #expect(answer.status == 422)
      #expect(answer.json["report"]?.array?.first?["field"]?.string == row.field)
    }
    #expect(try fixture.send("GET", "/v1/apps/demo/users/ann").status == 404)
  }

  @Test func aUserIsMadeChangedShownAndErased() throws {
    let (ios, _) = try fixture.makeDemo()
    let path = "/v1/apps/demo/users/ann%2F1"
    let made = try fixture.send(
      "PATCH", path,
      #"{"email":"ann@example.com","display_name":"Ann","entitlements":{"premium":true},"properties":{"n":1},"tags":["x"]}"#
    )
    #expect(made.status == 200)
    #expect(
      made.text
        == #"{"user":"ann/1","display_name":"Ann","email":"ann@example.com","entitlements":{"premium":true},"#
        + #""properties":{"n":1},"tags":["x"],"created_at":"2026-11-21T00:00:00.000Z","#
        + #""updated_at":"2026-11-21T00:00:00.000Z"}"#)
    _ = try fixture.send("PATCH", "/v1/apps/demo/devices/\(ios)", #"{"user":"ann/1"}"#)
    let shown = try fixture.send("GET", path).json
    #expect(shown["devices"]?.array?.count == 1 && shown["last_seen_at"] == "2026-11-21T00:00:00.000Z")
    #expect(try fixture.send("GET", "/v1/apps/demo/users").json["users"]?.array?.count == 1)
    #expect(try fixture.send("PATCH", path, #"{"email":null}"#).json["email"] == nil)

    let reader = try fixture.key(["read"])
    #expect(try fixture.send("DELETE", path, key: reader).status == 403)
    let proof = try fixture.send("DELETE", path)
    #expect(proof.status == 200)
    // Nobody empties the log of a database server.
    #expect(proof.json["left"] == 0 && proof.json["log_emptied"]?.bool == (Engine.current == .sqlite))
    let counts = (proof.json["counts"]?.array ?? []).map { "\($0["table"]?.string ?? "") \($0["rows"]?.int ?? -1)" }
    #expect(
      counts == [
        "deliveries 0", "push_contents 0", "push_plans 0", "schedules 0", "push_contents 0", "segments 0",
        "push_segments 0", "idempotency 0", "frequency 0", "device_attributes 0", "earlier_tokens 0",
        "device_names 0", "activity_devices 0", "live_pushes 0", "activities 0", "devices 1", "push_plans 0",
        "push_plans.problem 0", "push_plans.approval_reason 0",
        "schedules.problem 0", "aliases 0", "inbox 0", "user_attributes 4", "users 1",
      ])
    #expect(try fixture.send("GET", path).status == 404)
    #expect(try fixture.send("DELETE", path).status == 404)
    #expect(try fixture.send("GET", "/v1/apps/demo/devices/\(ios)").status == 404)
  }

  @Test func aDeviceShowsTheTokensItHad() throws {
    _ = try fixture.makeDemo()
    for token in ["a", "b", "c"] {
      let long = String(repeating: token, count: 40)
      let answer = try fixture.post(
        "/v1/apps/demo/devices", ["type": "android", "token": .string(long), "name": "phone", "user": "ann"])
      #expect(answer.status == (token == "a" ? 201 : 200))
    }
    let id = try fixture.send("GET", "/v1/apps/demo/users/ann").json["devices"]?[0]?["id"]?.string ?? ""
    let earlier = try fixture.send("GET", "/v1/apps/demo/devices/\(id)").json["earlier_tokens"]?.array ?? []
    #expect(
      earlier.compactMap { $0["token"]?.string } == [
        String(repeating: "b", count: 40), String(repeating: "a", count: 40),
      ])
  }
}
