import ProviderEmulator
import Testing
import WireJSON

/// One gateway with one project, and a message that it accepts.
struct FCMFixture {
  static let nowMs: Int64 = 1_770_000_000_000

  var gateway = FCMGateway(seed: 7)
  var oauth = OAuthEndpoint(seed: 7)
  var connection = FCMConnection()
  var devices = VirtualDevices()
  var faults = FaultEngine(seed: 1, nowMs: nowMs)
  var nowMs = FCMFixture.nowMs
  var response = GatewayResponse()

  var method = "POST"
  var path = "/v1/projects/demo/messages:send"
  var headers: [(String, String)] = [("content-type", "application/json")]
  var message: JSONObject = ["token": "tok-1", "notification": ["title": "Hi"]]
  var body: [UInt8]?

  init() {
    headers.append(("authorization", "Bearer " + oauth.issue(projectID: "demo", nowMs: nowMs)))
  }

  mutating func act() -> GatewayAction {
    let bytes = body ?? JSON.minified(["message": .object(message)])
    let request = GatewayRequest(method: method, path: path, headers: headers, body: bytes)
    return gateway.handle(
      request, on: &connection, oauth: oauth, devices: &devices, faults: &faults, nowMs: nowMs, response: &response)
  }

  /// The whole answer: status and minified body.
  mutating func send() throws -> String {
    _ = act()
    return "\(response.status) \(JSON.minifiedText(try JSON.parse(response.body)))"
  }

  /// The answer in short: status, status name, `FcmError` code, bad fields.
  mutating func summary() throws -> String {
    _ = act()
    let error = try JSON.parse(response.body)["error"]
    let details = error?["details"]?.array ?? []
    let code = details.compactMap { $0["errorCode"]?.string }.first ?? "-"
    let fields = details.flatMap { $0["fieldViolations"]?.array ?? [] }.compactMap { $0["field"]?.string }
    return "\(response.status) \(error?["status"]?.string ?? "-") \(code) \(fields.joined(separator: ","))"
  }
}

@Suite("FCM gateway")
struct FCMGatewayTests {
  @Test("a project that cannot stand in a name is an unknown path", arguments: ["a\u{3}b", "a\"b", "a\\b", "é", "a b"])
  func oddProject(project: String) {
    var fixture = FCMFixture()
    fixture.oauth.acceptsAnyAccessToken = true
    fixture.path = "/v1/projects/\(project)/messages:send"
    _ = fixture.act()
    #expect(fixture.response.status == 404)
  }

