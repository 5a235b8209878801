public import Basics
public import WireJSON

/// The `aps` object of an APNs payload.
///
/// Source: Apple, “Generating a remote notification” and the ActivityKit, WidgetKit pages.
public struct APS: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "aps", .apns,
    [
      PayloadField("alert", .stringOrModel(APNsAlert.schema), loss: "its text is not shown"),
      PayloadField("badge", .integer, loss: "the badge does not change"),
      PayloadField("sound", .stringOrModel(APNsSound.schema), loss: "no sound plays"),
      PayloadField("thread-id", .string, loss: "the notification is not grouped by it"),
      PayloadField("category", .string, loss: "the notification has no buttons"),
      PayloadField("target-content-id", .string, loss: "no window is brought forward"),
      PayloadField("filter-criteria", .string, loss: "no Focus filter compares it"),
      PayloadField("content-available", .flag, loss: "the app may not be woken"),
      PayloadField("mutable-content", .flag, loss: "the service extension may not run"),
      PayloadField("interruption-level", APNsInterruptionLevel.payloadType, loss: "the level is active"),
      PayloadField("relevance-score", .number, loss: "the notification is not ranked by it"),
      PayloadField("timestamp", .number, loss: "no Live Activity changes"),
      PayloadField("event", APNsLiveActivityEvent.payloadType, loss: "no Live Activity changes"),
      PayloadField("content-state", .object, loss: "the Live Activity has no content"),
      PayloadField("stale-date", .number, loss: "the content never becomes stale"),
      PayloadField("dismissal-date", .number, loss: "the system chooses when the activity disappears"),
      PayloadField("attributes-type", .string, loss: "no Live Activity starts"),
      PayloadField("attributes", .object, loss: "no Live Activity starts"),
      PayloadField("input-push-token", .flag, loss: "the started activity has no push token"),
      PayloadField("input-push-channel", .string, loss: "the started activity listens to no channel"),
      PayloadField("content-changed", .boolean, loss: "nothing may be reloaded"),
      PayloadField("url-args", .strings, loss: "the address of the page is not filled in"),
    ])
}

extension APS {
  /// `badge`: the number on the app icon; 0 clears it, absence leaves it.
  public var badge: WholeNumber? {
    get { self[name: "badge"] }
    set { self[name: "badge"] = newValue }
  }

  /// `thread-id`: the group the notification is stacked in.
  public var threadID: String? {
    get { self[name: "thread-id"] }
    set { self[name: "thread-id"] = newValue }
  }

  /// `category`: the registered category, which brings the action buttons.
  public var category: String? {
    get { self[name: "category"] }
    set { self[name: "category"] = newValue }
  }

  /// `target-content-id`: the window that is brought forward.
  public var targetContentID: String? {
    get { self[name: "target-content-id"] }
    set { self[name: "target-content-id"] = newValue }
  }

  /// `filter-criteria`: what the current Focus filter is compared with.
  public var filterCriteria: String? {
    get { self[name: "filter-criteria"] }
    set { self[name: "filter-criteria"] = newValue }
  }

  /// `content-available`: wakes the app in the background.
  public var contentAvailable: Bool {
    get { flag("content-available") }
    set { setFlag("content-available", newValue) }
  }

  /// `mutable-content`: lets a service extension change the notification; needs an alert with text.
  public var mutableContent: Bool {
    get { flag("mutable-content") }
    set { setFlag("mutable-content", newValue) }
  }

  /// `interruption-level`: how insistent the notification is.
  public var interruptionLevel: APNsInterruptionLevel? {
    get { self[name: "interruption-level"] }
    set { self[name: "interruption-level"] = newValue }
  }

  /// `relevance-score`: sorts the summary, 0 to 1; any number for a Live Activity.
  public var relevanceScore: Double? {
    get { self[name: "relevance-score"] }
    set { self[name: "relevance-score"] = newValue }
  }

  /// `timestamp`: Live Activity: seconds since 1970; the newest update wins.
  public var timestamp: WholeNumber? {
    get { self[name: "timestamp"] }
    set { self[name: "timestamp"] = newValue }
  }

  /// `event`: Live Activity: start, update or end.
  public var event: APNsLiveActivityEvent? {
    get { self[name: "event"] }
    set { self[name: "event"] = newValue }
  }

  /// `content-state`: Live Activity: the dynamic content.
  public var contentState: JSONObject? {
    get { self[name: "content-state"] }
    set { self[name: "content-state"] = newValue }
  }

  /// `stale-date`: Live Activity: seconds since 1970 from which the content is out of date.
  public var staleDate: WholeNumber? {
    get { self[name: "stale-date"] }
    set { self[name: "stale-date"] = newValue }
  }

  /// `dismissal-date`: Live Activity: seconds since 1970 at which an ended one is removed.
  public var dismissalDate: WholeNumber? {
    get { self[name: "dismissal-date"] }
    set { self[name: "dismissal-date"] = newValue }
  }

  /// `attributes-type`: Live Activity: the Swift type of the attributes; required to start.
  public var attributesType: String? {
    get { self[name: "attributes-type"] }
    set { self[name: "attributes-type"] = newValue }
  }

  /// `attributes`: Live Activity: the static content; required to start.
  public var attributes: JSONObject? {
    get { self[name: "attributes"] }
    set { self[name: "attributes"] = newValue }
  }

  /// `input-push-token`: Live Activity, iOS 18: asks the started activity for a push token.
  public var inputPushToken: Bool {
    get { flag("input-push-token") }
    set { setFlag("input-push-token", newValue) }
  }

  /// `input-push-channel`: Live Activity, iOS 18: the broadcast channel to listen to.
  public var inputPushChannel: String? {
    get { self[name: "input-push-channel"] }
    set { self[name: "input-push-channel"] = newValue }
  }

  /// `content-changed`: widgets and controls: `true` reloads them.
  public var contentChanged: Bool? {
    get { self[name: "content-changed"] }
    set { self[name: "content-changed"] = newValue }
  }

  /// `url-args`: Safari web push of old: what fills the URL template.
  public var urlArgs: [String]? {
    get { self[name: "url-args"] }
    set { self[name: "url-args"] = newValue }
  }
}
