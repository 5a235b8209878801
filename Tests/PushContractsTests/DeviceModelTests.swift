import PushContracts
import PushPayload
import Testing
import WireJSON

/// The models of the devices: a payload, and what happens with it.
///
/// Sources: Apple, “Generating a remote notification”; firebase-messaging for Android, `DisplayNotification` and
/// `CommonNotificationBuilder`; the SDKs of the vendors, as the models name them.
@Suite struct DeviceModelTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let contract: ContractName
    let platform: Platform
    let payload: String
    var headers: APNsHeaders?
    /// `shown`, or the kind with a part of its reason.
    let expected: String

    var testDescription: String { "\(contract) \(platform) \(payload)" }

    init(
      _ contract: ContractName, _ platform: Platform, _ payload: String, _ expected: String,
      headers: APNsHeaders? = nil
    ) {
      self.contract = contract
      self.platform = platform
      self.payload = payload
      self.expected = expected
      self.headers = headers
    }
  }

  private static let alert = APNsHeaders(pushType: .alert, topic: "com.example.app")
  private static let background = APNsHeaders(pushType: .background)
  private static let live = APNsHeaders(pushType: .liveactivity)

  static let rows = [
    Row(.native, .ios, #"{"aps":{"alert":"Hi"}}"#, "shown"),
    Row(.native, .ios, #"{"aps":{"alert":{"loc-key":"K"}}}"#, "shown"),
    Row(.native, .ios, #"{"aps":{"alert":{"title":5}}}"#, "nothing: there is no text"),
    Row(.native, .ios, #"{"aps":{"alert":""},"k":1}"#, "silent: without content-available"),
    Row(.native, .ios, #"{"aps":{"alert":""},"k":null}"#, "nothing: there is no text"),
    Row(.native, .ios, #"{"aps":{"badge":0}}"#, "silent: the badge changes"),
    Row(.native, .ios, #"{"aps":{"badge":"1"}}"#, "nothing: there is no text"),
    Row(.native, .ios, #"{"aps":{"sound":{"critical":1}}}"#, "silent: the sound plays"),
    Row(.native, .ios, #"{"aps":{"content-available":1}}"#, "silent: the app is woken"),
    Row(.native, .ios, #"{"aps":{"content-available":0}}"#, "nothing: there is no text"),
    Row(.native, .ios, #"{}"#, "silent: only Wallet"),
    Row(.native, .ios, #"{}"#, "nothing: there is no text", headers: APNsHeaders(topic: "com.example.app")),
    Row(.native, .ios, #"{}"#, "nothing: there is no text", headers: APNsHeaders(pushType: .alert)),
    Row(.native, .ios, #"{}"#, "silent: Wallet loads", headers: APNsHeaders(topic: "pass.com.example")),
    Row(.native, .ios, #"{"aps":{}}"#, "silent: Wallet loads", headers: APNsHeaders(topic: "pass.com.example")),
    Row(.native, .ios, #"{"aps":{}}"#, "silent: PushKit", headers: APNsHeaders(pushType: .voip)),
    Row(.native, .ios, #"{"mdm":"x"}"#, "silent: MDM"),
    Row(.native, .ios, #"{"aps":{"event":"update","content-state":{},"timestamp":1}}"#, "silent: changes"),
    Row(.native, .ios, #"{"aps":{"event":"update","content-state":{}}}"#, "nothing: no timestamp"),
    Row(.native, .ios, #"{"aps":{"event":"update","timestamp":"1","content-state":{}}}"#, "nothing: no timestamp"),
    Row(.native, .ios, #"{"aps":{"event":"update","timestamp":1}}"#, "nothing: no content-state"),
    Row(.native, .ios, #"{"aps":{"event":"update","timestamp":1,"content-state":{},"alert":"Hi"}}"#, "shown"),
    Row(.native, .ios, #"{"aps":{"event":"end","timestamp":1,"dismissal-date":2}}"#, "silent: a Live Activity ends"),
    Row(.native, .ios, #"{"aps":{"event":"stop","timestamp":1}}"#, "nothing: no event"),
    Row(
      .native, .ios,
      #"{"aps":{"event":"start","timestamp":1,"content-state":{},"attributes-type":"A","attributes":{},"alert":{}}}"#,
      "silent: a Live Activity starts", headers: live),
    Row(
      .native, .ios,
      #"{"aps":{"event":"start","timestamp":1,"content-state":{},"attributes-type":"A","attributes":{},"alert":{"title":{"loc-key":"K"}}}}"#,
      "shown", headers: live),
    Row(
      .native, .ios, #"{"aps":{"event":"start","timestamp":1,"content-state":{},"attributes-type":""}}"#,
      "nothing: no Live Activity starts without attributes-type, attributes, alert", headers: live),
    Row(.native, .ios, #"{"aps":{}}"#, "nothing: no event", headers: live),
    Row(.native, .ios, #"{"aps":{"event":"update"}}"#, "nothing: there is no text", headers: alert),
    Row(.native, .ios, #"{"aps":{"content-changed":true}}"#, "silent: load anew"),
    Row(.native, .ios, #"{"aps":{"content-changed":true}}"#, "nothing: there is no text", headers: alert),
    Row(.native, .ios, #"{"aps":{"content-available":1}}"#, "silent: the app is woken", headers: background),
    Row(
      .native, .ios, #"{"aps":{"content-available":1,"badge":1}}"#, "nothing: must not have badge", headers: background),
    Row(.native, .ios, #"{"aps":{},"mdm":"x"}"#, "nothing: has aps", headers: APNsHeaders(pushType: .mdm)),
    Row(.native, .ios, #"{"aps":{}}"#, "silent: not known", headers: APNsHeaders(pushType: .init(rawValue: "new"))),
    Row(.native, .ios, #"{"aps":{}}"#, "silent: extension", headers: APNsHeaders(pushType: .fileprovider)),
    Row(.native, .ios, #"{"aps":{}}"#, "nothing: content-changed", headers: APNsHeaders(pushType: .widgets)),
    Row(.native, .android, #"{"message":{"token":"t"}}"#, "nothing: neither a notification nor data"),
    Row(.native, .android, #"{"message":{"data":{"k":"v"}}}"#, "silent: a data message"),
    Row(.native, .android, #"{"message":{"webpush":{"data":{"k":"v"}}}}"#, "silent: for browsers"),
    Row(.native, .android, #"{"message":{"notification":{"title":"T"}}}"#, "shown"),
    Row(.native, .android, #"{"message":{"notification":{"title":""}}}"#, "fallback: the app alone"),
    Row(
      .native, .android, #"{"message":{"notification":{"title":"T"},"android":{"notification":{"title":""}}}}"#,
      "shown"),
    Row(
      .native, .android, #"{"message":{"notification":{"title":""},"android":{"notification":{"title":""}}}}"#,
      "fallback: the app alone"),
    Row(.native, .android, #"{"message":{"notification":{}}}"#, "fallback: the app alone"),
    Row(
      .native, .android, #"{"message":{"android":{"notification":{"notification_priority":"PRIORITY_HIGH"}}}}"#,
      "fallback: the app alone"),
    Row(.native, .android, #"{"gcm.n.e":"1","k":"v"}"#, "fallback: the app alone"),
    Row(.native, .android, #"{"message":{"android":{"notification":{"sound":"s"}}}}"#, "fallback: the app alone"),
    Row(
      .native, .android, #"{"message":{"notification":{"image":"https://example.com/i"},"data":{"k":"v"}}}"#,
      "fallback: the app alone"),
    Row(
      .native, .android, #"{"message":{"notification":{},"apns":{"payload":{"aps":{"badge":1}}}}}"#,
      "fallback: the app alone"),
    Row(
      .onesignal, .android,
      #"{"message":{"data":{"k":"v"},"android":{"data":{"custom":"{\"i\":\"n\"}","alert":"Hi"}}}}"#, "shown"),
    Row(
      .adobe, .android,
      #"{"message":{"data":{"adb_version":"1","adb_title":"T","adb_body":"B"},"android":{"data":{"k":"v"}}}}"#,
      "nothing: Adobe's library needs adb_version"),
    Row(.native, .android, #"{"gcm.n.e":"1","gcm.n.title":"T"}"#, "shown"),
    Row(
      .native, .android,
      #"{"message":{"android_v2":{"remote_notification":{"notification":{"title":"T"},"use_as_v1_data_message":true}}}}"#,
      "shown"),
    Row(
      .native, .android, #"{"message":{"androidV2":{"remoteNotification":{"notification":{"bodyLocKey":"K"}}}}}"#,
      "shown"
    ),
    Row(
      .native, .android,
      #"{"message":{"notification":{"title":"T"},"android_v2":{"remote_notification":{"notification":{"title":""}}}}}"#,
      "shown"),
    Row(.native, .android, #"{"message":{"notification":{"title":"T"},"android_v2":{"ttl":"60s"}}}"#, "shown"),
    Row(.native, .android, #"{"message":{"android_v2":{"background_sync":{}}}}"#, "silent: a background sync"),
    Row(.native, .android, #"{"message":{"android_v2":{"data":{"k":"v"}}}}"#, "silent: a data message"),
    Row(.native, .android, #"{"message":{"android_v2":{"ttl":"60s"}}}"#, "nothing: neither a notification nor data"),
    Row(.native, .android, #"{"message":{"apns":{"headers":{"apns-priority":"5"}}}}"#, "nothing: nor data"),
    Row(.native, .android, #"{"message":{"webpush":{"headers":{"TTL":"60"}}}}"#, "nothing: nor data"),
    Row(.native, .android, #"{"message":{"apns":{"payload":{"aps":{"badge":1}}}}}"#, "silent: Apple devices"),
    Row(.amba, .android, #"{"message":{"notification":{"body":"B"}}}"#, "shown"),
    Row(.imkit, .android, #"{"message":{"notification":{"icon":"i"},"data":{"type":"x"}}}"#, "silent: a silent push"),
    Row(.imkit, .android, #"{"message":{"notification":{"icon":"i"}}}"#, "nothing: there is no data"),
    Row(.imkit, .android, #"{"message":{"android":{"notification":{"body_loc_key":"im_loc_text"}}}}"#, "shown"),
    Row(
      .imkit, .android,
      #"{"message":{"android":{"notification":{"body_loc_key":"im_loc_text","body_loc_args":["A"]}}}}"#,
      "fallback: the app alone"),
    Row(
      .imkit, .android,
      #"{"message":{"android":{"notification":{"title":"T","body_loc_key":"im_loc_text","body_loc_args":["A"]}}}}"#,
      "fallback: the title alone"),
    Row(
      .imkit, .android, #"{"gcm.n.e":"1","gcm.n.body_loc_key":"im_loc_text","gcm.n.body_loc_args":"['A','B']"}"#,
      "shown"),
    Row(
      .powerauth, .android, #"{"message":{"data":{"_notification":"{\"title\":\"T\"}"}}}"#, "silent: a data message"),
    Row(
      .powerauth, .android, #"{"message":{"data":{"_notification":"{\"notification_priority\":\"PRIORITY_HIGH\"}"}}}"#,
      "nothing: neither a text nor a sound"),
    Row(
      .powerauth, .android, #"{"message":{"data":{"_notification":"{\"icon\":\"i\"}","k":"v"}}}"#,
      "silent: a data message"),
    Row(.powerauth, .android, #"{"message":{"data":{"_notification":"{\"sound\":\"s\"}"}}}"#, "silent: a data message"),
    Row(.powerauth, .android, #"{"message":{"data":{"_notification":"text"}}}"#, "silent: a data message"),
    Row(
      .adobe, .android, #"{"message":{"notification":{},"data":{"adb_version":"1"}}}"#, "fallback: the app alone"),
    Row(
      .onesignal, .android, #"{"message":{"android":{"notification":{"tag":"t"}},"data":{"custom":"{}"}}}"#,
      "fallback: the app alone"),
    Row(
      .powerauth, .ios, #"{"aps":{"content-available":1,"badge":1}}"#, "silent: the badge changes", headers: background
    ),
    Row(
      .powerauth, .ios, #"{"aps":{"content-available":1,"badge":1,"sound":"s"}}"#, "nothing: must not have badge",
      headers: background),
    Row(.imkit, .ios, "{}", "nothing: nothing to ring for", headers: APNsHeaders(pushType: .voip)),
    Row(.imkit, .ios, #"{"type":"call"}"#, "silent: PushKit", headers: APNsHeaders(pushType: .voip)),
    Row(.onesignal, .ios, #"{"custom":{"i":"n","u":"https://x"}}"#, "nothing: there is no text"),
    Row(.onesignal, .ios, #"{"custom":{"i":"n","a":{"k":1}}}"#, "silent: without content-available"),
    Row(.onesignal, .ios, #"{"custom":{"i":"n"},"m":"Hi"}"#, "nothing: there is no text"),
    Row(.onesignal, .ios, #"{"custom":{"i":"n"},"m":"Hi","o":null}"#, "nothing: there is no text"),
    Row(.onesignal, .ios, #"{"custom":{"i":"n"},"m":"Hi","o":[]}"#, "silent: only while the app is open"),
    Row(.onesignal, .ios, #"{"aps":{"content-available":1},"custom":{"i":"n"},"m":"Hi","o":[]}"#, "shown"),
    Row(
      .onesignal, .ios, #"{"os_data":{"i":"n","buttons":{"m":{"body":"Hi"}}}}"#, "silent: only while the app is open"),
    Row(
      .onesignal, .ios, #"{"aps":{"content-available":1},"os_data":{"i":"n","buttons":{"m":{"body":"Hi"}}}}"#, "shown",
      headers: background),
    Row(
      .onesignal, .ios, #"{"aps":{"content-available":1,"badge":1},"os_data":{"i":"n","buttons":{"m":"Hi"}}}"#,
      "nothing: must not have badge", headers: background),
    Row(.onesignal, .ios, #"{"os_data":{"i":"n"},"m":"Hi"}"#, "nothing: there is no text"),
    Row(
      .onesignal, .ios,
      #"{"aps":{"alert":"Hi","mutable-content":1},"custom":{"i":"n"},"buttons":[{"n":"A"},{"i":"b"}]}"#,
      "fallback: all but 1 of the buttons"),
    Row(.onesignal, .android, #"{"custom":"{\"i\":\"n\"}","alert":"Hi"}"#, "shown"),
    Row(.onesignal, .android, #"{"custom":"{'i':7} and more","alert":"Hi"}"#, "shown"),
    Row(.onesignal, .android, #"{"custom":"{}","alert":"Hi"}"#, "nothing: another sender's"),
    Row(.onesignal, .android, #"{"custom":"{\"i\":\"n\"}","title":"T"}"#, "nothing: no alert text"),
    Row(.onesignal, .android, #"{"custom":"{\"i\":\"n\",\"a\":{\"k\":1}}"}"#, "silent: the app gets the data"),
    Row(
      .onesignal, .android, #"{"custom":"{\"i\":\"n\"}","alert":"Hi","o":"[{\"i\":\"a\"}]"}"#,
      "fallback: without buttons"),
    Row(.onesignal, .android, #"{"custom":"{\"i\":null}","alert":"Hi"}"#, "shown"),
    Row(.onesignal, .android, #"{"custom":"{\"i\":\"n\",\"x\":1e400}","alert":"Hi"}"#, "nothing: another sender's"),
    Row(.onesignal, .android, #"{"custom":"{\"i\":\"n\",\"a\":null}","alert":"Hi"}"#, "nothing: custom.a is not"),
    Row(.onesignal, .android, #"{"custom":"{\"i\":\"n\"}","alert":"Hi","pri":"10"}"#, "shown"),
    Row(.onesignal, .android, #"{"custom":"{\"i\":\"n\"}","alert":"Hi","pri":""}"#, "nothing: pri is not"),
    Row(.onesignal, .android, #"{"custom":"{\"i\":\"n\"}","alert":"Hi","vis":"2147483648"}"#, "nothing: vis is not"),
    Row(.onesignal, .android, #"{"custom":"{\"i\":\"n\"}","alert":"Hi","o":"[{\"n\":null}]"}"#, "shown"),
    Row(
      .onesignal, .android,
      #"{"custom":"{\"i\":\"n\",\"a\":{\"actionButtons\":[{\"text\":\"A\"}]}}","alert":"Hi","o":"[{}]"}"#,
      "fallback: 1 of its buttons"),
    Row(
      .onesignal, .android, #"{"custom":"{\"i\":\"n\",\"a\":{\"actionButtons\":[{},5]}}","alert":"Hi"}"#,
      "fallback: 1 of its buttons"),
    Row(
      .onesignal, .android, #"{"custom":"{\"i\":\"n\",\"a\":{\"actionButtons\":\"[5]\"}}","alert":"Hi"}"#, "shown"),
    Row(
      .onesignal, .android,
      #"{"custom":"{\"i\":\"n\",\"a\":{\"os_in_app_message_preview_id\":\"p\"}}","title":"T"}"#, "shown"),
    Row(
      .onesignal, .android, #"{"custom":"{\"i\":\"n\",\"a\":{\"os_in_app_message_preview_id\":\"p\"}}"}"#,
      "fallback: the app alone"),
    Row(.onesignal, .android, #"{"message":{"notification":{"title":"T"},"data":{"k":"v"}}}"#, "shown"),
    Row(.adobe, .ios, #"{"aps":{"category":"AEPNotification"},"adb_title_ex":"T"}"#, "nothing: there is no text"),
    Row(
      .adobe, .ios, #"{"aps":{"alert":"Hi","category":"x"},"adb_template_type":"basic"}"#,
      "fallback: without the category AEPNotification"),
    Row(.adobe, .ios, #"{"aps":{"alert":"Hi"},"adb_template_type":"car"}"#, "fallback: without the category"),
    Row(.adobe, .ios, #"{"aps":{"alert":"Hi"},"adb_uri":"https://x"}"#, "shown"),
    Row(.adobe, .android, #"{"adb_template_type":"ajo_basic"}"#, "silent: Journey Optimizer"),
    Row(
      .adobe, .android, #"{"adb_version":"1","adb_template_type":"basic","adb_title":"","adb_body":""}"#,
      "fallback: the app alone"),
    Row(.adobe, .android, #"{"message":{"notification":{"title":"T"},"data":{"adb_version":"1"}}}"#, "shown"),
  ]

  @Test(arguments: rows)
  func outcome(_ row: Row) throws {
    let outcome = Contracts.outcome(
      row.contract, of: try JSON.parse(row.payload), on: row.platform, headers: row.headers)
    let kind =
      switch outcome {
      case .shown: "shown"
      case .fallback: "fallback"
      case .silent: "silent"
      case .nothing: "nothing"
      }
    let parts = row.expected.split(separator: ": ", maxSplits: 1)
    #expect(kind == parts[0] && (parts.count == 1 || (outcome.reason ?? "").contains(parts[1])), "\(outcome)")
  }

  /// What FCM hands on to an Apple device, and what that does with it; nil where the message says nothing to it.
  @Test(arguments: [
    (#"{"notification":{"title":"T"}}"#, nil), (#"{"apns":{"headers":{"apns-priority":"5"}}}"#, nil),
    (#"{"notification":{"title":"T"},"apns":{"headers":{"apns-priority":"5"}}}"#, "shown"),
    (#"{"notification":{"title":"T"},"apns":{"payload":{"aps":{"sound":"s"}}}}"#, "shown"),
    (#"{"notification":{"title":""},"apns":{"payload":{"aps":{"thread-id":"t"}}}}"#, "nothing"),
    (#"{"data":{"k":"v"},"apns":{"payload":{"aps":{"thread-id":"t"}}}}"#, "silent"),
    (#"{"apns":{"payload":{"aps":{"content-available":1}}}}"#, "silent"),
    (#"{"notification":{"title":"T"},"apns":{"headers":{"apns-push-type":"background"}}}"#, "nothing"),
    (#"{"apns":{"payload":{"aps":{"event":"update","timestamp":1}}}}"#, "nothing"),
    (#"{"message":{"apns":{"payload":{"aps":{"event":"end","timestamp":1}}}}}"#, "silent"),
  ])
  func appleOutcome(_ message: String, _ expected: String?) throws {
    let outcome = Contracts.appleOutcome(ofFCM: try JSON.parse(message))
    let kind =
      switch outcome {
      case .shown?: "shown"
      case .fallback?: "fallback"
      case .silent?: "silent"
      case .nothing?: "nothing"
      case nil: nil as String?
      }
    #expect(kind == expected, "\(String(describing: outcome))")
  }

  @Test func aPayloadThatIsNoObjectIsNothing() {
    #expect(Contracts.outcome(.amba, of: [], on: .ios) == .nothing("the payload is not a JSON object"))
    #expect(Contracts.outcome(.amba, of: [], on: .ios).isVisible == false)
  }

  @Test(arguments: [
    (ContractName.native, #"{"aps":{"alert":"Hi"}}"#, "it is an APNs payload; check it with --platform ios"),
    (
      .imkit, #"{"message":{"token":"t","data":{"k":"v"}}}"#, "it is a request to FCM; check it with --platform android"
    ),
    (.powerauth, #"{"body":{"title":"t"},"priority":"HIGH"}"#, "it is a request of PowerAuth's push server"),
    (.native, #"{"contents":{"en":"Hi"},"data":{"k":1}}"#, "it is a request of OneSignal's REST interface"),
    (.onesignal, #"{"adb_title":"t","adb_body":"b","priority":5}"#, "its fields are those of the contract adobe"),
  ])
  func aDocumentThatIsNoMessageIsNamed(_ contract: ContractName, _ message: String, _ advice: String) throws {
    let report = Contracts.render(contract, message: try JSON.parse(message)).report
    #expect(report.rules == ["message-unrecognized"])
    #expect(report.findings.first?.message.contains(advice) == true, "\(report.findings)")
  }

  @Test func aFieldOfAnotherContractIsNamed() {
    let report = Contracts.render(.native, message: ["title": "t", "adb_uri": "x"]).report
    #expect(
      report.findings.map(\.description) == [
        "warning field-unknown adb_uri: native has no field adb_uri, so it is left out; it is a field of the contract adobe"
      ])
  }
}
