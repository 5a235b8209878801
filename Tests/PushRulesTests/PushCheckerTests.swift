import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

struct PushCheckerTests {
  /// What the builders make keeps every rule.
  @Test func builtRequestsAreClean() throws {
    var checker = PushChecker()
    let bundle = "com.example.app"
    let update = APNsLiveActivityChange.update(contentState: ["n": 1], alert: nil).aps(timestamp: 1_790_000_000)
    let requests: [APNsRequest] = [
      .alert(bundleID: bundle, .text("x")), .badge(bundleID: bundle, 0), .background(bundleID: bundle),
      .voip(bundleID: bundle, payload: ["call": 1]), .complication(bundleID: bundle, payload: [:]),
      .fileProvider(bundleID: bundle, payload: [:]), .location(bundleID: bundle, payload: [:]),
      .pushToTalk(bundleID: bundle, payload: [:]), .widgets(bundleID: bundle), .controls(bundleID: bundle),
      .mdm(topic: "com.apple.mgmt.External.1", pushMagic: "m"), .liveActivity(bundleID: bundle, update),
    ]
    for request in requests {
      #expect(checker.check(request).findings == [], "\(request.headers)")
      #expect(checker.check(document: request.json).findings == [], "\(request.headers)")
    }
    let broadcast = try #require(APNsBroadcast(bundleID: bundle, channelID: "Y2g=", update, expiration: .once))
    #expect(checker.check(broadcast).findings == [])
    let channel = try #require(APNsChannelRequest(bundleID: bundle, .create(.nothing)))
    #expect(checker.check(channelCreation: channel.body).findings == [])
    let message = FCMMessage(target: .token("t"), notification: FCMNotification(title: "T"), data: ["a": "b"])
    #expect(checker.check(message.request()).findings == [])
  }

