import PushPayload
import WireJSON

extension OneSignal {
  /// A payload in the original format.
  struct DirectApple {
    let document: JSONDocument
    let root: JSONNode
    private var custom: OneSignal.DirectCustom
    private var title, subtitle, body, badge, sound, category, thread, relevance, interruption: JSONNode?
    private var wakes = false
    private var changes = false
    private var extras = OneSignal.DirectExtras()

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

    /// True for a payload whose answer is written here.
    var isAnswered: Bool { extras.isEmpty && custom.increment == nil }

    /// Finds what is shown; false for any other format, and where there is something to say of a key or it is not known.
    mutating func read() -> Bool {
      guard let aps = document.member(of: root, "aps"), let custom = document.member(of: root, "custom"),
        document.kind(aps) == .object, readAPS(aps)
      else { return false }
      let hasText = [title, subtitle, body].contains { $0.map { !document.isEmptyString($0) } ?? false }
      guard hasText, self.custom.read(custom, .ios) else { return false }
      // In nearly every payload there is nothing else.
      guard document.count(root) > 2 || self.custom.increment != nil else { return true }
      // The service extension adds them to the alert if it is allowed to, and buttons where no category has its own.
      return changes && extras.read(root, of: document)
        && (!extras.hasButtons || category.map { document.isEmptyString($0) } ?? true)
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
}
