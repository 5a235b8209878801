internal import Basics
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// What a request says a Live Activity is to show, and how urgently.
struct LiveContent {
  static let contentState = Schema(.map, "What it shows: the app's own ContentState; an update needs it.")
  static let alert = Schema(
    .map, "With title and body, texts or {\"loc-key\", \"loc-args\"}, and sound: draws attention to the change.")
  static let dismissalDate = Schema.time("With end: when it leaves the lock screen; within four hours unless given.")
  /// The members of any request for it.
  static let properties: [Schema.Property] = [
    .optional("stale_date", .time("From when on the content is out of date.")),
    .optional(
      "relevance_score", Schema(.any, "Sorts several activities of the app.").documented(["type": "number"])),
    .optional(
      "priority", .integer(5...10, "10 at once, 5 when power allows; 10 by default.").documented(["enum": [5, 10]])),
  ]
  /// The members of a broadcast.
  static let broadcast: [Schema.Property] =
    [
      .optional("content_state", contentState), .optional("alert", alert), .optional("dismissal_date", dismissalDate),
      .optional(
        "timestamp", .time("Of when the content is; now by default. A device ignores what is older than it has.")),
    ] + properties

  private(set) var aps = APS()
  private(set) var priority = APNsPriority.immediate

  /// Reads the members of a request, whose shape was checked before; what is wrong goes into the report.
  init(_ body: JSONValue, event: LiveEvent, now: Timestamp, report: inout Report) {
    aps.timestamp = WholeNumber(LiveContent.seconds(body, "timestamp", &report) ?? now.seconds)
    aps.event =
      switch event {
      case .start: .start
      case .update: .update
      case .end: .end
      }
    aps.contentState = body["content_state"]?.object
    if event == .update, body["content_state"] == nil {
      report.add(
        rule: Schema.Rule.missing, severity: .error, field: "content_state",
        message: "an update needs what the activity is to show; add it")
    }
    if let alert = body["alert"]?.object { aps.alert = .object(APNsAlert(object: alert)) }
    aps.staleDate = LiveContent.seconds(body, "stale_date", &report).map { WholeNumber($0) }
    if let staleAt, staleAt <= now {
      report.add(
        rule: Schema.Rule.value, severity: .warning, field: "stale_date",
        message:
          "the content is out of date as soon as it arrives, because \(TimeText.text(staleAt)) has passed; give a later"
          + " time, or leave it out")
    }
    aps.dismissalDate = LiveContent.seconds(body, "dismissal_date", &report).map { WholeNumber($0) }
    if event != .end, body["dismissal_date"] != nil {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "dismissal_date",
        message: "only an end has a dismissal date; leave it out, or send \"event\": \"end\"")
    }
    if let score = body["relevance_score"] {
      if case .number = score {
        aps.object["relevance-score"] = score
      } else {
        report.add(
          rule: Schema.Rule.type, severity: .error, field: "relevance_score", message: "expected a number")
      }
    }
    guard let number = body["priority"]?.int else { return }
    priority = number == 5 ? .powerAware : .immediate
    if number != 5, number != 10 {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "priority",
        message: "expected 10, at once, or 5, when power allows, found \(number)")
    }
  }

  /// Makes it the start of an activity, which has its own tokens or listens to a channel.
  mutating func start(type: String, attributes: JSONObject, channel: String?) {
    aps.attributesType = type
    aps.attributes = attributes
    if let channel { aps.inputPushChannel = channel } else { aps.inputPushToken = true }
  }

  /// Warns when the app on the phone would report the activity's token under another id than the activity has here.
  static func compare(_ attributes: JSONObject, with name: String, report: inout Report) {
    guard let id = attributes["id"] else { return }
    // An app may call something else "id", and report under another attribute.
    if attributes.contains(where: { $0.value == .string(name) }) { return }
    report.add(
      rule: Schema.Rule.value, severity: .warning, field: "attributes.id",
      message:
        "the attributes say \(JSON.minifiedText(id).prefix(60)) and the activity is \"\(name)\": an app that reports its token under the"
        + " attribute reaches no activity here, so that no update arrives; write \"\(name)\" into the attributes")
  }

  /// Lets it wait for the phone's power.
  mutating func lowerPriority() { priority = .powerAware }

  /// Sets the time that devices compare.
  mutating func set(second: Int64) { aps.timestamp = WholeNumber(second) }

  /// From when on it is out of date.
  var staleAt: Timestamp? { aps.staleDate.map { Timestamp(seconds: Int64($0)) } }

  /// When the activity leaves the lock screen.
  var dismissalAt: Timestamp? { aps.dismissalDate.map { Timestamp(seconds: Int64($0)) } }

  /// A time as APNs counts it.
  private static func seconds(_ body: JSONValue, _ name: String, _ report: inout Report) -> Int64? {
    guard let text = body[name]?.string else { return nil }
    if let instant = TimeText.instant(text) { return instant.seconds }
    report.add(
      rule: Schema.Rule.value, severity: .error, field: FieldPath().member(name),
      message: "expected a time such as 2026-11-20T12:00:00Z, found \"\(text.prefix(40))\"")
    return nil
  }
}
