import Basics
import PushPayload
package import WireJSON

/// OneSignal's SDKs on the device as pure functions from a payload to what is shown, written from the SDKs' own rules and
/// not from the readers.
///
/// Source: OneSignal's SDKs: `OSNotification` on iOS; the notification's data controller and its builder on Android.
extension OneSignal {
  // MARK: iOS

  /// iOS shows the alert, and the app's service extension adds buttons and attachments if `mutable-content` lets it.
  ///
  /// Where there is no alert, iOS shows nothing and calls no extension. `content-available` wakes the app, in which the SDK
  /// makes a notification of a minified payload, with its buttons and attachments: of `os_data.buttons` that is an object,
  /// and at the root only if there is `at` or `o` beside `m`.
  @Sendable static func appleOutcome(_ payload: JSONObject, _ headers: APNsHeaders?) -> DeviceOutcome {
    let carriesData =
      payload["custom"]?["a"]?.object?.isEmpty == false || payload["os_data"]?["a"]?.object?.isEmpty == false
      || payload.contains { isRootData($0.key) && !$0.value.isNull }
    let outcome = AppleDevice.outcome(of: payload, headers, carriesData: carriesData)
    let isMinified = outcome != .shown && isMinified(payload, headers, outcome)
    guard outcome == .shown || isMinified else { return outcome }
    if isMinified, !isOne(payload["aps"]?["content-available"]) {
      if case .silent = outcome { return outcome }
      return .silent("the app is not woken, and OneSignal's SDK shows what is minified only while the app is open")
    }
    if isMinified || isOne(payload["aps"]?["mutable-content"]),
      let fault = extensionFault(payload, isMinified: isMinified)
    {
      return isMinified
        ? .nothing("OneSignal's SDK ends on \(fault)")
        : .fallback("the alert as it came, as OneSignal's service extension ends on \(fault)")
    }
    let buttons = appleButtons(payload, isMinified) ?? []
    let lost = buttons.filter { $0["n"]?.string == nil }.count
    // Of two categories the sender's is taken, which has no such buttons.
    let hasOwnCategory = !isMinified && payload["aps"]?["category"]?.string?.isEmpty == false
    let hasButtons = lost < buttons.count && !hasOwnCategory
    if !isMinified, !isOne(payload["aps"]?["mutable-content"]) {
      if hasButtons || hasAttachments(payload) {
        return .fallback("the alert without buttons and attachments, as the service extension needs mutable-content 1")
      }
      if hasIncrement(payload) {
        return .fallback("the alert without badge_inc, as the service extension needs mutable-content 1 to add it")
      }
    }
    if hasOwnCategory, lost < buttons.count {
      return .fallback("the alert with the buttons of its category, and not with those of the payload")
    }
    var losses = lost > 0 ? ["all but \(lost) of the buttons, \(unlabelled[0])"] : []
    if buttons.count - lost > AppleNotification.buttonsMax {
      losses.append(
        "the first \(AppleNotification.buttonsMax) of \(buttons.count - lost) buttons, as iOS draws no more")
    }
    if let unusable = attachments(payload, isMinified).first(where: { !$0.isUsable }) {
      losses.append("without the attachment \(unusable.id), \(unusable.fault)")
    }
    return losses.isEmpty ? .shown : .fallback(losses.joined(separator: ", and "))
  }

  /// True for a payload without an alert of which the SDK makes a notification, once the app has it.
  private static func isMinified(
    _ payload: JSONObject, _ headers: APNsHeaders?, _ outcome: DeviceOutcome
  ) -> Bool {
    switch headers?.pushType {
    case nil, .alert?: break
    case .background?:
      // What APNs drops reaches no app.
      if case .nothing = outcome { return false }
    default: return false
    }
    guard hasMinifiedText(payload) else { return false }
    return payload["os_data"]?.object != nil || ["at", "o"].contains { payload[$0]?.isNull == false }
  }

  private static func isOne(_ value: JSONValue?) -> Bool { value?.int == 1 || value?.bool == true }

  /// True when the service extension would attach something.
  private static func hasAttachments(_ payload: JSONObject) -> Bool {
    attachments(payload, false).contains { $0.isUsable }
  }

  private static func attachments(_ payload: JSONObject, _ isMinified: Bool) -> [Attachment] {
    (attachmentValue(payload, isMinified)?.object ?? [:]).compactMap { id, value in
      value.string.map { Attachment(id: id, source: $0) }
    }
  }

