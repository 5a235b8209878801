internal import Basics
import PushPayload
import WireJSON

extension OneSignal {
  /// The rules about a message as a whole.
  @Sendable static func check(_ message: Lent<Message>, _ context: WriteContext, _ report: inout Report) {
    if message.pointee.notificationID == nil, sendID(context) == nil {
      report.add(
        rule: "onesignal-id-placeholder", severity: .warning, field: "notification_id",
        message: "no id, so a placeholder is written, and devices would take two such pushes for one; add "
          + "notification_id to the message, or a campaign or an apns-id to the send")
    }
    checkTexts(message, context, &report)
    checkData(message, &report)
    checkNumbers(message, &report)
    checkColors(message, &report)
    checkSend(message, &report)
    if case .token(let token) = context.target, !token.isEmpty, token != WriteContext.tokenPlaceholder {
      checkToken(token, platform: .android, report: &report)
    }
  }

  /// The rules about a message on one platform.
  @Sendable static func check(
    _ message: Lent<Message>, _ platform: Platform, _ context: WriteContext, _ report: inout Report
  ) {
    if let buttons = message.pointee.buttons { Button.reportIcons(buttons, platform, &report) }
    switch platform {
    case .ios: checkIncrement(message, context, &report)
    case .android: checkAndroid(message, context, &report)
    }
  }

  private static func checkAndroid(_ message: Lent<Message>, _ context: WriteContext, _ report: inout Report) {
    if let buttons = message.pointee.buttons { Button.reportEmpty(buttons, &report) }
    checkChannel(message, context, &report)
    guard message.pointee.contentAvailable != true, message.pointee.contents?.isEmpty(for: context.language) == true
    else { return }
    report.add(
      rule: "onesignal-body-empty", severity: .error, field: "contents",
      message: "the text is empty, and Android shows nothing without one; add a text, or content_available for a push "
        + "that shows nothing")
  }

  /// The service extension adds to the badge, and runs for an alert alone.
  private static func checkIncrement(_ message: Lent<Message>, _ context: WriteContext, _ report: inout Report) {
    guard message.pointee.iosBadgeType == .increase, (message.pointee.iosBadgeCount ?? 0) != 0,
      ![message.pointee.contents, message.pointee.headings, message.pointee.subtitle].contains(where: {
        $0?.isEmpty(for: context.language) == false
      })
    else { return }
    report.add(
      rule: "onesignal-badge-count", severity: .warning, field: "ios_badgeType",
      message: "the service extension adds to the badge, and does not run for a push without a text; use SetTo")
  }

  /// The notification's id, as far as the send knows one.
  static func sendID(_ context: WriteContext) -> String? {
    if let campaign = context.campaign, !campaign.isEmpty { return campaign }
    return context.apnsID?.text
  }

  // MARK: Texts

  private static func checkTexts(_ message: Lent<Message>, _ context: WriteContext, _ report: inout Report) {
    if message.pointee.contents == nil, message.pointee.templateID != nil, message.pointee.contentAvailable != true {
      report.add(
        rule: "onesignal-template-texts", severity: .error, field: "template_id",
        message:
          "the template's texts are at OneSignal, so none is written; add contents, or content_available for a push "
          + "that shows nothing")
    }
    if let contents = message.pointee.contents {
      if !contents.has(LanguageTexts.fallback) {
        report.add(
          rule: "onesignal-english-missing", severity: .error, field: "contents",
          message: "no English text, which is the fallback for every language that is missing; add \"en\"")
      }
    }
    checkLanguage("headings", message.pointee.headings, context.language, &report)
    checkLanguage("subtitle", message.pointee.subtitle, context.language, &report)
    checkLanguage("contents", message.pointee.contents, context.language, &report)
    checkLanguage("android_group_message", message.pointee.androidGroupMessage, context.language, &report)
  }

  private static func checkLanguage(
    _ name: String, _ texts: LanguageTexts?, _ language: String?, _ report: inout Report
  ) {
    guard let texts else { return }
    let wanted = language ?? LanguageTexts.fallback
    // Nearly always there is the language that is asked for.
    if texts.has(wanted) { return }
    guard let taken = texts.entry(for: wanted) else {
      if name == "contents" { return }
      return report.add(
        rule: "onesignal-language-missing", severity: .warning, field: FieldPath(members: name),
        message: "neither a text in \(wanted) nor one in English, so \(name) is left out; add \"en\"")
    }
    report.add(
      rule: "onesignal-language-fallback",
      severity: LanguageTexts.isWider(taken.language, than: wanted) ? .note : .warning, field: FieldPath(members: name),
      message: "no text in \(wanted), so the one in \(taken.language) is taken")
  }

  // MARK: Data and numbers

  private static func checkData(_ message: Lent<Message>, _ report: inout Report) {
    guard let data = message.pointee.data else { return }
    // The text is written to be measured only where it may be too long.
    if JSONValue.object(data).minifiedBytesMax > dataBytesMax {
      checkSize(data, &report)
    }
    for name in dataNames where data[name] != nil {
      report.add(
        rule: "onesignal-data-name", severity: .warning, field: FieldPath(members: "data", name),
        message: "OneSignal's SDKs use \(name) themselves to tell which button was tapped; rename the key")
    }
  }

  private static func checkSize(_ data: JSONObject, _ report: inout Report) {
    let bytes = JSON.minified(.object(data)).count
    guard bytes > dataBytesMax else { return }
    report.add(
      rule: "onesignal-data-too-large", severity: .error, field: "data",
      message: "\(bytes) bytes of JSON text, and at most \(dataBytesMax) are allowed; send an id and load the rest")
  }

