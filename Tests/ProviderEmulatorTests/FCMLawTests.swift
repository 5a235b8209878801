import ProviderEmulator
import PushContracts
import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// The linter, the gateway and the models of the devices agree about every body of `messages:send`: the linter finds an
/// error if and only if the gateway refuses it, no device does anything with it, or Apple devices do nothing with what it
/// says to them.
///
/// A message that is only to be validated may be empty. Over messages that have most fields of Google's discovery
/// document, and mutations of them; a failure prints its seed: `POSTRIDER_SEED=…` repeats it. Outside the law is what a message does not say by itself: the access token and its project,
/// a device that is unregistered or of another sender, quotas, scripted faults, a body over the 64 KiB that the emulator
/// reads, and a placeholder such as `<device token>`, which the linter lets pass because it is not what will be sent.
@Suite("Law: FCM messages")
struct FCMLawTests {
  private static let rounds = 6_000

  @Test("the linter's errors are what the gateway refuses and what the devices do nothing with")
  func agreement() throws {
    var random = SeededRandom.fromEnvironment()
    var fixture = FCMFixture()
    fixture.devices.limits.recording = .none
    var checker = PushChecker()
    var seen: [String: Int] = [:]
    var refusedCount = 0
    var disagreements: [String] = []
    for _ in 0..<Self.rounds {
      let body = FCMBodies.random(&random)
      fixture.body = body
      _ = fixture.act()
      let isRefused = fixture.response.status != 200
      let errors = checker.check(fcmBody: body).findings.filter { $0.severity == .error }
      let refusals = errors.filter { Refusals.contains($0.rule) }
      if isRefused { refusedCount += 1 }
      let answer = String(decoding: fixture.response.body.prefix(300), as: UTF8.self)
      let text = String(decoding: body, as: UTF8.self)
      if isRefused == refusals.isEmpty || isRefused && fixture.response.status != 400 {
        disagreements.append("\(fixture.response.status) \(answer), linter \(refusals.map(\.rule)): \(text)")
      }
      // What is not delivered needs no device.
      let rules = Set((isRefused ? refusals : errors).map(\.rule))
      for rule in rules { seen[rule, default: 0] += 1 }
      let outcomes = isRefused ? [] : Self.outcomes(body)
      if !isRefused, rules.isEmpty != outcomes.allSatisfy(\.isSomething) {
        disagreements.append("\(outcomes), linter \(rules): \(text)")
      }
    }
    #expect(disagreements.isEmpty, "seed \(random.seed): \(disagreements.count), such as \(disagreements.prefix(3))")
    let share = Self.rounds / 10...Self.rounds * 9 / 10
    #expect(share.contains(refusedCount), "seed \(random.seed): \(refusedCount) refused of \(Self.rounds)")
    let unseen = Self.rules.union(Self.deviceRules).subtracting(seen.keys)
    #expect(unseen.isEmpty, "seed \(random.seed): never seen \(unseen)")
  }

  /// What Android does with a message, and an Apple device and a browser when the message says something to them.
  private static func outcomes(_ body: [UInt8]) -> [DeviceOutcome] {
    guard let root = try? JSON.parse(body) else { return [] }
    let android = root["validate_only"] == true ? nil : Contracts.outcome(.native, of: root, on: .android)
    return [android, Contracts.appleOutcome(ofFCM: root), Contracts.browserOutcome(ofFCM: root)].compactMap(\.self)
  }

  /// Every rule of what a device does nothing with.
  private static let deviceRules: Set<String> = [
    "apns-background-visible", "apns-content-changed-missing", "apns-live-activity-content-state",
    "apns-live-activity-event", "apns-live-activity-start-incomplete", "apns-live-activity-timestamp",
    "fcm-shows-nothing", "fcm-webpush-notification",
  ]

  /// Every rule whose break FCM refuses.
  private static let rules = Set(
    Rules.all.filter { $0.answer == "INVALID_ARGUMENT" && $0.severity == .error }.map(\.text))

