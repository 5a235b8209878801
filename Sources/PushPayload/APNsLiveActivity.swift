public import Basics
public import WireJSON

/// The alert of a Live Activity: its texts may be looked up on the device, and its sound is inside.
public struct APNsLiveActivityAlert: Sendable, Hashable {
  /// A text that is plain or looked up on the device.
  public enum Text: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The text itself.
    case plain(String)
    /// A key and arguments.
    case localized(APNsLocalizedText)

    /// Makes a plain text.
    public init(stringLiteral value: String) { self = .plain(value) }

    var json: JSONValue {
      switch self {
      case .plain(let text): .string(text)
      case .localized(let text): .object(text.object)
      }
    }
  }

  /// The title.
  public var title: Text
  /// The text.
  public var body: Text
  /// The sound file; nil for the default.
  public var sound: String?

  /// Makes an alert.
  public init(title: Text, body: Text, sound: String? = nil) {
    self.title = title
    self.body = body
    self.sound = sound
  }

  var alert: APNsAlert {
    var object = JSONObject()
    object.append("title", title.json)
    object.append("body", body.json)
    if let sound { object.append("sound", .string(sound)) }
    return APNsAlert(object: object)
  }
}

/// What happens to a Live Activity.
public enum APNsLiveActivityChange: Sendable, Hashable {
  /// Where the updates of a started activity come from (iOS 18).
  public enum UpdateSource: Sendable, Hashable {
    /// The activity asks for its own push token: `input-push-token`.
    case token
    /// The activity listens to a broadcast channel: `input-push-channel`.
    case channel(String)
  }

  /// Begins one; the type, the attributes and an alert are required.
  case start(
    attributesType: String, attributes: JSONObject, contentState: JSONObject, alert: APNsLiveActivityAlert,
    updates: UpdateSource?)
  /// Changes its content.
  case update(contentState: JSONObject, alert: APNsLiveActivityAlert?)
  /// Ends it; `dismissalDate` is when it leaves the lock screen, in seconds since 1970.
  case end(contentState: JSONObject?, dismissalDate: WholeNumber?)

  /// The members of `aps` for this change.
  ///
  /// - Parameters:
  ///   - timestamp: seconds since 1970; a device ignores what is older than what it has.
  ///   - staleDate: seconds since 1970 from which the content is out of date.
  ///   - relevanceScore: sorts several activities.
  public func aps(timestamp: WholeNumber, staleDate: WholeNumber? = nil, relevanceScore: Double? = nil) -> APS {
    var aps = APS()
    aps.timestamp = timestamp
    switch self {
    case .start(let type, let attributes, let contentState, let alert, let updates):
      aps.event = .start
      aps.contentState = contentState
      aps.attributesType = type
      aps.attributes = attributes
      aps.alert = .object(alert.alert)
      switch updates {
      case .token: aps.inputPushToken = true
      case .channel(let channel): aps.inputPushChannel = channel
      case nil: break
      }
    case .update(let contentState, let alert):
      aps.event = .update
      aps.contentState = contentState
      if let alert { aps.alert = .object(alert.alert) }
    case .end(let contentState, let dismissalDate):
      aps.event = .end
      aps.contentState = contentState
      aps.dismissalDate = dismissalDate
    }
    aps.staleDate = staleDate
    aps.relevanceScore = relevanceScore
    return aps
  }
}

extension APNsRequest {
  /// Starts, updates or ends a Live Activity on one device; needs token authentication.
  public static func liveActivity(
    bundleID: String, _ aps: APS, urgency: APNsUrgency = .immediate, options: APNsSendOptions = APNsSendOptions()
  ) -> APNsRequest {
    make(.liveactivity, bundleID, urgency.priority, options, APNsPayload(aps: aps).object)
  }
}
