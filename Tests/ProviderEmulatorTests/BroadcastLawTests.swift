import ProviderEmulator
import PushContracts
import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// The linter, the gateway and the model of the device agree about every broadcast: the linter finds an error if and only
/// if the gateway refuses the request or the device does nothing with it.
///
/// Over broadcasts on a channel of either storage policy and mutations of them; a failure prints its seed:
/// `POSTRIDER_SEED=…` repeats it. Outside the law is what a request does not say by itself: the provider token, the path,
/// and a channel that is not registered.
@Suite("Law: APNs broadcasts")
struct BroadcastLawTests {
  private static let rounds = 6_000

  /// The reasons of the gateway, by the linter's rule; where a rule has another reason for a push to one device, both.
  private static let reasons: [String: Set<String>] = [
    "apns-broadcast-channel-missing": ["MissingChannelId"], "apns-broadcast-channel-invalid": ["BadChannelId"],
    "apns-broadcast-push-type": ["MissingPushType", "InvalidPushType"],
    "apns-broadcast-expiration": ["BadExpirationDate"], "apns-expiration-invalid": ["BadExpirationDate"],
    "apns-broadcast-priority": ["BadPriority"], "apns-live-activity-priority": ["BadPriority"],
    "apns-priority-invalid": ["BadPriority"], "apns-id-invalid": ["BadMessageId"],
    "apns-header-duplicate": ["BadRequestParams"], "apns-header-illegal": ["HTTP"],
    "apns-payload-empty": ["PayloadEmpty", "BadRequestPayload"], "apns-payload-too-large": ["PayloadTooLarge"],
    "json-invalid": ["BadRequestPayload"], "apns-broadcast-event": ["BadRequestPayload"],
    "apns-live-activity-event": ["BadRequestPayload"],
  ]

  /// Every rule of what is accepted and does nothing on a device.
  private static let deviceRules: Set<String> = ["apns-live-activity-timestamp", "apns-live-activity-content-state"]

  @Test("the linter's errors are what the gateway refuses and what the device does nothing with")
  func agreement() throws {
    var random = SeededRandom.fromEnvironment()
    var fixtures = [try APNsChannelTests.Fixture(policy: 0), try APNsChannelTests.Fixture(policy: 1)]
    var checker = PushChecker()
    var seen: [String: Int] = [:]
    var disagreements: [String] = []
    for round in 0..<Self.rounds {
      let policy = round % 2
      let request = Broadcasts.random(fixtures[policy].channelID, &random)
      let answer = Self.answer(request, &fixtures[policy].apns)
      checker.settings.channelStorage = APNsChannelStoragePolicy(rawValue: policy)
      let headers = APNsHeaders(reading: request.headers)
      let broadcast = try #require(
        APNsBroadcast(bundleID: "com.example.app", request: APNsRequest(headers: headers, payload: request.body)))
      let errors = Set(checker.check(broadcast).findings.filter { $0.severity == .error }.map(\.rule))
      seen[answer, default: 0] += 1
      let says = "seed \(random.seed): \(answer), linter \(errors), storage \(policy): \(request)"
      if answer != "200" {
        let foreseen = errors.reduce(into: Set<String>()) { $0.formUnion(Self.reasons[$1] ?? []) }
        if !foreseen.contains(answer) { disagreements.append(says) }
        continue
      }
      for rule in errors { seen[rule, default: 0] += 1 }
      let payload = try JSON.parse(request.body)
      let device = APNsHeaders(pushType: .liveactivity)
      let outcome = Contracts.outcome(.native, of: payload, on: .ios, headers: device)
      if errors.isEmpty != outcome.isSomething { disagreements.append("\(outcome), \(says)") }
    }
    #expect(disagreements.isEmpty, "\(disagreements.count), such as \(disagreements.prefix(5))")
    let known = Self.reasons.values.reduce(into: Self.deviceRules.union(["200"])) { $0.formUnion($1) }
    let rare = known.filter { seen[$0, default: 0] < Self.rounds / 300 }
    #expect(rare.isEmpty, "seed \(random.seed): seldom or never seen \(rare) of \(seen)")
    #expect(Set(seen.keys).isSubset(of: known), "\(seen)")
  }

  /// The reason of a refusal, `200`, or `HTTP` when the request cannot be sent.
  private static func answer(_ request: APNsRequests.Request, _ fixture: inout APNsFixture) -> String {
    guard APNsRequests.canBeSent(request.headers) else { return "HTTP" }
    let credential = fixture.headers.first { $0.0 == "authorization" }
    fixture.headers = request.headers.map { ($0.name, $0.value) }
    if let credential { fixture.headers.append(credential) }
    fixture.body = request.body
    let answer = fixture.send()
    return answer == "200 " ? "200" : String(answer.split(separator: "\"").dropFirst(3).first ?? "")
  }

  @Test("an accepted broadcast is answered with the id of the request and with one of its own")
  func identifiers() throws {
    var fixture = try APNsChannelTests.Fixture()
    fixture.apns.set("apns-request-id", "11111111-2222-3333-4444-555555555555")
    #expect(fixture.apns.send() == "200 ")
    #expect(fixture.apns.response.header("apns-request-id") == "11111111-2222-3333-4444-555555555555")
    #expect(fixture.apns.response.header("apns-unique-id")?.utf8.count == 36)
    fixture.apns.set("apns-priority", nil)
    #expect(fixture.apns.send() == APNsGatewayTests.reason(400, "BadPriority"))
    #expect(fixture.apns.response.header("apns-unique-id") == nil)
  }
}

