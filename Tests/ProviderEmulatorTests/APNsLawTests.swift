import HTTP2
import ProviderEmulator
import PushContracts
import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// The linter, the gateway and the model of the device agree about every request to APNs: the linter finds an error if and
/// only if the gateway refuses the request or the device does nothing with it.
///
/// A push that is silent on purpose is no error: it badges, plays, wakes the app, or carries data. Over generated requests of every push type and mutations of them; a failure prints its seed: `POSTRIDER_SEED=…` repeats
/// it. Outside the law is what a request does not say by itself: the token in the path, a device that is unregistered,
/// expired, of another app or environment, the provider token and the topics of its key, too many pushes, an emulator that
/// insists on `apns-push-type`, and scripted faults.
@Suite("Law: APNs requests")
struct APNsLawTests {
  private static let rounds = 6_000

  /// Every reason that the headers and the body of a request can be refused for.
  private static let reasons: Set<String> = [
    "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic", "DuplicateHeaders", "Forbidden",
    "InvalidPushType", "MissingTopic", "PayloadEmpty", "PayloadTooLarge",
  ]

  /// Every rule of what a device does nothing with.
  private static let deviceRules: Set<String> = [
    "apns-background-visible", "apns-content-changed-missing", "apns-live-activity-content-state",
    "apns-live-activity-event", "apns-live-activity-start-incomplete", "apns-live-activity-timestamp",
    "apns-mdm-payload", "apns-shows-nothing",
  ]

  @Test("the linter's errors are what the gateway refuses and what the device does nothing with")
  func agreement() throws {
    var random = SeededRandom.fromEnvironment()
    var fixture = try APNsFixture()
    fixture.devices.limits.recording = .none
    var checker = PushChecker()
    var seen: [String: Int] = [:]
    var disagreements: [String] = []
    for _ in 0..<Self.rounds {
      let request = APNsRequests.random(&random)
      let answer = Self.answer(request, &fixture)
      checker.settings.authentication = request.usesCertificate ? .certificate : .token
      let headers = APNsHeaders(reading: request.headers)
      let errors = checker.check(APNsRequest(headers: headers, payload: request.body)).findings.filter {
        $0.severity == .error
      }
      let refusals = errors.filter { Refusals.contains($0.rule) }
      seen[answer, default: 0] += 1
      let isForeseen = Refusals.answers(refusals).contains(answer)
      if refusals.isEmpty != (answer == "200") || !refusals.isEmpty && !isForeseen {
        disagreements.append("\(answer), linter \(refusals.map(\.rule)): \(request)")
      }
      guard let payload = try? JSON.parse(request.body), payload.object != nil else { continue }
      let outcome = Contracts.outcome(.native, of: payload, on: .ios, headers: headers)
      let rules = Set(errors.map(\.rule)).subtracting(refusals.map(\.rule))
      if answer == "200" { for rule in rules { seen[rule, default: 0] += 1 } }
      if rules.isEmpty != outcome.isSomething {
        disagreements.append("\(outcome), linter \(rules): \(request)")
      }
    }
    #expect(disagreements.isEmpty, "seed \(random.seed): \(disagreements.count), such as \(disagreements.prefix(5))")
    let rare = Self.reasons.union(["200", "HTTP"]).filter { seen[$0, default: 0] < Self.rounds / 200 }
    #expect(rare.isEmpty, "seed \(random.seed): seldom or never seen \(rare) of \(seen)")
    let unseen = Self.deviceRules.filter { seen[$0, default: 0] < Self.rounds / 600 }
    #expect(unseen.isEmpty, "seed \(random.seed): seldom or never seen \(unseen) of \(seen)")
    let known = Self.reasons.union(Self.deviceRules).union(["200", "HTTP"])
    #expect(Set(seen.keys).isSubset(of: known), "\(seen)")
  }

  /// The reason of a refusal, `200`, or `HTTP` when the request cannot be sent.
  private static func answer(_ request: APNsRequests.Request, _ fixture: inout APNsFixture) -> String {
    guard APNsRequests.canBeSent(request.headers) else { return "HTTP" }
    let credential = fixture.headers.first { $0.0 == "authorization" }
    fixture.headers = request.headers.map { ($0.name, $0.value) }
    if let credential { fixture.headers.append(credential) }
    let token = fixture.connection
    if request.usesCertificate {
      fixture.connection = APNsConnection(certificate: APNsClientCertificate(topics: []))
    }
    fixture.body = request.body
    let answer = fixture.send()
    if request.usesCertificate { fixture.connection = token }
    return answer == "200 " ? "200" : String(answer.split(separator: "\"").dropFirst(3).first ?? "")
  }

