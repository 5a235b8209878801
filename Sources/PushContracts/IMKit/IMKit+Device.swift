import PushPayload
import WireJSON

extension IMKit {
  /// What IMKit's apps do with a payload: what the systems do, and a notification block without a text is silent.
  ///
  /// Source: IMKit, “Push Payload Format”, silent pushes.
  @Sendable static func outcome(
    of members: JSONObject, on platform: Platform, headers: APNsHeaders?
  ) -> DeviceOutcome {
    guard platform == .android else { return AppleDevice.outcome(of: members, headers) }
    guard let block = NotificationBlock(members), !block.hasText else {
      return withoutArguments(members) ?? FirebaseDevice.outcome(of: members)
    }
    return textless(members, "the notification has neither title nor body")
  }

  private static func textless(_ members: JSONObject, _ reason: String) -> DeviceOutcome {
    FirebaseDevice.hasData(members)
      ? .silent(reason + ", so it is a silent push") : .nothing(reason + ", and there is no data")
  }

  /// What is left when the text of a localization key wants more arguments than there are; nil when it does not.
  ///
  /// Source: firebase-messaging for Android, `NotificationParams`: a text without one of its arguments is left out.
  private static func withoutArguments(_ message: JSONObject) -> DeviceOutcome? {
    let own = message["android"]?["notification"]
    let common = message["notification"]
    func member(_ name: String) -> JSONValue? { own?[name] ?? common?[name] }
    guard member("body")?.string?.isEmpty ?? true, let key = member("body_loc_key")?.string,
      let wanted = argumentCount(of: key), let count = argumentCount(member("body_loc_args")), count < wanted
    else { return nil }
    let reason = "the text of \(key) needs \(wanted) arguments and has \(count)"
    let hasTitle = ["title", "title_loc_key"].contains { member($0)?.string?.isEmpty == false }
    return hasTitle ? .fallback("the title alone, as \(reason)") : textless(message, reason + ", and there is no title")
  }

  /// How many arguments there are, as an array or as JSON text; nil without a list.
  private static func argumentCount(_ list: JSONValue?) -> Int? {
    list?.array?.count ?? list?.string.flatMap { (try? AndroidJSON.array($0))?.elements.count }
  }
}
