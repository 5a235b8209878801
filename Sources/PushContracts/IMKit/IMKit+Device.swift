import PushPayload
import WireJSON

extension IMKit {
  /// What IMKit's app for iOS does with a payload: what the system does; a PushKit push has something in it to ring for.
  static func appleOutcome(_ members: JSONObject, _ headers: APNsHeaders?) -> DeviceOutcome {
    let isEmpty = !members.contains { $0.key != "aps" && !$0.value.isNull }
    return headers?.pushType == .voip && isEmpty
      ? .nothing("a PushKit push without type and payload gives the app nothing to ring for")
      : AppleDevice.outcome(of: members, headers)
  }

  /// What IMKit's app for Android does with a message: what the system does; a notification block without a text is silent.
  ///
  /// Source: IMKit, “Push Payload Format”, silent pushes.
  static func androidOutcome(_ members: JSONObject) -> DeviceOutcome {
    guard let block = NotificationBlock(members), !block.hasText else {
      return fallback(members).map { .fallback($0) } ?? FirebaseDevice.outcome(of: members)
    }
    // Empty texts are no data.
    let hasData = members["data"]?.object?.contains { $0.value.string?.isEmpty != true && !$0.value.isNull } ?? false
    return hasData
      ? .silent("the notification has neither title nor body, so it is a silent push")
      : .nothing("the notification has neither title nor body, and there is no data")
  }

  /// A push with only data is silent (the page's “Silent Pushes”) and wakes the app on iOS too, which gets none of the data;
  /// without data there is no reason to, unless the message says that it is silent.
  @Sendable static func emptiness(
    of message: Message, _ members: JSONObject, _ context: WriteContext
  ) -> String? {
    guard !context.has(voipOption), message.isSilent, message.silent != true else { return nil }
    guard message.message?.isEmpty ?? true, message.classification?.isEmpty ?? true else { return nil }
    return "there is no text, and no data to fetch"
  }

  /// What is shown when the text of a localization key wants more arguments than there are; nil when it does not.
  ///
  /// Source: firebase-messaging for Android, `NotificationParams`: a text without one of its arguments is left out.
  private static func fallback(_ message: JSONObject) -> String? {
    let own = message["android"]?["notification"]
    let common = message["notification"]
    func member(_ name: String) -> JSONValue? { own?[name] ?? common?[name] }
    guard member("body")?.string?.isEmpty ?? true, let key = member("body_loc_key")?.string,
      let wanted = argumentCount(of: key), let count = argumentCount(member("body_loc_args")), count < wanted
    else { return nil }
    let rest = member("title")?.string?.isEmpty == false ? "the title" : "a notification with the name of the app"
    return "\(rest) alone, as the text of \(key) needs \(wanted) arguments and has \(count)"
  }

  /// How many arguments there are, as an array or as JSON text; nil without a list.
  private static func argumentCount(_ list: JSONValue?) -> Int? {
    list?.array?.count ?? list?.string.flatMap { (try? AndroidJSON.array($0))?.elements.count }
  }
}
