internal import Basics
import PushPayload
import WireJSON

/// Reading OneSignal's payloads from the tape straight into the answer: the original format on iOS, and what FCM is sent for
/// Android, where nothing needs to be said of them.
///
/// What is not read here is read by ``AppleReader`` and ``AndroidReader``, with the same answer.
extension OneSignal {
  @Sendable static func answer(_ payload: DirectPayload, into writer: inout JSONWriter) -> Bool {
    switch payload.platform {
    case .ios:
      var notification = DirectApple(document: payload.document, root: payload.root)
      guard notification.read() else { return false }
      notification.write(into: &writer)
    case .android:
      guard let message = DirectReading.message(payload.document, payload.root) else { return false }
      var notification = DirectAndroid(document: payload.document, message: message)
      guard notification.read(payload.texts) else { return false }
      notification.write(into: &writer)
    }
    writer.key("report")
    writer.beginArray()
    writer.endArray()
    return true
  }

  /// What the two platforms have in common: the members of `custom`, or of the JSON text in it.
  fileprivate struct DirectCustom {
    let document: JSONDocument
    var id, url, data, templateID, templateName, collapseID: JSONNode?

    init(_ document: JSONDocument) { self.document = document }

    private static let keys = JSONKeyTable([
      "i", "u", "a", "ti", "tn", "collapse_id", "badge_inc", "actionSelected", "actionButtons", "actionId",
      "os_in_app_message_preview_id",
    ])

    /// Reads the object; false where it has no id, or something that needs a word or a look.
    mutating func read(_ object: JSONNode, _ platform: Platform) -> Bool {
      guard document.kind(object) == .object else { return false }
      var cursor = document.cursor(object)
      while let (name, value) = document.nextMember(&cursor) {
        let isString = document.kind(value) == .string
        switch document.index(of: name, in: DirectCustom.keys) {
        case 0 where isString: id = value
        case 1 where isString && document.isTrimmed(value): url = value
        case 2 where isPlain(value): data = value
        case 3 where isString: templateID = value
        case 4 where isString: templateName = value
        case 5 where isString: if platform == .ios { collapseID = value }
        case 0, 1, 2, 3, 4, 5, 6: return false
        default: break
        }
      }
      return id != nil
    }

    /// True for data without the names that the SDKs put there.
    private func isPlain(_ data: JSONNode) -> Bool {
      guard document.kind(data) == .object else { return false }
      var cursor = document.cursor(data)
      while let (name, _) = document.nextMember(&cursor) {
        if let index = document.index(of: name, in: DirectCustom.keys), index >= 7 { return false }
      }
      return true
    }

    func write(_ node: JSONNode?, _ key: StaticString, into writer: inout JSONWriter) {
      guard let node else { return }
      writer.key(key)
      writer.value(node, of: document)
    }

    /// The data that every contract shares; an empty object is none.
    func writeData(into writer: inout JSONWriter) {
      if let data, document.count(data) > 0 { write(data, "data", into: &writer) }
    }
  }
}

// MARK: iOS

/// A payload in the original format.
private struct DirectApple {
  let document: JSONDocument
  let root: JSONNode
  private var custom: OneSignal.DirectCustom
  private var title, subtitle, body, badge, sound, category, thread, relevance, interruption: JSONNode?
  private var wakes = false
  private var changes = false

  init(document: JSONDocument, root: JSONNode) {
    self.document = document
    self.root = root
    custom = OneSignal.DirectCustom(document)
  }

  private static let apsKeys = JSONKeyTable([
    "alert", "badge", "sound", "category", "thread-id", "content-available", "mutable-content", "relevance-score",
    "interruption-level",
  ])
  private static let alertKeys = JSONKeyTable(["title", "subtitle", "body"])