  @Test(
    "a condition has one grammar",
    arguments: [
      ("'a' in topics", true), ("'a'in topics", true), ("'a' in topics&&'b' in topics||!('c' in topics)", true),
      (" ( 'a' in topics ) ", true), ("!!'a' in topics", true), ("\"a\" in topics", false), ("'a' in topic", false),
      ("'a' in topics &&", false), ("('a' in topics", false), ("'a b' in topics", false), ("", false),
      ("'a' in topics 'b' in topics", false), ("'a' && 'b' in topics", false),
      (String(repeating: "(", count: 31) + "'a' in topics" + String(repeating: ")", count: 31), true),
      (String(repeating: "(", count: 32) + "'a' in topics" + String(repeating: ")", count: 32), false),
      (String(repeating: "(", count: 100_000), false), (String(repeating: "!", count: 100_000), false),
      ([String](repeating: "'a' in topics", count: 5).joined(separator: "||"), true),
      ([String](repeating: "'a' in topics", count: 6).joined(separator: "||"), false),
      ([String](repeating: "'a' in topics", count: 3_000).joined(separator: "||"), false),
      ([String](repeating: "'a' in topics", count: 3_000).joined(separator: "&&"), false),
    ])
  func conditions(text: String, isValid: Bool) {
    var fixture = FCMFixture()
    fixture.message = ["condition": .string(text), "data": ["a": "1"]]
    _ = fixture.act()
    #expect((fixture.response.status == 200) == isValid)
    var checker = PushChecker()
    let body = JSON.minified(["message": .object(fixture.message)])
    #expect(checker.check(fcmBody: body).hasErrors == !isValid)
  }
}

/// Bodies of `messages:send`: part of a message that has nearly everything, with up to three faults.
enum FCMBodies {
  static func random(_ random: inout SeededRandom) -> [UInt8] {
    var message = whole
    // Most messages have a few parts.
    for name in message.map({ $0.0 }) where name != "token" && Int.random(in: 0..<3, using: &random) > 0 {
      message.removeValue(forKey: name)
    }
    // The two forms for Android exclude each other, and so do the two parts of the newer one.
    let isNewer = Int.random(in: 0..<4, using: &random) == 0
    if Int.random(in: 0..<20, using: &random) > 0 { message.removeValue(forKey: isNewer ? "android" : "android_v2") }
    if Int.random(in: 0..<4, using: &random) > 0, var newer = message["android_v2"]?.object {
      newer.removeValue(forKey: "background_sync")
      message["android_v2"] = .object(newer)
    }
    if Int.random(in: 0..<3, using: &random) == 0 { message["apns"] = .object(pick(configs, &random)) }
    retarget(&message, &random)
    var body: JSONValue = ["message": .object(message)]
    guard Int.random(in: 0..<4, using: &random) > 0 else { return JSON.minified(body) }
    for _ in 0..<Int.random(in: 1...3, using: &random) { mutate(&body, &random) }
    return mutateText(JSON.minified(body), &random)
  }

  private static let whole: JSONObject = [
    "token": "abc:DEF-1_2", "data": ["k": "v", "gift": "1"],
    "notification": ["title": "T", "body": "B", "image": "https://example.com/i.png"],
    "android": [
      "collapse_key": "c", "priority": "HIGH", "ttl": "3600s", "restricted_package_name": "com.example",
      "data": ["a": "1"], "direct_boot_ok": true, "fcm_options": ["analytics_label": "spring"],
      "notification": [
        "title": "T", "body_loc_key": "B", "body_loc_args": ["x"], "color": "#aabbcc", "sticky": true,
        "event_time": "2026-01-31T09:00:00Z", "notification_priority": "PRIORITY_HIGH", "vibrate_timings": ["0.5s"],
        "visibility": "PUBLIC", "notification_count": 3, "image": "https://example.com/i.png",
        "light_settings": [
          "color": ["red": 0.5, "green": 1, "blue": 0, "alpha": 1], "light_on_duration": "1s",
          "light_off_duration": "3.5s",
        ],
      ],
    ],
    "webpush": [
      "headers": ["TTL": "60", "Urgency": "high", "Topic": "t"], "data": ["a": "1"],
      "notification": ["title": "T", "renotify": true, "tag": "t", "actions": [["action": "a", "title": "A"]]],
      "fcm_options": ["link": "https://example.com", "analytics_label": "l"],
    ],
    "apns": [
      "headers": ["apns-priority": "5", "apns-expiration": "1790000000", "apns-collapse-id": "c"],
      "payload": ["aps": ["alert": ["title": "T"], "badge": 1], "k": 1], "fcm_options": ["analytics_label": "l"],
    ],
    "android_v2": [
      "remote_notification": ["notification": ["title": "T", "color": "#aabbcc"]], "background_sync": [:],
    ],
    "fcm_options": ["analytics_label": "l"],
  ]

