import PushPayload
import WireJSON

/// What iOS itself makes of a payload.
///
/// Source: Apple, “Generating a remote notification”, “Pushing background updates to your App” and “Sending notification
/// requests to APNs”; Apple, “Adding a web service to update passes” for the empty payload.
enum AppleDevice {
  /// What iOS does with a payload.
  ///
  /// - Parameters:
  ///   - payload: the members of the payload.
  ///   - headers: the headers it came with, when they are known.
  ///   - carriesData: whether the app finds data beside `aps`; nil takes every member that is not null.
  static func outcome(of payload: JSONObject, _ headers: APNsHeaders?, carriesData: Bool? = nil) -> DeviceOutcome {
    if let outcome = outcome(of: payload, type: headers?.pushType) { return outcome }
    let aps = payload["aps"]?.object ?? [:]
    if hasText(aps["alert"]) { return .shown }
    let effects = effects(aps)
    if !effects.isEmpty { return .silent("there is no text to show; " + effects.joined(separator: ", ")) }
    if carriesData ?? payload.contains(where: { $0.key != "aps" && !$0.value.isNull }) {
      return .silent("there is no text to show; without content-available the app gets the data only while it is open")
    }
    if payload.isEmpty, headers?.topic?.utf8.starts(with: "pass.".utf8) ?? true {
      return .silent("an empty payload: only Wallet takes one, and loads the pass anew")
    }
    return .nothing("there is no text, badge, sound, content-available or data")
  }

  /// Pushes that do not become a notification: by their type, or by the members that only they have.
  private static func outcome(of payload: JSONObject, type: APNsPushType?) -> DeviceOutcome? {
    let aps = payload["aps"]?.object ?? [:]
    switch type {
    case .voip?: return .silent("a VoIP push goes to the app through PushKit, and the app rings")
    case .mdm?:
      return payload["mdm"]?.string == nil ? .nothing("there is no PushMagic in mdm") : .silent(managed)
    case .widgets?, .controls?:
      return isOne(aps["content-changed"]) ? .silent(reloaded) : .nothing("there is no content-changed")
    case .complication?, .fileprovider?, .location?, .pushtotalk?:
      return .silent("the system hands it to the app's extension")
    case .liveactivity?: return liveActivity(aps)
    default:
      if aps["event"] != nil || aps["content-state"] != nil { return liveActivity(aps) }
      if isOne(aps["content-changed"]) { return .silent(reloaded) }
      return aps.isEmpty && payload["mdm"]?.string != nil ? .silent(managed) : Optional.none
    }
  }

  private static let managed = "the device asks its MDM server"
  private static let reloaded = "widgets and controls load anew"

  private static func liveActivity(_ aps: JSONObject) -> DeviceOutcome {
    if hasText(aps["alert"]) { return .shown }
    return aps["event"]?.string == nil
      ? .nothing("there is no event, so no Live Activity changes") : .silent("a Live Activity changes")
  }

  /// What happens without a text.
  private static func effects(_ aps: JSONObject) -> [String] {
    var effects: [String] = []
    if aps["badge"]?.int != nil { effects.append("the badge changes") }
    switch aps["sound"] {
    case .string(let name)? where !name.isEmpty: effects.append("the sound plays")
    case .object?: effects.append("the sound plays")
    default: break
    }
    if isOne(aps["content-available"]) { effects.append("the app is woken in the background") }
    return effects
  }

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
