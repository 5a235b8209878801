internal import Basics
import PushPayload
import WireJSON

extension OneSignal {
  /// What FCM is sent: data alone, which it hands over as it is.
  struct DirectAndroid {
    let document: JSONDocument
    let message: JSONNode
    private var custom: OneSignal.DirectCustom
    private var properties = OneSignal.AndroidProperties()
    private var title, body, group, groupText, largeIcon, picture: JSONNode?
    private var data: JSONNode
    private var collapseKey, timeToLive: JSONNode?
    private var looks = OneSignal.DirectLooks()

    init(document: JSONDocument, message: JSONNode) {
      self.document = document
      self.message = message
      data = message
      custom = OneSignal.DirectCustom(document)
    }

    /// True for a message whose answer is written here.
    var isAnswered: Bool { !looks.isAny }

    private static let messageKeys = JSONKeyTable(
      ["data", "android"] + FCMMessage.envelope.compactMap { JSONKey(keeping: $0) })
    private static let androidKeys = JSONKeyTable(["collapse_key", "ttl", "priority"])
    private static let dataKeys = JSONKeyTable([
      "custom", "title", "alert", "grp", "grp_msg", "licon", "bicon", "pri", "vis",
    ])

    /// Finds what is drawn; false for a notification block, and where there is something to say of a key or it is not known.
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
      return found && custom.id != nil && looks.areShown(at: properties.payloadPriority)
        && body.map { !document.isEmptyString($0) } ?? false
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
        default: guard looks.read(name, value, of: document, texts) else { return false }
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
}