  /// What a message says to Apple devices: pushes of several kinds, with their push type and without.
  private static let configs: [JSONObject] = [
    [
      "headers": ["apns-push-type": "liveactivity"],
      "payload": ["aps": ["event": "update", "timestamp": 1_790_000_000, "content-state": ["n": 1]]],
    ],
    ["payload": ["aps": ["event": "end", "timestamp": 1_790_000_000]], "live_activity_token": "0123abcd"],
    [
      "payload": [
        "aps": [
          "event": "start", "timestamp": 1_790_000_000, "content-state": [:], "attributes-type": "A", "attributes": [:],
          "alert": ["title": "T"],
        ]
      ]
    ],
    [
      "headers": ["apns-push-type": "background", "apns-priority": "5"],
      "payload": ["aps": ["content-available": 1], "k": 1],
    ],
    [
      "headers": ["apns-push-type": "liveactivity"],
      "payload": ["aps": ["event": "update", "timestamp": 1_790_000_000]],
    ],
    [
      "headers": ["apns-push-type": "liveactivity"],
      "payload": ["aps": ["event": "start", "timestamp": 1_790_000_000, "content-state": [:], "attributes-type": "A"]],
    ],
    ["headers": ["apns-push-type": "background"]], ["headers": ["apns-push-type": "liveactivity"]],
    ["headers": ["apns-push-type": "widgets"], "payload": ["aps": ["content-changed": true]]],
    ["headers": ["apns-push-type": "alert"], "payload": ["aps": ["thread-id": "t"]]],
    ["payload": ["aps": ["thread-id": "t"]]], ["payload": ["aps": ["badge": 1]]], ["payload": ["k": 1]],
    ["payload": ["aps": [:]]], ["headers": ["apns-push-type": "controls"]],
  ]

  private static func retarget(_ message: inout JSONObject, _ random: inout SeededRandom) {
    let targets: [(String, JSONValue)] = [
      ("fid", "dKzvXQ9hTzy8"), ("topic", "news"), ("topic", "a.b~c%20-_"), ("topic", "/topics/news"), ("topic", ""),
      ("condition", "'a' in topics && ('b' in topics || !('c' in topics))"), ("condition", "'a' in"),
      ("token", ""), ("token", "a b"), ("token", "tok\n"), ("token", .string(String(repeating: "x", count: 4097))),
    ]
    guard Int.random(in: 0..<4, using: &random) == 0 else { return }
    let (name, value) = pick(targets, &random)
    if Int.random(in: 0..<4, using: &random) > 0 { message.removeValue(forKey: "token") }
    message[name] = value
  }

  private static let odd: [JSONValue] = [
    .null, true, false, 0, 1, 3, 255, -1, 1.5, 2_147_483_647, 2_147_483_648, "", "x", "5", "3s", "-1s", "2419200s",
    "2419200.1s", "3600", "0.5s", "red", "#aabbcc", "#aabbccdd", "HIGH", "high", "PRIORITY_HIGH", "PUBLIC", "public",
    "http://example.com", "https://example.com", "/img", "a b", "NaN", [], [1], ["a"], ["-1s"], [:], ["a": "b"],
    ["a": 1], ["from": "x"], ["google.x": "y"], ["collapse_key": "z"], ["apns-priority": "7"], ["apns-priority": "10"],
    ["apns-expiration": "soon"], ["apns-collapse-id": "a\n"], ["apns-push-type": "shout"], ["red": 255],
    ["TTL": "soon"], ["Urgency": "urgent"], "2026-13-01T00:00:00Z",
    "0s", "0.000000001s", "0.0000000001s", "3s ", "315576000001s", "#AABBCC", "#aabbc", "ALLOW",
    "2026-01-31T09:00:00+01:00",
    "2026-01-31T09:00:00.1234567891Z", "9223372036854775808", 9_223_372_036_854_775_807, -2_147_483_649, "true",
    [.null],
    [[:]], [["action": "a", "title": "A"]], ["action": nil], ["k": nil], ["": "x"], ["gcm.n.title": "x"], "alert",
    "widgets",
    .string(String(repeating: "x", count: 65)), .string(String(repeating: "x", count: 4097)),
    ["k": .string(String(repeating: "x", count: 4096))],
  ]

