internal import Basics
import PushContracts
import PushPayload
import WireJSON

extension NotificationBuilder {
  /// What Firebase's client shows of a notification block, or what the app's own library makes of the data.
  mutating func buildAndroid() {
    let message = Contracts.androidMessage(of: push.payload) ?? [:]
    notification.payload = message
    // What has a notification block is shown by Firebase's client before the app's libraries see it, but for OneSignal's.
    let hasBlock = message["notification"]?.object != nil || Self.ownBlock(of: message) != nil
    switch notification.contract {
    case .adobe where !hasBlock: readAdobeAndroid()
    case .onesignal where !hasBlock || OneSignal.takes(message): readOneSignalAndroid()
    default: readFirebase(message)
    }
    notification.buttons = Array(notification.buttons.prefix(AndroidNotification.buttonsMax))
  }

  /// Android's own block: of `android`, or of the `remote_notification` of `android_v2`.
  private static func ownBlock(of message: JSONObject) -> JSONObject? {
    let message = FCMMessage(object: message)
    return message.android?.notification?.object ?? message.androidV2?.remoteNotification?.notification?.object
  }

  /// Firebase's own display; Android's own block wins over `notification`, member by member.
  private mutating func readFirebase(_ message: JSONObject) {
    let common = message["notification"]?.object
    let own = Self.ownBlock(of: message)
    guard common != nil || own != nil else { return }
    let block = NotificationBlock(own: own ?? [:], common: common ?? [:])
    notification.title = text(block.source("title"))
    notification.body = text(block.source("body"))
    readFirebaseLooks(block)
    readFirebaseTap(block, message)
  }

  private mutating func readFirebaseTap(_ block: NotificationBlock, _ message: JSONObject) {
    let data = message["data"]?.object ?? [:]
    if notification.contract == .amba, let link = data["deep_link"]?.string {
      notification.link = link
      notification.tapEffect = .deepLink
    } else if let link = block.link, notification.clickAction?.isEmpty != false {
      // The client gives the link to the app itself, also one of the web.
      notification.link = link
      notification.tapEffect = .deepLink
    } else if let link = message["android"]?["fcm_options"]?["link"]?.string {
      notification.link = link
      notification.tapEffect = Self.effect(ofURI: link)
    }
  }

  private mutating func readFirebaseLooks(_ block: NotificationBlock) {
    notification.ticker = block["ticker"]?.string
    notification.image = block["image"]?.string.flatMap { Contracts.isFirebasePicture($0) ? $0 : nil }
    notification.smallIcon = block["icon"]?.string.flatMap { FCMAndroidNotification.isResourceName($0) ? $0 : nil }
    notification.accentColor = block["color"]?.string.flatMap { AndroidColor.parse($0) }.map { ShownColor(argb: $0) }
    notification.sound =
      block["sound"]?.string.map { FCMAndroidNotification.isResourceName($0) ? $0 : "default" }
      ?? (block["default_sound"]?.bool == true ? "default" : nil)
    notification.replacementKey = block["tag"]?.string
    notification.channel = block["channel_id"]?.string
    notification.clickAction = block["click_action"]?.string
    notification.isSticky = block["sticky"]?.bool ?? false
    // Firebase's client leaves a count below 0 out.
    if let count = block["notification_count"]?.int, count >= 0 { notification.badge = .set(count) }
    notification.priority = Self.level(block["notification_priority"]?.string)
    switch block["visibility"]?.string {
    case "PUBLIC": notification.visibility = 1
    case "SECRET": notification.visibility = -1
    default: notification.visibility = 0
    }
  }

  /// `PRIORITY_MIN` to `PRIORITY_MAX` as −2 to 2.
  private static func level(_ name: String?) -> WholeNumber {
    switch name {
    case "PRIORITY_MIN": -2
    case "PRIORITY_LOW": -1
    case "PRIORITY_HIGH": 1
    case "PRIORITY_MAX": 2
    default: 0
    }
  }

  // MARK: OneSignal

