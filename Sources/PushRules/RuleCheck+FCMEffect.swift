internal import PushPayload
internal import WireJSON

// Whether an FCM message does something on the devices that it is for.
extension RuleCheck {
  /// An error for a message that Android does nothing with and that says nothing to browsers or Apple devices.
  ///
  /// A message that is only to be validated may be empty: that tells whether its token is good.
  ///
  /// - Parameters:
  ///   - message: the message.
  ///   - first: its `android`.
  ///   - second: its `android_v2`.
  mutating func checkEffect(_ message: JSONNode, _ first: JSONNode?, _ second: JSONNode?) {
    if hasMembers(member(message, "data")) { return }
    let common = member(message, "notification")
    if hasAndroidEffect(common, first, second) || hasOtherContent(message) || isValidatedOnly { return }
    add(
      .fcmShowsNothing, at: message,
      "no device shows or does anything; add a notification with a title or body, data, or content for other devices")
  }

  private func hasAndroidEffect(_ common: JSONNode?, _ first: JSONNode?, _ second: JSONNode?) -> Bool {
    // Firebase's client draws a block whatever is in it.
    if isObject(common) { return true }
    if hasMembers(member(first, "data")) || hasMembers(member(second, "data")) { return true }
    let own =
      member(first, "notification")
      ?? member(field(second, "remote_notification", "remoteNotification"), "notification")
    return isObject(own) || field(second, "background_sync", "backgroundSync") != nil
  }

  /// Whether there is something for browsers or for Apple devices alone.
  private func hasOtherContent(_ message: JSONNode) -> Bool {
    let web = member(message, "webpush")
    return hasMembers(member(web, "notification")) || hasMembers(member(web, "data"))
      || hasMembers(member(member(message, "apns"), "payload"))
  }

  private var isValidatedOnly: Bool {
    field(document.root, "validate_only", "validateOnly").flatMap { document.bool($0) } ?? false
  }

  /// An error for a message that Apple devices do nothing with although it says something to them.
  ///
  /// FCM makes an alert of the notification where the payload has none, not even an empty one, and is no Live Activity's,
  /// and puts data beside `aps`.
  ///
  /// - Parameters:
  ///   - message: the message.
  ///   - apns: its `apns`.
  ///   - payload: the payload in it, which FCM does not refuse; nil when there is none.
  ///   - type: the push type in its headers.
  mutating func checkAppleEffect(_ message: JSONNode, _ apns: JSONNode, _ payload: JSONNode?, _ type: APNsPushType?) {
    let notification = member(message, "notification")
    let hasData = hasMembers(member(message, "data"))
    let hasContent = hasAlert(notification) || hasData
    let aps = member(payload, "aps")
    let makesAlert = makesAlert(message, aps)
    switch type {
    case .background?:
      if makesAlert, let notification {
        add(
          .apnsBackgroundVisible, at: notification,
          "background pushes show nothing, and FCM makes an alert of this; remove it or send as alert")
      }
    case .widgets?, .controls?, .liveactivity?:
      if payload == nil, hasContent { checkMissingAps(apns, type) }
      return
    case .mdm?:
      if payload == nil, hasContent { checkMDM(apns, notification) }
      return
    case .alert?, nil: break
    default: return
    }
    guard let payload, !makesAlert, !hasData, !hasEffect(aps, type), !carriesData(payload) else { return }
    add(
      .fcmShowsNothing, at: payload,
      "Apple devices do nothing with it; add an alert, a badge, a sound, content-available: 1 or data")
  }

  /// Whether FCM makes the alert of the notification.
  func makesAlert(_ message: JSONNode, _ aps: JSONNode?) -> Bool {
    hasAlert(member(message, "notification")) && member(aps, "alert") == nil && !hasLiveActivity(aps)
  }

  private func hasAlert(_ notification: JSONNode?) -> Bool {
    hasText(member(notification, "title")) || hasText(member(notification, "body"))
  }

  /// Whether an object has a member.
  func hasMembers(_ node: JSONNode?) -> Bool {
    node.map { document.kind($0) == .object && document.count($0) > 0 } ?? false
  }
}
