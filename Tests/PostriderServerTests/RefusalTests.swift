import HTTPServer
import PostriderServer
import TestSupport
import Testing
import WireJSON

/// What a person is told when a request cannot be served.
@Suite(.timeLimit(.minutes(1))) struct RefusalTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let method: String
    let path: String
    var body: String?
    let status: Int
    let detail: String
    var rules: [String] = []
    var testDescription: String { name }
  }

  static let iosToken = ServerFixture.iosToken
  static let big = String(repeating: "x", count: 1_050_000)

  static let rows: [Row] = [
    Row(
      name: "unknown path", method: "GET", path: "/v2/apps", status: 404,
      detail: "no such path; GET /openapi.json lists the paths that exist"),
    Row(
      name: "other method", method: "DELETE", path: "/v1/apps", status: 405,
      detail: "DELETE is not possible here; possible: POST, GET"),
    Row(
      name: "empty body", method: "POST", path: "/v1/apps", body: "", status: 400,
      detail: "the body is empty; send a JSON object"),
    Row(
      name: "no JSON", method: "POST", path: "/v1/apps", body: "name=demo", status: 400,
      detail: "expected a value, found \"name\" at line 1, column 1 (byte 0)"),
    Row(
      name: "cut JSON", method: "POST", path: "/v1/apps", body: #"{"name":"#, status: 400,
      detail: "expected a value, found the end of the text at line 1, column 9 (byte 8, at /name)"),
    Row(
      name: "too deep", method: "POST", path: "/v1/apps",
      body: String(repeating: "[", count: 65) + String(repeating: "]", count: 65), status: 400, detail: ""),
    Row(
      name: "wrong root", method: "POST", path: "/v1/apps", body: "[]", status: 422,
      detail: "expected an object, found an array", rules: ["request-type"]),
    Row(
      name: "wrong type", method: "POST", path: "/v1/apps", body: #"{"name":7}"#, status: 422,
      detail: "name: expected a string, found a number", rules: ["request-type"]),
    Row(
      name: "missing", method: "POST", path: "/v1/apps", body: #"{}"#, status: 422,
      detail: "name: is required and missing", rules: ["request-missing"]),
    Row(
      name: "several", method: "POST", path: "/v1/apps", body: #"{"title":1,"contract":2}"#, status: 422,
      detail: "name: is required and missing (and 2 more, see the report)",
      rules: ["request-missing", "request-type", "request-type"]),
    Row(
      name: "app name", method: "POST", path: "/v1/apps", body: #"{"name":"a/b"}"#, status: 422,
      detail: "name: expected letters, digits, - _ and . only, because the name is used in URLs",
      rules: ["app-name"]),
    Row(
      name: "app taken", method: "POST", path: "/v1/apps", body: #"{"name":"demo"}"#, status: 409, detail: "",
      rules: []),
    Row(
      name: "unknown app", method: "GET", path: "/v1/apps/nope", status: 404,
      detail: "there is no app \"nope\"; GET /v1/apps lists the apps"),
    Row(
      name: "unknown app of devices", method: "POST", path: "/v1/apps/nope/devices",
      body: #"{"type":"ios","token":"00"}"#, status: 404,
      detail: "there is no app \"nope\"; GET /v1/apps lists the apps"),
    Row(
      name: "big body", method: "POST", path: "/v1/apps", body: big, status: 413,
      detail: "the request body is longer than the limit of 1048576 bytes"),
    Row(
      name: "bad query", method: "GET", path: "/v1/apps?limit=3", status: 400,
      detail: "?limit: this path takes no query"),
    Row(
      name: "bad limit", method: "GET", path: "/v1/apps/demo/devices?limit=many", status: 400,
      detail: "?limit: expected a whole number, found a string", rules: ["request-type"]),
    Row(
      name: "huge limit", method: "GET", path: "/v1/apps/demo/devices?limit=1001", status: 400,
      detail: "?limit: expected a whole number from 1 to 1000, found 1001", rules: ["request-value"]),
    Row(
      name: "bad cursor", method: "GET", path: "/v1/apps/demo/devices?cursor=x", status: 400,
      detail: "?cursor: expected \"next\" of the page before, found \"x\""),
    Row(
      name: "bad token", method: "POST", path: "/v1/apps/demo/devices", body: #"{"type":"ios","token":"hello"}"#,
      status: 422,
      detail: "token: APNs device token: expected hexadecimal digits, found another character at digit 1;"
        + " send the token as hexadecimal text, not base64", rules: ["device-token"]),
    Row(
      name: "bad Android token", method: "POST", path: "/v1/apps/demo/devices",
      body: #"{"type":"android","token":"a b"}"#, status: 422,
      detail: "token: FCM registration token: expected letters, digits and marks such as : _ -, found a space, quote or"
        + " other character; check for a line break or a quoted copy", rules: ["device-token"]),
    Row(
      name: "unknown type", method: "POST", path: "/v1/apps/demo/devices", body: #"{"type":"palm","token":"00"}"#,
      status: 422,
      detail: "type: expected one of \"ios\", \"ios-voip\", \"ios-live-activity\", \"android\", \"android-fid\","
        + " \"web\", \"fcm-ios\", \"fcm-web\", \"hms\", \"ios-live-activity-start\", found \"palm\"",
      rules: ["request-value"]),
    Row(
      name: "no such device", method: "GET", path: "/v1/apps/demo/devices/999999", status: 404,
      detail: "this app has no device with that id"),
    Row(
      name: "no such push", method: "GET", path: "/v1/apps/demo/pushes/abc", status: 404,
      detail: "this app has no push with that id"),
    Row(
      name: "no audience", method: "POST", path: "/v1/apps/demo/pushes",
      body: #"{"message":{"title":"T","body":"B"},"to":{}}"#, status: 422,
      detail:
        "to: expected exactly one of \"all\", \"segment\", \"filter\", \"users\", \"aliases\", \"devices\" and \"tokens\", found 0",
      rules: ["push-audience"]),
    Row(
      name: "two audiences", method: "POST", path: "/v1/apps/demo/pushes",
      body: #"{"message":{"title":"T","body":"B"},"to":{"all":true,"users":["u"]}}"#, status: 422,
      detail:
        "to: expected exactly one of \"all\", \"segment\", \"filter\", \"users\", \"aliases\", \"devices\" and \"tokens\", found 2",
      rules: ["push-audience"]),
    Row(
      name: "bad token in audience", method: "POST", path: "/v1/apps/demo/pushes",
      body: #"{"message":{"title":"T","body":"B"},"to":{"tokens":[{"type":"ios","token":"xyz"}]}}"#, status: 422,
      detail: "to.tokens[0].token: APNs device token: expected hexadecimal digits, found another character at digit 1;"
        + " send the token as hexadecimal text, not base64", rules: ["device-token"]),
    Row(
      name: "a message that says when and to whom", method: "POST", path: "/v1/apps/demo/pushes",
      body: #"{"message":{"title":"T","body":"B","channel_id":"c","scheduled_at":"2027-01-01T00:00:00Z","#
        + #""user_id":"u"},"to":{"all":true}}"#, status: 422,
      detail: "scheduled_at: no payload carries it; take it out of the message, and create the push with send_at"
        + " (and 1 more, see the report)", rules: ["delivery-field", "delivery-field", "field-not-carried"]),
    Row(
      name: "a whole request to OneSignal", method: "POST", path: "/v1/apps/demo/pushes",
      body: #"{"contract":"onesignal","message":{"app_id":"a","contents":{"en":"Hi"},"included_segments":["Paying"],"#
        + #""send_after":"2027-01-01T00:00:00Z"},"to":{"all":true}}"#, status: 422, detail: "",
      rules: ["delivery-field", "delivery-field", "delivery-field"]),
    Row(
      name: "a template that says when", method: "PUT", path: "/v1/apps/demo/templates/sale",
      body: #"{"contract":"onesignal","message":{"contents":{"en":"Hi"},"send_after":"2027-01-01T00:00:00Z"}}"#,
      status: 422, detail: "", rules: ["delivery-field"]),
    Row(
      name: "a draft that says when", method: "POST", path: "/v1/apps/demo/pushes",
      body: #"{"message":{"title":"T","body":"B","scheduled_at":"2027-01-01T00:00:00Z"},"draft":true,"#
        + #""to":{"all":true}}"#, status: 422, detail: "", rules: ["delivery-field"]),
    Row(
      name: "a version for a language that says when", method: "POST", path: "/v1/apps/demo/pushes",
      body: #"{"message":{"title":"T","body":"B","channel_id":"c"},"locales":{"de":{"title":"T","#
        + #""body":"B","channel_id":"c","scheduled_at":"2027-01-01"}},"to":{"all":true}}"#, status: 422, detail: "",
      rules: ["field-not-carried", "delivery-field"]),
    Row(
      name: "a message of which a device shows nothing", method: "POST", path: "/v1/apps/demo/pushes",
      body: #"{"contract":"powerauth","options":["fcm-data-only"],"message":{"icon":"i"},"to":{"all":true}}"#,
      status: 422, detail: "", rules: ["field-not-carried", "device-shows-nothing", "device-shows-nothing"]),
    Row(
      name: "an option that FCM does not take", method: "POST", path: "/v1/apps/demo/pushes",
      body: #"{"contract":"imkit","options":["legacy-gcm"],"message":{"alert":"Hi"},"to":{"all":true}}"#, status: 422,
      detail: "options: imkit with the option legacy-gcm is not what FCM takes; leave the option out to send",
      rules: ["option-not-sent"]),
    Row(
      name: "unknown contract", method: "POST", path: "/v1/apps/demo/pushes",
      body: #"{"contract":"ambra","message":{"title":"T","body":"B"},"to":{"all":true}}"#, status: 422,
      detail: "contract: no contract ambra; did you mean amba?", rules: ["contract-unknown"]),
    Row(
      name: "no credentials", method: "POST", path: "/v1/apps/bare/pushes",
      body: #"{"contract":"amba","message":{"title":"T","body":"B"},"to":{"all":true}}"#, status: 409,
      detail: "the app \"bare\" has no credentials; set them with PUT /v1/apps/bare/credentials"),
    Row(
      name: "no contract", method: "POST", path: "/v1/apps/half/pushes",
      body: #"{"message":{"title":"T","body":"B"},"to":{"all":true}}"#, status: 422, detail: ""),
    Row(
      name: "credentials of the other provider", method: "POST", path: "/v1/apps/half/pushes",
      body:
        #"{"contract":"amba","message":{"title":"T","body":"B"},"to":{"tokens":[{"type":"android","token":"abc"}]}}"#,
      status: 409,
      detail: "the app \"half\" has no fcm credentials, which tokens in this request need;"
        + " set them with PUT /v1/apps/half/credentials"),
    Row(
      name: "no scope", method: "POST", path: "/v1/keys", body: #"{"name":"x","scopes":[]}"#, status: 422,
      detail: "scopes: expected at least one element, found 0", rules: ["request-value"]),
    Row(
      name: "APNs key that is none", method: "PUT", path: "/v1/apps/demo/credentials",
      body: #"{"apns":{"topic":"a.b","key":"hello","key_id":"ABC123DEFG","team_id":"DEF123GHIJ"}}"#, status: 422,
      detail: "", rules: ["credential-key"]),
    Row(
      name: "APNs without key", method: "PUT", path: "/v1/apps/demo/credentials", body: #"{"apns":{"topic":"a.b"}}"#,
      status: 422,
      detail:
        "apns: expected one of \"key\" with \"key_id\" and \"team_id\", \"certificate_p12\", and \"certificate_pem\"",
      rules: ["credential-kind"]),
    Row(
      name: "APNs certificate that is none", method: "PUT", path: "/v1/apps/demo/credentials",
      body: #"{"apns":{"topic":"a.b","certificate_pem":"hello"}}"#, status: 422, detail: "",
      rules: ["credential-certificate"]),
    Row(
      name: "service account that is none", method: "PUT", path: "/v1/apps/demo/credentials",
      body: #"{"fcm":{"service_account":{"type":"x"}}}"#, status: 422,
      detail: "fcm.service_account: \"type\" is \"x\", expected \"service_account\";"
        + " this is another kind of Google credential", rules: ["credential-service-account"]),
  ]

  @Test func tellsWhatIsWrong() throws {
    // One server for all rows: none of them changes anything.
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    #expect(try fixture.post("/v1/apps", ["name": "bare"]).status == 201)
    #expect(try fixture.post("/v1/apps", ["name": "half"]).status == 201)
    let half: JSONValue = ["apns": try ServerFixture.credentials()["apns"] ?? .null]
    #expect(try fixture.send("PUT", "/v1/apps/half/credentials", JSON.minifiedText(half)).status == 200)
    for row in Self.rows {
      let answer = try fixture.send(row.method, row.path, row.body)
      #expect(answer.status == row.status, "\(row.name): \(answer.text)")
      #expect(answer.headers["content-type"] == "application/problem+json", "\(row.name)")
      #expect(answer.json["status"]?.int == row.status, "\(row.name)")
      #expect(answer.json["request_id"]?.string?.utf8.count == 16, "\(row.name)")
      if !row.detail.isEmpty { #expect(answer.detail == row.detail, "\(row.name)") }
      #expect(answer.detail.isEmpty == false, "\(row.name)")
      if !row.rules.isEmpty { #expect(answer.rules == row.rules, "\(row.name)") }
    }
  }

  @Test func reportsUnknownFieldsAndGoesOn() throws {
    let fixture = try ServerFixture()
    let answer = try fixture.send("POST", "/v1/apps", #"{"name":"demo","titel":"Demo"}"#)
    #expect(answer.status == 201)
    #expect(
      answer.json["report"]?.description
        == #"[{"rule":"request-unknown-field","severity":"warning","field":"titel","#
        + #""message":"is not a field of this request and was ignored"}]"#)
  }

  @Test func changesNothingWhenOneCredentialOfTwoIsBad() throws {
    let fixture = try ServerFixture()
    #expect(try fixture.post("/v1/apps", ["name": "demo"]).status == 201)
    var body = try #require(ServerFixture.credentials().object)
    body["fcm"] = ["service_account": [:]]
    #expect(try fixture.send("PUT", "/v1/apps/demo/credentials", JSON.minifiedText(.object(body))).status == 422)
    #expect(try fixture.send("GET", "/v1/apps/demo/credentials").text == "{}")
  }

  @Test func refusesAPrivateTokenEndpointUnlessTheGatewayNamesIt() throws {
    let fixture = try ServerFixture()
    #expect(try fixture.post("/v1/apps", ["name": "demo"]).status == 201)
    let body: JSONValue = ["fcm": ["service_account": try ServerFixture.serviceAccount.get()]]
    let answer = try fixture.send("PUT", "/v1/apps/demo/credentials", JSON.minifiedText(body))
    #expect(answer.status == 422)
    #expect(
      answer.detail
        == "fcm.service_account.token_uri: expected a host of googleapis.com, or host and port of \"gateway\""
        + " (fcm.googleapis.com:443), found 127.0.0.1:9; name the gateway to allow this one")
  }

  @Test(
    "A gateway's host is a name or an address",
    arguments: ["127.0.0.1\u{0}.example.com", "a\r\nX: y", "http://a", "a/b", "user@a", "a b", "[::1]", "a#b"])
  func refusesAGatewayHostThatIsNone(host: String) throws {
    let fixture = try ServerFixture()
    #expect(try fixture.post("/v1/apps", ["name": "demo"]).status == 201)
    let credentials = try ServerFixture.credentials()
    for slot in ["apns", "fcm"] {
      var setting = try #require(credentials[slot]?.object)
      setting["gateway"] = ["host": .string(host), "port": 443]
      let answer = try fixture.send(
        "PUT", "/v1/apps/demo/credentials", JSON.minifiedText(.object([slot: .object(setting)])))
      #expect(answer.status == 422)
      #expect(
        answer.detail == "\(slot).gateway.host: expected a host name or an IP address, without scheme, port and path")
    }
  }
}

@Suite(.timeLimit(.minutes(1))) struct AccessTests {
  let fixture: ServerFixture

  init() throws {
    fixture = try ServerFixture()
    _ = try fixture.makeDemo()
  }

  /// Trap 11 of the peers: there is no unauthenticated write, and no switch that makes one.
  @Test(
    arguments: [
      (nil, "send the key in the header \"Authorization: Bearer KEY\""),
      ("hello", "this is not an API key; keys begin with prk_ and have 47 characters"),
      (
        "prk_" + String(repeating: "A", count: 43),
        "the API key is not known here; it may have been revoked or have expired"
      ),
    ] as [(String?, String)])
  func wantsAKey(_ key: String?, _ detail: String) throws {
    for (method, path, body) in [
      ("GET", "/v1/apps", nil), ("POST", "/v1/apps", "{}"), ("POST", "/v1/apps/demo/pushes", "{}"),
      ("POST", "/v1/render", "{}"), ("GET", "/metrics", nil), ("DELETE", "/v1/keys/1", nil),
    ] as [(String, String, String?)] {
      let answer = try fixture.send(method, path, body, key: .some(key))
      #expect(answer.status == 401)
      #expect(answer.detail == detail)
      #expect(answer.headers["www-authenticate"] == "Bearer realm=\"postrider\"")
    }
  }

  @Test func letsScopesDoWhatTheyAreFor() throws {
    let device = #"{"type":"android","token":"abcdefgh"}"#
    let push = #"{"message":{"title":"T","body":"B"},"to":{"all":true}}"#
    let acts: [(name: String, method: String, path: String, body: String?)] = [
      ("register", "POST", "/v1/apps/demo/devices", device), ("push", "POST", "/v1/apps/demo/pushes", push),
      ("list", "GET", "/v1/apps/demo/devices", nil), ("metrics", "GET", "/metrics", nil),
      ("keys", "GET", "/v1/keys", nil), ("app", "POST", "/v1/apps", #"{"name":"new"}"#),
      ("credentials", "PUT", "/v1/apps/demo/credentials", "{}"),
    ]
    for (scope, allowed) in [
      ("admin", ["register", "push", "list", "metrics", "keys", "app", "credentials"]),
      ("send", ["register", "push", "list"]), ("read", ["list", "metrics"]), ("client", ["register"]),
    ] {
      let key = try fixture.key([.string(scope)])
      for act in acts {
        let status = try fixture.send(act.method, act.path, act.body, key: key).status
        #expect((status < 400) == allowed.contains(act.name), "\(scope) \(act.name) \(status)")
        if status >= 400 { #expect(status == 403) }
      }
    }
    let answer = try fixture.send("GET", "/v1/keys", key: try fixture.key(["read"]))
    #expect(answer.detail == "the key has the scope read; this needs one of: admin")
  }

  @Test func keepsAnAppsKeyInsideTheApp() throws {
    #expect(try fixture.post("/v1/apps", ["name": "other"]).status == 201)
    let key = try fixture.key(["admin"], app: "demo")
    #expect(try fixture.send("GET", "/v1/apps/demo/devices", key: key).status == 200)
    for path in ["/v1/apps/other", "/v1/apps/missing", "/v1/apps", "/v1/keys", "/metrics"] {
      let answer = try fixture.send("GET", path, key: key)
      #expect(answer.status == 403)
      #expect(answer.detail == "the key is for one app only, and this lies outside of it")
    }
    #expect(
      try fixture.send(
        "POST", "/v1/render", #"{"contract":"amba","topic":"a.b","message":{"title":"T","body":"B"}}"#, key: key
      ).status == 200)
  }

  @Test func keepsSecretsOutOfLogsAndFiles() throws {
    let key = try fixture.key(["send"])
    _ = try fixture.send("GET", "/v1/apps/demo/devices", key: key)
    _ = try fixture.send("GET", "/v1/apps/\(ServerFixture.iosToken)", key: key)
    let log = fixture.lines.text
    #expect(!log.isEmpty)
    for secret in [key, fixture.admin, ServerFixture.iosToken, ServerFixture.androidToken, "PRIVATE KEY"] {
      #expect(!log.contains(secret))
    }
    let data = fixture.folder.path + "/data"
    fixture.server.stop()
    for name in try Files.list(data) {
      let text = String(decoding: try Files.read(data + "/" + name), as: UTF8.self)
      for secret in [key, fixture.admin, "PRIVATE KEY"] { #expect(!text.contains(secret), "\(name)") }
    }
  }
}

@Suite(.timeLimit(.minutes(1))) struct RestartTests {
  @Test func keepsEverythingOverARestart() throws {
    let folder = try TemporaryFolder()
    let (admin, push, ios): (String, String, String)
    do {
      let fixture = try ServerFixture(folder: folder)
      admin = fixture.admin
      #expect(admin.utf8.count == 47)
      (ios, _) = try fixture.makeDemo()
      let answer = try fixture.send(
        "POST", "/v1/apps/demo/pushes", #"{"message":{"title":"T","body":"B"},"to":{"devices":["\#(ios)"]}}"#,
        headers: ["Idempotency-Key: once"])
      push = try #require(answer.json["id"]?.string)
      fixture.server.stop()
    }
    let fixture = try ServerFixture(folder: folder, admin: admin)
    #expect(fixture.server.firstKey == nil)
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes/\(push)").json["counts"]?["targeted"] == 1)
    #expect(try fixture.send("GET", "/v1/apps/demo/devices/\(ios)").status == 200)
    #expect(try fixture.send("GET", "/v1/apps/demo/credentials").json["apns"]?["key_id"] == "ABC123DEFG")
    let again = try fixture.send(
      "POST", "/v1/apps/demo/pushes", #"{"message":{"title":"T","body":"B"},"to":{"devices":["\#(ios)"]}}"#,
      headers: ["Idempotency-Key: once"])
    #expect(again.json["id"]?.string == push)
  }

  @Test func refusesASecondServerInTheSameFolder() throws {
    let folder = try TemporaryFolder()
    let fixture = try ServerFixture(folder: folder)
    #expect(throws: PostriderServerError.self) { try ServerFixture(folder: folder) }
    withExtendedLifetime(fixture) {}
  }

  @Test func helpsToSetUpADemo() throws {
    let fixture = try ServerFixture()
    for _ in 0..<2 {
      try fixture.server.makeApp(name: "demo", title: "Demo", contract: "amba")
      try fixture.server.setCredentials(app: "demo", json: JSON.minified(ServerFixture.credentials()))
      let id = try fixture.server.registerDevice(
        app: "demo", json: Array(#"{"type":"ios","token":"\#(ServerFixture.iosToken)"}"#.utf8))
      #expect(try fixture.send("GET", "/v1/apps/demo/devices/\(id)").status == 200)
    }
    let key = try fixture.server.makeKey(name: "demo", scopes: [.send, .read], app: "demo")
    #expect(try fixture.send("GET", "/v1/apps/demo/devices", key: key).json["devices"]?.array?.count == 1)
  }
}
