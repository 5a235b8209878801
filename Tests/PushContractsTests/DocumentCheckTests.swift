import PushContracts
import PushPayload
import PushRules
import Testing
import WireJSON

/// The check of documents as they are sent: the providers' rules, and what the vendor's library on the device makes of
/// the payload.
@Suite struct DocumentCheckTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let document: String
    /// The findings: severity, rule and path.
    let expected: [String]

    var testDescription: String { document }

    init(_ document: String, _ expected: [String]) {
      self.document = document
      self.expected = expected
    }
  }

  private static func fcm(_ data: String) -> String { #"{"message":{"token":"t","data":{\#(data)}}}"# }

  private static func adobe(_ rest: String) -> String {
    fcm(#""adb_version":"1","adb_title":"T","adb_body":"B","adb_template_type":\#(rest)"#)
  }

  private static let headers = #"{"apns-push-type":"alert","apns-priority":"10","apns-topic":"com.example.app"}"#

  static let rows = [
    Row(adobe(#""basic","adb_body_ex":"X""#), []),
    Row(adobe(#""basic""#), ["warning adobe-expanded-without-text message.data.adb_body_ex"]),
    Row(
      adobe(#""rate","adb_rate_act":"[]""#),
      [
        "error adobe-item-count message.data.adb_rate_act",
        "error adobe-key-missing message.data.adb_rate_unselected_icon",
        "error adobe-key-missing message.data.adb_rate_selected_icon",
      ]),
    Row(
      adobe(#""basic","adb_body_ex":"X","adb_n_priority":"HIGH""#),
      ["warning adobe-choice-unknown message.data.adb_n_priority"]),
    Row(
      adobe(#""car","adb_body_ex":"X","adb_car_layout":"default","adb_items":"[]""#),
      ["warning adobe-item-count message.data.adb_items"]),
    Row(fcm(#""custom":"{\"i\":\"n\"}","alert":"Hi""#), []),
    Row(fcm(#""custom":"{\"i\":\"n\"}","alert":"""#), ["error device-shows-nothing "]),
    Row(fcm(#""custom":"{\"i\":\"n\",\"a\":{\"k\":1}}","alert":"""#), []),
    Row(
      fcm(#""custom":"{\"i\":\"n\",\"a\":5}","alert":"Hi""#),
      ["warning key-type message.data.custom.a", "error device-shows-nothing "]),
    Row(
      fcm(#""custom":"{\"i\":\"n\"}","alert":"Hi","pri":"abc""#),
      ["warning key-type message.data.pri", "error device-shows-nothing "]),
    Row(
      fcm(#""custom":"{\"i\":\"n\"}","alert":"Hi","o":"[{\"i\":\"1\"}]""#),
      ["warning onesignal-buttons-aborted message.data.o[0]"]),
    Row(
      #"{"aps":{},"os_data":{"i":"n","buttons":[{"i":"1","n":"A"}]}}"#,
      ["warning onesignal-buttons-crash os_data.buttons", "error device-shows-nothing "]),
    Row(
      #"{"headers":\#(headers),"payload":{"aps":{"alert":"Hi"},"custom":{"i":"n"},"buttons":[{"i":"1"}]}}"#,
      ["warning onesignal-button-dropped payload.buttons[0]"]),
    Row(
      #"{"aps":{"category":"AEPNotification"},"adb_version":"1","adb_template_type":"basic"}"#,
      [
        "warning adobe-key-missing aps.mutable-content", "warning adobe-key-missing aps.alert.title",
        "warning adobe-key-missing aps.alert.body",
        "error device-shows-nothing ",
      ]),
    // What the providers' rules say of a value is not said again.
    Row(
      #"{"aps":{"alert":"Hi","badge":"x"},"custom":{"i":"n"}}"#, ["warning apns-field-type aps.badge"]),
    // The marks of a vendor are found behind escapes, and in the data for Android alone.
    Row(
      #"{"message":{"token":"t","data":{"\u0061db_version":"1","adb_title":"T"}}}"#,
      [
        "warning adobe-template-unknown message.data.adb_template_type",
        "error adobe-key-missing message.data.adb_body",
      ]),
    Row(
      #"{"message":{"token":"t","data":{"k":"v"},"android":{"data":{"custom":"{\"i\":\"n\"}","alert":"Hi","vis":"x"}}}}"#,
      ["warning key-type message.android.data.vis", "error device-shows-nothing "]),
    Row(
      #"{"message":{"token":"t","data":{"custom":"{\"i\":\"n\"}","alert":"Hi"},"android":{"data":{"k":"v"}}}}"#, []),
    Row(
      #"{"message":{"token":"t","data":{"k":"v"},"android_v2":{"background_sync":{},"data":{"custom":"{\"i\":\"n\"}","alert":"Hi","vis":"x"}}}}"#,
      ["warning key-type message.android_v2.data.vis", "error device-shows-nothing "]),
    Row(
      #"{"message":{"token":"t","data":{"custom":"{\"i\":\"n\"}","alert":"Hi","vis":"x"},"androidV2":{"data":{"k":"v"}}}}"#,
      []),
    // What no vendor claims is judged by the providers' rules alone.
    Row(#"{"message":{"token":"t","data":{"title":"T","alert":""}}}"#, []),
    Row(#"{"message":{"token":"t","notification":{"title":"T"},"data":{"app_id":"1","contents":"{}"}}}"#, []),
    // Firebase draws the block before Adobe's library sees the message.
    Row(
      #"{"message":{"token":"t","notification":{"title":"T"},"data":{"adb_template_type":"rate","adb_version":"1"}}}"#,
      ["warning adobe-notification-block message.notification"]),
    Row(
      #"{"message":{"token":"t","data":{"adb_version":"1"},"androidV2":{"remoteNotification":{"notification":{"title":"T"}}}}}"#,
      ["warning adobe-notification-block message.androidV2.remoteNotification.notification"]),
    // What is for Apple devices is missed on Android and refused nowhere.
    Row(
      #"{"message":{"token":"t","data":{"custom":"{\"i\":\"1\"}"},"apns":{"payload":{"aps":{"alert":"x"}}}}}"#, []),
    // Journey Optimizer's pushes need neither a version nor a template.
    Row(#"{"message":{"token":"t","data":{"adb_title":"T","adb_body":"B","_xdm":"{}"}}}"#, []),
    Row(
      #"{"message":{"token":"t","data":{"adb_a_type":"X","adb_title":"T","_xdm":"{}"}}}"#,
      [
        "warning adobe-link-type message.data.adb_a_type"
      ]),
    Row(
      #"{"message":{"token":"t","notification":{"image":"https://example.com/i.png"}}}"#,
      ["warning device-fallback "]),
    // Firebase draws a block whatever is in it and beside it.
    Row(#"{"message":{"token":"t","notification":{}}}"#, ["warning device-fallback "]),
    Row(
      #"{"message":{"token":"t","data":{"k":"v"},"android":{"notification":{"notification_priority":"PRIORITY_HIGH"}}}}"#,
      ["warning device-fallback "]),
    Row(
      #"{"message":{"token":"t","notification":{"title":"T"},"android":{"notification":{"title":""}}}}"#, []),
    Row(
      #"{"message":{"token":"t","notification":{"title":"T"},"android":{"notification":{"channel_id":"c"}}}}"#, []),
    Row(
      #"{"message":{"token":"t","androidV2":{"remoteNotification":{"notification":{"tag":"t"}}}}}"#,
      ["warning device-fallback "]),
    Row(
      #"{"message":{"token":"t","notification":{"image":"x"},"data":{"adb_version":"1"}}}"#,
      [
        "error fcm-image-url message.notification.image", "warning adobe-notification-block message.notification",
        "warning device-fallback ",
      ]),
    // An empty list is a missing key, and said once.
    Row(
      adobe(#""icon","adb_items":"""#), ["error adobe-key-missing message.data.adb_items"]),
    // What would be drawn instead is not said of what is not drawn.
    Row(
      #"{"aps":{"category":"AEPNotification","mutable-content":1},"adb_version":"1","adb_template_type":"car"}"#,
      [
        "warning apns-mutable-without-alert aps.mutable-content", "warning adobe-key-missing aps.alert.title",
        "warning adobe-key-missing aps.alert.body",
        "error device-shows-nothing ",
      ]),
    Row(
      #"{"apns":{"headers":\#(headers),"payload":{"aps":{"alert":"Hi"}}},"fcm":\#(adobe(#""basic","adb_a_type":"X""#))}"#,
      ["error adobe-link-type fcm.message.data.adb_a_type"]),
  ]

  @Test(arguments: rows)
  func check(_ row: Row) {
    var checker = PushChecker()
    let report = checker.checkOnDevice(document: Array(row.document.utf8))
    #expect(report.findings.map { "\($0.severity) \($0.rule) \($0.field)" } == row.expected, "\(report.findings)")
  }

  @Test func contractRulesAreSetLikeOthers() throws {
    let rules = Contracts.rules.map(\.id)
    let document = Array(Self.adobe(#""basic","adb_body_ex":"X","adb_n_priority":"HIGH""#).utf8)
    for (level, expected) in [("off", []), ("error", ["error"])] as [(String, [String])] {
      var checker = PushChecker()
      try checker.settings.apply("adobe-choice-unknown=\(level)", others: rules)
      #expect(checker.checkOnDevice(document: document).findings.map(\.severity.rawValue) == expected)
    }
  }

  @Test func aKindThatIsSaidIsNotDoubted() {
    var checker = PushChecker()
    let document = Array(#"{"title":"T","body":"B"}"#.utf8)
    #expect(checker.checkOnDevice(document: document).rules == ["document-unrecognized"])
    #expect(checker.checkOnDevice(document: document, kind: .apnsPayload).rules == ["apns-aps-missing"])
    #expect(!checker.checkOnDevice(document: document, pushType: .voip).rules.contains("document-unrecognized"))
    let received = checker.checkOnDevice(document: document, kind: .receivedMessage)
    #expect(received.findings.map { "\($0.severity) \($0.rule)" } == ["note document-received"])
    checker.settings[.documentUnrecognized] = .off
    #expect(checker.checkOnDevice(document: document).rules == ["apns-aps-missing"])
  }
}

/// What an Android app was handed, and a request of FCM's legacy interface.
@Suite struct ReceivedDocumentTests {
  static let rows: [(document: String, expected: [String])] = [
    (#"{"gcm.n.e":"1","gcm.n.title":"Hi"}"#, ["note document-received "]),
    (#"{"google.message_id":"1","from":"2"}"#, ["note document-received ", "error device-shows-nothing "]),
    // Paths are those of the document.
    (
      #"{"custom":"{\"i\":\"n\"}","alert":"Hi","vis":"x"}"#,
      ["note document-received ", "warning key-type vis", "error device-shows-nothing "]
    ),
    (
      #"{"data":{"custom":"{\"i\":\"n\"}","alert":"Hi","vis":"x"},"messageId":"m"}"#,
      ["note document-received ", "warning key-type data.vis", "error device-shows-nothing "]
    ),
    (#"{"to":"t","data":{"k":"v"}}"#, ["error fcm-legacy-request "]),
    (#"{"to":"t","data":{}}"#, ["error fcm-legacy-request ", "error device-shows-nothing "]),
    (#"{"condition":"'a' in topics","notification":{"title":"T"},"time_to_live":5}"#, ["error fcm-legacy-request "]),
    (#"{"condition":"'a' in topics","data":{"k":"v"},"priority":"high"}"#, ["error fcm-legacy-request "]),
    (#"{"condition":"'a' in topics","data":{"k":"v"},"priority":null}"#, ["error fcm-message-missing "]),
    // A message without the request around it is judged as a message.
    (
      #"{"token":"t","notification":{"title":"T"}}"#, ["error fcm-message-missing "]
    ),
    (
      #"{"apns":{"payload":{"aps":{"alert":"x"}}},"data":{"k":1},"notificaton":{}}"#,
      [
        "error fcm-message-missing ", "error fcm-data-not-string data.k", "error fcm-unknown-field notificaton",
        "error fcm-target-missing ",
      ]
    ),
    (
      #"{"topic":"t","data":{"adb_version":"1","adb_template_type":"basic","adb_title":"T"}}"#,
      ["error fcm-message-missing ", "error adobe-key-missing data.adb_body"]
    ),
    (#"{"notification":{"title":"T"},"to":null}"#, ["note document-received "]),
    // A value that is no string is named where it is, and reaches the app as text.
    (#"{"from":"1","k":{"a":1}}"#, ["note document-received ", "warning fcm-data-not-string k"]),
    (
      #"{"k":7,"n":null}"#,
      ["note document-received ", "warning fcm-data-not-string k", "warning fcm-data-not-string n"]
    ),
    (#"{"message":[]}"#, ["error fcm-field-type message"]),
    (#"{"message":null,"data":{"k":"v"}}"#, ["error fcm-unknown-field data", "error fcm-message-missing "]),
  ]

  @Test(arguments: rows)
  func check(_ document: String, _ expected: [String]) {
    var checker = PushChecker()
    let report = checker.checkOnDevice(document: Array(document.utf8), platform: .android)
    let found = report.findings.map { "\($0.severity) \($0.rule) \($0.field)" }
    #expect(found.starts(with: expected), "\(report.findings)")
    #expect(!report.rules.contains("document-received") || found == expected, "\(report.findings)")
  }
}

/// Documents given instead of a payload, and payloads whose data looks like one of those.
@Suite struct MistakenDocumentTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let platform: Platform
    let document: String
    /// A part of what is said; nil for a payload.
    let said: String?

    var testDescription: String { "\(platform) \(document)" }

    init(_ platform: Platform, _ document: String, _ said: String?) {
      self.platform = platform
      self.document = document
      self.said = said
    }
  }

  private static let both = Platform.allCases

  private static let requests: [(document: String, said: String)] = [
    (#"{"app_id":"a","contents":{"en":"Hi"},"included_segments":["All"]}"#, "OneSignal's REST interface"),
    (#"{"app_id":"a","template_id":"t","include_subscription_ids":["s"]}"#, "OneSignal's REST interface"),
    (#"{"requestObject":{"appId":"a","message":{"body":{"title":"T"}}}}"#, "PowerAuth's push server"),
    (#"{"appId":"a","message":{"userId":"u","body":{"title":"T"}}}"#, "PowerAuth's push server"),
    (#"{"message":{"body":{"title":"T","body":"B"}}}"#, "PowerAuth's push server"),
    (#"{"message":{"body":{"bodyLocKey":"K"}},"mode":"SYNCHRONOUS"}"#, "PowerAuth's push server"),
    (#"{"message":{"userId":"1","body":{"badge":1}}}"#, "PowerAuth's push server"),
    (#"{"message":{"attributes":{"silent":true},"body":{"extras":{"a":1}}}}"#, "PowerAuth's push server"),
    (#"{"batch":[{"body":{"title":"T"}}]}"#, "PowerAuth's push server"),
    (#"{"interests":["i"],"fcm":{"notification":{"title":"T"}},"apns":{"aps":{"alert":"T"}}}"#, "Pusher Beams"),
    (#"{"contract":"amba","message":{"title":"T","body":"B"},"to":{"all":true}}"#, "a request to this server"),
    (#"{"clients":["c"],"payload":{"alert":"Hi"}}"#, "IMKit's REST interface"),
    (#"{"title":"T","body":"B","segment_id":null,"delivery_mode":"absolute"}"#, "Amba's REST interface"),
    (#"{"title":"T","body":"B","data":{"k":1}}"#, "a message of the contract amba, or of native"),
    (#"{"title":"T","titleLocKey":"K","extras":{"k":1}}"#, "a message of the contract powerauth"),
    (#"{"adb_title":"T","adb_body":"B","adb_sticky":true}"#, "a message of the contract adobe"),
    (#"{"report":[],"apns":{"headers":{},"payload":{}},"x":1}"#, "what render has written"),
    (#"{"type":"t","alert":{"loc-key":"K","loc-args":["a"]}}"#, "a message of the contract imkit;"),
    (#"{"type":"t","alert":{"title":"T"}}"#, "a message of the contract imkit;"),
    (#"{"silent":true,"extras":{"k":"v"}}"#, "a message of the contract powerauth;"),
    (#"{"silent":true}"#, "a message of the contract imkit, or of powerauth;"),
    (#"{"attributes":{"silent":true},"extras":{"k":"v"}}"#, "PowerAuth's REST interface"),
    (#"{"fcm":{"notification":{"title":"T"}}}"#, "a message of the contract native;"),
    (#"{"fcm":{"token":"t","data":{"k":"v"}}}"#, "a message of the contract native;"),
    (#"{"apns":{"aps":{"alert":"Hi"}},"fcm":{"data":{"k":"v"}}}"#, "a message of the contract native;"),
  ]

  /// Requests of other push services, and what each is named.
  static let services: [(document: String, said: String)] = [
    (#"{"title":"Hi","body":"B","device_token":"abc","provider":"apns"}"#, "a test send of Amba's REST interface"),
    (#"{"tokens":["a","b"],"notification":{"title":"T"}}"#, "a multicast message of Firebase's Admin SDK"),
    (
      #"{"tokens":["a"],"data":{"k":"v"},"android":{"priority":"high"}}"#, "a multicast message of Firebase's Admin SDK"
    ),
    (#"{"audience":"all","notification":{"alert":"Hi"},"device_types":["ios"]}"#, "Airship's REST interface"),
    (#"{"audience":{"tag":"a"},"message":{"title":"T","body":"B"},"device_types":"all"}"#, "Airship's REST interface"),
    (#"{"to":"ExponentPushToken[x]","title":"T","body":"B","data":{"k":"v"}}"#, "Expo's push service"),
    (#"{"to":"ExponentPushToken[x]","title":"T","body":"B"}"#, "Expo's push service"),
    (#"{"to":["ExpoPushToken[x]"],"data":{"k":"v"}}"#, "Expo's push service"),
    (#"{"default":"Hi","APNS":"{\"aps\":{\"alert\":\"Hi\"}}","GCM":"{}"}"#, "Amazon SNS"),
    (#"{"external_user_ids":["u"],"messages":{"apple_push":{"alert":"Hi"}}}"#, "Braze's REST interface"),
    (#"{"Addresses":{},"MessageConfiguration":{"APNSMessage":{"Body":"B"}}}"#, "Amazon Pinpoint"),
    (#"{"MessageRequest":{"MessageConfiguration":{}}}"#, "Amazon Pinpoint"),
    (#"{"APNSMessage":{"Body":"B"},"GCMMessage":{"Body":"B"}}"#, "Amazon Pinpoint"),
    (#"{"where":{"deviceType":"ios"},"data":{"alert":"Hi"}}"#, "Parse Server"),
    (#"{"channels":["a"],"data":{"alert":"Hi"}}"#, "Parse Server"),
    (#"{"notifications":[{"tokens":["t"],"platform":1,"message":"x"}]}"#, "a request to gorush"),
    (
      #"{"request":{"application":"X","auth":"a","notifications":[{"send_date":"now","content":{"en":"Hi"}}]}}"#,
      "a request to Pushwoosh"
    ),
    (#"{"request":{"applications_group":"X","notifications":[{"content":"Hi"}]}}"#, "a request to Pushwoosh"),
    (
      #"{"to":{"identity":["a"]},"tag_group":"g","content":{"title":"T","body":"B","platform_specific":{}}}"#,
      "CleverTap's REST interface"
    ),
    (#"{"name":"c","target_mode":"push","content":{"body":"B"},"when":"now"}"#, "CleverTap's REST interface"),
    (#"{"campaignId":1,"recipientEmail":"a@e.com","dataFields":{"a":"b"}}"#, "Iterable's REST interface"),
    (#"{"campaignId":1,"recipientUserId":"u","metadata":{}}"#, "Iterable's REST interface"),
    (
      #"{"validate_only":false,"message":{"notification":{"title":"T"},"android":{"urgency":"HIGH"},"token":["a"]}}"#,
      "Huawei's Push Kit"
    ),
    (#"{"message":{"data":"{}","token":["a","b"]}}"#, "Huawei's Push Kit"),
    (
      #"{"message":{"android":{"notification":{"click_action":{"type":3}}},"token":["a"]}}"#, "Huawei's Push Kit"
    ),
    (
      #"{"payload":{"notification":{"title":"T","body":"B"}},"target":{"token":["a"]},"pushOptions":{}}"#,
      "Huawei's Push Kit"
    ),
  ]

  static let rows: [Row] =
    (requests + services).flatMap { request in both.map { Row($0, request.document, request.said) } } + [
      Row(.ios, #"{"type":"ios","token":"abc","deviceId":"d"}"#, "IMKit's REST interface that subscribes a device"),
      Row(.ios, #"{"condition":"'a' in topics","notification":{},"time_to_live":5}"#, "FCM's legacy interface"),
      // The names of other services in the data of an app.
      Row(.android, #"{"type":"ios","token":"abc","deviceId":"d"}"#, nil),
      Row(.android, #"{"title":"T","device_token":"abc","provider":"Ann"}"#, nil),
      Row(.android, #"{"default":"Hi","to":"Ann","APNS":"x"}"#, nil),
      Row(.android, #"{"to":"ExponentPushToken","title":"T"}"#, nil),
      // A list of tokens alone is a fault of a request to FCM.
      Row(.android, #"{"message":{"notification":{"title":"T"},"token":["a"]}}"#, nil),
      Row(.android, #"{"request":"{}","campaignId":"1","recipientEmail":"a","target":"{}","content":"{}"}"#, nil),
      Row(.android, #"{"data":{"where":"{}","channels":"[]","tokens":"[]","audience":"all"},"from":"1"}"#, nil),
      Row(.ios, #"{"aps":{},"to":"ExponentPushToken[x]","where":{},"tokens":[],"data":{"alert":"Hi"}}"#, nil),
      Row(.ios, #"{"title":"T","body":"B"}"#, "a message of the contract amba"),
      Row(.ios, #"{"message":{"token":"t","notification":{"title":"T"}}}"#, "a request to FCM"),
      Row(.ios, #"{"to":"t","notification":{"title":"T"}}"#, "FCM's legacy interface"),
      Row(.ios, #"{"notification":{"title":"T"}}"#, "a message to FCM"),
      Row(.android, #"{"aps":{"alert":"Hi"},"k":1}"#, "an APNs payload"),
      Row(.android, #"{"headers":{"apns-topic":"a"},"payload":{"aps":{}}}"#, "a request to APNs"),
      // Payloads, whatever their data is named.
      Row(.ios, "{}", nil),
      Row(.ios, #"{"mdm":"x"}"#, nil),
      Row(.ios, #"{"aps":{},"title":"T","body":"B","data":{}}"#, nil),
      Row(.ios, #"{"aps":{"alert":"Hi"},"app_id":"a","contents":{"en":"Hi"}}"#, nil),
      Row(.ios, #"{"aps":{"alert":"Hi"},"message":{"token":"t","data":{}},"requestObject":{}}"#, nil),
      Row(.ios, #"{"aps":{"alert":"Hi"},"clients":[],"payload":{},"headers":{},"report":[],"apns":{}}"#, nil),
      Row(.ios, #"{"aps":5,"title":"T"}"#, nil),
      Row(.ios, #"{"title":"T","caller":"Ann","uuid":"1"}"#, nil),
      Row(.ios, #"{"custom":{"i":"n"},"m":"Hi"}"#, nil),
      Row(.android, #"{"title":"T","body":"B"}"#, nil),
      Row(.android, #"{"title":"T","alert":"Hi","custom":"{\"i\":\"n\"}","app_id":"a"}"#, nil),
      Row(.android, #"{"adb_version":"1","adb_title":"T","adb_body":"B"}"#, nil),
      Row(.android, #"{"gcm.n.e":"1","gcm.n.title":"T","contents":"{}"}"#, nil),
      Row(.android, #"{"message":{"token":"t","data":{"title":"T","body":"B","app_id":"a","contents":"{}"}}}"#, nil),
      Row(.android, #"{"message":{"topic":"t","notification":{"title":"T"}},"validate_only":true}"#, nil),
      Row(.android, #"{"notification":{"title":"T","body":"B"},"data":{"k":"v"},"from":"1","ttl":60}"#, nil),
      Row(.android, #"{"to":"t","notification":{"title":"T"},"data":{"n":1}}"#, nil),
      Row(.android, #"{"data":{"title":"T","body":"B","app_id":"a"}}"#, nil),
    ]

  @Test(arguments: rows)
  func parse(_ row: Row) throws {
    let parsed = try Contracts.parse(platform: row.platform, raw: Array(row.document.utf8))
    let findings = parsed.report.findings.filter { $0.rule == "document-unrecognized" }
    #expect(findings.count == (row.said == nil ? 0 : 1), "\(parsed.report.findings)")
    guard let said = row.said else { return }
    #expect(findings.allSatisfy { $0.message.contains(said) && $0.severity == .error }, "\(findings)")
    #expect(parsed.report.findings.count == 1)
  }

  /// Instead of a message each is named with every contract.
  @Test(arguments: services + [(#"{"type":"ios","token":"abc","deviceId":"d"}"#, "that subscribes a device")])
  func render(_ document: String, _ said: String) throws {
    for contract in Contracts.names {
      let report = Contracts.render(contract, message: try JSON.parse(document)).report
      #expect(report.rules == ["message-unrecognized"], "\(contract): \(report.findings)")
      #expect(report.findings.allSatisfy { $0.message.contains(said) }, "\(contract): \(report.findings)")
    }
  }

  /// Raw `check` takes whole requests as well as payloads, so what it refuses is less.
  @Test(arguments: rows)
  func check(_ row: Row) {
    for platform in [row.platform, nil] {
      var checker = PushChecker()
      let report = checker.checkOnDevice(document: Array(row.document.utf8), platform: platform)
      let says = report.findings.first { $0.rule == "document-unrecognized" && $0.message.contains("not a payload") }
      guard let said = row.said else {
        #expect(platform == nil || says == nil, "\(report.findings)")
        continue
      }
      // A request that has the marks of Push Kit's older interface is judged as one.
      if platform == nil, said == "Huawei's Push Kit", row.document.contains(#""message""#) {
        #expect(report.findings.allSatisfy { $0.rule.hasPrefix("hms-") }, "\(report.findings)")
        continue
      }
      if said.contains("request to FCM") || said.contains("APNs") || said.contains("render") { continue }
      #expect(says?.message.contains(said) == true, "\(platform.map(\.rawValue) ?? "both"): \(report.findings)")
    }
  }
}
