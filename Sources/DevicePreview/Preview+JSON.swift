import PushContracts
import PushPayload
public import WireJSON

extension Preview {
  /// The preview as JSON; members that say nothing are left out.
  public var json: JSONObject {
    var object: JSONObject = [
      "platform": .string(notification.platform.rawValue), "contract": .string(notification.contract.rawValue),
      "locale": .string(locale), "direction": .string(direction.rawValue), "silent": .bool(notification.isSilent),
      "outcome": .string(notification.outcomeName),
    ]
    object.add("silence", notification.silence)
    object.add(members: notification)
    if !surfaces.isEmpty { object.append("surfaces", .array(surfaces.map { .object($0.json) })) }
    object.append("report", report.json)
    return object
  }
}

extension ShownNotification {
  /// The notification as JSON.
  public var json: JSONObject {
    var object = JSONObject()
    object.add("silence", silence)
    object.add(members: self)
    return object
  }
}

extension JSONObject {
  @inline(never)
  mutating func add(_ name: String, _ text: String?) {
    if let text { append(name, .string(text)) }
  }

  @inline(never)
  fileprivate mutating func add(_ name: String, _ text: NotificationText?) {
    if let text { append(name, .object(text.json)) }
  }

  @inline(never)
  fileprivate mutating func add(_ name: String, _ object: JSONObject) {
    if !object.isEmpty { append(name, .object(object)) }
  }

  /// Of a push that is not shown the badge and the sound, unless nothing happens at all.
  fileprivate mutating func add(members notification: ShownNotification) {
    if !notification.isSilent { add(texts: notification) }
    if !notification.isNothing { add(noticed: notification) }
    if !notification.isSilent { add(looks: notification) }
  }

  private mutating func add(texts notification: ShownNotification) {
    add("title", notification.title)
    add("subtitle", notification.subtitle)
    add("body", notification.body)
    add("expanded_title", notification.expandedTitle)
    add("expanded_subtitle", notification.expandedSubtitle)
    add("expanded_body", notification.expandedBody)
    add("ticker", notification.ticker)
  }

  private mutating func add(noticed notification: ShownNotification) {
    switch notification.badge {
    case .none: break
    case .set(let number): append("badge", ["set": .number(JSONNumber(number))])
    case .add(let number): append("badge", ["add": .number(JSONNumber(number))])
    }
    add("sound", notification.sound)
    if notification.isCritical { append("critical", true) }
  }

  private mutating func add(looks notification: ShownNotification) {
    add("image", notification.image)
    if !notification.images.isEmpty { append("images", .array(notification.images.map { .string($0) })) }
    add("large_icon", notification.largeIcon)
    add("small_icon", notification.smallIcon)
    if !notification.buttons.isEmpty {
      append("buttons", .array(notification.buttons.map { .object($0.json) }))
    }
    add("colors", notification.colors)
    if let layout = notification.layout { append("layout", .object(layout.json)) }
    if !notification.targets.isEmpty {
      append("targets", .array(notification.targets.map { .object($0.json) }))
    }
    addStanding(notification)
    var tap: JSONObject = ["effect": .string(notification.tapEffect.rawValue)]
    tap.add("link", notification.link)
    tap.add("click_action", notification.clickAction)
    append("tap", .object(tap))
  }

  private mutating func addStanding(_ notification: ShownNotification) {
    add("group", notification.group)
    add("group_message", notification.groupMessage)
    add("replaces", notification.replacementKey)
    add("category", notification.category)
    add("channel", notification.channel)
    add("interruption_level", notification.interruption)
    if notification.priority != 0 { append("priority", .number(JSONNumber(notification.priority))) }
    let visibility = PerPlatform(ios: nil, android: notification.visibility)[notification.platform]
    if let visibility { append("visibility", .number(JSONNumber(visibility))) }
    if notification.isSticky { append("sticky", true) }
    if let expires = notification.expires { append("expires", .number(JSONNumber(expires))) }
    switch notification.reminder {
    case .at(let time)?: append("reminder", ["at": .number(JSONNumber(time))])
    case .after(let seconds)?: append("reminder", ["after": .number(JSONNumber(seconds))])
    case nil: break
    }
    add("template", notification.template)
    add("asked_template", notification.askedTemplate)
    add("identifier", notification.identifier)
  }
}

extension NotificationText {
  /// `{text, origin, key, locale}`.
  public var json: JSONObject {
    var object: JSONObject = ["text": .string(text), "origin": .string(origin.rawValue)]
    object.add("key", key)
    object.add("locale", locale)
    return object
  }
}

extension ShownButton {
  /// `{id, label, effect, link, icon}`.
  public var json: JSONObject {
    var object: JSONObject = ["id": .string(id), "label": .string(label), "effect": .string(effect.rawValue)]
    object.add("link", link)
    object.add("icon", icon)
    return object
  }
}

extension ShownNotification {
  fileprivate var colors: JSONObject {
    var object = JSONObject()
    object.add("title", titleColor?.hex)
    object.add("body", bodyColor?.hex)
    object.add("background", backgroundColor?.hex)
    object.add("accent", accentColor?.hex)
    return object
  }
}

extension SurfaceText {
  /// `{surface, title, subtitle, body, cut}`: the lines, and the names of what does not fit.
  public var json: JSONObject {
    var object: JSONObject = ["surface": .string(surface.rawValue)]
    var cut: [JSONValue] = []
    for (name, text) in [("title", title), ("subtitle", subtitle), ("body", body)] {
      if !text.lines.isEmpty { object.append(name, .array(text.lines.map { .string($0) })) }
      if text.isCut { cut.append(.string(name)) }
    }
    if !cut.isEmpty { object.append("cut", .array(cut)) }
    return object
  }
}
