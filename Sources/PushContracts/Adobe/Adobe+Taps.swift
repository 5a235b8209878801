import PushPayload
import WireJSON

/// What a tap on a notification and on what is drawn in it opens on Android, of a payload that is read.
extension Adobe {
  /// The rules that say what a tap does; where Firebase draws a notification block they say nothing.
  static let tapRules = [
    "adobe-link-type-missing", "adobe-uri-missing", "adobe-uri-unused", "adobe-remind-pair", "adobe-time-past",
    "adobe-button-count", "adobe-timer-tag", "adobe-item-link",
  ]

  static func readLink(
    _ message: inout Message, _ path: FieldPath, _ isJourneyOptimizer: Bool, _ report: inout Report
  ) {
    guard let type = message.linkType else {
      guard has(message.uri) else { return }
      return add(
        "adobe-link-type-missing", .warning, path.member("adb_a_type"),
        "adb_uri is there without adb_a_type, so a tap opens the app and not the uri; add WEBURL or DEEPLINK", &report)
    }
    guard type.isReadable else { return readUnknownLink(type, &message, path, isJourneyOptimizer, &report) }
    if type.needsURI {
      guard !has(message.uri), !isJourneyOptimizer else { return }
      add(
        "adobe-uri-missing", .warning, path.member("adb_uri"),
        "\(type.rawValue) opens adb_uri, and there is none; a tap opens the app", &report)
    } else if has(message.uri) {
      add(
        "adobe-uri-unused", .warning, path.member("adb_uri"),
        "\(type.rawValue) does not open adb_uri: a tap \(effect(of: type))", &report)
    }
  }

  private static func readUnknownLink(
    _ type: LinkType, _ message: inout Message, _ path: FieldPath, _ isJourneyOptimizer: Bool, _ report: inout Report
  ) {
    if isJourneyOptimizer {
      message.linkType = .nothing
      add(
        "adobe-link-type", .warning, path.member("adb_a_type"),
        "there is no kind of link \(quoted(type.rawValue)), so a tap opens the app", &report)
    } else {
      add(
        "adobe-link-type", .error, path.member("adb_a_type"),
        "there is no kind of link \(quoted(type.rawValue)); \(notShown)", &report)
    }
  }

  /// What a tap does that opens no uri.
  private static func effect(of type: LinkType) -> String {
    switch type {
    case .dismiss: "dismisses the notification"
    default: "opens the app"
    }
  }

  /// A kind of link nobody knows becomes none, and only two kinds have a uri.
  static func readButtons(_ buttons: inout [Button]?, _ reader: inout ListReader) {
    guard var read = buttons else { return }
    for (index, button) in read.enumerated() {
      let path = reader.paths[index]
      if !button.type.isReadable {
        read[index].type = .nothing
        add(
          "adobe-link-type", .warning, path.member("type"),
          "there is no kind of link \(quoted(button.type.rawValue)); the button opens the app", &reader.report)
      }
      read[index].uri = button.type.needsURI ? button.uri ?? "" : Optional.none
      addMissingURI(button.uri, button.type, "button", path, &reader.report)
    }
    if read.count > buttonsMax {
      add(
        "adobe-button-count", .warning, reader.path, "\(read.count) buttons; Android draws the first \(buttonsMax)",
        &reader.report)
    }
    buttons = read
  }

  /// Reports a kind of link that opens a uri, and has none or an empty one.
  static func addMissingURI(
    _ uri: String?, _ type: LinkType, _ name: String, _ path: FieldPath, _ report: inout Report
  ) {
    guard type.needsURI, !has(uri) else { return }
    add(
      "adobe-uri-missing", .warning, path.member("uri"),
      "\(type.rawValue) opens a uri, and there is none; the \(name) opens the app", &report)
  }

  // MARK: Remind later

  /// The button is there with a label, even an empty one, and a time that can be read; a time that has passed removes the
  /// notification.
  ///
  /// Source: Adobe, `BasicPushTemplate` and `BasicNotificationBuilder.construct`.
  static func readRemindLater(
    _ message: Message, _ data: JSONObject, _ path: FieldPath, _ report: inout Report
  ) {
    guard let time = ["adb_rem_ts", "adb_rem_sec"].first(where: { has(data[$0]?.string) }) else {
      guard message.remindText != nil else { return }
      return add(
        "adobe-remind-pair", .warning, path.member("adb_rem_txt"),
        "there is no time to remind at, so there is no “remind later” button", &report)
    }
    guard message.remindText != nil else {
      return add(
        "adobe-remind-pair", .warning, path.member(time),
        "adb_rem_txt, the label, is missing, so there is no “remind later” button", &report)
    }
    guard message.remindsLater else {
      return add(
        "adobe-remind-pair", .warning, path.member("adb_rem_txt"),
        "no time can be read, so there is no “remind later” button", &report)
    }
    if message.remindText == "" { addEmptyReminder(path.member("adb_rem_txt"), &report) }
    if let count = message.buttons?.count, count >= buttonsMax {
      return add(
        "adobe-button-count", .warning, path.member("adb_rem_txt"),
        "beside \(count) buttons there is no room for “remind later”, as Android draws \(buttonsMax)", &report)
    }
    let never = "so “remind later” removes the notification and does not show it again"
    guard (message.remindSeconds ?? 0) <= 0, (message.remindTime ?? 0) <= 0 else { return }
    let isDuration = message.remindSeconds != nil
    add(
      "adobe-time-past", .warning, path.member(isDuration ? "adb_rem_sec" : "adb_rem_ts"),
      "\(isDuration ? "0 seconds or less are no time to remind at" : "the time has passed"), \(never)", &report)
  }

  /// The library asks for the key alone, and not for a text in it.
  static func addEmptyReminder(_ field: FieldPath, _ report: inout Report) {
    add(
      "adobe-remind-pair", .warning, field,
      "adb_rem_txt is empty, so Android draws “remind later” as a button without a label",
      &report)
  }

  // MARK: Notification blocks

  /// A notification block beside the keys of a template: Firebase's client draws it unless the app is open.
  static func readBlock(_ message: JSONObject, _ data: JSONObject, _ report: inout Report) {
    guard data.contains(where: { $0.0.utf8.starts(with: "adb_".utf8) }) else { return }
    add(
      "adobe-notification-block", .warning, blockPath(in: message),
      "while the app is not in the foreground Android draws the notification block itself, and the template in the adb_ "
        + "keys of data is ignored; leave the notification block out", &report)
  }

  /// Where the block is: the shared one, or Android's own.
  private static func blockPath(in message: JSONObject) -> FieldPath {
    let path = FieldPath(members: "message")
    if message.proto("notification") != nil { return path.member("notification") }
    if message.proto("android")?.proto("notification") != nil {
      return path.member("android").member("notification")
    }
    let isSnake = message["android_v2"] != nil
    return path.member(isSnake ? "android_v2" : "androidV2").member(
      isSnake ? "remote_notification" : "remoteNotification"
    )
    .member("notification")
  }
}