  @Test(
    "what HTTP/2 does not carry, the linter names and a real connection refuses",
    arguments: [
      ("connection", "close"), ("keep-alive", "1"), ("proxy-connection", "x"), ("transfer-encoding", "chunked"),
      ("upgrade", "h2c"), ("te", "gzip"),
    ])
  func connectionHeaders(name: String, value: String) async throws {
    var checker = PushChecker()
    let body = Array(#"{"aps":{"alert":"x"}}"#.utf8)
    let headers = APNsHeaders(reading: [
      APNsHeader(name: "apns-topic", value: "com.example.app"), APNsHeader(name: "apns-push-type", value: "alert"),
      APNsHeader(name: name, value: value),
    ])
    let report = checker.check(APNsRequest(headers: headers, payload: body))
    #expect(report.rules == ["apns-header-illegal"])
    let fixture = try EmulatorFixture()
    let caller = try Caller(fixture.emulator, .apns)
    let fields = try fixture.apnsHeaders() + [(name, value)]
    let answer = try await caller.send("/3/device/\(APNsFixture.token)", headers: fields, body: body)
    #expect(answer.status != 200 && answer.failure != nil, "\(answer)")
  }
}

extension DeviceOutcome {
  /// True when the device does something: it shows, badges, plays or wakes the app.
  var isSomething: Bool {
    if case .nothing = self { false } else { true }
  }
}

/// The rules whose break ends in a refusal, and with what.
enum Refusals {
  /// Rules without an answer of their own: what is no JSON, what HTTP does not carry, and what the credential decides.
  private static let others = [
    "json-invalid": "PayloadEmpty", "apns-header-illegal": "HTTP", "apns-certificate-forbidden": "Forbidden",
  ]

  static func contains(_ rule: String) -> Bool { answer(rule) != nil }

  static func answers(_ findings: [Finding]) -> Set<String> { Set(findings.compactMap { answer($0.rule) }) }

  private static func answer(_ rule: String) -> String? { others[rule] ?? Rules.rule(rule)?.answer }
}

/// Requests of every push type, right and with up to three faults.
enum APNsRequests {
  struct Request: CustomStringConvertible {
    var headers: [APNsHeader]
    var body: [UInt8]
    var usesCertificate = false

    var description: String {
      let fields = headers.map { "\($0.name): \($0.value)" }.joined(separator: " | ")
      let text = String(decoding: body.prefix(300), as: UTF8.self)
      return "[\(fields)] \(body.count) bytes \(text)\(usesCertificate ? " by certificate" : "")"
    }

    subscript(name: String) -> String? {
      get { headers.first { $0.name == name }?.value }
      set {
        headers.removeAll { $0.name == name }
        if let newValue { headers.append(APNsHeader(name: name, value: newValue)) }
      }
    }
  }

  /// Whether HTTP/2 carries the headers.
  static func canBeSent(_ headers: [APNsHeader]) -> Bool {
    let headers = headers.map { HTTP2Header($0.name.lowercased(), $0.value) }
    return (try? HTTP2RequestTemplate(authority: "api.push.apple.com", headers: headers)) != nil
  }

  static func random(_ random: inout SeededRandom) -> Request {
    var request = valid(&random)
    if Int.random(in: 0..<3, using: &random) == 0 { contradict(&request, &random) }
    guard Int.random(in: 0..<4, using: &random) > 0 else { return request }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      switch Int.random(in: 0..<20, using: &random) {
      case 0...9: mutateHeader(&request, &random)
      case 10...11: addHeader(&request, &random)
      case 12...16: mutateMember(&request, &random)
      default: mutateBody(&request, &random)
      }
    }
    return request
  }