  static func attachmentValue(_ payload: JSONObject, _ isMinified: Bool) -> JSONValue? {
    let new = payload["os_data"]?.object
    return isMinified ? (new.map { $0["buttons"]?["at"] } ?? payload["at"]) : (new.map { $0["att"] } ?? payload["att"])
  }

  /// True when the service extension would change the badge.
  private static func hasIncrement(_ payload: JSONObject) -> Bool {
    let value = payload["os_data"]?.object.map { $0["badge_inc"] } ?? payload["custom"]?["badge_inc"]
    return value.flatMap { $0.string ?? $0.number?.text }.flatMap(leadingInteger) ?? 0 != 0
  }

  private static func hasMinifiedText(_ payload: JSONObject) -> Bool {
    // To the SDK null is an alert as well.
    guard payload["aps"]?["alert"] == nil else { return false }
    let texts = payload["os_data"]?.object.map { $0["buttons"]?["m"] } ?? payload["m"]
    switch texts {
    case .string(let text)?: return !text.isEmpty
    case .object(let members)?:
      return ["title", "subtitle", "body"].contains { members[$0]?.string?.isEmpty == false }
    default: return false
    }
  }

  /// The list that the SDK takes the buttons from.
  static func appleButtons(_ payload: JSONObject, _ isMinified: Bool) -> [JSONValue]? {
    guard let new = payload["os_data"]?.object else { return (isMinified ? payload["o"] : payload["buttons"])?.array }
    if isMinified { return new["buttons"]?["o"]?.array }
    return new["buttons"]?.array ?? new["buttons"]?["o"]?.array ?? payload["actionbuttons"]?.array
  }

  /// True for a message with buttons, pictures or attachments, of which a device may leave out some.
  @Sendable static func mayLose(_ message: Lent<Message>, _ platform: Platform) -> Bool {
    switch platform {
    case .ios: message.pointee.buttons?.isEmpty == false || message.pointee.iosAttachments?.isEmpty == false
    case .android:
      (message.pointee.buttons?.count ?? 0) > AndroidNotification.buttonsMax
        || message.pointee.androidBackgroundLayout != nil
        || !isPicture(message.pointee.bigPicture ?? message.pointee.globalImage)
        || !isPicture(message.pointee.largeIcon)
        || mayLoseSound(message) || message.pointee.smallIcon.map { !isResource(trimmed($0)) } ?? false
    }
  }

  /// True for a sound that no channel of the message gives, and for one of a low priority.
  private static func mayLoseSound(_ message: Lent<Message>) -> Bool {
    guard message.pointee.androidSound?.isEmpty == false else { return false }
    guard message.pointee.existingAndroidChannelID == nil, message.pointee.androidChannel.wire != nil else {
      return true
    }
    return (message.pointee.priority ?? quietBelow) < quietBelow || !isResource(message.pointee.androidSound ?? "")
  }

  // MARK: Android

  /// True for a message that the SDK takes before Firebase's client, which then draws no notification block.
  ///
  /// Its receiver comes first, and ends the broadcast of a message that has OneSignal's notification id.
  /// Source: OneSignal's SDK for Android, `FCMBroadcastReceiver`.
  @Sendable package static func takes(_ message: JSONObject) -> Bool {
    message["from"]?.string != AndroidEnvelope.registrationSender
      && object(message["data"]?["custom"])?["i"] != nil
  }

  /// The SDK shows what is OneSignal's and has a text; of other messages Firebase shows the notification block.
  @Sendable static func androidOutcome(_ message: JSONObject) -> DeviceOutcome {
    guard NotificationBlock(message) != nil else { return ownOutcome(message) }
    guard takes(message) else { return FirebaseDevice.outcome(of: message) }
    switch ownOutcome(message) {
    case .shown:
      return .fallback("the alert of the data, as OneSignal's SDK takes the message before Firebase draws the block")
    case .silent:
      return .nothing("OneSignal's SDK takes the message before Firebase draws the block, and there is no alert text")
    case let outcome: return outcome
    }
  }