  private mutating func readOneSignalAndroid() {
    // What an app was handed keeps its times at the root alone.
    let now = push.sentTime ?? device.now
    let shown =
      (try? OneSignal.read(android: JSON.minified(push.payload), now: now))?.message
      ?? OneSignal.Notification(platform: .android)
    notification.title = shown.title.map { NotificationText($0) }
    notification.body = shown.body.map { NotificationText($0) }
    notification.identifier = shown.notificationID
    notification.replacementKey = shown.collapseID
    notification.restores = true
    notification.sound = shown.heardSound
    if let url = shown.launchURL, !url.isEmpty {
      notification.link = url
      notification.tapEffect = Self.effect(ofURI: url)
    }
    notification.buttons = (shown.actionButtons ?? []).map {
      ShownButton(id: $0.id ?? $0.text, label: $0.text, icon: $0.icon)
    }
    if let android = shown.android { readOneSignalLooks(android) }
  }

  private mutating func readOneSignalLooks(_ android: OneSignal.AndroidProperties) {
    notification.image = android.loadedPicture
    notification.largeIcon = android.loadedLargeIcon
    notification.smallIcon = android.shownSmallIcon
    let accent = android.smallIconAccentColor.flatMap { OneSignal.accentColor($0) }
    notification.accentColor = accent.flatMap { ShownColor($0) }
    notification.group = android.groupKey
    notification.groupMessage = android.groupMessage
    notification.visibility = android.lockScreenVisibility
    notification.channel = android.shownChannelID
    switch android.payloadPriority ?? 6 {
    case 9...: notification.priority = 2
    case 7...8: notification.priority = 1
    case 5...6: notification.priority = 0
    case 3...4: notification.priority = -1
    default: notification.priority = -2
    }
    if let sent = android.sentTime {
      let (end, isNever) = sent.addingReportingOverflow(android.ttl)
      notification.expires = isNever ? nil : end
    }
  }

  // MARK: Adobe

  private mutating func readAdobeAndroid() {
    let message = Adobe.contract.read(.object(["message": .object(notification.payload)]), platform: .android).message
    if message.liveUpdate != nil { return readLiveUpdate(message) }
    let builder = Adobe.androidBuilder(of: message, notification.payload["data"]?.object ?? [:])
    notification.title = message.title.map { NotificationText($0) }
    notification.body = message.body.map { NotificationText($0) }
    notification.expandedBody = builder.expandedBody(of: message).map { NotificationText($0) }
    readAdobeLooks(message, builder)
    readBigText(message)
    readAdobeTaps(message, builder)
    if outcome.isVisible, case .template(let template) = builder { readAdobeTemplate(message, template) }
  }

  /// The app's plugin draws the live update alone, and leaves to the app what a tap does.
  private mutating func readLiveUpdate(_ message: Adobe.Message) {
    guard let live = Adobe.liveUpdate(of: message) else { return }
    notification.title = live.title.map { NotificationText($0) }
    notification.body = live.body.map { NotificationText($0) }
    notification.smallIcon = live.smallIcon
    notification.channel = live.channel
    notification.replacementKey = live.identifier
    notification.priority = Self.level(live.priority)
    notification.isSticky = true
  }

  /// The template of Journey Optimizer that has another text while it is collapsed, and a large icon of its own.
  private mutating func readBigText(_ message: Adobe.Message) {
    guard let own = Adobe.bigText(of: message) else { return }
    notification.largeIcon = own.largeIcon
    guard let text = own.collapsedText else { return }
    notification.expandedBody = notification.body ?? NotificationText("")
    notification.body = NotificationText(text)
  }

  private mutating func readAdobeLooks(_ message: Adobe.Message, _ builder: Adobe.AndroidBuilder) {
    readAdobeDrawing(message, builder)
    notification.image = builder.image(of: message)
    notification.largeIcon = builder.largeIcon(of: message)
    notification.smallIcon = message.shownIcon.flatMap { Adobe.isPicture($0, .name) ? $0 : nil }
    notification.sound = builder.sound(of: message)
    notification.channel = message.channelID ?? builder.channelDefault
    notification.priority = Self.level(message.priority?.rawValue)
    notification.replacementKey = message.tag
    if let count = message.badge { notification.badge = .set(count) }
    switch message.visibility {
    case .public?: notification.visibility = 1
    case .secret?: notification.visibility = -1
    default: notification.visibility = 0
    }
  }