  @Test(arguments: [
    (#"{"aps":{"alert":"x"},"badge":1}"#, ["warning apns-key-outside-aps badge"]),
    (#"{"message":{"token":"","data":{"k":"v"}}}"#, ["error fcm-target-missing message.token"]),
    (#"{"message":{"fid":"","data":{"k":"v"}}}"#, ["error fcm-target-missing message.fid"]),
    (#"{"message":{"token":"a b","data":{"k":"v"}}}"#, ["error fcm-token-invalid message.token"]),
    (#"{"message":{"token":"<device token>","data":{"k":"v"}}}"#, []),
    (#"{"message":{"fid":"{{fid}}","data":{"k":"v"}}}"#, []),
    (
      #"{"message":{"token":"t","data":{"k":"v"},"apns":{"payload":"x"}}}"#,
      ["error fcm-field-type message.apns.payload"]
    ),
    (
      #"{"message":{"token":"t","apns":{"headers":{"apns-push-type":"background","apns-priority":"10"},"#
        + #""payload":{"aps":{"content-available":1}}}}}"#,
      ["error apns-background-priority message.apns.headers.apns-priority"]
    ),
    (
      #"{"message":{"token":"t","apns":{"headers":{"apns-push-type":"background"},"#
        + #""payload":{"aps":{"content-available":1}}}}}"#, []
    ),
    // FCM makes the alert of the notification.
    (
      #"{"message":{"token":"t","notification":{"title":"T"},"apns":{"payload":{"aps":{"mutable-content":1}},"#
        + #""fcm_options":{"image":"https://e.com/a.png"}}}}"#, []
    ),
    (
      #"{"message":{"token":"t","notification":{"title":"T","image":"https://e.com/a.png"},"#
        + #""apns":{"headers":{"apns-push-type":"alert"},"payload":{"aps":{"thread-id":"t"}}}}}"#,
      ["warning fcm-apns-image-lost message.notification.image"]
    ),
    (#"{"message":{"token":"t","notification":{"title":"T","image":"https://e.com/a.png"}}}"#, []),
    (
      #"{"message":{"token":"t","data":{"k":"v"},"apns":{"payload":{"aps":{"mutable-content":1}}}}}"#,
      ["warning apns-mutable-without-alert message.apns.payload.aps.mutable-content"]
    ),
    (#"{"message":{"token":"t"}}"#, ["error fcm-shows-nothing message"]),
    (#"{"message":{"token":"t"},"validate_only":true}"#, []),
    (#"{"message":{"token":"t","notification":{}}}"#, []),
    (#"{"message":{"token":"t","notification":null}}"#, ["error fcm-shows-nothing message"]),
    (#"{"message":{"token":"t","android":{"notification":{"sound":"default"}}}}"#, []),
    (#"{"message":{"token":"t","androidV2":{"backgroundSync":{}}}}"#, []),
    (#"{"message":{"token":"t","android_v2":{"remoteNotification":{"notification":{"bodyLocKey":"K"}}}}}"#, []),
    (#"{"message":{"token":"t","android_v2":{"ttl":"60s"}}}"#, ["error fcm-shows-nothing message"]),
    (#"{"message":{"token":"t","webpush":{"notification":{"title":"T"}}}}"#, []),
    (#"{"message":{"token":"t","webpush":{"headers":{"TTL":"60"}}}}"#, ["error fcm-shows-nothing message"]),
    (#"{"message":{"token":"t","apns":{"headers":{"apns-priority":"5"}}}}"#, ["error fcm-shows-nothing message"]),
    (
      #"{"message":{"token":"t","apns":{"payload":{"aps":{"thread-id":"t"}}}}}"#,
      ["error fcm-shows-nothing message.apns.payload"]
    ),
    (
      #"{"message":{"token":"t","notification":{"title":"T"},"apns":{"payload":{"aps":{"thread-id":"t"}}}}}"#, []
    ),
    (
      #"{"message":{"token":"t","notification":{"title":"T"},"apns":{"payload":{"sound":"default"}}}}"#,
      ["error fcm-apns-aps-missing message.apns.payload"]
    ),
    (
      #"{"message":{"token":"t","notification":{"title":"T"},"apns":{"payload":{"aps":{}}}}}"#,
      ["error fcm-apns-aps-missing message.apns.payload"]
    ),
    (
      #"{"message":{"token":"t","notification":{"title":"T"},"apns":{"headers":{"apns-push-type":"background"}}}}"#,
      ["error apns-background-visible message.notification"]
    ),
    (
      #"{"message":{"token":"t","notification":{"title":"T"},"apns":{"headers":{"apns-push-type":"liveactivity"}}}}"#,
      ["error apns-live-activity-event message.apns"]
    ),
    (
      #"{"message":{"token":"t","notification":{"title":"T"},"android":{"notification":{"title":"","body":""}}}}"#,
      []
    ),
    (
      #"{"message":{"token":"t","data":{"k":"v"},"android":{"notification":{"title_loc_args":["a"],"titleLocArgs":["b"],"titleLocKey":"K"}}}}"#,
      ["warning fcm-field-twice message.android.notification.titleLocArgs"]
    ),
    (#"{"message":{"token":"t","data":{"a":1}}}"#, ["error fcm-data-not-string message.data.a"]),
    (
      #"{"apns":{"headers":{"apns-topic":"a.b"},"payload":{"aps":{"badge":"1"}}},"fcm":{"message":{}}}"#,
      [
        "warning apns-push-type-missing apns.headers.apns-push-type", "warning apns-field-type apns.payload.aps.badge",
        "error apns-shows-nothing apns.payload.aps", "error fcm-target-missing fcm.message",
        "error fcm-shows-nothing fcm.message",
      ]
    ),
    (
      #"{"headers":{"apns-topic":"a.b","apns-push-type":"alert"},"payload":{"aps":{}}}"#,
      ["error apns-shows-nothing payload.aps"]
    ),
    (
      #"{"headers":{"apns-topic":"a.b","apns-push-type":"alert"},"payload":{"aps":{},"k":1}}"#,
      ["warning apns-alert-invisible payload.aps"]
    ),
    (#"{"headers":{"apns-topic":"a.b","apns-push-type":"alert"},"payload":{}}"#, ["error apns-shows-nothing payload"]),
    (#"{"headers":{"apns-topic":"pass.a.b","apns-push-type":"alert"},"payload":{}}"#, []),
    (#"{"aps":{"alert":{"title":"x","action-loc-key":null}}}"#, ["warning apns-null-value aps.alert.action-loc-key"]),
    (#"{"aps":{"alert":"x"},"k":null}"#, ["warning apns-null-value k"]),
    ("nonsense", ["error json-invalid "]), ("", ["error json-invalid "]), ("3", ["error document-unrecognized "]),
    (
      #"{"headers":{"apns-topic":"a.b.push-type.liveactivity","apns-push-type":"liveactivity"},"payload":{"aps":5}}"#,
      ["warning apns-field-type payload.aps", "error apns-live-activity-event payload.aps"]
    ),
    (
      #"{"headers":{"apns-topic":"a.b.push-type.widgets","apns-push-type":"widgets"},"payload":{"aps":"x"}}"#,
      ["warning apns-field-type payload.aps", "error apns-content-changed-missing payload.aps"]
    ),
    (
      #"{"headers":{"apns-topic":"a.b.push-type.widgets","apns-push-type":"widgets"},"payload":{"aps":{"content-changed":1}}}"#,
      ["warning apns-field-type payload.aps.content-changed"]
    ),
    (
      #"{"headers":{"apns-topic":"a.b","apns-push-type":"alert"},"payload":{"aps":{"event":"update"}}}"#,
      ["warning apns-live-activity-outside payload.aps.event", "error apns-shows-nothing payload.aps"]
    ),
    (
      #"{"headers":{"apns-topic":"a.b","apns-push-type":"alert"},"payload":{"aps":[]}}"#,
      ["warning apns-field-type payload.aps", "error apns-shows-nothing payload.aps"]
    ),
    (
      #"{"message":{"token":"t","data":{"k":"v"},"apns":{"headers":{"apns-priority":"7"},"payload":{"aps":{"alert":{"loc-args":["x"]}}}}}}"#,
      [
        "error apns-priority-invalid message.apns.headers.apns-priority",
        "warning apns-alert-empty message.apns.payload.aps.alert",
        "warning apns-loc-args-without-key message.apns.payload.aps.alert.loc-args",
      ]
    ),
  ])
  func documentsAreRecognised(text: String, findings: [String]) {
    var checker = PushChecker()
    let report = checker.check(document: Array(text.utf8))
    #expect(report.findings.map { "\($0.severity.rawValue) \($0.rule) \($0.field)" } == findings)
  }

  @Test func findingsLeadToTheirPlaces() throws {
    let text = """
      {
        "headers": {"Apns-Topic": "a b", "apns-push-type": "alert", "apns-priority": "10"},
        "payload": {"é": 1, "aps": {"alert": {"title": "ü", "titel": "x"}}}
      }
      """
    var checker = PushChecker()
    let bytes = Array(text.utf8)
    let positions = checker.check(document: bytes).findings.map { finding in
      let position = checker.location(of: finding, in: bytes)
      return "\(finding.rule) \(position.line):\(position.column)"
    }
    #expect(positions == ["apns-topic-invalid 2:29", "apns-unknown-key 3:64"])
    let broken = Array("{\n  \"aps\": }".utf8)
    let report = checker.check(document: broken)
    let position = checker.location(of: report.findings[0], in: broken)
    #expect([position.line, position.column] == [2, 10])
  }

  @Test(
    "A path leads to its value, and to what should have it",
    arguments: [
      ("", 0), ("a", 6), ("a[0]", 7), ("a[0].b", 12), ("a[1]", 15), ("a[1][1]", 18), ("a[1][2]", 15), ("a[7].b", 6),
      ("é", 29), ("é.A", 34), ("é.a", 34), ("x[\"a.b\"]", 50), ("x.a.b", 43), ("a.b", 6), ("none.a", 0), ("[0]", 0),
      ("a[00]", 7), ("a[0", 7), ("x.k[1]", 56), ("a[1][1].c", 18),
    ])
  func pathsLeadToTheirValues(path: String, offset: Int) throws {
    let text = "{\n\"a\":[{\"b\":1},[2,3]],\n\"é\": {\"A\":1},\n\"x\": {\"a.b\":2,\"k\":[0]}}"
    let bytes = Array(text.utf8)
    var document = JSONDocument()
    try document.parse(bytes)
    let position = SourceLocation(of: path, in: document, text: bytes)
    let before = String(decoding: bytes[..<position.offset], as: UTF8.self)
    let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(position.offset == offset, "\(path): \(String(decoding: bytes[position.offset...], as: UTF8.self))")
    #expect(position.line == lines.count && position.column == (lines.last?.unicodeScalars.count ?? 0) + 1)
  }

  @Test func settingsChangeHowRulesApply() throws {
    var settings = RuleSettings()
    try settings.apply("apns-push-type-missing=off")
    try settings.apply("apns-topic-missing=note")
    try settings.apply("apns-alert-invisible=error")
    var checker = PushChecker(settings: settings)
    let request = APNsRequest(headers: APNsHeaders(), payload: Array("{\"aps\":{},\"k\":1}".utf8))
    #expect(checker.check(request).findings.map { "\($0.severity.rawValue) \($0.rule)" } == ["note apns-topic-missing"])
  }

  @Test func settingsApplyToAnyReport() throws {
    var report = Report()
    report.add(rule: "field-unknown", severity: .warning, field: "x", message: "m")
    report.add(rule: "aps-reserved", severity: .error, field: "data.aps", message: "m")
    report.add(rule: "of-a-later-version", severity: .note, field: "y", message: "m")
    var settings = RuleSettings()
    #expect(settings.applied(to: report) == report)
    try settings.apply("field-unknown=off")
    try settings.apply("aps-reserved=note")
    #expect(
      settings.applied(to: report).findings.map { "\($0.severity.rawValue) \($0.rule)" }
        == ["note aps-reserved", "note of-a-later-version"])
  }

  @Test(arguments: [
    ("x", "rule setting \"x\": expected ID=off|note|warning|error"),
    (
      "apns-topic-mising=off",
      "rule setting \"apns-topic-mising=off\": there is no rule \"apns-topic-mising\"; "
        + "did you mean \"apns-topic-missing\"?"
    ),
    ("zzz=off", "rule setting \"zzz=off\": there is no rule \"zzz\"; docs/rules.md lists them"),
    (
      "json-invalid=fatal",
      "rule setting \"json-invalid=fatal\": expected off, note, warning or error after =, found \"fatal\""
    ),
  ])
  func badSettingsAreRefused(setting: String, message: String) {
    var settings = RuleSettings()
    var found: String?
    do throws(RuleSettingError) { try settings.apply(setting) } catch { found = error.description }
    #expect(found == message)
  }

  /// Sizes as written count white space; sizes as sent do not.
  @Test func sizesCountAsSettingsSay() {
    let padded = Array("{\"aps\":{\"alert\":\"x\"}\(String(repeating: " ", count: 5000))}".utf8)
    var checker = PushChecker()
    #expect(checker.check(apnsPayload: padded).rules == ["apns-payload-too-large"])
    checker.settings.countsBytesAsWritten = false
    #expect(checker.check(apnsPayload: padded).rules == [])
  }

  @Test func emptyBodiesAreNamed() {
    var checker = PushChecker()
    #expect(checker.check(apnsPayload: []).rules == ["apns-payload-empty"])
    #expect(checker.check(document: [], kind: .apnsPayload).rules == ["apns-payload-empty"])
    #expect(checker.check(fcmBody: []).rules == ["json-invalid"])
  }

  @Test(arguments: [
    ("alert", "com.example.app.voip", false), ("alert", "com.example.voip.app", true),
    ("background", "com.example.app.push-type.widgets", false), ("voip", "com.example.app.voip-ptt", false),
    ("pushtotalk", "com.example.app.voip-ptt", true), ("mdm", "com.example.app.voip", true), ("voip", ".voip", false),
  ])
  func topicsMatchTheirTypes(type: String, topic: String, isValid: Bool) {
    var checker = PushChecker()
    let headers = APNsHeaders(
      pushType: APNsPushType(rawValue: type), priority: .powerAware, topic: topic, expiration: .once)
    let report = checker.check(APNsRequest(headers: headers, payload: Array("{}".utf8)))
    let isPlain = type == "alert" || type == "background"
    #expect(report.rules.contains(isPlain ? "apns-topic-suffix-surplus" : "apns-topic-suffix") == !isValid)
    #expect(report.rules.contains("apns-topic-suffix") == (!isValid && !isPlain))
  }

  @Test func trap9TheLimitFollowsTheKindOfPush() {
    var checker = PushChecker()
    for (type, limit) in [(APNsPushType.voip, 5120), (.alert, 4096)] {
      let headers = APNsHeaders(pushType: type, topic: "com.example.app" + (type.topicSuffix ?? ""))
      for offset in [0, 1] {
        let frame = "{\"aps\":{\"alert\":\"\"}}".utf8.count
        let text = "{\"aps\":{\"alert\":\"\(String(repeating: "x", count: limit - frame + offset))\"}}"
        let report = checker.check(APNsRequest(headers: headers, payload: Array(text.utf8)))
        #expect(report.rules == (offset == 0 ? [] : ["apns-payload-too-large"]))
      }
    }
  }

  /// A broadcast has 5120 bytes; FCM 4096 of keys and values, and 2048 for a topic unless the setting says otherwise.
  @Test(
    arguments: [
      (nil, RuleSettings.fcmTopicBytesDefault, 5120, "apns-payload-too-large"),
      ("token", RuleSettings.fcmTopicBytesDefault, 4096, "fcm-payload-too-large"),
      ("topic", RuleSettings.fcmTopicBytesDefault, 2048, "fcm-topic-payload-too-large"),
      ("topic", 4096, 4096, "fcm-payload-too-large"),
    ] as [(String?, Int, Int, String)])
  func trap9BroadcastsAndFCMHaveLimitsOfTheirOwn(target: String?, topicBytes: Int, limit: Int, rule: String) throws {
    var settings = RuleSettings()
    settings.fcmTopicBytesMax = topicBytes
    var checker = PushChecker(settings: settings)
    for offset in [0, 1] {
      var report: Report
      if let target {
        let value = String(repeating: "x", count: limit - 1 + offset)
        report = checker.check(fcmBody: JSON.minified(["message": [target: "t", "data": ["k": .string(value)]]]))
      } else {
        let frame = #"{"aps":{"event":"update","timestamp":1770000000,"content-state":{"k":""}}}"#
        let value = String(repeating: "x", count: limit - frame.utf8.count + offset)
        let headers = APNsHeaders(
          pushType: .liveactivity, priority: .immediate, expiration: .once, channelID: "dHN0LXNyY2gtY2hubA==")
        let request = APNsRequest(
          headers: headers, payload: Array(frame.replacing(#""k":"""#, with: "\"k\":\"\(value)\"").utf8))
        report = checker.check(try #require(APNsBroadcast(bundleID: "com.example.app", request: request)))
      }
      #expect(report.rules == (offset == 0 ? [] : [rule]))
    }
  }

  @Test(
    arguments: [
      ("'a' in topics", nil), ("!'a' in topics && 'b' in topics", nil), ("  ( 'a' in topics )  ", nil),
      ("", "expected a topic such as 'news' in topics at byte 0 of the condition \"\""),
      (
        "'a' in topics &&", "expected a topic such as 'news' in topics at byte 16 of the condition \"'a' in topics &&\""
      ),
      (
        "'a' in topics 'b' in topics",
        "expected && or || or the end at byte 14 of the condition \"'a' in topics 'b' in topics\""
      ),
      ("('a' in topics", "expected ) at byte 14 of the condition \"('a' in topics\""),
      ("'a b' in topics", "expected ' after the topic name at byte 2 of the condition \"'a b' in topics\""),
      ("'a' of topics", "expected in topics at byte 4 of the condition \"'a' of topics\""),
    ] as [(String, String?)])
  func conditionsAreParsed(condition: String, message: String?) {
    var checker = PushChecker()
    let report = checker.check(
      fcmBody: JSON.minified(["message": ["condition": .string(condition), "data": ["k": "v"]]]))
    #expect(report.findings.map(\.message) == (message.map { [$0] } ?? []))
  }

  /// Any bytes at all: nothing traps, and every finding names a rule of the table.
  @Test func anyBytesAreChecked() throws {
    var random = SeededRandom.fromEnvironment()
    var checker = PushChecker()
    let vectors = try Files.list(RuleVectorTests.folder).map { try Files.read("\(RuleVectorTests.folder)/\($0)") }
    for _ in 0..<3000 {
      var bytes = vectors.randomElement(using: &random) ?? []
      if let value = try? JSON.parse(bytes), let input = value["breaks"]?["input"] { bytes = JSON.minified(input) }
      for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0...3, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
        default: bytes.removeSubrange(index..<min(index + 20, bytes.count))
        }
      }
      for kind in PushDocumentKind.allCases.map(Optional.some) + [nil] {
        for finding in checker.check(document: bytes, kind: kind, pushType: .alert).findings {
          #expect(Rules.rule(finding.rule) != nil, "seed \(random.seed)")
          _ = checker.location(of: finding, in: bytes)
        }
      }
    }
  }
}