  private static func ownOutcome(_ message: JSONObject) -> DeviceOutcome {
    if message["from"]?.string == AndroidEnvelope.registrationSender {
      return .silent(
        "OneSignal's SDK leaves what comes from \(AndroidEnvelope.registrationSender) to Firebase, which hands it to the app"
      )
    }
    let data = message["data"]?.object ?? [:]
    guard let custom = object(data["custom"]), custom["i"] != nil else {
      return .nothing(
        "there is no notification id, so OneSignal's SDK takes it for another sender's")
    }
    if let failure = failure(data, custom) { return .nothing(failure) }
    if data["alert"]?.string?.isEmpty ?? true {
      // The preview of an in-app message is drawn without a text, too, unless the app is open.
      guard isInAppPreview(data) else { return withoutAlert(data, custom) }
      guard data["title"]?.string?.isEmpty == false else {
        return blockage(data).map(DeviceOutcome.nothing)
          ?? .fallback("a notification with the name of the app alone, as there is neither title nor alert")
      }
    }
    if let blockage = blockage(data) { return .nothing(blockage) }
    var losses: [String] = []
    // First, so that the reason ends otherwise where more is lost.
    if let loss = lostButtons(list(data["o"]), custom["a"]?["actionButtons"]?.array) { losses.append(loss) }
    losses += lostLooks(data)
    return losses.isEmpty ? .shown : .fallback("the notification " + losses.joined(separator: ", and "))
  }

  /// Why Android blocks the channel that the SDK makes of `chnl`; nil when it does not.
  ///
  /// The channel has the importance that `pri` represents, and Android shows nothing of a channel with none. A channel that
  /// the app made comes first, and one that cannot be read becomes the SDK's own.
  /// Source: OneSignal's SDK for Android, `NotificationChannelManager`; Android, `NotificationManager.IMPORTANCE_NONE`.
  private static func blockage(_ data: JSONObject) -> String? {
    guard appChannel(data["oth_chnl"]) == nil, let channel = channel(data["chnl"]) else { return nil }
    if lacksGroupName(channel) {
      return
        "the group of the channel in chnl has no name, so that Android refuses it and OneSignal's SDK names no channel"
    }
    guard let priority = integer(data["pri"]), priority <= 0 else { return nil }
    return "pri \(priority) gives the channel of chnl no importance, and Android blocks such a channel"
  }

  /// True when the SDK is given a picture to draw behind the texts.
  private static func hasBackground(_ data: JSONObject) -> Bool {
    object(data["bg_img"])?["img"]?.string?.isEmpty == false
  }

  /// Why the SDK throws before it draws; nil when it does not.
  private static func failure(_ data: JSONObject, _ custom: JSONObject) -> String? {
    if let appData = custom["a"], appData.object == nil {
      return "custom.a is not an object, on which OneSignal's SDK fails"
    }
    for key in ["pri", "vis"] {
      guard let value = data[key], !value.isNull else { continue }
      guard value.string.map({ KotlinNumber.int($0) != nil }) ?? (value.int != nil) else {
        return "\(key) is not a 32-bit integer, on which OneSignal's SDK fails"
      }
    }
    return nil
  }

  private static func withoutAlert(_ data: JSONObject, _ custom: JSONObject) -> DeviceOutcome {
    let isSilent = data["title"]?.string?.isEmpty ?? true && custom["a"]?.object?.isEmpty == false
    return isSilent
      ? .silent("there is no alert text, and the app gets the data")
      : .nothing("there is no alert text for OneSignal's SDK to show")
  }

  /// How a reason ends where buttons that cannot be drawn are all that is lost, which the reader says of each of them.
  static let unlabelled = ["as those have no label", "as one of them has no label", "as another cannot be read"]

  /// The SDK rewrites `o` into `custom.a.actionButtons`, unless a button there has no label, and draws what it finds.
  private static func lostButtons(_ short: [JSONValue]?, _ long: [JSONValue]?) -> String? {
    let isAborted = short?.contains { $0["n"] == nil } ?? false
    let isShort = short != nil && !isAborted
    let all = (isShort ? short : long) ?? []
    let readable = isShort ? all : Array(all.prefix { $0.object != nil })
    if isAborted || readable.count < all.count {
      let count = min(readable.count, AndroidNotification.buttonsMax)
      return count == 0
        ? "without buttons, \(unlabelled[1])" : "with \(count) of its buttons, \(unlabelled[2])"
    }
    guard readable.count > AndroidNotification.buttonsMax else { return nil }
    return
      "with the first \(AndroidNotification.buttonsMax) of its \(readable.count) buttons, as Android draws no more"
  }