/// Broadcasts, right and with up to three faults.
private enum Broadcasts {
  static func random(_ channelID: String, _ random: inout SeededRandom) -> APNsRequests.Request {
    var request = APNsRequests.Request(headers: [], body: JSON.minified(.object(payload(&random))))
    request["apns-channel-id"] = channelID
    request["apns-push-type"] = "liveactivity"
    request["apns-priority"] = pick(["5", "10"], &random)
    request["apns-expiration"] = pick(["0", "0", "0", "1790000000"], &random)
    if Bool.random(using: &random) { request["apns-request-id"] = "123e4567-e89b-12d3-a456-426614174000" }
    request.headers.shuffle(using: &random)
    guard Int.random(in: 0..<4, using: &random) > 0 else { return request }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0...4: mutateHeader(&request, &random)
      case 5...7: APNsRequests.mutateMember(&request, &random)
      default: mutateBody(&request, &random)
      }
    }
    return request
  }

  private static func payload(_ random: inout SeededRandom) -> JSONObject {
    let time: JSONValue = 1_790_000_000
    return pick(
      [
        ["aps": ["event": "update", "timestamp": time, "content-state": ["n": 1]]],
        ["aps": ["event": "end", "timestamp": time, "dismissal-date": 1_790_000_100]],
        [
          "aps": [
            "event": "update", "timestamp": time, "content-state": [:], "alert": ["title": "T", "sound": "s"],
            "stale-date": 1_790_000_100,
          ]
        ],
      ], &random)
  }

  private static let values: [String: [String]] = [
    "apns-channel-id": ["", "?", "my-channel", "AAA", "A===", "AA=A", " AAAA"],
    "apns-push-type": ["", "alert", "LiveActivity", "LIVEACTIVITY", "Liveactivity", "liveactivity ", "live-activity"],
    "apns-priority": ["", "1", "7", "05", "+5", "10.0", "high", "99999999999999999999"],
    "apns-expiration": [
      "", "00", "01", "-1", "+1", "1.5", "soon", "9223372036854775807", "9223372036854775808", "1790000000000",
    ],
    "apns-request-id": ["", "1", "123E4567-E89B-12D3-A456-426614174000", "123e4567e89b12d3a456426614174000"],
    "apns-id": ["", "x", "123e4567-e89b-12d3-a456-426614174000"],
    "apns-topic": ["com.example.app", "com example"],
    "apns-collapse-id": ["c", "a\tb", "a\nb", String(repeating: "x", count: 65)],
  ]

  private static func mutateHeader(_ request: inout APNsRequests.Request, _ random: inout SeededRandom) {
    let name = pick(values.keys.sorted(), &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: request[name] = nil
    case 1:
      let value = request[name] ?? pick(values[name] ?? [], &random)
      request.headers.append(APNsHeader(name: pick([name, "Apns" + name.dropFirst(4)], &random), value: value))
    default: request[name] = pick(values[name] ?? [], &random)
    }
  }

  private static func mutateBody(_ request: inout APNsRequests.Request, _ random: inout SeededRandom) {
    let text = { (text: String) in Array(text.utf8) }
    switch Int.random(in: 0..<7, using: &random) {
    case 0: request.body = []
    case 1:
      request.body = text(
        pick(["{", "hello", "[]", "3", "null", " ", "{}", #"{"aps":5}"#, #"{"aps":null}"#, #"{"k":1}"#], &random))
    case 2: request.body.removeLast(min(request.body.count, 1))
    case 3: request.body.append(contentsOf: pick([text(" "), text("x"), text("\n")], &random))
    case 4: request.body = text(#"{"aps":{"event":"start","timestamp":1,"content-state":{}}}"#)
    default:
      // As large as the limit allows, or one byte more.
      let frame = text(#"{"aps":{"event":"end","timestamp":1},"k":""}"#)
      let size = APNsBroadcast.payloadBytesMax + pick([-1, 0, 1, 600], &random)
      request.body = Array(frame.dropLast(2)) + [UInt8](repeating: 0x78, count: size - frame.count) + text("\"}")
    }
  }

  private static func pick<Element>(_ elements: [Element], _ random: inout SeededRandom) -> Element {
    APNsRequests.pick(elements, &random)
  }
}
