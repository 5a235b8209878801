import ProviderEmulator
import Testing

/// The order of APNs' checks is an open point: the emulator has one, and a scenario can have another.
@Suite("Order of APNs' checks")
struct CheckOrderTests {
  /// A request that breaks every check of a device push at once, but for the ones that exclude each other.
  static func broken() throws -> APNsFixture {
    var fixture = try APNsFixture()
    fixture.devices.limits.acceptsUnknownTokens = false
    fixture.method = "GET"
    fixture.path = "/3/device/xyz"
    fixture.headers = [
      ("apns-topic", "com example"), ("apns-push-type", "voip"), ("apns-push-type", "voip"), ("apns-priority", "7"),
      ("apns-id", "1"), ("apns-expiration", "soon"), ("apns-collapse-id", String(repeating: "x", count: 65)),
    ]
    fixture.body = Array(repeating: 0x78, count: 5121)
    return fixture
  }

  /// What each check answers when it comes first; `path`, `topic_present`, `push_type` and `body_empty` have requests of
  /// their own, since a request cannot break them and what they exclude.
  @Test(
    "each check can come first",
    arguments: [
      (APNsCheck.path, "404 BadPath"), (.method, "405 MethodNotAllowed"), (.duplicates, "400 DuplicateHeaders"),
      (.messageID, "400 BadMessageId"), (.topicPresent, "400 MissingTopic"), (.collapseID, "400 BadCollapseId"),
      (.expiration, "400 BadExpirationDate"), (.pushType, "400 InvalidPushType"), (.priority, "400 BadPriority"),
      (.token, "400 BadDeviceToken"), (.topic, "400 BadTopic"), (.device, "400 BadDeviceToken"),
      (.authentication, "403 MissingProviderToken"), (.bodyEmpty, "400 PayloadEmpty"),
      (.bodySize, "413 PayloadTooLarge"), (.json, "400 PayloadEmpty"),
    ])
  func first(check: APNsCheck, expected: String) throws {
    var fixture = try Self.broken()
    switch check {
    case .path: fixture.path = "/4/device/xyz"
    case .topicPresent: fixture.set("apns-topic", nil)
    case .pushType:
      fixture.set("apns-push-type", nil)
      fixture.set("apns-push-type", "shout")
    case .bodyEmpty: fixture.body = []
    default: break
    }
    fixture.gateway.settings.checks = APNsCheck.order(first: [check])
    #expect(try fixture.reason() == expected)
    // The last of all would have been another's answer.
    fixture.gateway.settings.checks = APNsCheck.allCases.filter { $0 != check } + [check]
    #expect(try fixture.reason() != expected)
  }

  @Test("an order begins as told and goes on as always")
  func order() {
    let order = APNsCheck.order(first: [.authentication, .json])
    #expect(order.prefix(4) == [.authentication, .json, .path, .method])
    #expect(Set(order) == Set(APNsCheck.allCases) && order.count == APNsCheck.allCases.count)
    #expect(APNsCheck.order(first: []) == APNsCheck.allCases)
  }

  /// What is right stays right, and what is wrong in one way has the same reason, whatever the order.
  @Test("the order names the reason and decides nothing else", arguments: APNsCheck.allCases)
  func verdict(check: APNsCheck) throws {
    for row in APNsGatewayTests.headerRows + APNsGatewayTests.payloadRows + APNsGatewayTests.acceptedRows {
      var fixture = try APNsFixture()
      fixture.gateway.settings.checks = APNsCheck.order(first: [check])
      try row.change(&fixture)
      #expect(fixture.send() == row.expected, "\(row.testDescription) with \(check.rawValue) first")
    }
  }

  @Test("a scenario chooses the order")
  func scenario() throws {
    let read = try Scenario(parsing: Array(#"{"apns":{"checks_first":["authentication","device"]}}"#.utf8))
    #expect(read.apns.checks == APNsCheck.order(first: [.authentication, .device]))
    #expect(try Scenario(parsing: Array("{}".utf8)).apns.checks == APNsCheck.allCases)
  }
}

extension APNsFixture {
  /// Status and reason of the answer to the request.
  mutating func reason() throws -> String {
    let answer = send()
    let reason = answer.split(separator: "\"").dropFirst(3).first ?? ""
    return "\(answer.prefix(3)) \(reason)"
  }
}
