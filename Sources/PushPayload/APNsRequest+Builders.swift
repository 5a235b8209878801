public import Basics
public import WireJSON

// One builder for each push type. What Apple refuses cannot be said: a background push has no priority to choose and
// nothing to show, a topic always has its type's suffix, a Live Activity cannot start without its attributes.
extension APNsRequest {
  /// A notification the user sees.
  ///
  /// - Parameters:
  ///   - bundleID: the app.
  ///   - alert: what is shown.
  ///   - aps: the other members of `aps`; its `alert` is replaced.
  ///   - custom: the app's own members; one named `aps` is left out.
  ///   - urgency: now, or when power allows.
  ///   - options: expiration, collapse id, id.
  public static func alert(
    bundleID: String, _ alert: APNsAlertForm, aps: APS = APS(), custom: JSONObject = JSONObject(),
    urgency: APNsUrgency = .immediate, options: APNsSendOptions = APNsSendOptions()
  ) -> APNsRequest {
    var aps = aps
    aps.alert = alert
    return visible(bundleID, aps, custom, urgency, options)
  }

  /// A notification that only changes the number on the app icon; 0 clears it.
  public static func badge(
    bundleID: String, _ count: WholeNumber, custom: JSONObject = JSONObject(), urgency: APNsUrgency = .powerAware,
    options: APNsSendOptions = APNsSendOptions()
  ) -> APNsRequest {
    var aps = APS()
    aps.badge = count
    return visible(bundleID, aps, custom, urgency, options)
  }

  /// A silent wake-up: priority 5, `content-available` and the app's own members.
  public static func background(
    bundleID: String, custom: JSONObject = JSONObject(), options: APNsSendOptions = APNsSendOptions()
  ) -> APNsRequest {
    var aps = APS()
    aps.contentAvailable = true
    return make(.background, bundleID, .powerAware, options, APNsPayload(aps: aps, custom: custom).object)
  }

  /// An incoming call for PushKit.
  public static func voip(
    bundleID: String, payload: JSONObject, options: APNsSendOptions = APNsSendOptions(expiration: .once)
  ) -> APNsRequest {
    make(.voip, bundleID, .immediate, options, payload)
  }

  /// An update of a watchOS complication.
  public static func complication(
    bundleID: String, payload: JSONObject, urgency: APNsUrgency = .immediate,
    options: APNsSendOptions = APNsSendOptions()
  ) -> APNsRequest {
    make(.complication, bundleID, urgency.priority, options, payload)
  }

  /// A change signal for a File Provider extension.
  public static func fileProvider(
    bundleID: String, payload: JSONObject, urgency: APNsUrgency = .immediate,
    options: APNsSendOptions = APNsSendOptions()
  ) -> APNsRequest {
    make(.fileprovider, bundleID, urgency.priority, options, payload)
  }

  /// A query for the position; needs token authentication.
  public static func location(
    bundleID: String, payload: JSONObject, urgency: APNsUrgency = .powerAware,
    options: APNsSendOptions = APNsSendOptions()
  ) -> APNsRequest {
    make(.location, bundleID, urgency.priority, options, payload)
  }

  /// A Push to Talk notification: now or never.
  public static func pushToTalk(bundleID: String, payload: JSONObject, id: APNsID? = nil) -> APNsRequest {
    make(.pushtotalk, bundleID, .immediate, APNsSendOptions(expiration: .once, id: id), payload)
  }

  /// Has the app's widgets reloaded.
  public static func widgets(bundleID: String, options: APNsSendOptions = APNsSendOptions()) -> APNsRequest {
    make(.widgets, bundleID, nil, options, contentChanged)
  }

  /// Has the app's controls reloaded.
  public static func controls(
    bundleID: String, options: APNsSendOptions = APNsSendOptions(expiration: .once)
  ) -> APNsRequest {
    make(.controls, bundleID, .immediate, options, contentChanged)
  }

  /// Wakes a device to contact its management server.
  ///
  /// - Parameters:
  ///   - topic: the UID of the MDM push certificate's subject.
  ///   - pushMagic: the device's PushMagic.
  ///   - options: expiration, collapse id, id.
  public static func mdm(
    topic: String, pushMagic: String, options: APNsSendOptions = APNsSendOptions()
  ) -> APNsRequest {
    make(.mdm, topic, .immediate, options, ["mdm": .string(pushMagic)])
  }

  private static var contentChanged: JSONObject { ["aps": .object(["content-changed": .bool(true)])] }

  private static func visible(
    _ bundleID: String, _ aps: APS, _ custom: JSONObject, _ urgency: APNsUrgency, _ options: APNsSendOptions
  ) -> APNsRequest {
    make(.alert, bundleID, urgency.priority, options, APNsPayload(aps: aps, custom: custom).object)
  }

  static func make(
    _ pushType: APNsPushType, _ bundleID: String, _ priority: APNsPriority?, _ options: APNsSendOptions,
    _ payload: JSONObject
  ) -> APNsRequest {
    let headers = APNsHeaders(
      pushType: pushType, priority: priority, topic: bundleID + (pushType.topicSuffix ?? ""),
      collapseID: options.collapseID?.text, expiration: options.expiration, id: options.id)
    return APNsRequest(headers: headers, payload: JSON.minified(.object(payload)))
  }
}
