internal import Basics
import PushPayload
public import WireJSON

extension OneSignal.Notification {
  /// The properties under the names of `OSNotification`: only what is there, with `hasBadge` always on iOS, and
  /// `priority` and `lockScreenVisibility` always on Android.
  public var json: JSONObject {
    var object = JSONObject()
    object.add("notificationId", notificationID)
    object.add("title", title)
    object.add("subtitle", subtitle)
    object.add("body", body)
    object.add("launchURL", launchURL)
    if let additionalData { object.append("additionalData", .object(additionalData)) }
    object.add("templateId", templateID)
    object.add("templateName", templateName)
    object.add("sound", sound)
    object.add("collapseId", collapseID)
    if let actionButtons { object.append("actionButtons", .array(actionButtons.map { .object($0.json) })) }
    object.append("action", .object(action.json))
    object.add("inAppMessagePreviewId", inAppMessagePreviewID)
    if let android { android.add(to: &object) } else { addApple(to: &object) }
    object.append("rawPayload", rawPayload)
    return object
  }

  private func addApple(to object: inout JSONObject) {
    object.add("category", category)
    object.add("threadId", threadID)
    object.append("hasBadge", .bool(hasBadge))
    if hasBadge { object.add("badge", badge) }
    if badgeIncrement != 0 { object.add("badgeIncrement", badgeIncrement) }
    if contentAvailable { object.append("contentAvailable", true) }
    if mutableContent { object.append("mutableContent", true) }
    if let relevanceScore { object.append("relevanceScore", .number(relevanceScore)) }
    object.add("interruptionLevel", interruptionLevel)
    if let attachments { object.append("attachments", .object(attachments)) }
  }

  /// The members that every contract shares.
  var commonMembers: JSONObject {
    var object = JSONObject()
    object.add("title", title)
    object.add("subtitle", subtitle)
    object.add("body", body)
    object.add("badge", badge)
    object.add("sound", heardSound)
    object.add("image", android?.loadedPicture ?? attachmentSources.first { $0.isRemote }?.address)
    object.add("link", launchURL)
    object.add("category", category)
    object.add("thread", threadID ?? android?.groupKey)
    object.add("collapse", collapseID)
    if let actionButtons, !actionButtons.isEmpty {
      object.append("actions", .array(actionButtons.map { .object($0.json) }))
    }
    let data = data
    if !data.isEmpty { object.append("data", .object(data)) }
    if isSilent { object.append("silent", true) }
    addLocalized(to: &object)
    return object
  }

  /// The app's own members, whether they came under OneSignal's key or beside `aps`.
  public var data: JSONObject {
    var data = additionalData ?? [:]
    for (key, value) in rootData where data[key] == nil { data.append(key, value) }
    return data
  }

  /// Apple's localization keys, which `OSNotification` has no property for.
  private func addLocalized(to object: inout JSONObject) {
    guard platform == .ios, let alert = rawPayload["aps"]?["alert"]?.object else { return }
    for (member, prefix) in [("title_loc", "title-"), ("subtitle_loc", "subtitle-"), ("body_loc", "")] {
      guard let key = alert[prefix + "loc-key"]?.string else { continue }
      var loc: JSONObject = ["key": .string(key)]
      if let args = alert[prefix + "loc-args"]?.array { loc.append("args", .array(args)) }
      object.append(member, .object(loc))
    }
    if ["title_loc", "subtitle_loc", "body_loc"].contains(where: { object[$0] != nil }) {
      object.removeValue(forKey: "silent")
    }
  }
}

extension OneSignal.ActionButton {
  /// The button as `{id, text, …}`.
  public var json: JSONObject {
    var object = JSONObject()
    object.add("id", id)
    object.append("text", .string(text))
    object.add("icon", icon)
    object.add("systemIcon", systemIcon)
    object.add("templateIcon", templateIcon)
    return object
  }
}

extension OneSignal.NotificationAction {
  /// The action as `{actionId, type}`.
  public var json: JSONObject {
    var object = JSONObject()
    object.add("actionId", actionID)
    object.append("type", .string(type.rawValue))
    return object
  }
}

extension OneSignal.AndroidProperties {
  func add(to object: inout JSONObject) {
    object.add("androidNotificationId", androidNotificationID)
    object.add("smallIcon", smallIcon)
    object.add("largeIcon", largeIcon)
    object.add("bigPicture", bigPicture)
    object.add("smallIconAccentColor", smallIconAccentColor)
    object.add("ledColor", ledColor)
    object.add("lockScreenVisibility", lockScreenVisibility)
    object.add("priority", priority)
    object.add("displayPriority", displayPriority)
    object.add("importance", importance)
    object.add("fromProjectNumber", fromProjectNumber)
    object.add("groupKey", groupKey)
    object.add("groupMessage", groupMessage)
    if let groupedNotifications {
      object.append("groupedNotifications", .array(groupedNotifications.map { .object($0.json) }))
    }
    if let backgroundImageLayout { object.append("backgroundImageLayout", .object(backgroundImageLayout.json)) }
    object.add("sentTime", sentTime)
    object.add("ttl", ttl)
    addChannel(to: &object)
    object.append("restoring", .bool(restoring))
  }

  private func addChannel(to object: inout JSONObject) {
    if let channel { object.append("channel", .object(channel.json)) }
    object.add("existingChannelId", existingChannelID)
    if let channelList { object.append("channelList", channelList) }
    let flags: [(name: String, value: Bool?)] = [("led", led), ("vibrate", vibrate)]
    for (name, value) in flags {
      if let value { object.append(name, .bool(value)) }
    }
    if let vibrationPattern {
      object.append("vibrationPattern", .array(vibrationPattern.map { .number(JSONNumber($0)) }))
    }
    if let showBadge { object.append("showBadge", .bool(showBadge)) }
    if let bypassDnd { object.append("bypassDnd", .bool(bypassDnd)) }
  }
}

extension OneSignal.BackgroundLayout {
  /// The layout under the names of `BackgroundImageLayout`.
  public var json: JSONObject { named("image", "titleTextColor", "bodyTextColor", "imageAlign") }
}

extension OneSignal.Channel {
  /// The channel as `{id, name, description, groupId, groupName, langs}`.
  public var json: JSONObject {
    var object = JSONObject()
    object.add("id", id)
    object.add("name", name)
    object.add("description", description)
    object.add("groupId", groupID)
    object.add("groupName", groupName)
    if let languages { object.append("langs", .object(languages)) }
    return object
  }
}

extension JSONObject {
  fileprivate mutating func add(_ name: String, _ text: String?) {
    if let text { append(name, .string(text)) }
  }

  fileprivate mutating func add(_ name: String, _ number: WholeNumber?) {
    if let number { append(name, .number(JSONNumber(number))) }
  }
}