  @Test("one valid message is accepted, named and kept byte for byte")
  func valid() throws {
    var fixture = FCMFixture()
    fixture.body = Array(#"{ "message": {"token":"tok-1","data":{"a":"1"}} }"#.utf8)
    _ = fixture.act()
    #expect(fixture.response.status == 200)
    #expect(fixture.response.header("content-type") == "application/json; charset=UTF-8")
    let name = try #require(try JSON.parse(fixture.response.body)["name"]?.string)
    let index = try #require(fixture.devices.find(.fcm, "tok-1"))
    let push = try #require(fixture.devices[index].receivedPushes.first)
    #expect(name == "projects/demo/messages/\(push.id)")
    #expect(push.payload == fixture.body)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var expected: String
    var change: @Sendable (inout FCMFixture) throws -> Void

    init(_ name: String, _ expected: String, _ change: @escaping @Sendable (inout FCMFixture) throws -> Void) {
      testDescription = name
      self.expected = expected
      self.change = change
    }
  }

  static let requestRows: [Row] = [
    Row("no credential", "401 UNAUTHENTICATED - ") { $0.headers = [] },
    Row("an unknown access token", "401 UNAUTHENTICATED - ") { $0.headers = [("authorization", "Bearer nope")] },
    Row("another scheme", "401 UNAUTHENTICATED - ") { $0.headers[1].1.removeFirst(7) },
    Row("an access token that expired", "401 UNAUTHENTICATED - ") { $0.nowMs += 3_599_000 },
    Row("access tokens revoked", "401 UNAUTHENTICATED - ") { $0.oauth.revokeAll() },
    Row("an unknown project", "404 NOT_FOUND - ") { $0.path = "/v1/projects/nope/messages:send" },
    Row("no JSON", "400 INVALID_ARGUMENT - ") { $0.body = Array("{".utf8) },
    Row("no object", "400 INVALID_ARGUMENT - ") { $0.body = Array("[]".utf8) },
    Row("no message", "400 INVALID_ARGUMENT INVALID_ARGUMENT message") { $0.body = Array("{}".utf8) },
    Row("an unknown name at the top", "400 INVALID_ARGUMENT - ") { $0.body = Array(#"{"messages":{}}"#.utf8) },
  ]

  static let typeRows: [Row] = [
    Row("an unknown name", "400 INVALID_ARGUMENT - message") { $0.message["titel"] = "x" },
    Row("an unknown name inside", "400 INVALID_ARGUMENT - message.android.notification") {
      $0.message["android"] = ["notification": ["channel": "x"]]
    },
    Row("a number in data", "400 INVALID_ARGUMENT - message.data[1].value") {
      $0.message["data"] = ["a": "1", "b": 2]
    },
    Row("null in data", "400 INVALID_ARGUMENT - message.data[0].value") { $0.message["data"] = ["a": nil] },
    Row("data as a list", "400 INVALID_ARGUMENT - message.data") { $0.message["data"] = [] },
    Row("a number as title", "400 INVALID_ARGUMENT - message.notification.title") {
      $0.message["notification"] = ["title": 5]
    },
    Row("ttl as a number", "400 INVALID_ARGUMENT - message.android.ttl") { $0.message["android"] = ["ttl": 3600] },
    Row("ttl without s", "400 INVALID_ARGUMENT - message.android.ttl") { $0.message["android"] = ["ttl": "3600"] },
    Row("an unknown priority", "400 INVALID_ARGUMENT - message.android.priority") {
      $0.message["android"] = ["priority": "urgent"]
    },
    Row("a visibility in lower case", "400 INVALID_ARGUMENT - message.android.notification.visibility") {
      $0.message["android"] = ["notification": ["visibility": "public"]]
    },
    Row("sticky as text", "400 INVALID_ARGUMENT - message.android.notification.sticky") {
      $0.message["android"] = ["notification": ["sticky": "yes"]]
    },
    Row("a count with a fraction", "400 INVALID_ARGUMENT - message.android.notification.notification_count") {
      $0.message["android"] = ["notification": ["notification_count": 1.5]]
    },
    Row("a number among arguments", "400 INVALID_ARGUMENT - message.android.notification.title_loc_args[1]") {
      $0.message["android"] = ["notification": ["title_loc_key": "k", "title_loc_args": ["a", 2]]]
    },
    Row("an event time in words", "400 INVALID_ARGUMENT - message.android.notification.event_time") {
      $0.message["android"] = ["notification": ["event_time": "2026-13-01T00:00:00Z"]]
    },
    Row("two wrong fields at once", "400 INVALID_ARGUMENT - message.topic,message.notification.body") {
      $0.message = ["topic": 1, "notification": ["body": false]]
    },
  ]

  static func invalid(_ field: String) -> String { "400 INVALID_ARGUMENT INVALID_ARGUMENT \(field)" }

  static let ruleRows: [Row] = [
    Row("no target", invalid("message")) { $0.message["token"] = nil },
    Row("two targets", invalid("message.topic")) { $0.message["topic"] = "news" },
    Row("an empty token", invalid("message.token")) { $0.message["token"] = "" },
    Row("a token with a space", invalid("message.token")) { $0.message["token"] = "a b" },
    Row("a topic with its folder", invalid("message.topic")) { $0.message = ["topic": "/topics/news"] },
    Row("a topic of 901 bytes", invalid("message.topic")) {
      $0.message = ["topic": .string(String(repeating: "a", count: 901))]
    },
    Row("a condition without topics", invalid("message.condition")) { $0.message = ["condition": "'a' in"] },
    Row("a condition of six topics", invalid("message.condition")) {
      let terms = (1...6).map { "'t\($0)' in topics" }
      $0.message = ["condition": .string(terms.joined(separator: " || "))]
    },
    Row("both android shapes", invalid("message.androidV2")) {
      $0.message["android"] = [:]
      $0.message["androidV2"] = [:]
    },
    Row("the data key from", invalid("message.data")) { $0.message["data"] = ["from": "x"] },
    Row("a data key of Google's", invalid("message.android.data")) {
      $0.message["android"] = ["data": ["google.x": "x"]]
    },
    Row("ttl below zero", invalid("message.android.ttl")) { $0.message["android"] = ["ttl": "-1s"] },
    Row("ttl over four weeks", invalid("message.android.ttl")) {
      $0.message["android"] = ["ttl": "2419200.000000001s"]
    },
    Row("a color in words", invalid("message.android.notification.color")) {
      $0.message["android"] = ["notification": ["color": "red"]]
    },
    Row("lights without times", invalid("message.android.notification.lightSettings")) {
      $0.message["android"] = ["notification": ["lightSettings": ["color": ["red": 1]]]]
    },
    Row("an analytics label with a space", invalid("message.apns.fcm_options.analytics_label")) {
      $0.message["apns"] = ["fcm_options": ["analytics_label": "a b"]]
    },
    Row("a link without TLS", invalid("message.webpush.fcm_options.link")) {
      $0.message["webpush"] = ["fcm_options": ["link": "http://example.com"]]
    },
    Row("4097 bytes of data", invalid("message")) {
      $0.message = ["token": "t", "data": ["k": .string(String(repeating: "x", count: 4096))]]
    },
    Row("an APNs payload that is too large", invalid("message.apns.payload")) {
      $0.message["apns"] = ["payload": ["x": .string(String(repeating: "x", count: 4096))]]
    },
  ]

  static let deviceRows: [Row] = [
    Row("an app that was removed", "404 NOT_FOUND UNREGISTERED ") {
      $0.devices[$0.devices.make(.fcm, token: "tok-1")].registration = .unregistered(sinceMs: 1)
    },
    Row("a token nobody made", "404 NOT_FOUND UNREGISTERED ") { $0.devices.limits.acceptsUnknownTokens = false },
    Row("a device of another sender", "403 PERMISSION_DENIED SENDER_ID_MISMATCH ") {
      $0.devices[$0.devices.make(.fcm, token: "tok-1")].projects = ["other"]
    },
    Row("the project's minute used up", "429 RESOURCE_EXHAUSTED QUOTA_EXCEEDED ") {
      $0.gateway.settings.messagesPerProjectMinute = 1
      _ = $0.act()
    },
    Row("the device's minute used up", "429 RESOURCE_EXHAUSTED QUOTA_EXCEEDED ") {
      $0.devices.make(.fcm, token: "tok-1")
      $0.gateway.settings.messagesPerDeviceMinute = 1
      _ = $0.act()
    },
    Row("the device's hour used up", "429 RESOURCE_EXHAUSTED QUOTA_EXCEEDED ") {
      $0.devices.make(.fcm, token: "tok-1")
      $0.gateway.settings.messagesPerDeviceHour = 1
      _ = $0.act()
      $0.nowMs += 120_000
    },
    Row("the device's minute used up, where that names no code", "429 RESOURCE_EXHAUSTED - ") {
      $0.devices.make(.fcm, token: "tok-1")
      $0.gateway.settings.namesDeviceQuota = false
      $0.gateway.settings.messagesPerDeviceMinute = 1
      _ = $0.act()
    },
    Row("the project's minute used up, which names its code there too", "429 RESOURCE_EXHAUSTED QUOTA_EXCEEDED ") {
      $0.gateway.settings.namesDeviceQuota = false
      $0.gateway.settings.messagesPerProjectMinute = 1
      _ = $0.act()
    },
  ]

  @Test("one thing wrong", arguments: requestRows + typeRows + ruleRows + deviceRows)
  func broken(row: Row) throws {
    var fixture = FCMFixture()
    try row.change(&fixture)
    let summary = try fixture.summary()
    #expect(summary == row.expected)
  }

  static let acceptedRows: [(String, JSONObject)] = [
    ("both spellings and null", ["token": "t", "android": ["restrictedPackageName": "a", "ttl": nil]]),
    ("priority in lower case", ["token": "t", "android": ["priority": "high", "ttl": "3.500000000s"]]),
    ("an enumeration by number", ["token": "t", "android": ["priority": 1]]),
    ("a count as text", ["token": "t", "android": ["notification": ["notification_count": "5"]]]),
    ("a data key beginning with g", ["token": "t", "data": ["gift": "1", "fromage": "2"]]),
    ("any APNs payload", ["token": "t", "apns": ["payload": ["aps": ["badge": 1], "x": [1, nil]]]]),
    ("any web notification", ["token": "t", "webpush": ["notification": ["title": "x", "data": [1]]]]),
    (
      "an event time with an offset",
      [
        "token": "t", "android": ["notification": ["event_time": "2026-01-31T09:00:00.25+01:00"]],
      ]
    ),
    ("a condition", ["condition": "'a' in topics && ('b' in topics || !('c' in topics))"]),
    ("a fid", ["fid": "abc"]),
  ]

  @Test("still right", arguments: acceptedRows)
  func accepted(name: String, message: JSONObject) throws {
    var fixture = FCMFixture()
    fixture.message = message
    #expect(try fixture.summary() == "200 - - ")
  }

  @Test("validate_only names a fake message and delivers nothing")
  func validateOnly() throws {
    var fixture = FCMFixture()
    fixture.body = Array(#"{"validateOnly":true,"message":{"token":"tok-1"}}"#.utf8)
    #expect(try fixture.send() == #"200 {"name":"projects/demo/messages/fake_message_id"}"#)
    #expect(fixture.devices.isEmpty)
  }

  @Test("errors have Google's shape, detail types and all")
  func shape() throws {
    var fixture = FCMFixture()
    fixture.gateway.settings.messagesPerProjectMinute = 0
    #expect(
      try fixture.send()
        == #"429 {"error":{"code":429,"message":"the quota for messages to the project demo is used up","#
        + #""status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","#
        + #""errorCode":"QUOTA_EXCEEDED"},{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":"#
        + #"[{"subject":"project demo","description":"the quota for messages to the project demo is used up"}]}]}}"#)
    #expect(fixture.response.header("retry-after") == "60")
    fixture.gateway.settings.messagesPerProjectMinute = nil
    fixture.message["token"] = "a b"
    #expect(
      try fixture.send()
        == #"400 {"error":{"code":400,"message":"a token or installation ID is at most 4096 letters, digits and - _ :; copy it as the app was given it","#
        + #""status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","#
        + #""errorCode":"INVALID_ARGUMENT"},{"@type":"type.googleapis.com/google.rpc.BadRequest","#
        + #""fieldViolations":[{"field":"message.token","description":"#
        + #""a token or installation ID is at most 4096 letters, digits and - _ :; copy it as the app was given it"}]}]}}"#
    )
  }

  @Test(
    "an unknown path is answered in HTML, as Google's front end does",
    arguments: [
      "/", "/v1/projects/demo/messages", "/v1/projects//messages:send", "/v1/projects/messages:send",
    ])
  func unknownPath(path: String) {
    var fixture = FCMFixture()
    fixture.path = path
    _ = fixture.act()
    #expect(fixture.response.status == 404)
    #expect(fixture.response.header("content-type") == "text/html; charset=UTF-8")
  }

  @Test("a token of another registered project has no permission")
  func wrongProject() throws {
    var fixture = FCMFixture()
    fixture.oauth.accounts = [try OAuthFixture.account(project: "other").public]
    fixture.path = "/v1/projects/other/messages:send"
    #expect(try fixture.summary() == "403 PERMISSION_DENIED - ")
  }

  @Test("topics and conditions reach the devices that subscribed")
  func topics() throws {
    var fixture = FCMFixture()
    for (token, topics) in [("one", ["a"]), ("two", ["b"]), ("three", ["a", "b"])] {
      fixture.devices[fixture.devices.make(.fcm, token: token)].subscriptions = Set(topics)
    }
    for message in [["topic": "a"], ["condition": "'a' in topics && !('b' in topics)"]] as [JSONObject] {
      fixture.message = message
      #expect(try fixture.summary() == "200 - - ")
    }
    #expect(fixture.devices.all.map(\.acceptedCount) == [2, 0, 1])
  }

  @Test("every documented code can be scripted for one device", arguments: FCMFailure.documented)
  func scripted(failure: FCMFailure) throws {
    var fixture = FCMFixture()
    let code = try #require(failure.errorCode)
    let index = fixture.devices.make(.fcm, token: "tok-1")
    fixture.devices[index].script = DeviceScript([.refuse(Refusal(code, retryAfterSeconds: 7))])
    #expect(try fixture.summary() == "\(failure.httpStatus) \(failure.status) \(code) ")
    #expect(fixture.response.header("retry-after") == "7")
    #expect(try fixture.summary() == "200 - - ")
  }

  @Test("messages with one tag leave one standing")
  func tags() throws {
    var fixture = FCMFixture()
    for _ in 0..<3 {
      fixture.message["android"] = ["notification": ["tag": "score"]]
      _ = fixture.act()
    }
    let index = try #require(fixture.devices.find(.fcm, "tok-1"))
    #expect(fixture.devices[index].receivedPushes.map(\.sequence) == [1, 2, 3])
    #expect(fixture.devices[index].currentPushes.map(\.sequence) == [3])
  }
}
