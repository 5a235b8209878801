import HTTPServer
import Signing
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// The PowerAuth push server's interface: what strangers and careless callers send.
///
/// What arrives at the providers is judged by `Tests/Interop/test_compat_powerauth.py`.
@Suite(.timeLimit(.minutes(2))) struct CompatPowerAuthTests {
  struct Site {
    let fixture: ServerFixture
    let key: String

    init(_ app: JSONValue = [:]) throws {
      fixture = try ServerFixture()
      _ = try fixture.makeDemo()
      key = try fixture.key(["compat"], app: "demo")
      #expect(try enable(app).status == 200)
    }

    func enable(_ app: JSONValue) throws -> ServerFixture.Answer {
      try fixture.send("PATCH", "/v1/apps/demo", JSON.minifiedText(["compat": ["powerauth": app]]))
    }

    func ask(
      _ method: String, _ path: String, _ body: String? = nil, headers: [String]? = nil
    ) throws -> ServerFixture.Answer {
      try fixture.send(
        method, "/compat/powerauth" + path, body, key: .some(nil), headers: headers ?? ["Authorization: Bearer \(key)"])
    }

    func post(_ path: String, _ object: JSONValue) throws -> ServerFixture.Answer {
      try ask("POST", path, JSON.minifiedText(["requestObject": object]))
    }

    /// What the app has: devices with all that is known of them, and pushes.
    func state() throws -> [String] {
      try ["devices", "pushes", "users"].map { try fixture.send("GET", "/v1/apps/demo/\($0)?limit=200").text }
    }

    func device(named name: String) throws -> JSONValue? {
      let devices = try fixture.send("GET", "/v1/apps/demo/devices?limit=200").json["devices"]?.array ?? []
      return devices.first { $0["name"]?.string == name }
    }
  }

  static let token = String(repeating: "5a", count: 32)

  static func device(_ more: JSONObject = [:]) -> JSONValue {
    var object: JSONObject = [
      "appId": "demo", "token": .string(token), "platform": "apns", "activationId": "act-1",
    ]
    for (name, value) in more { object[name] = value }
    return .object(object)
  }

  static func code(_ answer: ServerFixture.Answer) -> String? {
    answer.json["responseObject"]?["code"]?.string
  }

  // MARK: - Who is let in

  @Test("Every route wants a key, but for the document") func everyRouteWantsAKey() throws {
    let site = try Site()
    for route in CompatVendor.powerAuth.routes where route.name != "powerauthDocument" {
      let path = route.pattern.replacing("/compat/powerauth", with: "").replacing("{campaign}", with: "1")
      for headers in [[], ["Authorization: Bearer \(site.fixture.admin)"], ["Authorization: Basic Og=="]] {
        let answer = try site.ask(
          route.method.rawValue, path, route.method == .get ? nil : "{}", headers: headers)
        #expect(answer.status == 401 || answer.status == 403, "\(route.name) \(answer)")
        #expect(answer.json["status"] == "ERROR" && Self.code(answer) == "ERROR_GENERIC", "\(route.name) \(answer)")
      }
    }
    let document = try site.ask("GET", "/openapi.json", headers: [])
    #expect(document.status == 200)
    let patterns = Set(CompatVendor.powerAuth.routes.map(\.pattern))
    #expect(Set((document.json["paths"]?.object ?? [:]).keys) == patterns)
  }

  @Test("A key in the path is a key, never a part of the path") func keyInPath() throws {
    let site = try Site()
    let unknown = "prk_" + String(repeating: "a", count: 43)
    let status = "/push/service/status"
    #expect(try site.ask("GET", "/\(site.key)\(status)", headers: []).status == 200)
    #expect(try site.ask("GET", "/\(site.key)/v1\(status)", headers: []).status == 200)
    for path in [
      "/\(unknown)\(status)", "/\(site.key)0\(status)", "/\(site.key.dropLast())\(status)", "/prk_\(status)",
      "/\(site.key)/\(site.key)\(status)", "/v1/\(site.key)\(status)", "/PRK_\(site.key.dropFirst(4))\(status)",
      "\(status)/\(site.key)", "//\(site.key)\(status)", "/%2F\(site.key)\(status)",
      "/\(site.key)%2Fpush/service/status",
    ] {
      let answer = try site.ask("GET", path, headers: [])
      #expect(answer.status == 401 || answer.status == 404, "\(path) \(answer)")
      #expect(!answer.text.contains(site.key) && !answer.text.contains(unknown), "\(path)")
      #expect(!answer.headers.values.contains { $0.contains(site.key) }, "\(path)")
    }
    // A key that is revoked opens nothing from then on.
    let listed = try site.fixture.send("GET", "/v1/keys").json["keys"]?.array ?? []
    let id = try #require(listed.first { $0["scopes"] == ["compat"] }?["id"]?.string)
    #expect(try site.fixture.send("DELETE", "/v1/keys/\(id)").status < 300)
    #expect(try site.ask("GET", "/\(site.key)\(status)", headers: []).status == 401)
  }

  @Test("A key in the path opens this interface alone") func keyInPathIsOfThisInterface() throws {
    let site = try Site()
    for (scopes, app) in [(["admin"], "demo"), (["admin"], nil), (["compat", "read"], "demo"), (["send"], "demo")]
      as [([String], String?)]
    {
      let key = try site.fixture.key(.array(scopes.map { .string($0) }), app: app)
      #expect(try site.ask("GET", "/\(key)/push/service/status", headers: []).status == 403, "\(scopes)")
    }
    for path in ["/\(site.key)/v1/apps/demo", "/v1/\(site.key)/apps", "/compat/onesignal/\(site.key)/notifications"] {
      #expect(try site.fixture.send("GET", path, key: .some(nil)).status == 404, "\(path)")
    }
    let basic = "Authorization: Basic " + Base64.encode(Array("user:\(site.fixture.admin)".utf8))
    #expect(try site.fixture.send("GET", "/v1/apps", key: .some(nil), headers: [basic]).status == 401)
  }

  @Test("A key is in no line of the log, whatever form it came in") func keysAreNotLogged() throws {
    let site = try Site()
    let pair = Base64.encode(Array("backend:\(site.key)".utf8))
    for path in ["/push/service/status", "/push/none", "/push/message/send", "", "/%zz", "/openapi.json"] {
      for method in ["GET", "POST", "DELETE", "BREW"] {
        _ = try site.ask(method, "/\(site.key)\(path)", "{", headers: [])
        _ = try site.ask(method, path, "{", headers: ["Authorization: Basic \(pair)"])
      }
    }
    _ = try site.ask("GET", "/\(site.key)0/push/service/status", headers: [])
    #expect(site.fixture.lines.text.contains("/compat/powerauth/push/service/status"))
    for secret in [site.key, String(site.key.dropFirst(4)), pair] {
      #expect(!site.fixture.lines.text.contains(secret))
    }
  }

  // MARK: - The app

  @Test("An app has the id that is chosen, and its name at first") func appIDs() throws {
    let site = try Site()
    #expect(try site.post("/push/device/create", Self.device()).status == 200)
    for (change, id) in [
      (["app_id": "2"], "2"), ([:], "2"), (.null, nil), ([:], "2"), (["app_id": "some.id-2_x"], "some.id-2_x"),
    ] as [(JSONValue, String?)] {
      let shown = try site.enable(change).json["compat"]
      #expect(shown == id.map { ["powerauth": ["app_id": .string($0)]] }, "\(change)")
    }
    #expect(Self.code(try site.post("/push/device/create", Self.device())) == "ERROR_APP_NOT_FOUND")
    #expect(try site.post("/push/device/create", Self.device(["appId": "some.id-2_x"])).status == 200)
    _ = try site.enable(["app_id": "2"])
    for (value, code) in [
      (2, nil), ("2", nil), (2.0, "ERROR_APP_NOT_FOUND"), ("02", "ERROR_APP_NOT_FOUND"), (true, "ERROR_REQUEST"),
      ([2], "ERROR_REQUEST"), ([:], "ERROR_REQUEST"), (.null, "ERROR_GENERIC"), ("", "ERROR_GENERIC"),
    ] as [(JSONValue, String?)] {
      let answer = try site.post("/push/device/delete", ["appId": value, "token": "t"])
      #expect(Self.code(answer) == code && answer.status == (code == nil ? 200 : 400), "\(value) \(answer.text)")
    }
    for wrong in [
      ["app_id": 5], ["app_id": ""], ["app_id": "söme"], ["app_id": "bank/x"], ["app_id": "bank x"],
      ["app_id": .string(String(repeating: "x", count: 101))], "x", true,
    ]
      as [JSONValue]
    {
      #expect(try site.enable(wrong).status == 422, "\(wrong)")
    }
    // Other settings stay, and the contract's.
    #expect(try site.fixture.send("GET", "/v1/apps/demo").json["contract"] == "amba")
    #expect(try site.fixture.send("PATCH", "/v1/apps/demo", #"{"title": "T"}"#).json["compat"] != nil)
    #expect(
      try site.fixture.send("PATCH", "/v1/apps/demo", #"{"compat": {"onesignal": {}}}"#).status == 200)
    let wrong = try site.fixture.send("PATCH", "/v1/apps/demo", #"{"compat": {"onesignal": {"app_id": "mine"}}}"#)
    #expect(wrong.status == 422 && wrong.detail.hasPrefix("compat.onesignal.app_id: expected a UUID"), "\(wrong.text)")
    let both = try site.fixture.send("GET", "/v1/apps/demo").json["compat"]
    #expect(CompatID.isUUID(both?["onesignal"]?["app_id"]?.string ?? "") && both?["powerauth"]?["app_id"] == "2")
  }

  // MARK: - Hostile requests

  /// A correct request for each operation with an object in an envelope.
  private static let requests: [(path: String, object: JSONObject)] = [
    ("/push/device/create", device().object ?? [:]),
    (
      "/push/device/create/multi",
      ["appId": "demo", "token": .string(token), "platform": "ios", "activationIds": ["a", "b"], "userId": "ann"]
    ),
    ("/push/device/delete", ["appId": "demo", "token": "t"]),
    (
      "/push/message/send",
      [
        "appId": "demo", "mode": "ASYNCHRONOUS",
        "message": [
          "userId": "ann", "activationId": "act-1", "priority": "HIGH", "attributes": ["silent": false],
          "body": ["title": "T"],
        ],
      ]
    ),
    (
      "/push/message/batch/send",
      ["appId": "demo", "mode": "ASYNCHRONOUS", "batch": [["userId": "ann", "body": ["title": "T"]]]]
    ),
    ("/push/campaign/create", ["appId": "demo", "message": ["title": "T"]]),
    ("/admin/app/detail", ["appId": "demo", "includeApns": true]),
  ]

  @Test("A value of another type is refused in every member, and nothing is written", arguments: 0..<7)
  func wrongTypes(index: Int) throws {
    let site = try Site()
    let (path, object) = Self.requests[index]
    let before = try site.state()
    let odd: [JSONValue] = [
      true, 5, -1.5, "", "\u{0}", [], [.null], [:], ["a": 1], .string(String(repeating: "x", count: 9_999)),
    ]
    for (name, good) in object {
      for value in odd where value.kind != good.kind || name == "token" && value == "" {
        var wrong = object
        wrong[name] = value
        let answer = try site.post(path, .object(wrong))
        #expect(answer.status == 400, "\(path) \(name) \(value) \(answer.text)")
        #expect(answer.json["status"] == "ERROR" && Self.code(answer)?.hasPrefix("ERROR_") == true, "\(answer.text)")
      }
    }
    #expect(try site.state() == before)
    let answer = try site.post(path, .object(object))
    #expect(answer.status == 200, "\(path) \(answer.text)")
  }

  @Test("A member that is not known is named, and nothing is written", arguments: 0..<7)
  func unknownMembers(index: Int) throws {
    let site = try Site()
    let (path, object) = Self.requests[index]
    let before = try site.state()
    var wrong = object
    wrong["surprise"] = "x"
    let answer = try site.post(path, .object(wrong))
    #expect(answer.status == 400 && Self.code(answer) == "ERROR_REQUEST", "\(answer.text)")
    #expect(
      answer.json["responseObject"]?["violations"]?[0]?["fieldName"] == "requestObject.surprise", "\(answer.text)")
    let beside = try site.ask(
      "POST", path, JSON.minifiedText(["requestObject": .object(object), "surprise": 1]))
    #expect(beside.json["responseObject"]?["violations"]?[0]?["fieldName"] == "surprise", "\(beside.text)")
    // A long name is cut, and what is null asks for nothing.
    let long = String(repeating: "n", count: 5_000)
    let cut = try site.post(path, .object(JSONObject([(long, JSONValue.number(JSONNumber(1)))])))
    #expect(cut.status == 400 && cut.text.utf8.count < 1_000)
    #expect(try site.state() == before)
    wrong["surprise"] = .null
    #expect(try site.post(path, .object(wrong)).status == 200)
  }

  @Test("Bodies that are none, and long lists") func bodies() throws {
    let site = try Site()
    let before = try site.state()
    for path in Self.requests.map(\.path) {
      for body in [
        "", "{", "[]", "null", "5", #""x""#, "{}", #"{"requestObject": null}"#, #"{"requestObject": []}"#,
        #"{"requestObject": "x"}"#, #"{"requestObject": {}}"#, String(repeating: "[", count: 200),
      ] {
        let answer = try site.ask("POST", path, body)
        #expect(answer.status == 400, "\(path) \(body) \(answer.text)")
      }
    }
    let many = JSONValue.array((0..<20_000).map { .string("a\($0)") })
    var several = Self.device(["activationIds": many]).object ?? [:]
    several["activationId"] = JSONValue?.none
    #expect(try site.post("/push/device/create/multi", .object(several)).status == 400)
    let message: JSONValue = ["userId": "ann", "body": ["title": "T"]]
    let batch = JSONValue.array(Array(repeating: message, count: 10_000))
    #expect(try site.post("/push/message/batch/send", ["appId": "demo", "batch": batch]).status == 400)
    let arguments = JSONValue.array((0..<5_000).map { .string("argument \($0)") })
    let long: JSONValue = ["userId": "ann", "body": ["bodyLocKey": "k", "bodyLocArgs": arguments]]
    #expect(try site.post("/push/message/send", ["appId": "demo", "message": long]).status == 400)
    #expect(try site.state() == before)
  }

  @Test("A batch with one message that is refused sends none") func batchIsWhole() throws {
    let site = try Site()
    #expect(try site.post("/push/device/create", Self.device(["userId": "ann"])).status == 200)
    let good: JSONValue = ["userId": "ann", "body": ["title": "T"]]
    let before = try site.state()
    for bad in [
      .null, [:], 5, ["userId": "ann"], ["body": ["title": "T"]],
      ["userId": "ann", "body": ["badge": -5, "title": 1]],
      ["userId": "nobody", "body": ["title": 1]], ["userId": "ann", "body": [:]],
    ] as [JSONValue] {
      let request: JSONValue = ["appId": "demo", "mode": "ASYNCHRONOUS", "batch": [good, bad]]
      #expect(try site.post("/push/message/batch/send", request).status == 400, "\(bad)")
    }
    #expect(try site.state() == before)
    let request: JSONValue = ["appId": "demo", "mode": "ASYNCHRONOUS", "batch": [good, good]]
    let sent = try site.post("/push/message/batch/send", request)
    #expect(sent.json == ["status": "OK", "responseObject": ["mode": "ASYNCHRONOUS"]])
    #expect(try site.fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array?.count == 2)
  }

  @Test("Ids of campaigns that somebody has made up lead nowhere") func forgedCampaigns() throws {
    let site = try Site()
    #expect(try site.fixture.post("/v1/apps", ["name": "other"]).status == 201)
    let credentials = try ServerFixture.credentials()
    _ = try site.fixture.send("PUT", "/v1/apps/other/credentials", JSON.minifiedText(credentials))
    _ = try site.fixture.send("PATCH", "/v1/apps/other", #"{"compat": {"powerauth": {"app_id": "demo"}}}"#)
    let other = try site.fixture.key(["compat"], app: "other")
    let body = JSON.minifiedText(["requestObject": ["appId": "demo", "message": ["title": "Secret"]]])
    let made = try site.ask("POST", "/push/campaign/create", body, headers: ["Authorization: Bearer \(other)"])
    let theirs = try #require(made.json["responseObject"]?["id"]?.int)
    let users = #"{"requestObject": ["ann"]}"#
    for id in ["\(theirs)", "0", "-1", "\(Int64.max)", "9223372036854775808", "1e3", "0x1", "+1", "%00", "..", "null"] {
      for (method, path, body) in [
        ("GET", "/push/campaign/\(id)/detail", nil), ("GET", "/push/campaign/\(id)/user/list", nil),
        ("POST", "/push/campaign/\(id)/user/add", users), ("POST", "/push/campaign/\(id)/user/delete", users),
        ("POST", "/push/campaign/send/live/\(id)", "{}"),
        ("POST", "/push/campaign/send/test/\(id)", #"{"requestObject": {"userId": "ann"}}"#),
      ] as [(String, String, String?)] {
        let answer = try site.ask(method, path, body)
        #expect(answer.status == 400 || answer.status == 404, "\(path) \(answer.text)")
        #expect(!answer.text.contains("Secret"), "\(path)")
      }
    }
    #expect(try site.ask("DELETE", "/push/campaign/\(theirs)/delete").json["responseObject"] == ["deleted": false])
    let detail = try site.ask(
      "GET", "/push/campaign/\(theirs)/detail", headers: ["Authorization: Bearer \(other)"])
    #expect(detail.json["responseObject"]?["sent"] == false, "\(detail.text)")
  }

  @Test("Users that come from two callers at once are both in the campaign") func usersAtOnce() async throws {
    let site = try Site()
    let made = try site.post("/push/campaign/create", ["appId": "demo", "message": ["title": "T"]])
    let id = try #require(made.json["responseObject"]?["id"]?.int)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<12 {
        group.addTask {
          try site.post("/push/campaign/\(id)/user/add", [.string("user \(number)"), "everybody"]).status
        }
      }
      for try await status in group { #expect(status == 200) }
    }
    let listed = try site.ask("GET", "/push/campaign/\(id)/user/list?size=100").json
    let users = listed["responseObject"]?["users"]?.array?.compactMap(\.string) ?? []
    #expect(Set(users).count == 13 && users.count == 13, "\(users)")
  }

  @Test("A device that takes an activation's name without its user gets nobody's message") func takenNames() throws {
    let site = try Site()
    let made = try site.fixture.send("POST", "/v1/apps/demo/identity/keys", #"{"algorithm":"HS256"}"#)
    #expect(made.status == 201)
    #expect(try site.fixture.send("PUT", "/v1/apps/demo/identity", #"{"mode":"required"}"#).status == 200)
    let client = try site.fixture.key(["client"], app: "demo")
    let own: JSONValue = [
      "appId": "demo", "token": .string(Self.token), "platform": "apns", "activationIds": ["act-1", "act-2"],
      "userId": "ann",
    ]
    #expect(try site.post("/push/device/create/multi", own).status == 200)
    let forged = try site.fixture.send(
      "POST", "/v1/apps/demo/devices",
      #"{"type":"ios","token":"\#(String(repeating: "66", count: 32))","name":"act-2"}"#,
      key: client)
    #expect(forged.status == 201, "\(forged.text)")
    let message: JSONValue = [
      "appId": "demo", "mode": "ASYNCHRONOUS",
      "message": ["userId": "ann", "activationId": "act-2", "attributes": ["personal": true], "body": ["title": "T"]],
    ]
    #expect(try site.post("/push/message/send", message).status == 200)
    let push = try #require(try site.fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?[0]?["id"]?.string)
    let found = try site.fixture.send("GET", "/v1/apps/demo/pushes/\(push)/deliveries").json["deliveries"]?.array
    let device = try site.device(named: "act-1")
    #expect(found?.count == 1 && found?[0]["device"] == device?["id"], "\(String(describing: found))")
    // With another user's name in the message nobody gets it.
    let other: JSONValue = [
      "appId": "demo", "mode": "ASYNCHRONOUS",
      "message": ["userId": "bob", "activationId": "act-2", "body": ["title": "T"]],
    ]
    #expect(try site.post("/push/message/send", other).status == 200)
    #expect(try site.fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?[0]?["id"]?.string == push)
  }
}
