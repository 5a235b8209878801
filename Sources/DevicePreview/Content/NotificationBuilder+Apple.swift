import PushContracts
import PushPayload
import WireJSON

extension NotificationBuilder {
  /// What iOS makes of `aps`, then what the app's own library makes of the rest.
  mutating func buildApple() {
    let root = notification.payload
    let aps = root["aps"]?.object ?? [:]
    readAlert(aps["alert"])
    if let number = aps["badge"]?.int { notification.badge = .set(number) }
    readSound(isLiveActivity ? aps["alert"]?["sound"] : aps["sound"])
    notification.category = aps["category"]?.string
    notification.group = aps["thread-id"]?.string
    notification.interruption = aps["interruption-level"]?.string
    if notification.interruption == "passive", !notification.isCritical { notification.sound = nil }
    notification.replacementKey = push.collapseID
    switch notification.contract {
    case .adobe: readAdobeApple()
    case .onesignal: readOneSignalApple()
    default: readCommonApple(root)
    }
  }

  private mutating func readAlert(_ alert: JSONValue?) {
    let path = FieldPath(members: "aps", "alert")
    if let text = alert?.string { notification.body = NotificationText(text) }
    guard let alert = alert?.object else { return }
    notification.title = text(alertSource(alert, "title", "title-loc-key", "title-loc-args", path))
    notification.subtitle = text(alertSource(alert, "subtitle", "subtitle-loc-key", "subtitle-loc-args", path))
    notification.body = text(alertSource(alert, "body", "loc-key", "loc-args", path))
  }

  private func alertSource(
    _ alert: JSONObject, _ plain: String, _ key: String, _ arguments: String, _ path: FieldPath
  ) -> TextSource {
    // The title and the body of a Live Activity's alert may be objects with a key.
    if isLiveActivity, let localized = alert[plain]?.object {
      return TextSource(
        key: localized["loc-key"]?.string, arguments: localized["loc-args"]?.array.map(texts),
        path: path.member(plain))
    }
    return TextSource(
      plain: alert[plain]?.string, key: alert[key]?.string, arguments: alert[arguments]?.array.map(texts),
      path: path.member(alert[key] == nil ? plain : key))
  }

  private var isLiveActivity: Bool {
    let aps = notification.payload["aps"]
    return push.pushType.map { $0 == .liveactivity }
      ?? ["event", "content-state"].contains { aps?[$0]?.isNull == false }
  }

  /// The arguments as texts; what is no string is shown as its JSON.
  func texts(_ values: [JSONValue]) -> [String] { values.map { $0.string ?? JSON.minifiedText($0) } }

  /// The sound that is played for a name.
  private static func played(_ name: String) -> String {
    APNsSound.unplayableType(of: name) == nil ? name : "default"
  }

  private mutating func readSound(_ sound: JSONValue?) {
    if let name = sound?.string { notification.sound = name.isEmpty ? nil : Self.played(name) }
    guard let parts = sound?.object else { return }
    notification.sound = parts["name"]?.string.map(Self.played) ?? "default"
    notification.isCritical = parts["critical"]?.int == 1
  }

  private mutating func readCommonApple(_ root: JSONObject) {
    if notification.contract == .amba, let link = root["deep_link"]?.string { notification.link = link }
    if let image = root["fcm_options"]?["image"]?.string, isMutable, Adobe.isLoadable(image, on: .ios) {
      notification.image = image
    }
    if notification.contract == .powerauth, notification.replacementKey == nil {
      // PowerAuth's collapse key is both the thread and the collapse id.
      notification.replacementKey = notification.group
    }
    if notification.link != nil { notification.tapEffect = .deepLink }
  }

  /// True when the app's service extension may change the notification.
  private var isMutable: Bool {
    let value = notification.payload["aps"]?["mutable-content"]
    return value?.int == 1 || value?.bool == true
  }

  // MARK: Adobe

