import PushPayload
import WireJSON

/// What iOS itself makes of a payload.
///
/// A member of another type than Apple documents is treated as absent, and so is a null.
/// Source: Apple, “Generating a remote notification”, “Pushing background updates to your App”, “Sending notification
/// requests to APNs” and “Starting and updating Live Activities with ActivityKit push notifications”; Apple, “Adding a web
/// service to update passes” for the empty payload; immobiliare/ApnsPHP, pull request 44, for `aps` beside `mdm`.
enum AppleDevice {
  /// What iOS does with a payload.
  ///
  /// - Parameters:
  ///   - payload: the members of the payload.
  ///   - headers: the headers it came with, when they are known. Without a push type the members tell the kind of push.
  ///   - carriesData: whether the app finds data beside `aps`; nil takes every member that is not null.
  static func outcome(of payload: JSONObject, _ headers: APNsHeaders?, carriesData: Bool? = nil) -> DeviceOutcome {
    let aps = payload["aps"]?.object ?? [:]
    switch headers?.pushType {
    case .alert?: break
    case .background?:
      if let outcome = contradiction(aps) { return outcome }
    case nil:
      if let outcome = outcome(ofUntyped: payload, aps) { return outcome }
    case .voip?: return .silent("a VoIP push goes to the app through PushKit, and the app rings")
    case .mdm?: return managed(payload)
    case .widgets?, .controls?:
      return isOne(aps["content-changed"]) ? reloaded : .nothing("there is no content-changed")
    case .liveactivity?: return liveActivity(aps)
    case .location?, .complication?, .fileprovider?, .pushtotalk?:
      return .silent("the system hands it to the app's extension")
    // The set is open: Apple adds types.
    default: return .silent("what a device does with this push type is not known")
    }
    return notification(payload, aps, headers, carriesData: carriesData)
  }

  private static func notification(
    _ payload: JSONObject, _ aps: JSONObject, _ headers: APNsHeaders?, carriesData: Bool?
  ) -> DeviceOutcome {
    if hasText(aps["alert"]) { return .shown }
    let effects = effects(aps)
    if !effects.isEmpty { return .silent("there is no text to show; " + effects.joined(separator: ", ")) }
    if carriesData ?? self.carriesData(payload) {
      return .silent("there is no text to show; without content-available the app gets the data only while it is open")
    }
    if headers?.topic?.utf8.starts(with: "pass.".utf8) == true { return .silent("Wallet loads the pass anew") }
    if payload.isEmpty, headers?.topic == nil, headers?.pushType == nil {
      return .silent("an empty payload: only Wallet takes one, and loads the pass anew")
    }
    return .nothing("there is no text, badge, sound, content-available or data")
  }

  /// True when the app finds data beside `aps`.
  ///
  /// An alert that is there by mistake is none, nor are the other keys of `aps` beside it.
  private static func carriesData(_ payload: JSONObject) -> Bool {
    payload.contains { key, value in
      key != "aps" && !value.isNull && (payload["alert"] == nil || !misplacedKeys.contains(key))
    }
  }

  /// Keys of `aps` that are no data beside a misplaced alert.
  private static let misplacedKeys = [
    "alert", "badge", "sound", "content-available", "mutable-content", "thread-id", "interruption-level", "category",
  ]

  /// A payload whose push type is not known, by the members that only one kind of push has; nil for a notification.
  private static func outcome(ofUntyped payload: JSONObject, _ aps: JSONObject) -> DeviceOutcome? {
    if isThere(aps["event"]) || isThere(aps["content-state"]) { return liveActivity(aps) }
    if isOne(aps["content-changed"]) { return reloaded }
    return aps.isEmpty && payload["mdm"]?.string != nil ? asksServer : nil
  }

  private static let asksServer = DeviceOutcome.silent("the device asks its MDM server")
  private static let reloaded = DeviceOutcome.silent("widgets and controls load anew")

  private static func managed(_ payload: JSONObject) -> DeviceOutcome {
    if isThere(payload["aps"]) { return .nothing("device management does not take a push that has aps") }
    return payload["mdm"]?.string == nil ? .nothing("there is no PushMagic in mdm") : asksServer
  }

  /// A background push must not ask for what a person notices; APNs may drop one that does.
  private static func contradiction(_ aps: JSONObject) -> DeviceOutcome? {
    let name = ["alert", "badge", "sound"].first { isThere(aps[$0]) }
    return name.map { .nothing("a background push must not have \($0), and APNs may drop one that does") }
  }