  /// Finds what is shown; false for any other format, for buttons and attachments, and where a key is mistyped or not known.
  mutating func read() -> Bool {
    guard document.count(root) == 2, let aps = document.member(of: root, "aps"),
      let custom = document.member(of: root, "custom"), document.kind(aps) == .object, readAPS(aps)
    else { return false }
    return [title, subtitle, body].contains { $0.map { !document.isEmptyString($0) } ?? false }
      && self.custom.read(custom, .ios)
  }

  private mutating func readAPS(_ aps: JSONNode) -> Bool {
    var cursor = document.cursor(aps)
    while let (name, value) = document.nextMember(&cursor) {
      let isString = document.kind(value) == .string
      switch document.index(of: name, in: DirectApple.apsKeys) {
      case 0: guard readAlert(value) else { return false }
      case 1 where document.int(value) != nil: badge = value
      case 2 where isString: sound = value
      case 3 where isString: category = value
      case 4 where isString: thread = value
      case 5:
        guard let flag = flag(value) else { return false }
        wakes = flag
      case 6:
        guard let flag = flag(value) else { return false }
        changes = flag
      case 7 where document.kind(value) == .number: relevance = value
      case 8 where isString: interruption = value
      default: return false
      }
    }
    return true
  }

  private mutating func readAlert(_ alert: JSONNode) -> Bool {
    guard document.kind(alert) == .object else {
      body = alert
      return document.kind(alert) == .string
    }
    var cursor = document.cursor(alert)
    while let (name, value) = document.nextMember(&cursor) {
      guard document.kind(value) == .string else { return false }
      switch document.index(of: name, in: DirectApple.alertKeys) {
      case 0: title = value
      case 1: subtitle = value
      case 2: body = value
      default: return false
      }
    }
    return true
  }

  private func flag(_ value: JSONNode) -> Bool? {
    if let flag = document.bool(value) { return flag }
    guard let number = document.int(value), number == 0 || number == 1 else { return nil }
    return number == 1
  }

  func write(into writer: inout JSONWriter) {
    writer.key("notification")
    writer.beginObject()
    custom.write(title, "title", into: &writer)
    custom.write(subtitle, "subtitle", into: &writer)
    custom.write(body, "body", into: &writer)
    writeBadge(into: &writer)
    custom.write(sound, "sound", into: &writer)
    custom.write(custom.url, "link", into: &writer)
    custom.write(category, "category", into: &writer)
    custom.write(thread, "thread", into: &writer)
    custom.write(custom.collapseID, "collapse", into: &writer)
    custom.writeData(into: &writer)
    writer.key("onesignal")
    writer.beginObject()
    writeOwn(into: &writer)
    writer.endObject()
    writer.endObject()
  }

  private func writeBadge(into writer: inout JSONWriter) {
    guard let badge else { return }
    writer.key("badge")
    writer.int(document.int(badge) ?? 0)
  }

  private func writeOwn(into writer: inout JSONWriter) {
    custom.write(custom.id, "notificationId", into: &writer)
    custom.write(title, "title", into: &writer)
    custom.write(subtitle, "subtitle", into: &writer)
    custom.write(body, "body", into: &writer)
    custom.write(custom.url, "launchURL", into: &writer)
    custom.write(custom.data, "additionalData", into: &writer)
    custom.write(custom.templateID, "templateId", into: &writer)
    custom.write(custom.templateName, "templateName", into: &writer)
    custom.write(sound, "sound", into: &writer)
    custom.write(custom.collapseID, "collapseId", into: &writer)
    writer.key("actionButtons")
    writer.beginArray()
    writer.endArray()
    writer.writeTap()
    custom.write(category, "category", into: &writer)
    custom.write(thread, "threadId", into: &writer)
    writer.key("hasBadge")
    writer.bool(badge != nil)
    writeBadge(into: &writer)
    if wakes {
      writer.key("contentAvailable")
      writer.bool(true)
    }
    if changes {
      writer.key("mutableContent")
      writer.bool(true)
    }
    custom.write(relevance, "relevanceScore", into: &writer)
    custom.write(interruption, "interruptionLevel", into: &writer)
    custom.write(root, "rawPayload", into: &writer)
  }
}

