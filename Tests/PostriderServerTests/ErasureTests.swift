import HTTPServer
import PostriderServer
import TestEngines
import TestSupport
import Testing
import WireJSON

/// Erasing a user takes them out of everything that names them, and of what was given for them; what others are sent stays.
@Suite(.onBothEngines, .timeLimit(.minutes(5))) struct ErasureTests {
  static let user = "Zanzibar-Ann-4711"
  static let secrets = [
    user, "ann-4711@example.com", "+43 660 4711 4711", "Annabella 4711", "value-of-ann-4711", "phone-of-ann-4711",
    "order-for-\(user)", ServerFixture.iosToken, ServerFixture.androidToken,
  ]

  let fixture: ServerFixture

  init() throws {
    fixture = try ServerFixture()
    #expect(try fixture.post("/v1/apps", ["name": "demo", "contract": "amba"]).status == 201)
    let credentials = JSON.minifiedText(try ServerFixture.credentials())
    #expect(try fixture.send("PUT", "/v1/apps/demo/credentials", credentials).status == 200)
    try register()
  }

  private func register() throws {
    for (user, token, name) in [
      (Self.user, ServerFixture.androidToken, "phone-of-ann-4711"), ("bob", String(repeating: "b0b0", count: 16), "b"),
    ] {
      let device: JSONValue = [
        "type": token == ServerFixture.androidToken ? "android" : "ios", "token": .string(token), "user": .string(user),
        "name": .string(name), "properties": ["secret": .string("value-of-ann-4711")],
      ]
      let mine = user == Self.user ? device : .object((device.object ?? [:]).without("properties"))
      #expect(try fixture.post("/v1/apps/demo/devices", mine).status == 201)
    }
    let profile: JSONValue = [
      "email": .string(Self.secrets[1]), "phone": .string(Self.secrets[2]), "display_name": .string(Self.secrets[3]),
    ]
    #expect(
      try fixture.send("PATCH", "/v1/apps/demo/users/\(Self.user)", JSON.minifiedText(profile)).status == 200)
  }

  private func made(_ path: String, _ body: JSONValue, key: String? = nil) throws -> String {
    let answer = try fixture.post(
      "/v1/apps/demo/\(path)", body, headers: key.map { ["Idempotency-Key: \($0)"] } ?? [])
    #expect((200..<300).contains(answer.status), "\(answer.text)")
    return try #require(answer.json["id"]?.string ?? answer.json["name"]?.string)
  }

  private var both: JSONValue { ["users": [.string(Self.user), "bob"]] }
  private var values: JSONValue {
    .object([Self.user: ["name": "value-of-ann-4711"], "bob": ["name": "Bob"]])
  }
  private let message: JSONValue = ["title": "Hello {{name}}", "body": "B"]

  @Test func leavesNothingOfAUserAnywhere() throws {
    let scheduled: JSONValue = [
      "to": both, "user_values": values, "message": message, "send_at": "2030-01-01T00:00:00Z",
    ]
    let draft: JSONValue = ["to": both, "user_values": values, "message": message, "draft": true, "campaign": "d"]
    let sent = try made(
      "pushes", ["to": both, "user_values": values, "message": message, "campaign": "c-1"],
      key: "order-for-\(Self.user)")
    let alone: JSONValue = ["to": ["users": [.string(Self.user)]], "message": message, "draft": true]
    let tokens: JSONValue = [
      "to": [
        "tokens": [
          ["type": "android", "token": .string(ServerFixture.androidToken), "values": ["name": "value-of-ann-4711"]],
          ["type": "ios", "token": .string(String(repeating: "cafe", count: 16))],
        ]
      ], "message": message, "values": [:], "draft": true,
    ]
    let (planned, drafted) = (try made("pushes", scheduled), try made("pushes", draft))
    let (lonely, listed) = (try made("pushes", alone), try made("pushes", tokens))
    let rule: JSONValue = ["every": "day", "start": "2030-01-31T09:00:00", "timezone": "UTC"]
    let schedule = try made("schedules", ["to": both, "user_values": values, "message": message, "repeat": rule])
    let ending = try made("schedules", ["to": ["users": [.string(Self.user)]], "message": message, "repeat": rule])
    let filter: JSONValue = [
      "operator": "OR",
      "conditions": [
        ["field": "id", "op": "eq", "value": .string(Self.user)],
        ["field": "email", "op": "eq", "value": .string(Self.secrets[1])],
        ["field": "properties.plan", "op": "eq", "value": "pro"],
      ],
    ]
    _ = try made("segments", ["name": "some", "filter": filter])
    let filtered = try made("pushes", ["to": ["filter": filter], "message": ["title": "T", "body": "B"]])
    let answer = try fixture.send("DELETE", "/v1/apps/demo/users/\(Self.user)")
    #expect(answer.status == 200 && answer.json["left"] == 0, "\(answer.text)")
    // Nobody empties the log of a database server.
    #expect(answer.json["log_emptied"]?.bool == (Engine.current == .sqlite))
    let pseudonym = try #require(answer.json["pseudonym"]?.string)
    // Whether the filtered push had gathered its audience by then is a matter of time.
    let counts = (answer.json["counts"]?.array ?? []).filter { $0["rows"] != 0 && $0["table"] != "deliveries" }.map {
      "\($0["table"]?.string ?? "") \($0["act"]?.string ?? "") \($0["rows"]?.int ?? 0)"
    }
    #expect(
      counts == [
        "push_plans redacted 5", "schedules redacted 2", "push_contents redacted 1",
        "segments redacted 1", "push_segments redacted 1", "device_attributes removed 1", "devices removed 1",
        "user_attributes removed 3", "users removed 1",
      ])
    try expectOthersUntouched([sent, planned, drafted], listed, schedule)
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes/\(lonely)").json["state"] == "cancelled")
    #expect(try fixture.send("GET", "/v1/apps/demo/schedules/\(ending)").json["ended_at"] != nil)
    let segment = try fixture.send("GET", "/v1/apps/demo/segments/some").json["filter"]?["conditions"]?.array ?? []
    #expect(segment.map { $0["value"] } == [.string(pseudonym), .string(pseudonym), "pro"])
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes/\(filtered)").status == 200)
    // Who erased whom is in the log, without saying who it was.
    let act = try #require(try fixture.send("GET", "/v1/audit").json["acts"]?.array?.first)
    #expect(act["act"] == "deleteUser" && act["target"] == .string("/v1/apps/demo/users/\(pseudonym)"))
    try expectNoTrace()
    // The same request again is still the same request.
    let again = try fixture.post(
      "/v1/apps/demo/pushes", ["to": both, "user_values": values, "message": message, "campaign": "c-1"],
      headers: ["Idempotency-Key: order-for-\(Self.user)"])
    #expect(again.json["id"] == .string(sent) && again.json["replayed"] == true)
  }

  private func expectOthersUntouched(_ pushes: [String], _ listed: String, _ schedule: String) throws {
    for push in pushes {
      let request = try fixture.send("GET", "/v1/apps/demo/pushes/\(push)").json["request"]
      #expect(request?["to"] == ["users": ["bob"]] && request?["user_values"] == ["bob": ["name": "Bob"]])
    }
    let tokens = try fixture.send("GET", "/v1/apps/demo/pushes/\(listed)").json["request"]?["to"]?["tokens"]
    #expect(tokens?.array?.count == 1)
    let request = try fixture.send("GET", "/v1/apps/demo/schedules/\(schedule)").json["request"]
    #expect(request?["to"] == ["users": ["bob"]] && request?["user_values"] == ["bob": ["name": "Bob"]])
    let counts = try fixture.send("GET", "/v1/apps/demo/pushes/\(pushes[0])").json["counts"]
    #expect(counts?["targeted"] == 2)
  }

  /// Reads every file that the server keeps, and what it logged.
  private func expectNoTrace() throws {
    let folder = fixture.folder.path + "/data"
    for name in try Files.list(folder) {
      let bytes = String(decoding: try Files.read(folder + "/" + name), as: UTF8.self)
      for secret in Self.secrets { #expect(!bytes.contains(secret), "\(secret) is left in \(name)") }
    }
    for secret in Self.secrets { #expect(!fixture.lines.text.contains(secret), "\(secret) is in the log") }
  }
}

extension JSONObject {
  fileprivate func without(_ name: String) -> JSONObject {
    var object = self
    object[name] = nil
    return object
  }
}