  private static func valid(_ random: inout SeededRandom) -> Request {
    let type = pick(APNsPushType.known + [.liveactivity, .liveactivity, .alert], &random)
    var request = Request(headers: [], body: JSON.minified(.object(payload(type, &random))))
    if type != .alert || Int.random(in: 0..<5, using: &random) > 0 { request["apns-push-type"] = type.rawValue }
    request["apns-topic"] = "com.example.app\(type.topicSuffix ?? "")"
    request["apns-priority"] = pick(type.prioritiesAllowed, &random).text
    if type == .alert, Bool.random(using: &random) { request["apns-priority"] = nil }
    if Bool.random(using: &random) { request["apns-expiration"] = pick(["0", "1790000000"], &random) }
    if Bool.random(using: &random) { request["apns-id"] = "123e4567-e89b-12d3-a456-426614174000" }
    if Bool.random(using: &random) { request["apns-collapse-id"] = pick(["c", "", "a b", "é"], &random) }
    request.headers.shuffle(using: &random)
    request.usesCertificate = Int.random(in: 0..<5, using: &random) == 0
    return request
  }

  private static func payload(_ type: APNsPushType, _ random: inout SeededRandom) -> JSONObject {
    switch type {
    case .mdm: return ["mdm": "magic"]
    case .background:
      return pick([["aps": ["content-available": 1], "k": 1], ["aps": ["content-available": 1]]], &random)
    case .widgets, .controls: return ["aps": ["content-changed": true]]
    case .liveactivity:
      return pick(
        [
          ["aps": ["event": "update", "timestamp": 1_790_000_000, "content-state": ["n": 1]]],
          ["aps": ["event": "end", "timestamp": 1_790_000_000, "dismissal-date": 1_790_000_100]],
          [
            "aps": [
              "event": "start", "timestamp": 1_790_000_000, "content-state": [:], "attributes-type": "A",
              "attributes": [:], "alert": ["title": ["loc-key": "K"], "body": "B", "sound": "default"],
            ]
          ],
        ], &random)
    default:
      return pick(
        [
          ["aps": ["alert": "hi"]], ["aps": ["badge": 0]], ["aps": ["sound": "default"]], [:],
          ["aps": ["content-available": 1]], ["aps": ["thread-id": "t"], "k": 1],
          ["aps": ["alert": ["title": "T", "body": "B", "loc-key": "K", "loc-args": ["a"]], "badge": 3], "k": [1]],
          ["aps": ["alert": ["title": "T"], "mutable-content": 1, "sound": ["critical": 1, "volume": 0.5]]],
        ], &random)
    }
  }

  // MARK: Faults

  private static let values: [String: [String]] = [
    "apns-push-type": [
      "", "Alert", "shout", "alert ", "alerts", "voip", "background", "liveactivity", "mdm", "location",
    ],
    "apns-priority": ["", "0", "1", "5", "10", "05", "010", "+5", "5.0", "7", "-5", "99999999999999999999", "high"],
    "apns-expiration": [
      "", "0", "00", "01", "-1", "+1", "1.5", "soon", "9223372036854775807", "9223372036854775808",
      "100000000000000000", "1000000000000000000", "10 000",
    ],
    "apns-id": [
      "", "1", "123E4567-E89B-12D3-A456-426614174000", "123e4567e89b12d3a456426614174000",
      "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-4266141740000",
      "123e4567-e89b-12d3-a456_426614174000", "g23e4567-e89b-12d3-a456-426614174000",
    ],
    "apns-topic": [
      "", "com.example.app", "com.example.app.voip", ".voip", "com example", "com.example.app!", "com_example-1", "é",
      "com.example.app.push-type.liveactivity", "com.example.app.location-query", "app\u{0}", ".",
    ],
    "apns-collapse-id": [
      String(repeating: "x", count: 64), String(repeating: "x", count: 65), String(repeating: "é", count: 32),
      String(repeating: "é", count: 33), "", "a\tb", "\ta", "a\t", " a", "a ", "a\nb", "a\u{7F}", "a\u{1}b",
    ],
  ]

  private static func mutateHeader(_ request: inout Request, _ random: inout SeededRandom) {
    let name = pick(values.keys.sorted(), &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: request[name] = nil
    case 1:
      // Once more, with the same value or another one, and with any letter case.
      let value = request[name] ?? pick(values[name] ?? [], &random)
      let again = Bool.random(using: &random) ? value : pick(values[name] ?? [], &random)
      request.headers.append(APNsHeader(name: pick([name, "Apns" + name.dropFirst(4)], &random), value: again))
    default: request[name] = pick(values[name] ?? [], &random)
    }
  }