  private static let names = [
    "token", "topic", "condition", "name", "notification", "android", "androidV2", "android_v2", "priority", "ttl",
    "title", "color", "titleLocArgs", "title_loc_key", "lightSettings", "light_on_duration", "analyticsLabel", "link",
    "from", "unknown", "payload", "headers", "apns-priority", "aps", "image", "message", "validate_only",
    "restrictedPackageName", "event", "timestamp", "content-state", "content-available", "alert", "badge", "data",
    "backgroundSync", "remoteNotification", "apns", "webpush", "live_activity_token", "fcm_options", "collapse_key",
    "direct_boot_ok", "bandwidth_constrained_ok", "restricted_satellite_ok", "icon", "sound", "tag", "click_action",
    "body_loc_key", "body_loc_args", "channel_id", "ticker", "sticky", "event_time", "local_only",
    "notification_priority", "default_sound", "default_vibrate_timings", "vibrate_timings", "visibility",
    "notification_count", "proxy", "red", "alpha", "light_off_duration", "fid", "validateOnly", "apns-topic",
    "apns-push-type", "apns-id", "attributes", "attributes-type", "content-changed", "renotify", "actions", "vibrate",
    "silent", "TTL", "Topic",
  ]

  /// Faults that replacing values at random seldom makes.
  private static let rare: [(path: [String], value: JSONValue)] = [
    (["message", "android", "ttl"], "-1s"), (["message", "android", "ttl"], "2419200.1s"),
    (["message", "android", "notification", "color"], "red"),
    (["message", "android", "notification", "vibrate_timings"], ["-1s"]),
    (["message", "android", "notification", "light_settings"], ["color": ["red": 255]]),
    (["message", "android_v2", "background_sync"], [:]), (["message", "webpush", "headers"], ["Urgency": "urgent"]),
    (["message", "webpush", "fcm_options"], ["link": "http://example.com"]),
    (["message", "webpush", "notification"], ["title": "T", "renotify": true]),
    (["message", "webpush", "notification"], ["title": "T", "actions": [["action": "a"]]]),
    (["message", "apns", "headers"], ["apns-priority": "05"]), (["message", "data"], ["from": "x"]),
    (["message", "apns", "headers"], ["apns-collapse-id": .string(String(repeating: "c", count: 65))]),
    (["message", "android", "notification"], ["title": "T", "body_loc_args": ["x"]]),
  ]

  /// Changes one value somewhere in the body: takes it away, replaces it, or adds a member.
  private static func mutate(_ value: inout JSONValue, _ random: inout SeededRandom) {
    if Int.random(in: 0..<4, using: &random) == 0 {
      let (path, fault) = pick(rare, &random)
      return FieldPaths.change(&value, path[...]) { $0 = fault }
    }
    let paths = FieldPaths.all(of: value)
    let path = pick(paths, &random)
    FieldPaths.change(&value, path[...]) { index in
      switch Int.random(in: 0..<6, using: &random) {
      case 0: index = nil
      case 1...2: index = pick(odd, &random)
      default:
        guard case .object(var object)? = index else { return index = pick(odd, &random) }
        object[pick(names, &random)] = pick(odd, &random)
        index = .object(object)
      }
    }
  }

  private static func mutateText(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    guard Int.random(in: 0..<30, using: &random) == 0 else { return bytes }
    let others = ["", "{", "[]", "3", "null", "{}", #"{"message":null}"#, #"{"message":[]}"#, #"{"message":{}}"#]
    return Array(pick(others, &random).utf8)
  }

  private static func pick<Element>(_ elements: [Element], _ random: inout SeededRandom) -> Element {
    elements[Int.random(in: elements.indices, using: &random)]
  }
}

/// The ways into a JSON value by names; arrays are leaves.
private enum FieldPaths {
  static func all(of value: JSONValue) -> [[String]] {
    guard case .object(let object) = value else { return [[]] }
    return [[]] + object.flatMap { name, member in all(of: member).map { [name] + $0 } }
  }

  static func change(_ value: inout JSONValue, _ path: ArraySlice<String>, _ body: (inout JSONValue?) -> Void) {
    guard let name = path.first, case .object(var object) = value else {
      var index: JSONValue? = value
      body(&index)
      return value = index ?? [:]
    }
    var member = object[name]
    if path.count > 1, var inner = member {
      change(&inner, path.dropFirst(), body)
      member = inner
    } else {
      body(&member)
    }
    if let member { object[name] = member } else { object.removeValue(forKey: name) }
    value = .object(object)
  }
}
