import PushPayload
package import WireJSON

/// What ends OneSignal's SDK for iOS: a value of a class that does not know the message that the SDK sends to it.
///
/// The SDK reads a payload without asking for classes. In Objective-C the members of what is no dictionary, the number of
/// what is neither a number nor a text, and the comparison of what is no text end the process. Null is an object there.
/// Source: OneSignal's SDK for iOS, `OSNotification.parseWithApns`,
/// `OneSignalNotificationServiceExtensionHandler.userInfoWithCollapseId` and `onNotificationReceived`, and
/// `OneSignalAttachmentHandler.addAttachments`.
extension OneSignal {
  /// The value on which the SDK ends, with its name; nil without such.
  @inline(never)
  package static func extensionFault(_ payload: JSONObject, isMinified: Bool) -> String? {
    let osData = payload["os_data"]?.object
    // The service extension alone writes into `os_data`, or else `custom`, whatever is there.
    if !isMinified, osData == nil, let fault = notAnObject(payload["os_data"], "os_data") { return fault }
    if osData == nil, let fault = notAnObject(payload["custom"], "custom") { return fault }
    let own = osData ?? payload["custom"]?.object ?? [:]
    let name = osData == nil ? "custom" : "os_data"
    return notANumber(own["badge_inc"], "\(name).badge_inc") ?? flagFault(payload["aps"])
      ?? badgeFault(payload, osData, isMinified) ?? buttonFault(payload, osData, isMinified)
      ?? (isMinified ? nil : notAText(own["i"], "\(name).i")) ?? selectionFault(payload, osData)
      ?? attachmentFault(payload, isMinified)
  }

  private static func flagFault(_ aps: JSONValue?) -> String? {
    notANumber(aps?["content-available"], "aps.content-available")
      ?? notANumber(aps?["mutable-content"], "aps.mutable-content")
  }

  private static func badgeFault(_ payload: JSONObject, _ osData: JSONObject?, _ isMinified: Bool) -> String? {
    guard isMinified else { return notANumber(payload["aps"]?["badge"], "aps.badge") }
    return notANumber(osData.map { $0["buttons"]?["b"] } ?? payload["b"], osData == nil ? "b" : "os_data.buttons.b")
  }

  private static func buttonFault(_ payload: JSONObject, _ osData: JSONObject?, _ isMinified: Bool) -> String? {
    // In the new format the SDK asks whether there is a list, but not in what is minified.
    let list: (value: JSONValue?, name: String) =
      switch (osData, isMinified) {
      case (let osData?, true): (osData["buttons"]?["o"], "os_data.buttons.o")
      case (_?, false): (appleButtons(payload, false).map { .array($0) }, "the buttons")
      case (nil, true): (payload["o"], "o")
      case (nil, false): (payload["buttons"], "buttons")
      }
    guard let value = list.value else { return nil }
    guard let buttons = value.array else {
      // Of an empty object there is nothing to walk through.
      return value.object?.isEmpty == true ? nil : fault(value, list.name)
    }
    for (index, button) in buttons.enumerated() {
      if let fault = notAnObject(button, "\(list.name)[\(index)]") { return fault }
      guard button["n"] != nil, button["path"] != nil else { continue }
      if let fault = notAText(button["icon_type"], "\(list.name)[\(index)].icon_type") { return fault }
    }
    return nil
  }

  /// In the original format the tapped button is written into `custom.a`.
  private static func selectionFault(_ payload: JSONObject, _ osData: JSONObject?) -> String? {
    guard osData == nil, payload["actionSelected"] != nil else { return nil }
    return notAnObject(payload["custom"]?["a"], "custom.a")
  }

  /// Of attachments the SDK takes any value for an object and all in it for texts.
  private static func attachmentFault(_ payload: JSONObject, _ isMinified: Bool) -> String? {
    guard let value = attachmentValue(payload, isMinified) else { return nil }
    let name = isMinified ? "at" : "att"
    guard case .object(let members) = value else {
      return value.array?.isEmpty == true ? nil : fault(value, name)
    }
    // An id is asked for as a key, and behind @ is what the dictionary itself should know.
    if members.contains(where: { $0.key.utf8.first == UInt8(ascii: "@") }) {
      return "an id in \(name) that begins with @"
    }
    return members.first { $0.value.string == nil }.map { fault($0.value, "an attachment in " + name) }
  }

  // MARK: Classes

  @inline(never)
  private static func notAnObject(_ value: JSONValue?, _ name: String) -> String? {
    value.flatMap { $0.object == nil ? fault($0, name) : Optional.none }
  }

  @inline(never)
  private static func notAText(_ value: JSONValue?, _ name: String) -> String? {
    value.flatMap { $0.string == nil ? fault($0, name) : Optional.none }
  }

  /// Numbers, booleans and texts know their number.
  @inline(never)
  private static func notANumber(_ value: JSONValue?, _ name: String) -> String? {
    value.flatMap {
      $0.number == nil && $0.bool == nil && $0.string == nil ? fault($0, name) : Optional.none
    }
  }

  @inline(never)
  private static func fault(_ value: JSONValue, _ name: String) -> String { name + ", which is " + value.named }
}