  private static func addHeader(_ request: inout Request, _ random: inout SeededRandom) {
    let name = pick(
      [
        "x-a", "x-b", "apns-unknown", "apns-request-id", "apns-channel-id", "content-type", "", "x y", "x:y", ":x", "é",
      ],
      &random)
    let value = pick(["1", "", "x", "123e4567-e89b-12d3-a456-426614174000", "a\r\nb", " x"], &random)
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      request.headers.append(APNsHeader(name: name, value: value))
    }
  }

  private static let odd: [JSONValue] = [
    .null, true, false, 0, 1, -1, 1.5, "", "x", "1", [], [1], ["a"], [:], ["a": 1], "start", "update", ["title": "T"],
    ["title": ["loc-key": "K"]], ["loc-key": ""], ["body": 5],
  ]

  /// Takes a member of the payload or of `aps` away, replaces or adds one.
  static func mutateMember(_ request: inout Request, _ random: inout SeededRandom) {
    guard var root = try? JSON.parse(request.body).object else { return }
    if var aps = root["aps"]?.object, Int.random(in: 0..<5, using: &random) > 0 {
      mutate(&aps, APS.schema.fields.map(\.name), &random)
      root["aps"] = .object(aps)
    } else {
      mutate(&root, ["aps", "mdm", "badge", "k"], &random)
    }
    request.body = JSON.minified(.object(root))
  }

  /// Takes one of the members away that a Live Activity cannot do without, or has a background push show something.
  private static func contradict(_ request: inout Request, _ random: inout SeededRandom) {
    guard var root = try? JSON.parse(request.body).object, var aps = root["aps"]?.object else { return }
    switch request["apns-push-type"] {
    case "liveactivity":
      _ = aps.removeValue(forKey: pick(aps.map { $0.0 } + ["content-state", "content-state"], &random))
    case "background": aps[pick(["alert", "badge", "sound"], &random)] = pick(["x", 1], &random)
    default: return
    }
    root["aps"] = .object(aps)
    request.body = JSON.minified(.object(root))
  }

  private static func mutate(_ object: inout JSONObject, _ names: [String], _ random: inout SeededRandom) {
    let own = object.map { $0.0 }
    let name = own.isEmpty || Bool.random(using: &random) ? pick(names, &random) : pick(own, &random)
    if Int.random(in: 0..<3, using: &random) == 0 { return _ = object.removeValue(forKey: name) }
    object[name] = pick(odd, &random)
  }

  private static func mutateBody(_ request: inout Request, _ random: inout SeededRandom) {
    let text = { (text: String) in Array(text.utf8) }
    let open = [UInt8](request.body.dropLast())
    switch Int.random(in: 0..<10, using: &random) {
    case 0: request.body = []
    case 1:
      request.body = text(pick(["{", "hello", "[]", "[1]", "3", "null", "\"x\"", " ", "{}", "{\"a\":}"], &random))
    case 2: request.body.removeLast(min(request.body.count, Int.random(in: 1...3, using: &random)))
    case 3: request.body.append(contentsOf: pick([text(" "), text("x"), text("{}"), text("\n")], &random))
    case 4: request.body.append(contentsOf: [UInt8](repeating: 0x20, count: pick([100, 4090, 5120], &random)))
    case 5: request.body.insert(0xFF, at: Int.random(in: 0...request.body.count, using: &random))
    case 6: if !open.isEmpty { request.body = open + text(#","aps":{"alert":"again"}}"#) }
    default:
      // As large as the limit allows, or one byte more.
      let limit = request["apns-push-type"] == "voip" ? 5120 : 4096
      let size = limit + pick([-1, 0, 1, 600], &random)
      let frame = text(#"{"aps":{"alert":"x"},"k":""}"#)
      request.body = Array(frame.dropLast(2)) + [UInt8](repeating: 0x78, count: size - frame.count) + text("\"}")
    }
  }

  static func pick<Element>(_ elements: [Element], _ random: inout SeededRandom) -> Element {
    elements[Int.random(in: elements.indices, using: &random)]
  }
}