  /// The template and its colors, which only templates have.
  private mutating func readAdobeDrawing(_ message: Adobe.Message, _ builder: Adobe.AndroidBuilder) {
    switch builder {
    case .template(let drawn):
      nameTemplate(drawn, asked: message.template)
      if drawn.hasItems { notification.images = (message.items ?? []).compactMap { $0.image } }
      if builder.drawsTextColors {
        notification.titleColor = message.titleColor.flatMap { ShownColor($0) }
        notification.bodyColor = message.bodyColor.flatMap { ShownColor($0) }
      }
      if [.everywhere, .expanded].contains(builder.drawsBackground(of: message)) {
        notification.backgroundColor = message.backgroundColor.flatMap { ShownColor($0) }
      }
    case .legacy: nameTemplate(nil, asked: message.template)
    case .journeyOptimizer: nameTemplate(message.template, asked: message.template)
    case .liveUpdate: break
    }
    guard builder.readsSharedLooks else { return }
    notification.ticker = message.ticker
    notification.accentColor = message.iconColor.flatMap { ShownColor($0) }
    notification.isSticky = message.sticky ?? false
  }

  private mutating func readAdobeTaps(_ message: Adobe.Message, _ builder: Adobe.AndroidBuilder) {
    let uri = message.uri.flatMap { $0.isEmpty ? nil : $0 }
    if message.linkType?.needsURI == true { notification.link = uri }
    notification.tapEffect = uri == nil ? .openApp : Self.effect(of: message.linkType)
    if builder.drawsButtons {
      notification.buttons = (message.buttons ?? []).map {
        ShownButton(id: $0.label, label: $0.label, effect: Self.effect(of: $0.type, $0.uri), link: $0.uri)
      }
    }
    guard builder.drawsReminder, message.remindsLater, let label = message.remindText else { return }
    notification.buttons.append(ShownButton(id: "remind-later", label: label, effect: .remindLater))
    if let seconds = message.remindSeconds, seconds > 0 {
      notification.reminder = .after(seconds)
    } else {
      notification.reminder = .at(message.remindTime ?? 0)
    }
  }

  /// What a button or rating does: a kind of link that opens a uri opens the app without one.
  static func effect(of type: Adobe.LinkType, _ uri: String?) -> ShownButton.Effect {
    type.needsURI && uri?.isEmpty != false ? .openApp : effect(of: type)
  }

  /// What a kind of link does; without a uri, Adobe's library opens the app.
  static func effect(of type: Adobe.LinkType?) -> ShownButton.Effect {
    switch type {
    case .webURL?: .web
    case .deepLink?: .deepLink
    case .dismiss?: .dismiss
    default: .openApp
    }
  }
}

/// The two notification blocks of an FCM message as one.
private struct NotificationBlock {
  let own: JSONObject
  let common: JSONObject

  /// A field in either spelling; an empty text is none, and the shared one is taken.
  subscript(name: String) -> JSONValue? { ownValue(name) ?? FCMNotification(object: common).value(name) }

  private func ownValue(_ name: String) -> JSONValue? {
    FCMAndroidNotification(object: own).value(name).flatMap { Contracts.isAbsent($0, in: name) ? Optional.none : $0 }
  }

  /// Where a tap leads, which only a client hands over: FCM has no field for it.
  var link: String? { own["link"]?.string.flatMap { $0.isEmpty ? Optional.none : $0 } }

  /// A text with its localization key, as `title` and `title_loc_key`.
  func source(_ name: String) -> TextSource {
    let key = self[name + "_loc_key"]?.string
    var arguments = self[name + "_loc_args"]
    if let text = arguments?.string { arguments = try? JSON.parse(text) }
    let isCommon = ownValue(name) == nil && common[name] != nil
    let block =
      isCommon
      ? FieldPath(members: "message", "notification") : FieldPath(members: "message", "android", "notification")
    return TextSource(
      plain: self[name]?.string, key: key,
      arguments: arguments?.array.map { values in values.map { $0.string ?? JSON.minifiedText($0) } },
      path: block.member(key == nil ? name : name + "_loc_key"))
  }
}
