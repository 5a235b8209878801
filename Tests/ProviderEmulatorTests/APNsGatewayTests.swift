import ProviderEmulator
import Signing
import Testing
import WireJSON

/// One gateway with one registered key, and a request that it accepts.
struct APNsFixture {
  static let nowMs: Int64 = 1_770_000_000_000
  static let token = String(repeating: "0123456789abcdef", count: 4)

  let key: ECPrivateKey
  var gateway: APNsGateway
  var connection = APNsConnection()
  var devices = VirtualDevices()
  var faults = FaultEngine(seed: 1, nowMs: nowMs)
  var nowMs = APNsFixture.nowMs
  var response = GatewayResponse()

  var method = "POST"
  var path = "/3/device/\(token)"
  var headers: [(String, String)]
  var body = Array(#"{"aps":{"alert":"hi"}}"#.utf8)

  init() throws {
    key = try ECPrivateKey.generate()
    gateway = APNsGateway(seed: 7)
    gateway.authority.keys = [APNsSigningKey(keyID: "ABC123DEFG", teamID: "TEAM123456", publicKey: key.publicKey)]
    headers = [
      ("apns-topic", "com.example.app"), ("apns-push-type", "alert"), ("apns-priority", "10"),
      ("apns-id", "11111111-2222-3333-4444-555555555555"),
    ]
    headers.append(("authorization", try bearer()))
  }

  func bearer(
    alg: String = "ES256", kid: String = "ABC123DEFG", iss: String = "TEAM123456", ageSeconds: Int64 = 0,
    signer: ECPrivateKey? = nil
  ) throws -> String {
    let issued = nowMs / 1000 - ageSeconds
    return try "bearer "
      + JWS.compact(
        header: Array(#"{"alg":"\#(alg)","kid":"\#(kid)"}"#.utf8),
        claims: Array(#"{"iss":"\#(iss)","iat":\#(issued)}"#.utf8), key: signer ?? key)
  }

  mutating func set(_ name: String, _ value: String?) {
    headers.removeAll { $0.0 == name }
    if let value { headers.append((name, value)) }
  }

  /// Sends the request; the answer's status and body.
  mutating func send() -> String {
    let request = GatewayRequest(method: method, path: path, headers: headers, body: body)
    _ = act(request)
    return "\(response.status) \(String(decoding: response.body, as: UTF8.self))"
  }

  mutating func act(_ request: GatewayRequest? = nil) -> GatewayAction {
    let request = request ?? GatewayRequest(method: method, path: path, headers: headers, body: body)
    return gateway.handle(
      request, on: &connection, devices: &devices, faults: &faults, nowMs: nowMs, response: &response)
  }
}

@Suite("APNs gateway")
struct APNsGatewayTests {
  @Test("one valid request is accepted, echoed and kept byte for byte")
  func valid() throws {
    var fixture = try APNsFixture()
    #expect(fixture.send() == "200 ")
    #expect(fixture.response.header("apns-id") == "11111111-2222-3333-4444-555555555555")
    #expect(fixture.response.header("apns-unique-id")?.utf8.count == 36)
    #expect(fixture.response.header("content-type") == nil)
    let index = try #require(fixture.devices.find(.apns, APNsFixture.token))
    let push = try #require(fixture.devices[index].receivedPushes.first)
    #expect(push.payload == fixture.body)
    #expect(push.id == "11111111-2222-3333-4444-555555555555")
    #expect(push.timeMs == APNsFixture.nowMs)
    #expect(push.headers.map(\.name) == [":method", ":path"] + fixture.headers.map(\.0))
    #expect(push.headers.last?.value == "bearer …")
  }

  @Test("production says no unique id, and an id is made when none is sent")
  func production() throws {
    var fixture = try APNsFixture()
    fixture.gateway.settings.environment = .production
    fixture.set("apns-id", nil)
    #expect(fixture.send() == "200 ")
    let id = try #require(fixture.response.header("apns-id"))
    #expect(id.utf8.count == 36 && id == id.lowercased())
    #expect(fixture.response.header("apns-unique-id") == nil)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var expected: String
    var change: @Sendable (inout APNsFixture) throws -> Void

    init(_ name: String, _ expected: String, _ change: @escaping @Sendable (inout APNsFixture) throws -> Void) {
      testDescription = name
      self.expected = expected
      self.change = change
    }
  }

  static func reason(_ status: Int, _ reason: String) -> String { "\(status) {\"reason\":\"\(reason)\"}" }

  static let headerRows: [Row] = [
    Row("another path", reason(404, "BadPath")) { $0.path = "/4/device/00" },
    Row("no token", reason(400, "MissingDeviceToken")) { $0.path = "/3/device/" },
    Row("no token and no slash", reason(400, "MissingDeviceToken")) { $0.path = "/3/device" },
    Row("GET", reason(405, "MethodNotAllowed")) { $0.method = "GET" },
    Row("a token that is not hexadecimal", reason(400, "BadDeviceToken")) { $0.path = "/3/device/xyz0" },
    Row("half a byte of token", reason(400, "BadDeviceToken")) { $0.path += "0" },
    Row("a header twice", reason(400, "DuplicateHeaders")) { $0.headers.append(("apns-topic", "com.example.app")) },
    Row("an id in upper case", reason(400, "BadMessageId")) {
      $0.set("apns-id", "AAAAAAAA-2222-3333-4444-555555555555")
    },
    Row("an id without hyphens", reason(400, "BadMessageId")) { $0.set("apns-id", "11111111222233334444555555555555") },
    Row("no topic", reason(400, "MissingTopic")) { $0.set("apns-topic", nil) },
    Row("an empty topic", reason(400, "BadTopic")) { $0.set("apns-topic", "") },
    Row("a topic with a space", reason(400, "BadTopic")) { $0.set("apns-topic", "com example") },
    Row("65 bytes of collapse id", reason(400, "BadCollapseId")) {
      $0.set("apns-collapse-id", String(repeating: "x", count: 65))
    },
    Row("33 letters of 66 bytes of collapse id", reason(400, "BadCollapseId")) {
      $0.set("apns-collapse-id", String(repeating: "é", count: 33))
    },
    Row("a header that the gateway does not read, twice", reason(400, "DuplicateHeaders")) {
      $0.headers += [("x-trace", "1"), ("x-trace", "2")]
    },
    Row("an expiration with a leading zero", reason(400, "BadExpirationDate")) { $0.set("apns-expiration", "01") },
    Row("a priority with a leading zero", reason(400, "BadPriority")) { $0.set("apns-priority", "05") },
    Row("an expiration below zero", reason(400, "BadExpirationDate")) { $0.set("apns-expiration", "-1") },
    Row("an expiration in words", reason(400, "BadExpirationDate")) { $0.set("apns-expiration", "tomorrow") },
    Row("an empty expiration", reason(400, "BadExpirationDate")) { $0.set("apns-expiration", "") },
    Row("priority 7", reason(400, "BadPriority")) { $0.set("apns-priority", "7") },
    Row("priority high", reason(400, "BadPriority")) { $0.set("apns-priority", "high") },
    Row("background at priority 10", reason(400, "BadPriority")) { $0.set("apns-push-type", "background") },
    Row("background without a priority", reason(400, "BadPriority")) {
      $0.set("apns-push-type", "background")
      $0.set("apns-priority", nil)
    },
    Row("an unknown push type", reason(400, "InvalidPushType")) { $0.set("apns-push-type", "shout") },
    Row("a live activity at priority 1", reason(400, "BadPriority")) {
      $0.set("apns-push-type", "liveactivity")
      $0.set("apns-topic", "com.example.app.push-type.liveactivity")
      $0.set("apns-priority", "1")
    },
    Row("VoIP on a plain topic", reason(400, "BadTopic")) { $0.set("apns-push-type", "voip") },
    Row("nothing before the suffix", reason(400, "BadTopic")) {
      $0.set("apns-push-type", "voip")
      $0.set("apns-topic", ".voip")
    },
    Row("no push type where it is wanted", reason(400, "InvalidPushType")) {
      $0.set("apns-push-type", nil)
      $0.gateway.settings.requiresPushType = true
    },
  ]

  static let tokenRows: [Row] = [
    Row("no provider token", reason(403, "MissingProviderToken")) { $0.set("authorization", nil) },
    Row("an empty authorization", reason(403, "MissingProviderToken")) { $0.set("authorization", "") },
    Row("a scheme without a token", reason(403, "MissingProviderToken")) { $0.set("authorization", "bearer") },
    Row("a scheme and a space", reason(403, "MissingProviderToken")) { $0.set("authorization", "bearer ") },
    Row("another scheme", reason(403, "MissingProviderToken")) { $0.set("authorization", "basic abc") },
    Row("a scheme that only begins so", reason(403, "MissingProviderToken")) { $0.set("authorization", "bearers abc") },
    Row("a token without its scheme", reason(403, "MissingProviderToken")) {
      $0.set("authorization", String(try $0.bearer().dropFirst(7)))
    },
    Row("another scheme, where that is a bad token", reason(403, "InvalidProviderToken")) {
      $0.gateway.settings.otherSchemeIsInvalid = true
      $0.set("authorization", "basic abc")
    },
    Row("no JWT", reason(403, "InvalidProviderToken")) { $0.set("authorization", "bearer abc") },
    Row("another algorithm", reason(403, "InvalidProviderToken")) {
      $0.set("authorization", try $0.bearer(alg: "ES384"))
    },
    Row("an unknown key", reason(403, "InvalidProviderToken")) {
      $0.set("authorization", try $0.bearer(kid: "ZZZZZZZZZZ"))
    },
    Row("another team", reason(403, "InvalidProviderToken")) {
      $0.set("authorization", try $0.bearer(iss: "OTHERTEAM1"))
    },
    Row("another signer", reason(403, "InvalidProviderToken")) {
      $0.set("authorization", try $0.bearer(signer: ECPrivateKey.generate()))
    },
    Row("an hour and a second old", reason(403, "ExpiredProviderToken")) {
      $0.set("authorization", try $0.bearer(ageSeconds: 3601))
    },
    Row("more than an hour ahead", reason(403, "InvalidProviderToken")) {
      $0.set("authorization", try $0.bearer(ageSeconds: -3601))
    },
    Row("a key for production", reason(403, "BadEnvironmentKeyIdInToken")) {
      $0.gateway.authority.keys[0].environment = .production
    },
    Row("a key for other apps", reason(400, "TopicDisallowed")) { $0.gateway.authority.keys[0].topics = ["com.other"] },
    Row("a certificate that was revoked", reason(403, "BadCertificate")) {
      $0.connection = APNsConnection(certificate: APNsClientCertificate(topics: [], isValid: false))
    },
    Row("a certificate for production", reason(403, "BadCertificateEnvironment")) {
      $0.connection = APNsConnection(certificate: APNsClientCertificate(topics: [], environment: .production))
    },
    Row("a certificate for another app", reason(400, "TopicDisallowed")) {
      $0.connection = APNsConnection(certificate: APNsClientCertificate(topics: ["com.other"]))
    },
    Row("a live activity by certificate", reason(403, "Forbidden")) {
      $0.connection = APNsConnection(certificate: APNsClientCertificate(topics: []))
      $0.set("apns-push-type", "liveactivity")
      $0.set("apns-topic", "com.example.app.push-type.liveactivity")
    },
  ]

  static let payloadRows: [Row] = [
    Row("nothing", reason(400, "PayloadEmpty")) { $0.body = [] },
    Row("no JSON", reason(400, "PayloadEmpty")) { $0.body = Array("hello".utf8) },
    Row("an array", reason(400, "PayloadEmpty")) { $0.body = Array("[1]".utf8) },
    Row("4097 bytes", reason(413, "PayloadTooLarge")) { $0.body = payload(4097) },
    Row("5121 bytes of VoIP", reason(413, "PayloadTooLarge")) {
      $0.set("apns-push-type", "voip")
      $0.set("apns-topic", "com.example.app.voip")
      $0.body = payload(5121)
    },
  ]

  static let deviceRows: [Row] = [
    Row("a token of the other environment", reason(400, "BadDeviceToken")) {
      $0.devices[$0.devices.make(.apns, token: APNsFixture.token)].environment = .production
    },
    Row("a token nobody made", reason(400, "BadDeviceToken")) { $0.devices.limits.acceptsUnknownTokens = false },
    Row("a token of another app", reason(400, "DeviceTokenNotForTopic")) {
      $0.devices[$0.devices.make(.apns, token: APNsFixture.token)].topics = ["com.other"]
    },
    Row("an app that was removed", #"410 {"reason":"Unregistered","timestamp":1769999999123}"#) {
      $0.devices[$0.devices.make(.apns, token: APNsFixture.token)].registration =
        .unregistered(sinceMs: 1_769_999_999_123)
    },
    Row("a token that expired", #"410 {"reason":"ExpiredToken","timestamp":5}"#) {
      $0.devices[$0.devices.make(.apns, token: APNsFixture.token.uppercased())].registration = .expired(sinceMs: 5)
    },
    Row("one push too many in a minute", reason(429, "TooManyRequests")) {
      $0.devices.make(.apns, token: APNsFixture.token)
      $0.gateway.settings.pushesPerDeviceMinute = 1
      #expect($0.send() == "200 ")
    },
  ]

  static func payload(_ count: Int) -> [UInt8] {
    Array(#"{"a":""#.utf8) + Array(repeating: 0x78, count: count - 8) + Array(#""}"#.utf8)
  }

  @Test("one thing wrong", arguments: headerRows + tokenRows + payloadRows + deviceRows)
  func broken(row: Row) throws {
    var fixture = try APNsFixture()
    try row.change(&fixture)
    #expect(fixture.send() == row.expected)
    #expect(fixture.response.header("content-type") == "application/json")
    #expect(fixture.response.header("apns-id")?.utf8.count == 36)
  }

  static let acceptedRows: [Row] = [
    Row("64 bytes of collapse id", "200 ") { $0.set("apns-collapse-id", String(repeating: "x", count: 64)) },
    Row("an empty object, by which Wallet updates a pass", "200 ") { $0.body = Array("{}".utf8) },
    Row("4096 bytes", "200 ") { $0.body = payload(4096) },
    Row("5120 bytes of VoIP", "200 ") {
      $0.set("apns-push-type", "voip")
      $0.set("apns-topic", "com.example.app.voip")
      $0.body = payload(5120)
    },
    Row("a token in upper case", "200 ") { $0.path = "/3/device/\(APNsFixture.token.uppercased())" },
    Row("a long token", "200 ") { $0.path = "/3/device/" + String(repeating: "ab", count: 150) },
    Row("no push type", "200 ") { $0.set("apns-push-type", nil) },
    Row("no priority", "200 ") { $0.set("apns-priority", nil) },
    Row("expiration zero", "200 ") { $0.set("apns-expiration", "0") },
    Row("an hour old", "200 ") { $0.set("authorization", try $0.bearer(ageSeconds: 3600)) },
    Row("a background push", "200 ") {
      $0.set("apns-push-type", "background")
      $0.set("apns-priority", "5")
      $0.body = Array(#"{"aps":{"content-available":1},"x":1}"#.utf8)
    },
    Row("a background push with an alert, which APNs does not look for", "200 ") {
      $0.set("apns-push-type", "background")
      $0.set("apns-priority", "5")
    },
    Row("mdm", "200 ") {
      $0.set("apns-push-type", "mdm")
      $0.body = Array(#"{"mdm":"magic"}"#.utf8)
    },
    Row("an unregistered key where those are taken", "200 ") {
      $0.gateway.authority.acceptsUnknownKeys = true
      $0.set("authorization", try $0.bearer(kid: "ZZZZZZZZZZ", signer: ECPrivateKey.generate()))
    },
    Row("a certificate in place of a token", "200 ") {
      $0.connection = APNsConnection(certificate: APNsClientCertificate(topics: ["com.example.app"]))
      $0.set("authorization", nil)
    },
    Row("kid and iat as clients in the field write them", "200 ") {
      let token = try JWS.compact(
        header: Array(#"{"alg":"ES256","typ":"JWT"}"#.utf8),
        claims: Array(#"{"iss":"TEAM123456","kid":"ABC123DEFG","iat":"1770000000"}"#.utf8), key: $0.key)
      $0.set("authorization", "Bearer \(token)")
    },
  ]

  @Test("still right", arguments: acceptedRows)
  func accepted(row: Row) throws {
    var fixture = try APNsFixture()
    try row.change(&fixture)
    #expect(fixture.send() == row.expected)
  }

  @Test(
    "every documented suffix is wanted",
    arguments: [
      ("voip", ".voip"), ("complication", ".complication"), ("fileprovider", ".pushkit.fileprovider"),
      ("location", ".location-query"), ("liveactivity", ".push-type.liveactivity"), ("pushtotalk", ".voip-ptt"),
      ("widgets", ".push-type.widgets"), ("controls", ".push-type.controls"),
    ])
  func suffixes(type: String, suffix: String) throws {
    var fixture = try APNsFixture()
    fixture.set("apns-push-type", type)
    fixture.set("apns-topic", "com.example.app\(suffix)")
    #expect(fixture.send() == "200 ")
    fixture.set("apns-topic", "com.example.app")
    #expect(fixture.send() == Self.reason(400, "BadTopic"))
  }
}

@Suite("APNs connection rules")
struct APNsConnectionTests {
  @Test("one stream until the first good token, then many; after a rejection as few as configured")
  func streamLimits() throws {
    var fixture = try APNsFixture()
    fixture.gateway.settings.streamsAfterRejection = 1
    let good = fixture.headers
    fixture.set("authorization", nil)
    #expect(fixture.act().streamLimit == nil)
    fixture.headers = good
    #expect(fixture.act().streamLimit == 1000)
    #expect(fixture.act().streamLimit == nil)
    fixture.set("apns-priority", "7")
    #expect(fixture.act().streamLimit == 1)
    #expect(fixture.act().streamLimit == nil)
    fixture.headers = good
    #expect(fixture.act().streamLimit == 1000)
  }

  @Test("a connection is bound to the key and team of its first token")
  func binding() throws {
    var fixture = try APNsFixture()
    let other = try ECPrivateKey.generate()
    for (kid, team) in [("OTHERKEY01", "TEAM123456"), ("ABC123DEFG", "OTHERTEAM1")] {
      fixture.gateway.authority.keys.append(APNsSigningKey(keyID: kid, teamID: team, publicKey: other.publicKey))
    }
    #expect(fixture.send() == "200 ")
    fixture.set("authorization", try fixture.bearer(kid: "OTHERKEY01", signer: other))
    #expect(fixture.send() == APNsGatewayTests.reason(403, "UnrelatedKeyIdInToken"))
    fixture.set("authorization", try fixture.bearer(iss: "OTHERTEAM1", signer: other))
    #expect(fixture.send() == APNsGatewayTests.reason(403, "InvalidProviderToken"))
    fixture.connection = APNsConnection()
    #expect(fixture.send() == "200 ")
  }

  @Test("the token may change once in 20 minutes; old ones stay good while they are young")
  func updates() throws {
    var fixture = try APNsFixture()
    let first = try fixture.bearer(ageSeconds: 3000)
    let second = try fixture.bearer(ageSeconds: 10)
    let third = try fixture.bearer(ageSeconds: 5)
    for (token, expected) in [
      (first, "200 "), (second, "200 "), (first, "200 "), (second, "200 "),
      (third, APNsGatewayTests.reason(429, "TooManyProviderTokenUpdates")), (second, "200 "),
    ] {
      fixture.set("authorization", token)
      #expect(fixture.send() == expected)
    }
    fixture.nowMs += 20 * 60 * 1000
    fixture.set("authorization", third)
    #expect(fixture.send() == "200 ")
    fixture.set("authorization", first)
    #expect(fixture.send() == APNsGatewayTests.reason(403, "ExpiredProviderToken"))
  }

  @Test("a token that was good expires while the connection lasts")
  func expiry() throws {
    var fixture = try APNsFixture()
    #expect(fixture.send() == "200 ")
    fixture.nowMs += 3_600_000
    #expect(fixture.send() == "200 ")
    fixture.nowMs += 1
    #expect(fixture.send() == APNsGatewayTests.reason(403, "ExpiredProviderToken"))
  }

  @Test("pushes with one collapse id leave one standing")
  func collapse() throws {
    var fixture = try APNsFixture()
    for (id, body) in [("a", 1), ("b", 2), ("a", 3)] {
      fixture.set("apns-collapse-id", id)
      fixture.body = Array(#"{"n":\#(body)}"#.utf8)
      #expect(fixture.send() == "200 ")
    }
    let index = try #require(fixture.devices.find(.apns, APNsFixture.token))
    let texts = { (pushes: [ReceivedPush]) in pushes.map { String(decoding: $0.payload, as: UTF8.self) } }
    #expect(texts(fixture.devices[index].receivedPushes) == [#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#])
    #expect(texts(fixture.devices[index].currentPushes) == [#"{"n":2}"#, #"{"n":3}"#])
  }

  @Test("every documented reason can be scripted for one device", arguments: APNsRejection.devicePush)
  func scripted(rejection: APNsRejection) throws {
    var fixture = try APNsFixture()
    let index = fixture.devices.make(.apns, token: APNsFixture.token)
    fixture.devices[index].script = DeviceScript([.refuse(Refusal(rejection.reason, timestampMs: 9))])
    let timestamp = rejection.status == 410 ? #","timestamp":9"# : ""
    #expect(fixture.send() == #"\#(rejection.status) {"reason":"\#(rejection.reason)"\#(timestamp)}"#)
    #expect(fixture.send() == "200 ")
  }
}