// MARK: Android

/// What FCM is sent: data alone, which it hands over as it is.
private struct DirectAndroid {
  let document: JSONDocument
  let message: JSONNode
  private var custom: OneSignal.DirectCustom
  private var properties = OneSignal.AndroidProperties()
  private var title, body, group, groupText, largeIcon, picture: JSONNode?
  private var data: JSONNode
  private var collapseKey, timeToLive: JSONNode?

  init(document: JSONDocument, message: JSONNode) {
    self.document = document
    self.message = message
    data = message
    custom = OneSignal.DirectCustom(document)
  }

  private static let messageKeys = JSONKeyTable(
    ["data", "android"] + FCMMessage.envelope.compactMap { JSONKey(keeping: $0) })
  private static let androidKeys = JSONKeyTable(["collapse_key", "ttl", "priority"])
  private static let dataKeys = JSONKeyTable([
    "custom", "title", "alert", "grp", "grp_msg", "licon", "bicon", "pri", "vis",
  ])

  /// Finds what is drawn; false for a notification block, buttons, sounds and channels, and where a key is mistyped or not known.
  mutating func read(_ texts: DirectTexts) -> Bool {
    var cursor = document.cursor(message)
    var found = false
    while let (name, value) = document.nextMember(&cursor) {
      switch document.index(of: name, in: DirectAndroid.messageKeys) {
      case 0:
        guard document.kind(value) == .object, readData(value, texts) else { return false }
        data = value
        found = true
      case 1: guard document.kind(value) == .object, readConfig(value) else { return false }
      case nil: return false
      default: break
      }
    }
    return found && custom.id != nil && body.map { !document.isEmptyString($0) } ?? false
  }

  private mutating func readConfig(_ config: JSONNode) -> Bool {
    var cursor = document.cursor(config)
    while let (name, value) = document.nextMember(&cursor) {
      switch document.index(of: name, in: DirectAndroid.androidKeys) {
      case 0 where document.kind(value) == .string: collapseKey = value
      case 1:
        // A push without a time to live is shown to nobody, or to everybody: there is something to say of 0.
        guard let seconds = document.wholeSeconds(value), seconds > 0 else { return false }
        (timeToLive, properties.ttl) = (value, seconds)
      case 2: break
      default: return false
      }
    }
    return true
  }

  private mutating func readData(_ data: JSONNode, _ texts: DirectTexts) -> Bool {
    var cursor = document.cursor(data)
    while let (name, value) = document.nextMember(&cursor) {
      guard document.kind(value) == .string else { return false }
      switch document.index(of: name, in: DirectAndroid.dataKeys) {
      case 0: guard readCustom(value, texts) else { return false }
      case 1: title = value
      case 2: body = value
      case 3: group = value
      case 4: groupText = value
      case 5 where isAddress(value): largeIcon = value
      case 6 where isAddress(value): picture = value
      case 7:
        guard let number = document.shortInteger(value) else { return false }
        properties.payloadPriority = number
      case 8:
        guard let number = document.shortInteger(value) else { return false }
        properties.lockScreenVisibility = number
      default: return false
      }
    }
    return true
  }

  /// True for an address as it is loaded: nothing of it is trimmed.
  private func isAddress(_ value: JSONNode) -> Bool {
    document.begins(value, with: "https://") == true && document.isTrimmed(value)
  }

  private mutating func readCustom(_ text: JSONNode, _ texts: DirectTexts) -> Bool {
    guard let index = texts.add(text, of: document) else { return false }
    let inner = texts[index]
    // Android's reader refuses a number that no double holds.
    guard inner.hasPlainNumbers else { return false }
    custom = OneSignal.DirectCustom(inner)
    return custom.read(inner.root, .android)
  }

