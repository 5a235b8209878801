internal import Basics
import PushPayload
import WireJSON

/// A live update of Journey Optimizer: one ongoing notification that pushes start, change and end.
///
/// Journey Optimizer's library hands a push that has `adb_liveupdate_data` to the app's plugin for live updates, which draws
/// the JSON object in that text and nothing else of the push.
/// Source: Adobe, “Live Update payload” and “Live Updates plugin”; `MessagingService.handleRemoteMessage`, `LiveUpdatePayload` and
/// `LiveUpdatePlugin` of aepsdk-messaging-android.
extension Adobe {
  /// What the plugin draws.
  package struct LiveUpdate: Sendable, Hashable {
    /// `notification_id`: a later push with the same one replaces the notification.
    package let identifier: String
    /// `notification_channel_id`: a channel of the app, or one that the plugin makes.
    package let channel: String
    /// `title`, without which Android does not promote the notification to a live update.
    package let title: String?
    package let body: String?
    /// `small_icon`, if an app can have a drawable of this name.
    package let smallIcon: String?
    /// `priority`; one that the plugin does not know is the default one.
    package let priority: String

    fileprivate init?(_ members: JSONObject) {
      let texts = LiveUpdate.texts.map { members.androidText($0) ?? "" }
      guard texts.allSatisfy({ !$0.isEmpty }), LiveUpdate.knows(event: texts[2]), LiveUpdate.timeFault(members) == nil
      else { return nil }
      (identifier, channel) = (texts[0], texts[1])
      title = members.androidText("title").flatMap { $0.isEmpty ? Optional.none : $0 }
      body = members.androidText("body").flatMap { $0.isEmpty ? Optional.none : $0 }
      smallIcon = members.androidText("small_icon").flatMap { isPicture($0, .name) ? $0 : Optional.none }
      let given = members.androidText("priority") ?? ""
      priority = LiveUpdate.knows(priority: given) ? given : Priority.default.rawValue
    }

    /// The members that must have a text.
    fileprivate static let texts = ["notification_id", "notification_channel_id", "event_type"]

    fileprivate static func knows(event: String) -> Bool {
      ["start", "update", "end", "localstart"].contains { event.hasSameBytes(as: $0) }
    }

    fileprivate static func knows(priority: String) -> Bool {
      Priority.known.contains { priority.hasSameBytes(as: $0.rawValue) }
    }

    /// How old the state may be when it arrives, in seconds.
    static let ageMax: WholeNumber = 28 * 86_400
    /// From here on a time is not one in seconds: seconds reach it in the year 5138, milliseconds did in 1973.
    fileprivate static let secondsMax: WholeNumber = 100_000_000_000

    /// Why the plugin takes no push with this time, as the end of a sentence; nil when it does.
    fileprivate static func timeFault(_ members: JSONObject) -> String? {
      guard let value = members["timestamp"] else { return "is missing" }
      guard let time = AndroidJSON.integer(value), time > 0 else { return "is no time in seconds since 1970" }
      return time < secondsMax ? Optional.none : "has milliseconds, and the plugin expects seconds since 1970"
    }
  }

  private static let liveUpdateKey = "adb_liveupdate_data"
  static let liveUpdateRule = "adobe-live-update"

  /// What is drawn of the live update of a message; nil without one, and where it is not drawn.
  package static func liveUpdate(of message: Message) -> LiveUpdate? {
    guard let text = message.liveUpdate, let members = try? AndroidJSON.object(text) else { return Optional.none }
    return LiveUpdate(members)
  }

  /// The shared members of a message that has a live update: its texts and icon, and nothing else of the push.
  static func setLiveUpdate(_ message: Message, _ members: inout JSONObject) {
    guard message.liveUpdate != nil else { return }
    let live = liveUpdate(of: message)
    members = [:]
    guard let live else { return }
    if let title = live.title { members["title"] = .string(title) }
    if let body = live.body { members["body"] = .string(body) }
    members["collapse"] = .string(live.identifier)
  }

  // MARK: Findings

  /// Reports what keeps a live update from being drawn, and what is not drawn of it and of the push around it.
  ///
  /// - Parameters:
  ///   - isTaken: whether the push has what Journey Optimizer's library knows its pushes by.
  ///   - now: when a message is written, in seconds since 1970; nil on reading.
  static func reportLiveUpdate(
    _ message: Message, _ path: FieldPath, isTaken: Bool, isWritten: Bool, now: WholeNumber? = Optional.none,
    _ report: inout Report
  ) {
    guard let text = message.liveUpdate else { return }
    let updatePath = path.member(liveUpdateKey)
    if !isTaken {
      add(
        liveUpdateRule, .error, path.member("adb_title"),
        "Journey Optimizer's library takes a push with adb_title\(isWritten ? "" : " or _xdm") alone; \(notShown)",
        &report)
    }
    do throws(AndroidJSON.Fault) {
      let (value, isStandard) = try AndroidJSON.read(text)
      let members = try AndroidJSON.object(value)
      if !isStandard { addNonstandard(isWritten ? .error : .warning, updatePath, &report) }
      reportMissing(members, updatePath, &report)
      reportLost(members, updatePath, now, &report)
    } catch {
      add(
        "adobe-list-unreadable", .error, updatePath, "the text is not a JSON object: \(error.description); \(notShown)",
        &report)
    }
    reportBeside(message, path, &report)
  }