  /// What happens without a text.
  private static func effects(_ aps: JSONObject) -> [String] {
    var effects: [String] = []
    if aps["badge"]?.int != nil { effects.append("the badge changes") }
    switch aps["sound"] {
    case .string(let name)? where !name.isEmpty && aps["interruption-level"]?.string != "passive":
      effects.append("the sound plays")
    case .object?: effects.append("the sound plays")
    default: break
    }
    if isOne(aps["content-available"]) { effects.append("the app is woken in the background") }
    return effects
  }

  private static func isThere(_ value: JSONValue?) -> Bool { value?.isNull == false }

  /// Foundation turns `true` and 1 into the same number.
  private static func isOne(_ value: JSONValue?) -> Bool { value?.int == 1 || value?.bool == true }

  /// True when an alert has a letter to read: a text, or the key of one.
  static func hasText(_ alert: JSONValue?) -> Bool {
    switch alert {
    case .string(let text)?: !text.isEmpty
    case .object(let members)?: texts.contains { members[$0]?.string?.isEmpty == false }
    default: false
    }
  }

  private static let texts = ["title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key"]
}

// MARK: The picture of fcm_options

extension AppleDevice {
  /// What becomes of an alert whose picture Firebase's service extension should add.
  ///
  /// Source: firebase-messaging for iOS, `FIRMessagingExtensionHelper.populateNotificationContent`.
  static func drawing(_ payload: JSONObject, _ outcome: DeviceOutcome) -> DeviceOutcome {
    guard outcome == .shown, let options = payload["fcm_options"], !options.isNull, !isThere(payload["aps"]?["event"])
    else { return outcome }
    let isChanged = isOne(payload["aps"]?["mutable-content"])
    guard case .object(let members) = options else {
      guard isChanged else { return outcome }
      return .fallback(
        "the alert alone, as fcm_options is \(options.named), on which Firebase's service extension ends")
    }
    guard let image = members["image"], !image.isNull else { return outcome }
    if isChanged, image.string == nil {
      return .fallback(
        "the alert alone, as fcm_options.image is \(image.named), on which Firebase's service extension ends")
    }
    guard Adobe.isLoadable(image.string, on: .ios) else {
      return .fallback("the alert without its picture, as fcm_options.image is no web address")
    }
    return isChanged
      ? .shown : .fallback("the alert without its picture, as the service extension needs mutable-content 1 to add it")
  }
}

// MARK: Live Activities

extension AppleDevice {
  /// What a Live Activity makes of a push: it starts, changes or ends, and lights the screen for an alert with a text.
  private static func liveActivity(_ aps: JSONObject) -> DeviceOutcome {
    let event = aps["event"]?.string ?? ""
    guard ["start", "update", "end"].contains(event) else {
      return .nothing("there is no event that the device knows, so no Live Activity changes")
    }
    guard case .number? = aps["timestamp"] else {
      return .nothing("there is no timestamp, so the device does not know whether the Live Activity is newer")
    }
    let missing = event == "start" ? missingAtStart(aps) : []
    guard missing.isEmpty else { return .nothing("no Live Activity starts without \(missing.joined(separator: ", "))") }
    if event == "update", aps["content-state"]?.object == nil {
      return .nothing("there is no content-state that the Live Activity could show")
    }
    let change = event == "start" ? "starts" : event == "update" ? "changes" : "ends"
    return hasText(aps["alert"]) || hasLocalizedText(aps["alert"]) ? .shown : .silent("a Live Activity \(change)")
  }

  private static func missingAtStart(_ aps: JSONObject) -> [String] {
    var missing: [String] = []
    if aps["attributes-type"]?.string?.isEmpty ?? true { missing.append("attributes-type") }
    for name in ["attributes", "content-state"] where aps[name]?.object == nil { missing.append(name) }
    if aps["alert"]?.object == nil, aps["alert"]?.string?.isEmpty ?? true { missing.append("alert") }
    return missing
  }

  /// Only the alert of a Live Activity has a title or a body that is an object with a key.
  private static func hasLocalizedText(_ alert: JSONValue?) -> Bool {
    ["title", "body"].contains { alert?[$0]?["loc-key"]?.string?.isEmpty == false }
  }
}