  private var isCollapsing: Bool { collapseKey.map { !document.isString($0, "do_not_collapse") } ?? false }

  private func write(_ node: JSONNode?, _ key: StaticString, into writer: inout JSONWriter) {
    guard let node else { return }
    writer.key(key)
    writer.value(node, of: document)
  }

  func write(into writer: inout JSONWriter) {
    writer.key("notification")
    writer.beginObject()
    write(title, "title", into: &writer)
    write(body, "body", into: &writer)
    write(picture, "image", into: &writer)
    custom.write(custom.url, "link", into: &writer)
    write(group, "thread", into: &writer)
    if isCollapsing { write(collapseKey, "collapse", into: &writer) }
    custom.writeData(into: &writer)
    writer.key("onesignal")
    writer.beginObject()
    writeOwn(into: &writer)
    writer.endObject()
    writer.endObject()
  }

  private func writeOwn(into writer: inout JSONWriter) {
    custom.write(custom.id, "notificationId", into: &writer)
    write(title, "title", into: &writer)
    write(body, "body", into: &writer)
    custom.write(custom.url, "launchURL", into: &writer)
    custom.write(custom.data, "additionalData", into: &writer)
    custom.write(custom.templateID, "templateId", into: &writer)
    custom.write(custom.templateName, "templateName", into: &writer)
    if isCollapsing { write(collapseKey, "collapseId", into: &writer) }
    writer.writeTap()
    write(largeIcon, "largeIcon", into: &writer)
    write(picture, "bigPicture", into: &writer)
    writer.member("lockScreenVisibility", properties.lockScreenVisibility)
    writer.member("priority", properties.priority)
    writer.member("displayPriority", properties.displayPriority)
    writer.member("importance", properties.importance)
    write(group, "groupKey", into: &writer)
    write(groupText, "groupMessage", into: &writer)
    writer.member("ttl", properties.ttl)
    writer.key("restoring")
    writer.bool(properties.restoring)
    writeRaw(into: &writer)
  }

  /// The map that the client is handed, as JSON text: the data, and how it traveled.
  private func writeRaw(into writer: inout JSONWriter) {
    writer.key("rawPayload")
    let mark = writer.mark()
    writer.beginObject()
    var cursor = document.cursor(data)
    while let (name, value) = document.nextMember(&cursor) { writer.member(name, value, of: document) }
    write(collapseKey, "collapse_key", into: &writer)
    if let timeToLive {
      writer.key("google.ttl")
      document.withSource(of: timeToLive) { source in
        // The duration without its unit.
        writer.string(utf8: UnsafeBufferPointer(rebasing: source[1..<source.count - 2]))
      }
    }
    writer.endObject()
    writer.quote(since: mark)
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: StaticString, _ number: WholeNumber) {
    key(name)
    int(number)
  }

  /// A payload says nothing of a button that was tapped.
  fileprivate mutating func writeTap() {
    key("action")
    beginObject()
    key("type")
    string(OneSignal.NotificationAction.Kind.opened.rawValue)
    endObject()
  }
}

extension JSONDocument {
  /// True for a string without white space at its ends; false where an escape may stand for it.
  fileprivate func isTrimmed(_ node: JSONNode) -> Bool {
    guard begins(node, with: "") == true else { return false }
    return withSource(of: node) { source in
      source.count < 3 || source[1] > 0x20 && source[source.count - 2] > 0x20
    }
  }

  /// The whole number that a string of at most four digits holds; nil for any other.
  fileprivate func shortInteger(_ node: JSONNode) -> WholeNumber? {
    withSource(of: node) { source -> WholeNumber? in
      guard (3...6).contains(source.count) else { return nil }
      return source[1..<source.count - 1].reduce(.some(0)) { sum, byte in
        guard let sum, (0x30...0x39).contains(byte) else { return nil }
        return sum * 10 + WholeNumber(byte - 0x30)
      }
    }
  }
}