  private static func reportMissing(_ members: JSONObject, _ updatePath: FieldPath, _ report: inout Report) {
    for name in LiveUpdate.texts where members.androidText(name)?.isEmpty ?? true {
      add(
        liveUpdateRule, .error, updatePath.member(name), "a live update needs \(name), with text; \(notShown)", &report)
    }
    if let event = members.androidText("event_type"), !event.isEmpty, !LiveUpdate.knows(event: event) {
      add(
        liveUpdateRule, .error, updatePath.member("event_type"),
        "expected start, update or end, found \(quoted(event)); \(notShown)", &report)
    }
    if members.androidText("title")?.isEmpty ?? true {
      add(
        liveUpdateRule, .warning, updatePath.member("title"),
        "without a title Android does not promote the notification to a live update", &report)
    }
    if let fault = LiveUpdate.timeFault(members) {
      add(liveUpdateRule, .error, updatePath.member("timestamp"), "timestamp \(fault); \(notShown)", &report)
    }
  }

  /// What the plugin takes for something else or leaves out.
  private static func reportLost(
    _ members: JSONObject, _ updatePath: FieldPath, _ now: WholeNumber?, _ report: inout Report
  ) {
    if let now, LiveUpdate.timeFault(members) == nil, isStale(members, at: now) {
      add(
        "adobe-time-past", .warning, updatePath.member("timestamp"),
        "the state is more than 28 days old, and the plugin draws none that old", &report)
    }
    if let icon = members.androidText("small_icon"), !icon.isEmpty, !isPicture(icon, .name) {
      add(
        "adobe-picture-address", .warning, updatePath.member("small_icon"),
        "small_icon is no name of a drawable: \(quoted(icon)); Android draws the app's icon", &report)
    }
    if let text = members.androidText("priority"), !text.isEmpty, !LiveUpdate.knows(priority: text) {
      add(
        "adobe-choice-unknown", .warning, updatePath.member("priority"),
        "expected one of \(Priority.known.map { $0.rawValue }.joined(separator: ", ")), found \(quoted(text)); the plugin takes "
          + "it for \(Priority.default.rawValue)", &report)
    }
    if let time = members["when"], AndroidJSON.integer(time).map({ $0 >= LiveUpdate.secondsMax }) ?? true {
      add(
        liveUpdateRule, .warning, updatePath.member("when"), "when is no time in seconds since 1970, and is left out",
        &report)
    }
    if let state = members["content_state"], state.object == nil {
      add(
        liveUpdateRule, .warning, updatePath.member("content_state"),
        "expected an object, found \(state.named); the app gets none", &report)
    }
    guard let seconds = members["dismiss_after"] else { return }
    let isEnd = members.androidText("event_type")?.hasSameBytes(as: "end") == true
    guard !isEnd || AndroidJSON.integer(seconds).map({ $0 <= 0 }) ?? true else { return }
    add(
      liveUpdateRule, .warning, updatePath.member("dismiss_after"),
      isEnd
        ? "expected more than 0 seconds, found \(seconds.named); the notification stays until a person removes it"
        : "the plugin reads dismiss_after at the event end alone", &report)
  }

  /// True when a state is older than the plugin draws.
  private static func isStale(_ members: JSONObject, at now: WholeNumber) -> Bool {
    guard let time = members["timestamp"].flatMap({ AndroidJSON.integer($0) }) else { return false }
    let (end, isNever) = time.addingReportingOverflow(LiveUpdate.ageMax)
    return !isNever && end < now
  }

  /// What the push has beside the live update, of which nothing is drawn.
  private static func reportBeside(_ message: Message, _ path: FieldPath, _ report: inout Report) {
    let live = liveUpdate(of: message)
    let texts = [("title", message.title, live?.title), ("body", message.body, live?.body)]
    for (name, text, drawn) in texts where has(text) && live != nil && drawn?.hasSameBytes(as: text ?? "") != true {
      add(
        "adobe-template-field", .warning, path.member("adb_\(name)"),
        "a live update has its \(name) in \(liveUpdateKey), and adb_\(name) is not drawn", &report)
    }
    let others: [(name: String, isThere: Bool)] = [
      ("adb_uri", has(message.uri)), ("adb_sound", has(message.androidSound)), ("adb_n_count", message.badge != nil),
      ("adb_small_icon", has(message.smallIcon)), ("adb_icon", has(message.legacyIcon)), ("adb_tag", has(message.tag)),
      ("adb_channel_id", has(message.channelID)), ("adb_n_priority", message.priority != nil),
      ("adb_n_visibility", message.visibility != nil),
    ]
    for (name, isThere) in others where isThere {
      add(
        "adobe-template-field", .warning, path.member(name), "a live update does not read \(name)", &report)
    }
    reportUndrawn(message, .liveUpdate, path, &report)
  }
}
