import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// Requests of OneSignal's that say it wrongly: each is refused whole, and none reaches more people than it says.
@Suite(.timeLimit(.minutes(2))) struct CompatRequestTests {
  private struct Site {
    let fixture: ServerFixture
    let app: String
    let key: String

    init() throws {
      fixture = try ServerFixture()
      _ = try fixture.makeDemo()
      key = try fixture.key(["compat"], app: "demo")
      let answer = try fixture.send("PATCH", "/v1/apps/demo", #"{"compat":{"onesignal":{}}}"#)
      app = try #require(answer.json["compat"]?["onesignal"]?["app_id"]?.string)
    }

    func ask(_ method: String, _ path: String, _ body: JSONValue? = nil) throws -> ServerFixture.Answer {
      try fixture.send(
        method, "/compat/onesignal" + path.replacing("{app}", with: app), body.map { JSON.minifiedText($0) },
        key: .some(nil), headers: ["Authorization: Key \(key)"])
    }

    /// Registers a player, and returns their id.
    func player(_ body: JSONObject) throws -> String {
      var body = body
      body["device_type"] = 1
      let answer = try ask("POST", "/players", .object(body))
      #expect(answer.status == 200, "\(answer.text)")
      return try #require(answer.json["id"]?.string)
    }
  }

  @Test("An id that was made for a number that no record has is nobody's") func forgedIDs() throws {
    let site = try Site()
    for number in [Int64.min, -1, .max] {
      let id = CompatID.of(number, .user, app: site.app)
      #expect(try site.ask("GET", "/apps/{app}/users/by/onesignal_id/\(id)").status == 404)
      let body: JSONValue = ["contents": ["en": "B"], "include_aliases": ["onesignal_id": [.string(id)]]]
      #expect(try site.ask("POST", "/notifications", body).json["id"] == "")
    }
  }

  @Test("What the HTTP server refuses before anything is read comes in the vendor's form") func refusedUnread() throws {
    let site = try Site()
    let length = "Content-Length: 99999999\r\n\r\n"
    let client = try HTTPTestClient(port: site.fixture.server.port)
    client.send("POST /compat/onesignal/notifications HTTP/1.1\r\nHost: localhost\r\n")
    client.send("Authorization: Key \(site.key)\r\n\(length)")
    let refused = try client.readAnswer()
    let json = try JSON.parse(refused.body)
    #expect(refused.status == 413 && refused.headers["content-type"] == "application/json", "\(refused.body)")
    #expect(json["errors"]?.array?.count == 1 && json["type"] == nil, "\(refused.body)")
    let own = try HTTPTestClient(port: site.fixture.server.port)
    own.send("POST /v1/apps HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(site.fixture.admin)\r\n")
    own.send(length)
    let answer = try own.readAnswer()
    #expect(answer.status == 413 && answer.headers["content-type"] == "application/problem+json", "\(answer.body)")
  }

  @Test("What a registration does not name stays") func registeredAgain() throws {
    let site = try Site()
    let id = try site.player([
      "identifier": "token-1", "external_user_id": "gil", "notification_types": -2, "tags": ["plan": "pro"],
      "language": "de",
    ])
    #expect(try site.player(["identifier": "token-1", "game_version": "2.0"]) == id)
    let shown = try site.ask("GET", "/players/\(id)").json
    #expect(shown["notification_types"] == -2 && shown["external_user_id"] == "gil", "\(shown)")
    #expect(shown["tags"] == ["plan": "pro"] && shown["language"] == "de" && shown["game_version"] == "2.0", "\(shown)")
  }

  @Test("An Apple token is the same device in every spelling") func spellings() throws {
    let site = try Site()
    var ids: Set<String> = []
    for token in [String(repeating: "ab", count: 32), String(repeating: "AB", count: 32)] {
      let body: JSONValue = ["device_type": 0, "identifier": .string(token), "external_user_id": "gil"]
      ids.insert(try #require(try site.ask("POST", "/players", body).json["id"]?.string))
      let path = "/apps/{app}/subscriptions_by_token/iOSPush/\(token)"
      #expect(try site.ask("PATCH", path, ["subscription": ["app_version": "2.0"]]).status < 300)
    }
    #expect(ids.count == 1)
  }

  @Test(
    "A member of another type is refused by name",
    arguments: [
      ("isIos", "true"), ("isAndroid", 1), ("idempotency_key", 12_345), ("external_id", ["a"]),
      ("excluded_segments", [:]), ("target_channel", 5),
      ("buttons", [["id": "a", "text": "Hi {{ user.onesignal_id }}"]]),
      ("big_picture", "https://a.example/{{ id | upcasse }}.png"), ("custom_data", "offer"),
    ] as [(String, JSONValue)])
  func refusedMembers(name: String, value: JSONValue) throws {
    let site = try Site()
    _ = try site.player(["identifier": "token-1"])
    let body: JSONObject = ["contents": ["en": "B"], "included_segments": ["Subscribed Users"]]
    var wrong = body
    wrong[name] = value
    let answer = try site.ask("POST", "/notifications", .object(wrong))
    #expect(answer.status == 400, "\(answer.text)")
    #expect(answer.json["errors"]?[0]?.string?.hasPrefix(name) == true, "\(answer.text)")
    #expect(try site.ask("GET", "/notifications").json["total_count"] == 0)
  }

  @Test(
    "An unknown member that may narrow the audience or hold the message back is refused by name",
    arguments: [
      ("exclude_aliases", ["external_id": ["alice"]]), ("excluded_subscription_ids", ["a"]),
      ("excluded_external_user_ids", ["a"]), ("app_ids", ["a"]), ("sendAfter", "2026-12-24 18:00:00"),
      ("send_on", "2026-12-24"), ("includedSegments", ["Pros"]), ("delay_option", "timezone"), ("dry_run", true),
      ("validate_only", true), ("isFireOS", false), ("delayed_by", 60),
    ] as [(String, JSONValue)])
  func unknownMembers(name: String, value: JSONValue) throws {
    let site = try Site()
    _ = try site.player(["identifier": "token-1"])
    var members: JSONObject = ["included_segments": ["All"], "contents": ["en": "B"]]
    members[name] = value
    let body = JSONValue.object(members)
    for path in ["/notifications", "/notifications/count-unsaved"] {
      let answer = try site.ask("POST", path, body)
      #expect(answer.status == 400, "\(answer.text)")
      #expect(answer.json["errors"]?[0]?.string?.hasPrefix("\(name): ") == true, "\(answer.text)")
    }
    #expect(try site.ask("GET", "/notifications").json["total_count"] == 0)
  }

  @Test("Members that ask for nothing, and those that decide nothing, are no reason to refuse") func harmlessMembers()
    throws
  {
    let site = try Site()
    _ = try site.player(["identifier": "token-1"])
    let body: JSONValue = [
      "included_segments": ["All"], "contents": ["en": "B"], "sendAfter": .null,
      "chrome_web_icon": "https://a.example/i.png", "reference": "order 7",
    ]
    let answer = try site.ask("POST", "/notifications", body)
    #expect(answer.status == 200 && answer.json["id"]?.string?.isEmpty == false, "\(answer.text)")
  }

  @Test(
    "A filter of another type is refused with what was expected",
    arguments: [
      ([5], "filters[0]: expected an object"), (["tag"], "filters[0]: expected an object"),
      (
        [["field": "tag", "key": "plan", "relation": "=", "value": true]],
        "filters[0].value: expected a text, found a boolean"
      ),
      (
        [["field": "tag", "key": "plan", "relation": "=", "value": ["a"]]],
        "filters[0].value: expected a text, found an array"
      ),
    ] as [(JSONValue, String)])
  func filterTypes(filters: JSONValue, said: String) throws {
    let answer = try Site().ask("POST", "/notifications/count-unsaved", ["filters": filters])
    #expect(answer.status == 400 && answer.text.contains(said), "\(answer.text)")
  }

  @Test("A time zone that does not exist is refused, and nothing of the request is kept") func zones() throws {
    let site = try Site()
    let id = try site.player(["identifier": "token-1", "timezone_id": "Europe/Vienna", "external_user_id": "gil"])
    let path = "/apps/{app}/users/by/external_id/gil"
    let before = try site.ask("GET", "/players").json["total_count"]
    let change = try site.ask("PATCH", path, ["properties": ["timezone_id": "Mars/Base", "tags": ["a": "1"]]])
    #expect(
      change.status == 400 && change.text.contains("properties.timezone_id: there is no time zone"), "\(change.text)")
    let player = try site.ask(
      "POST", "/players", ["device_type": 1, "identifier": "token-2", "timezone_id": "Mars/Base"])
    #expect(player.status == 400 && player.text.contains("timezone_id: there is no time zone"), "\(player.text)")
    #expect(try site.ask("GET", "/players/\(id)").json["timezone_id"] == "Europe/Vienna")
    #expect(try site.ask("GET", path).json["properties"]?["tags"] == [:])
    #expect(try site.ask("GET", "/players").json["total_count"] == before)
  }

  @Test("An operator inside a filter is refused, and not left out") func operatorInside() throws {
    let site = try Site()
    let filter: JSONValue = ["field": "tag", "key": "plan", "relation": "=", "value": "pro", "operator": "OR"]
    let answer = try site.ask("POST", "/notifications/count-unsaved", ["filters": [filter]])
    #expect(answer.status == 400 && answer.text.contains("filters[0].operator"), "\(answer.text)")
  }

  @Test(
    "A subscription that says wrongly whether it is one stays as it is",
    arguments: [["enabled": "false"], ["enabled": 0], ["notification_types": "-2"], ["token": 5], ["test_type": "1"]]
      as [JSONValue])
  func refusedSubscriptions(change: JSONValue) throws {
    let site = try Site()
    let id = try site.player(["identifier": "token-1", "notification_types": -2])
    let answer = try site.ask("PATCH", "/apps/{app}/subscriptions/\(id)", ["subscription": change])
    #expect(answer.status == 400, "\(answer.text)")
    #expect(try site.ask("GET", "/players/\(id)").json["notification_types"] == -2)
  }

  @Test("What is refused has written nothing") func nothingHalfWritten() throws {
    let site = try Site()
    let long = String(repeating: "n", count: 300)
    let before = try site.ask("GET", "/players").json["total_count"]
    let user: JSONValue = [
      "identity": ["external_id": "eve"], "subscriptions": [["type": "AndroidPush", "token": "token-1"]],
      "properties": ["tags": [long: "1"]],
    ]
    #expect(try site.ask("POST", "/apps/{app}/users", user).status == 400)
    #expect(try site.ask("GET", "/apps/{app}/users/by/external_id/eve").status == 404)
    #expect(try site.ask("GET", "/players").json["total_count"] == before)
    for (name, value) in [("subscriptions", ["a": [:]]), ("properties", "x"), ("identity", "eve")]
      as [(String, JSONValue)]
    {
      var body: JSONObject = ["identity": ["external_id": "eve"]]
      body[name] = value
      #expect(try site.ask("POST", "/apps/{app}/users", .object(body)).status == 400, "\(name)")
    }
    #expect(try site.ask("POST", "/apps/{app}/users", ["identity": ["external_id": "eve"]]).status == 201)
    let path = "/apps/{app}/users/by/external_id/eve"
    #expect(try site.ask("PATCH", path, ["properties": ["tags": ["half": "1"], "language": 5]]).status == 400)
    #expect(try site.ask("GET", path).json["properties"]?["tags"] == [:])
    let id = try site.player(["identifier": "token-2"])
    let change: JSONValue = ["subscription": ["token": "token-3", "app_version": 5]]
    #expect(try site.ask("PATCH", "/apps/{app}/subscriptions/\(id)", change).status == 400)
    #expect(try site.ask("GET", "/players/\(id)").json["identifier"] == "token-2")
  }

  @Test("A saved segment under one of OneSignal's names is that segment") func ownNames() throws {
    let site = try Site()
    for number in 0..<3 {
      _ = try site.player(["identifier": .string("token-\(number)"), "language": number == 0 ? "de" : "en"])
    }
    for (name, title) in [("mine", "All Users"), ("also", "Active Users")] {
      let filter: JSONValue = ["field": "locale", "op": "eq", "value": "de"]
      let body: JSONValue = ["name": .string(name), "title": .string(title), "filter": filter]
      #expect(try site.fixture.post("/v1/apps/demo/segments", body).status == 201)
      let count = try site.ask("POST", "/notifications/count-unsaved", ["included_segments": [.string(title)]])
      #expect(count.json["count"] == 1, "\(count.text)")
    }
  }

  @Test("A view has the message's fields and no others, under its own id") func views() throws {
    let site = try Site()
    _ = try site.player(["identifier": "token-1"])
    let body: JSONValue = [
      "contents": ["en": "B"], "included_segments": ["All"], "id": "boo", "kind": "a", "adm_group": 5,
    ]
    let made = try site.ask("POST", "/notifications", body)
    let id = try #require(made.json["id"]?.string, "\(made.text)")
    let shown = try site.ask("GET", "/notifications/\(id)").json
    #expect(shown["id"] == .string(id) && shown["contents"] == ["en": "B"], "\(shown)")
    #expect(shown["kind"] == nil && shown["adm_group"] == nil, "\(shown)")
  }

  @Test("Whoever refuses pushes is not sent to and not counted") func refusing() throws {
    let site = try Site()
    _ = try site.player(["identifier": "token-1", "external_user_id": "fay", "notification_types": -2])
    let body: JSONValue = ["contents": ["en": "B"], "include_external_user_ids": ["fay"]]
    #expect(try site.ask("POST", "/notifications", body).json["errors"] == ["All included players are not subscribed"])
    #expect(try site.ask("POST", "/notifications/count-unsaved", body).json["count"] == 0)
  }

  @Test(
    "A switch that is on leaves its devices alone, one that is off takes them away, and no other kind goes with them",
    arguments: [
      ([:], 4), (["isIos": true], 1), (["isAndroid": true], 1), (["isHuawei": true], 1), (["isAnyWeb": true], 1),
      (["isIos": false], 3), (["isAndroid": false], 3), (["isHuawei": false], 3), (["isAnyWeb": false], 3),
      (["isIos": true, "isHuawei": true], 2), (["isIos": false, "isAndroid": false], 2),
      (["isIos": true, "isAnyWeb": false], 1),
      (["isIos": false, "isAndroid": false, "isHuawei": false, "isAnyWeb": false], nil),
    ] as [(JSONObject, Int?)])
  func switches(given: JSONObject, count: Int?) throws {
    let site = try Site()
    // The demo app has an iPhone and an Android phone.
    let web: JSONValue = [
      "device_type": 5, "identifier": "https://fcm.googleapis.com/fcm/send/abc", "web_auth": "BTBZMqHH6r4Tts7J_aSIgg",
      "web_p256": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    ]
    for body in [["device_type": 13, "identifier": "IQAAAACy0BVxAAB"], web] as [JSONValue] {
      let answer = try site.ask("POST", "/players", body)
      #expect(answer.status == 200, "\(answer.text)")
    }
    var body = given
    body["included_segments"] = ["All"]
    let answer = try site.ask("POST", "/notifications/count-unsaved", .object(body))
    #expect(answer.json["count"]?.int == count && answer.status == (count == nil ? 400 : 200), "\(answer.text)")
  }

  @Test(
    "One that can be nobody's among those who are listed is named, and the others get the message",
    arguments: [
      (
        "include_ios_tokens", ["zz", .string(String(repeating: "5a", count: 32)), ""],
        ["invalid_ios_tokens": ["zz", ""]]
      ),
      ("include_android_reg_ids", ["a b", "token-1"], ["invalid_android_reg_ids": ["a b"]]),
      ("include_external_user_ids", ["", "gil"], ["invalid_external_user_ids": [""]]),
      (
        "include_external_user_ids", ["gil", .string(String(repeating: "n", count: 251))],
        ["invalid_external_user_ids": [.string(String(repeating: "n", count: 251))]]
      ),
      ("include_aliases", ["external_id": ["", "gil"]], ["invalid_aliases": ["external_id": [""]]]),
      ("include_player_ids", ["", "PLAYER", "x"], ["invalid_player_ids": ["", "x"]]),
    ] as [(String, JSONValue, JSONValue)])
  func someAreNobody(member: String, listed: JSONValue, errors: JSONValue) throws {
    let site = try Site()
    let player = try site.player(["identifier": "token-1", "external_user_id": "gil"])
    let named = try #require(try? JSON.parse(JSON.minifiedText(listed).replacing("PLAYER", with: player)))
    var members: JSONObject = ["contents": ["en": "B"]]
    members[member] = named
    let sent = try site.ask("POST", "/notifications", .object(members))
    #expect(sent.status == 200 && sent.json["errors"] == errors, "\(sent.text)")
    let id = try #require(sent.json["id"]?.string)
    let shown = try site.ask("GET", "/notifications/\(id)")
    #expect(shown.json["remaining"] == 1, "\(shown.text)")
    let count = try site.ask("POST", "/notifications/count-unsaved", .object(members))
    #expect(count.json["count"] == 1, "\(count.text)")
  }

  @Test("When everybody who is listed can be nobody's, nothing is sent, now or later") func allAreNobody() throws {
    let site = try Site()
    for body: JSONObject in [
      ["include_ios_tokens": ["zz"]], ["include_external_user_ids": [""], "send_after": "2027-12-24 18:00:00"],
      ["include_ios_tokens": ["zz"], "send_after": "2027-12-24 18:00:00"],
    ] {
      var body = body
      body["contents"] = ["en": "B"]
      let answer = try site.ask("POST", "/notifications", .object(body))
      #expect(answer.status == 200 && answer.json["id"] == "", "\(answer.text)")
      #expect(answer.json["errors"]?.object?.count == 1, "\(answer.text)")
    }
    #expect(try site.ask("GET", "/notifications").json["total_count"] == 0)
  }

  @Test func fieldsOfAListAreTheCallers() throws {
    let list = try OneSignalList(["", "a", "b"], theirs: "ids", ours: "to.tokens", max: 3) { $0.isEmpty ? nil : $0 }
    #expect(list.texts == ["a", "b"] && list.bad == [""])
    for (ours, theirs) in [
      ("to.tokens[0].token", "ids[1]"), ("to.tokens[1].type", "ids[2].type"), ("to.tokens", "ids"), ("to", "to"),
      ("message.title", "message.title"), ("to.tokens[9]", "ids[9]"),
    ] { #expect(list.naming(ours) == theirs) }
    #expect(throws: Problem.self) {
      try OneSignalList(["a", "b"], theirs: "ids", ours: "to", max: 1) { $0 }
    }
  }

  @Test(
    "A refusal names the member as the caller wrote it",
    arguments: [
      ("/players", ["identifier": "x"], "device_type: is required"),
      ("/players", ["device_type": 1], "identifier: is required"),
      ("/players", ["device_type": 0, "identifier": "zz"], "identifier: "),
      ("/players", ["device_type": 7, "identifier": "x"], "device_type: \"7\" is not here"),
      (
        "/apps/{app}/users",
        [
          "identity": ["external_id": "eve"],
          "subscriptions": [["type": "AndroidPush", "token": "t-1"], ["type": "iOSPush", "token": "zz"]],
        ], "subscriptions[1].token: "
      ),
      (
        "/apps/{app}/users", ["identity": ["external_id": "eve"], "subscriptions": [["type": "iOSPush"]]],
        "subscriptions[0].token: is required"
      ),
      ("/apps/{app}/users", ["identity": ["external_id": 5]], "identity.external_id: expected a text"),
      (
        "/apps/{app}/users", ["identity": ["external_id": .string(String(repeating: "n", count: 251))]],
        "identity.external_id: expected at most 250 characters"
      ),
      ("/notifications", ["contents": ["en": "B"], "include_ios_tokens": ["zz", 5]], "include_ios_tokens[1]: "),
    ] as [(String, JSONValue, String)])
  func membersAreTheCallers(path: String, body: JSONValue, said: String) throws {
    let site = try Site()
    let before = try site.ask("GET", "/players").json["total_count"]
    let answer = try site.ask("POST", path, body)
    #expect(answer.status == 400, "\(answer.text)")
    #expect(answer.json["errors"]?[0]?.string?.hasPrefix(said) == true, "\(answer.text)")
    #expect(try site.ask("GET", "/players").json["total_count"] == before)
  }

  @Test(
    "Calls of the older clients that are not here say so",
    arguments: ["/players/x/on_focus", "/templates/x/copy_to_app_id"])
  func olderCalls(path: String) throws {
    let answer = try Site().ask("POST", path, ["app_id": "x"])
    #expect(answer.status == 400 || answer.status == 403, "\(answer.text)")
    let plain = try Site().ask("POST", path, [:])
    #expect(plain.status == 400 && plain.json["errors"]?[0]?.string?.hasPrefix("POST /") == true, "\(plain.text)")
  }
}