  private mutating func readAdobeApple() {
    let message = Adobe.contract.read(.object(notification.payload), platform: .ios).message
    // What the content extension draws instead of the alert has no subtitle.
    if notification.category == Adobe.category, notification.subtitle != nil {
      notification.expandedSubtitle = NotificationText("")
    }
    if let uri = message.uri, Adobe.opensURI(message) {
      notification.link = uri
      notification.tapEffect = Self.effect(ofURI: uri)
    }
    // The content extension draws only what has its category and all that its template needs. Else there are the title and
    // the body of the alert alone.
    guard outcome == .shown, notification.category == Adobe.category else {
      return nameTemplate(nil, asked: message.template)
    }
    nameTemplate(message.template, asked: message.template)
    notification.expandedTitle = message.expandedTitle.map { NotificationText($0) }
    notification.expandedBody = message.expandedBody.map { NotificationText($0) }
    if message.template == .carousel {
      notification.images = (message.items ?? []).compactMap { $0.image }
    } else if Adobe.isLoadable(message.image, on: .ios) {
      notification.image = message.image
    }
    notification.titleColor = message.titleColor.flatMap { ShownColor($0) }
    notification.bodyColor = message.bodyColor.flatMap { ShownColor($0) }
    notification.backgroundColor = message.backgroundColor.flatMap { ShownColor($0) }
    readAdobeTemplate(message, message.shownTemplate)
  }

  /// A web address opens the browser, anything else the app.
  static func effect(ofURI uri: String) -> ShownButton.Effect {
    uri.utf8.starts(with: "https://".utf8) || uri.utf8.starts(with: "http://".utf8) ? .web : .deepLink
  }

  // MARK: OneSignal

  private mutating func readOneSignalApple() {
    let shown = OneSignal.read(ios: .object(notification.payload), requestID: push.collapseID).message
    if notification.title == nil { notification.title = shown.title.map { NotificationText($0) } }
    if notification.subtitle == nil { notification.subtitle = shown.subtitle.map { NotificationText($0) } }
    if notification.body == nil { notification.body = shown.body.map { NotificationText($0) } }
    notification.identifier = shown.notificationID
    notification.replacementKey = push.collapseID ?? shown.collapseID
    let isMinified = [.originalMinified, .newMinified].contains(shown.format)
    if isMinified { if outcome.isVisible { readOneSignalLocal(shown) } } else { readOneSignalBadge(shown) }
    if let url = shown.launchURL, !url.isEmpty {
      notification.link = url
      notification.tapEffect = Self.effect(ofURI: url)
    }
    // The service extension adds them, or in what is minified the app itself.
    guard isMinified || isExtended else { return }
    readAttachments(shown.attachments ?? [:])
    // The SDK registers a category of its own for the buttons, unless the sender named one; of two the order turns.
    guard notification.category?.isEmpty ?? true, let buttons = shown.actionButtons else { return }
    let ordered = buttons.count == 2 ? buttons.reversed() : buttons
    notification.buttons = ordered.prefix(AppleNotification.buttonsMax).map {
      ShownButton(id: $0.id ?? $0.text, label: $0.text, icon: $0.systemIcon ?? $0.templateIcon)
    }
  }

  /// True when the service extension changes the notification: one that ends leaves the alert as it came.
  private var isExtended: Bool { isMutable && OneSignal.extensionFault(notification.payload, isMinified: false) == nil }

  /// The service extension adds an increment, and runs for an alert alone.
  private mutating func readOneSignalBadge(_ shown: OneSignal.Notification) {
    guard shown.badgeIncrement != 0, isExtended, notification.payload["aps"]?["alert"]?.isNull == false else { return }
    notification.badge = .add(shown.badgeIncrement)
  }

  /// The notification that the SDK makes in the app of what is minified: nothing of `aps` is in it, and it has a sound.
  ///
  /// Source: OneSignal's SDK for iOS, `prepareUNNotificationRequest`.
  private mutating func readOneSignalLocal(_ shown: OneSignal.Notification) {
    notification.group = nil
    notification.category = nil
    notification.interruption = nil
    notification.isCritical = false
    notification.replacementKey = nil
    notification.sound = shown.sound.flatMap { $0.isEmpty ? nil : Self.played($0) } ?? "default"
    if let badge = shown.badge, badge != 0 { notification.badge = .set(badge) }
  }

  private mutating func readAttachments(_ attachments: JSONObject) {
    for (id, value) in attachments {
      guard let source = value.string else { continue }
      let attachment = OneSignal.Attachment(id: id, source: source)
      guard attachment.isUsable else { continue }
      let address = attachment.address
      if notification.image == nil { notification.image = address } else { notification.images.append(address) }
    }
  }
}