  /// What is drawn without, and the sound that is not played.
  private static func lostLooks(_ data: JSONObject) -> [String] {
    var losses: [String] = []
    for (key, name) in [("bicon", "picture"), ("licon", "large icon")] where !isPicture(data[key]?.string) {
      losses.append(
        "without its \(name), as OneSignal's SDK downloads what begins with http:// or https:// in lower case and "
          + "has a host, and takes anything else for a name in the app")
    }
    if let icon = data["sicon"]?.string, !icon.isEmpty, !isResource(trimmed(icon)) {
      losses.append("with the app's icon for its small icon, as an app can have none of the name in sicon")
    }
    if let loss = lostSound(data) { losses.append(loss) }
    if hasBackground(data) {
      losses.append("without its background picture, which Android draws up to version 11 alone")
    }
    return losses
  }

  /// Why another sound is played than the one that the payload names, or none.
  ///
  /// From version 8 on Android plays the sound of the channel: of the app's own, of the one that the SDK makes of `chnl`
  /// with the sound of the payload, or of the SDK's own, which has Android's default sound.
  /// Source: OneSignal's SDK for Android, `NotificationChannelManager`; Android, `NotificationChannel.setSound`.
  private static func lostSound(_ data: JSONObject) -> String? {
    guard let sound = data["sound"]?.string, !sound.isEmpty else { return nil }
    switch soundSource(channel: data["chnl"], existing: data["oth_chnl"]) {
    case .app: return "with the sound of the channel in oth_chnl, which the app made, and not with the one in sound"
    case .none:
      let lack = data["chnl"] == nil ? "there is no channel in chnl" : "the channel in chnl cannot be read"
      return "with Android's default sound, as \(lack) to have another one, or none"
    case .payload where hasSound(sound) && !isResource(sound):
      return
        "with the app's onesignal_default_sound, or Android's default sound, as an app can have no sound of the name in sound"
    case .payload:
      guard hasSound(sound), let priority = integer(data["pri"]), priority < quietBelow else { return nil }
      return "without its sound, as OneSignal's SDK plays none below priority \(quietBelow)"
    }
  }

  /// Where Android takes the sound of a notification from.
  enum SoundSource { case app, payload, none }

  static func soundSource(channel: JSONValue?, existing: JSONValue?) -> SoundSource {
    if appChannel(existing) != nil { return .app }
    return self.channel(channel) == nil ? .none : .payload
  }

  /// The channel that the SDK makes of `chnl`; nil where there is none, and where it cannot be read.
  private static func channel(_ value: JSONValue?) -> JSONObject? {
    guard let channel = object(value), channel["langs"] == nil || channel["langs"]?.object != nil else { return nil }
    return channel
  }

  /// The priority below which the SDK sets no sound, and the channel of `chnl` has none.
  static let quietBelow: WholeNumber = 5

  /// False for a text that can be neither an address that the SDK downloads nor a name in the app.
  static func isPicture(_ text: String?) -> Bool {
    guard let text else { return true }
    let address = trimmed(text)
    let isAddress = address.utf8.starts(with: "http://".utf8) || address.utf8.starts(with: "https://".utf8)
    return isAddress ? Adobe.isLoadable(address, on: .ios) : !hasScheme(text)
  }

  /// False for a text that an app can have no resource of: an address, or a name with an extension.
  static func isResource(_ name: String) -> Bool {
    FCMAndroidNotification.isResourceName(name)
  }

  /// True for a sound that is not the word for none.
  static func hasSound(_ name: String?) -> Bool { name.map { !["", "nil", "null"].contains($0) } ?? false }

  /// True for the preview of an in-app message.
  static func isInAppPreview(_ data: JSONObject) -> Bool { object(data["custom"])?["a"]?[previewName] != nil }

  private static func integer(_ value: JSONValue?) -> WholeNumber? {
    value.flatMap { $0.string.flatMap { WholeNumber($0) } ?? $0.int }
  }

  /// A value that travels as JSON text, or that a caller has put in as it is.
  private static func object(_ value: JSONValue?) -> JSONObject? {
    value?.string.flatMap { try? AndroidJSON.object($0) } ?? value?.object
  }

  private static func list(_ value: JSONValue?) -> [JSONValue]? {
    value?.string.flatMap { (try? AndroidJSON.array($0))?.elements } ?? value?.array
  }
}
