import PushPayload
import WireJSON

/// What Adobe's content extension on iOS makes of a payload.
extension Adobe {
  static func readIOS(_ message: inout Message, _ members: JSONObject, _ report: inout Report) {
    message.category = members["aps"]?["category"]?.string
    let aps = FieldPath(members: "aps")
    if members["aps"]?["category"] == nil {
      add(
        "adobe-key-missing", .warning, aps.member("category"), "without AEPNotification no template is drawn", &report)
    }
    if members["aps"]?["mutable-content"] == nil {
      add(
        "adobe-key-missing", .warning, aps.member("mutable-content"),
        "without 1 the service extension is not called", &report)
    }
    let texts = [("title", message.title), ("body", message.body)]
    for (key, text) in texts where text == nil {
      add("adobe-key-missing", .warning, aps.member("alert").member(key), "the key is required", &report)
    }
    for key in ["adb_version", "adb_template_type"] where members[key]?.isNull != false {
      add("adobe-key-missing", .warning, FieldPath(members: key), "the key is required", &report)
    }
    readChoices(&message, FieldPath(), on: .ios, &report)
    reportOtherKeys(members, .ios, at: FieldPath(), &report)
    let itemPaths = members["adb_items"].map { readAppleItems(&message, $0, &report) } ?? []
    let reason = appleFallback(message) ?? missingTemplate(message)
    reportApplePictures(message, message.category == category && reason == nil, &report)
    if message.category == category { reportSubtitle(message, aps.member("alert").member("subtitle"), &report) }
    if message.category == category, reason == nil { reportAppleCarousel(message, at: itemPaths, &report) }
    if message.category == category {
      guard let reason else { return }
      add("adobe-ios-fallback", .warning, FieldPath(members: reason.field), reason.sentence, &report)
    } else if let template = members["adb_template_type"]?.string {
      // Only what has its category reaches the content extension.
      add(
        "adobe-ios-fallback", .warning, aps.member("category"),
        "the template \(quoted(template)) needs the category \(category); iOS draws title and body alone", &report)
    }
  }

  /// The content extension leaves out elements without a picture; one that is no object spoils a carousel.
  private static func readAppleItems(
    _ message: inout Message, _ list: JSONValue, _ report: inout Report
  ) -> [FieldPath] {
    guard let values = list.array else {
      message.items = Optional.none
      return []
    }
    var reader = ListReader(at: FieldPath(members: "adb_items"), consequence: "there are no elements")
    let isCarousel = message.shownTemplate == .carousel
    message.items = reader.read(
      values, members: Item.list.members, other: isCarousel ? .voids : .skips, bad: .skips,
      element: isCarousel ? Item.apple : Item.any)
    report.append(reader.report)
    return reader.paths
  }

  /// The views of the content extension replace the whole alert, and have a title and a text.
  ///
  /// Source: Adobe, `TitleBodyView` and `UNNotificationExtensionDefaultContentHidden` in the guide of the extension.
  static func reportSubtitle(_ message: Message, _ field: FieldPath, _ report: inout Report) {
    guard has(message.subtitle) else { return }
    add(
      "adobe-expanded-without-text", .warning, field,
      "the subtitle is not in the expanded notification on iOS, where Adobe's content extension draws title and text",
      &report)
  }

  /// True when a tap on what iOS draws opens ``Message/uri``: only the templates basic and timer do.
  ///
  /// Source: Adobe, `BasicTemplateController` and `TimerTemplateController`; the view of a fallback takes no tap.
  package static func opensURI(_ message: Message) -> Bool {
    has(message.uri) && message.category == category && (message.template == .basic || message.template == .timer)
      && appleFallback(message) == nil
  }

  private static let appleInstead = "iOS draws title and body alone"

  /// A payload without a template, which a message that is written never is.
  private static func missingTemplate(_ message: Message) -> (field: String, sentence: String)? {
    guard message.template == nil else { return Optional.none }
    return ("adb_template_type", "there is no text in adb_template_type; \(appleInstead)")
  }

  /// Why the content extension draws the title and the body of the alert alone instead of a template, without expanded
  /// texts, picture and colors: the field at fault and a sentence; nil when it draws what was asked for.
  public static func appleFallback(_ message: Message) -> (field: String, sentence: String)? {
    guard let template = message.template, template != .basic else { return Optional.none }
    guard Template.ios.contains(template) else {
      return ("adb_template_type", "iOS does not draw the template \(quoted(template.rawValue)); \(appleInstead)")
    }
    if template == .carousel, !(message.items ?? []).contains(where: { isLoadable($0.image, on: .ios) }) {
      return (
        "adb_items",
        "the template car needs an array of objects, one of them with a web address in img; \(appleInstead)"
      )
    }
    guard template == .timer else { return Optional.none }
    if message.alternateTitle == nil {
      return ("adb_title_alt", "the template timer needs adb_title_alt; \(appleInstead)")
    }
    if message.timerSeconds == nil && message.timerEnd == nil {
      return ("adb_tmr_dur", "the template timer needs adb_tmr_dur or adb_tmr_end; \(appleInstead)")
    }
    if crashesExtension(message) {
      return (
        message.timerSeconds == nil ? "adb_tmr_end" : "adb_tmr_dur",
        "the content extension crashes when it counts this time, and draws nothing of the template; \(appleInstead)"
      )
    }
    return Optional.none
  }

  /// True for a timer that the content extension cannot count down.
  ///
  /// What is left does not fit an integer of 64 bits, to which it is converted without a check; less than 0, minus infinity
  /// included, has ended. Source: Adobe, `TimerTemplateController.updateCountdown`; a text is read as `TimeInterval`, which takes
  /// “nan”, “inf” and “1e400”.
  private static func crashesExtension(_ message: Message) -> Bool {
    if let seconds = message.timerSeconds { return !(seconds < 0x1p63) }
    // Of an end, the present time is taken away.
    return message.timerEnd.map { !($0 < 0x1p63 + 0x1p31) } ?? false
  }
}