  private static func checkRange(
    _ name: String, _ value: WholeNumber?, _ range: ClosedRange<WholeNumber>, _ report: inout Report
  ) {
    guard let value, !range.contains(value) else { return }
    report.add(
      rule: "onesignal-range", severity: .error, field: FieldPath(members: name),
      message: "expected \(range.lowerBound) to \(range.upperBound), found \(value)")
  }

  private static func checkNumbers(_ message: Lent<Message>, _ report: inout Report) {
    checkRange("ttl", message.pointee.ttl, 0...ttlMax, &report)
    checkRange("priority", message.pointee.priority, 1...10, &report)
    checkRange("android_visibility", message.pointee.androidVisibility, -1...1, &report)
    if let score = message.pointee.iosRelevanceScore?.double, score < 0 || score > 1 {
      report.add(
        rule: "onesignal-range", severity: .error, field: "ios_relevance_score",
        message: "expected 0 to 1, found \(score)")
    }
    if let id = message.pointee.collapseID, id.count > collapseIDCharactersMax {
      report.add(
        rule: "onesignal-collapse-id-too-long", severity: .error, field: "collapse_id",
        message: "\(id.count) characters, and at most \(collapseIDCharactersMax) are allowed; use a shorter id")
    }
    if let type = message.pointee.iosBadgeType, type != .none, message.pointee.iosBadgeCount == nil {
      report.add(
        rule: "onesignal-badge-count", severity: .warning, field: "ios_badgeCount",
        message: "ios_badgeType is \(type.rawValue), and there is no number; add ios_badgeCount")
    }
    if message.pointee.mutableContent == false {
      report.add(
        rule: "onesignal-mutable-content", severity: .warning, field: "mutable_content",
        message: "mutable-content is sent with every alert all the same, as the service extension needs it")
    }
  }

  private static func checkColors(_ message: Lent<Message>, _ report: inout Report) {
    checkColor("android_accent_color", message.pointee.androidAccentColor, &report)
    checkColor("android_led_color", message.pointee.androidLEDColor, &report)
    guard let layout = message.pointee.androidBackgroundLayout else { return }
    checkColor("android_background_layout.headings_color", layout.titleTextColor, &report)
    checkColor("android_background_layout.contents_color", layout.bodyTextColor, &report)
  }

  private static func checkColor(_ field: String, _ value: String?, _ report: inout Report) {
    if let value, let finding = colorFault(value, field) { report.findings.append(finding) }
  }

  /// Six hexadecimal digits of what the SDK reads as the accent color, and Android makes opaque; nil for what it cannot read.
  ///
  /// Source: OneSignal's SDK for Android, `NotificationDisplayBuilder.getAccentColor`; Java, `BigInteger(String, 16)`;
  /// Android, `Notification.Builder.sanitizeColor`.
  package static func accentColor(_ text: String) -> String? {
    let digits = Array(text.utf8)
    guard !digits.isEmpty, digits.allSatisfy({ Hex.value($0) != nil }) else { return nil }
    let last = [UInt8](repeating: UInt8(ascii: "0"), count: max(0, 6 - digits.count)) + digits.suffix(6)
    return String(decoding: last, as: UTF8.self)
  }

  /// Says that a text is no color; nil for one.
  static func colorFault(_ text: String, _ field: String) -> Finding? {
    guard text.utf8.count != 8 || !text.utf8.allSatisfy({ Hex.value($0) != nil }) else { return nil }
    return Finding(
      rule: "onesignal-color", severity: .warning, field: field,
      message: "expected eight hexadecimal digits, alpha first, such as FF3700B3")
  }

  // MARK: Who and when

  private static func checkSend(_ message: Lent<Message>, _ report: inout Report) {
    if !message.pointee.send.isEmpty { checkSendFields(message.pointee, &report) }
    if message.pointee.url != nil, message.pointee.appURL != nil {
      report.add(
        rule: "onesignal-url-twice", severity: .warning, field: "url",
        message: "app_url is there too, and apps get that one")
    }
  }

  private static func checkSendFields(_ message: Message, _ report: inout Report) {
    for (name, _) in message.send where !DeliveryField.add(name, to: &report) { checkPlatform(name, message, &report) }
    let modes = targetingModes.compactMap { mode in mode.first { message.send[$0] != nil } }
    if modes.count > 1 {
      report.add(
        rule: "onesignal-targeting", severity: .warning, field: FieldPath(members: modes[1]),
        message: "OneSignal takes one way of saying who gets a message, and here are "
          + modes.joined(separator: " and ") + "; keep one")
    }
    for name in ["include_subscription_ids", "include_player_ids"] {
      guard let count = message.send[name]?.array?.count, count > subscriptionsMax else { continue }
      report.add(
        rule: "onesignal-audience-too-large", severity: .warning, field: FieldPath(members: name),
        message: "\(count) subscriptions, and OneSignal takes at most \(subscriptionsMax) at once; split them")
    }
  }

  /// Fields of a request that say neither who nor when.
  private static func checkPlatform(_ name: String, _ message: Message, _ report: inout Report) {
    switch name {
    case "web_url":
      report.add(
        rule: "onesignal-web-only", severity: .note, field: "web_url",
        message: "browsers open it; apps get url or app_url")
    case "app_id":
      report.add(
        rule: DeliveryField.rule, severity: .note, field: "app_id",
        message: "it names the app at OneSignal, and is left out; a push is of the app that the request's path names")
    case "target_channel" where message.send[name]?.string != "push":
      report.add(
        rule: DeliveryField.rule, severity: .warning, field: "target_channel",
        message: "expected push, found \(message.send[name]?.named ?? ""); other channels are not sent")
    default: break
    }
  }
}
