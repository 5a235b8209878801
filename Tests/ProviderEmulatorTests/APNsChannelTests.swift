import ProviderEmulator
import Signing
import Testing
import WireJSON

@Suite("APNs channels and broadcasts")
struct APNsChannelTests {
  /// A gateway with one channel, and a broadcast that it accepts.
  struct Fixture {
    var apns: APNsFixture
    var channelID = ""

    init(policy: Int = 1) throws {
      apns = try APNsFixture()
      apns.headers = [("authorization", try apns.bearer())]
      let created = send(
        "POST", "/1/apps/com.example.app/channels",
        body: #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#)
      #expect(created == "201 ")
      channelID = try #require(apns.response.header("apns-channel-id"))
      apns.headers += [
        ("apns-channel-id", channelID), ("apns-push-type", "liveactivity"), ("apns-priority", "10"),
        ("apns-expiration", "0"),
      ]
      apns.method = "POST"
      apns.path = "/4/broadcasts/apps/com.example.app"
      apns.body = Array(#"{"aps":{"event":"update","content-state":{},"timestamp":1}}"#.utf8)
    }

    mutating func send(_ method: String, _ path: String, body: String = "") -> String {
      (apns.method, apns.path, apns.body) = (method, path, Array(body.utf8))
      return apns.send()
    }
  }

  @Test("a channel is made, read, listed and deleted")
  func management() throws {
    var fixture = try Fixture()
    let path = "/1/apps/com.example.app/channels"
    #expect(fixture.send("GET", path) == #"200 {"message-storage-policy":1,"push-type":"LiveActivity"}"#)
    #expect(
      fixture.send("GET", "/1/apps/com.example.app/all-channels") == #"200 {"channels":["\#(fixture.channelID)"]}"#)
    #expect(fixture.send("GET", "/1/apps/com.other/all-channels") == #"200 {"channels":[]}"#)
    #expect(fixture.send("DELETE", path) == "204 ")
    #expect(fixture.send("GET", path) == APNsGatewayTests.reason(400, "ChannelNotRegistered"))
    #expect(fixture.apns.response.header("apns-request-id")?.utf8.count == 36)
  }

  @Test("a broadcast is accepted, its request id echoed, its payload kept")
  func broadcast() throws {
    var fixture = try Fixture()
    fixture.apns.set("apns-request-id", "11111111-2222-3333-4444-555555555555")
    let body = fixture.apns.body
    #expect(fixture.apns.send() == "200 ")
    #expect(fixture.apns.response.header("apns-request-id") == "11111111-2222-3333-4444-555555555555")
    #expect(fixture.apns.gateway.channels.all[0].broadcasts.map(\.payload) == [body])
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var expected: String
    var change: @Sendable (inout APNsFixture) throws -> Void

    init(
      _ name: String, _ status: Int, _ reason: String, _ change: @escaping @Sendable (inout APNsFixture) throws -> Void
    ) {
      testDescription = name
      expected = APNsGatewayTests.reason(status, reason)
      self.change = change
    }
  }

  static let rows: [Row] = [
    Row("another path", 404, "BadPath") { $0.path = "/4/broadcasts/apps/" },
    Row("GET", 405, "MethodNotAllowed") { $0.method = "GET" },
    Row("a bad request id", 400, "BadMessageId") { $0.set("apns-request-id", "x") },
    Row("a header twice", 400, "BadRequestParams") { $0.headers.append(("apns-priority", "5")) },
    Row("no channel", 400, "MissingChannelId") { $0.set("apns-channel-id", nil) },
    Row("a channel that is no Base64", 400, "BadChannelId") { $0.set("apns-channel-id", "?") },
    Row("an unknown channel", 400, "ChannelNotRegistered") { $0.set("apns-channel-id", "AAAA") },
    Row("no push type", 400, "MissingPushType") { $0.set("apns-push-type", nil) },
    Row("another push type", 400, "InvalidPushType") { $0.set("apns-push-type", "alert") },
    Row("no priority", 400, "BadPriority") { $0.set("apns-priority", nil) },
    Row("no expiration", 400, "BadExpirationDate") { $0.set("apns-expiration", nil) },
    Row("a bad id", 400, "BadMessageId") { $0.set("apns-id", "x") },
    Row("priority 7", 400, "BadPriority") { $0.set("apns-priority", "7") },
    Row("priority 1", 400, "BadPriority") { $0.set("apns-priority", "1") },
    Row("an expiration in words", 400, "BadExpirationDate") { $0.set("apns-expiration", "soon") },
    Row("nothing", 400, "PayloadEmpty") { $0.body = [] },
    Row("no aps", 400, "BadRequestPayload") { $0.body = Array("{}".utf8) },
    Row("a start", 400, "BadRequestPayload") { $0.body = Array(#"{"aps":{"event":"start"}}"#.utf8) },
    Row("5121 bytes", 413, "PayloadTooLarge") { $0.body = APNsGatewayTests.payload(5121) },
    Row("no provider token", 403, "MissingProviderToken") { $0.set("authorization", nil) },
    Row("a key for other apps", 400, "TopicDisallowed") {
      $0.gateway.authority.keys[0].topics = ["com.other"]
      $0.connection = APNsConnection()
    },
    Row("a certificate for another app", 403, "TopicMismatch") {
      $0.connection = APNsConnection(certificate: APNsClientCertificate(topics: ["com.other"]))
    },
    Row("the feature switched off, by rule", 400, "FeatureNotEnabled") {
      $0.faults.rules = [FaultRule(name: "off", effect: .refuse(Refusal("FeatureNotEnabled")))]
    },
  ]

  @Test("one thing wrong", arguments: rows)
  func broken(row: Row) throws {
    var fixture = try Fixture()
    try row.change(&fixture.apns)
    #expect(fixture.apns.send() == row.expected)
  }

  @Test("a channel that stores nothing takes expiration 0 only")
  func noStorage() throws {
    var fixture = try Fixture(policy: 0)
    fixture.apns.set("apns-expiration", "0")
    #expect(fixture.apns.send() == "200 ")
    fixture.apns.set("apns-expiration", "1770000100")
    #expect(fixture.apns.send() == APNsGatewayTests.reason(400, "BadExpirationDate"))
  }

  @Test(
    "what a channel cannot be made from",
    arguments: [
      ("", "PayloadEmpty"), ("x", "BadRequestPayload"), (#"{"message-storage-policy":1}"#, "MissingPushType"),
      (#"{"message-storage-policy":1,"push-type":"Alert"}"#, "InvalidPushType"),
      (#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#, "BadRequestPayload"),
    ])
  func badChannels(body: String, reason: String) throws {
    var fixture = try Fixture()
    #expect(
      fixture.send("POST", "/1/apps/com.example.app/channels", body: body) == APNsGatewayTests.reason(400, reason))
  }

  @Test("an app has at most 10 000 channels")
  func limit() throws {
    var fixture = try Fixture()
    let body = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
    for _ in 1..<APNsChannels.perAppMax {
      #expect(fixture.send("POST", "/1/apps/com.example.app/channels", body: body) == "201 ")
    }
    #expect(
      fixture.send("POST", "/1/apps/com.example.app/channels", body: body)
        == APNsGatewayTests.reason(400, "CannotCreateChannelConfig"))
    #expect(fixture.send("POST", "/1/apps/com.other/channels", body: body) == "201 ")
  }

  @Test(
    "every documented reason can be scripted for an app, and is answered as all about channels are",
    arguments: APNsRejection.channels + APNsRejection.devicePush)
  func scripted(rejection: APNsRejection) throws {
    var fixture = try Fixture()
    let rule = #"{"rules":[{"topic":"com.example.app","times":1,"effect":"\#(rejection.reason)"}]}"#
    fixture.apns.faults.rules = try Scenario(parsing: Array(rule.utf8)).rules
    let id = "123e4567-e89b-12d3-a456-426614174000"
    fixture.apns.set("apns-request-id", id)
    let body = String(decoding: fixture.apns.body, as: UTF8.self)
    let timestamp = rejection.status == 410 ? #","timestamp":\#(APNsFixture.nowMs)"# : ""
    #expect(
      fixture.send("POST", fixture.apns.path, body: body)
        == #"\#(rejection.status) {"reason":"\#(rejection.reason)"\#(timestamp)}"#)
    #expect(fixture.apns.response.header("apns-request-id") == id)
    #expect(fixture.apns.response.header("apns-id") == nil)
    #expect(fixture.send("POST", fixture.apns.path, body: body) == "200 ")
  }
}
