import PushPayload
import WireJSON

extension OneSignal {
  /// A payload in any of the formats; only that in the original one, not minified, is answered.
  struct DirectApple {
    let document: JSONDocument
    let root: JSONNode
    private var custom: OneSignal.DirectCustom
    private var title, subtitle, body, badge, sound, category, thread, relevance, interruption: JSONNode?
    private var wakes = false
    private var changes = false
    private var extras = OneSignal.DirectExtras()
    private var hasAlert = false
    private var isOriginal = true

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
    var isAnswered: Bool { isOriginal && extras.isEmpty && custom.increment == nil }

    /// Finds what is shown; false where there is something to say of a key or it is not known.
    mutating func read() -> Bool {
      guard let aps = document.member(of: root, "aps"), document.kind(aps) == .object, readAPS(aps) else {
        return false
      }
      if let own = document.member(of: root, "os_data") { return readNew(own) }
      guard let custom = document.member(of: root, "custom"), self.custom.read(custom, .ios) else { return false }
      guard hasAlert else {
        isOriginal = false
        return wakes && !document.hasDuplicates && extras.readMinified(root, isRoot: true, of: document)
      }
      guard hasText else { return false }
      // In nearly every payload there is nothing else.
      guard document.count(root) > 2 || self.custom.increment != nil else { return true }
      // The service extension adds them to the alert if it is allowed to, and buttons where no category has its own.
      return changes && !document.hasDuplicates && extras.read(root, of: document)
        && (!extras.hasButtons || category.map { document.isEmptyString($0) } ?? true)
    }

    private var hasText: Bool {
      [title, subtitle, body].contains { $0.map { !document.isEmptyString($0) } ?? false }
    }

    /// Reads the new formats; beside `os_data` the root has data that only the app looks at.
    private mutating func readNew(_ own: JSONNode) -> Bool {
      isOriginal = false
      guard !document.hasDuplicates, custom.read(own, .ios), !extras.readsOthers(in: root, of: document) else {
        return false
      }
      let buttons = document.member(of: own, "buttons")
      guard hasAlert else {
        return wakes && buttons.map { extras.readMinified($0, isRoot: false, of: document) } ?? false
      }
      let attachments = document.member(of: own, "att")
      guard hasText, extras.read(buttons: buttons, attachments: attachments, of: document) else { return false }
      return (changes || extras.isEmpty && custom.increment == nil)
        && (!extras.hasButtons || category.map { document.isEmptyString($0) } ?? true)
    }

    private mutating func readAPS(_ aps: JSONNode) -> Bool {
      var cursor = document.cursor(aps)
      var seen = DirectBits()
      while let (name, value) = document.nextMember(&cursor) {
        let isString = document.kind(value) == .string
        let index = document.quickIndex(of: name, in: DirectApple.apsKeys)
        guard let index, seen.insert(index) else { return false }
        switch index {
        case 0:
          guard readAlert(value) else { return false }
          hasAlert = true
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
      var seen = DirectBits()
      while let (name, value) = document.nextMember(&cursor) {
        guard document.kind(value) == .string, let index = document.quickIndex(of: name, in: DirectApple.alertKeys),
          seen.insert(index)
        else { return false }
        switch index {
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
      let labels = DirectLabels.all
      writer.fragment(labels.notification)
      writer.beginObject()
      custom.write(title, labels.title, into: &writer)
      custom.write(subtitle, labels.subtitle, into: &writer)
      custom.write(body, labels.body, into: &writer)
      writeBadge(into: &writer)
      custom.write(sound, labels.sound, into: &writer)
      custom.write(custom.url, labels.link, into: &writer)
      custom.write(category, labels.category, into: &writer)
      custom.write(thread, labels.thread, into: &writer)
      custom.write(custom.collapseID, labels.collapse, into: &writer)
      custom.writeData(into: &writer)
      writer.fragment(labels.onesignal)
      writer.beginObject()
      writeOwn(into: &writer)
      writer.endObject()
      writer.endObject()
    }

    private func writeBadge(into writer: inout JSONWriter) {
      guard let badge else { return }
      let labels = DirectLabels.all
      writer.fragment(labels.badge)
      writer.int(document.int(badge) ?? 0)
    }

    private func writeOwn(into writer: inout JSONWriter) {
      let labels = DirectLabels.all
      custom.write(custom.id, labels.notificationId, into: &writer)
      custom.write(title, labels.title, into: &writer)
      custom.write(subtitle, labels.subtitle, into: &writer)
      custom.write(body, labels.body, into: &writer)
      custom.write(custom.url, labels.launchURL, into: &writer)
      custom.write(custom.data, labels.additionalData, into: &writer)
      custom.write(custom.templateID, labels.templateId, into: &writer)
      custom.write(custom.templateName, labels.templateName, into: &writer)
      custom.write(sound, labels.sound, into: &writer)
      custom.write(custom.collapseID, labels.collapseId, into: &writer)
      writer.fragment(labels.noButtons)
      writer.fragment(labels.tap)
      custom.write(category, labels.category, into: &writer)
      custom.write(thread, labels.threadId, into: &writer)
      writer.fragment(labels.hasBadge)
      writer.bool(badge != nil)
      writeBadge(into: &writer)
      if wakes {
        writer.fragment(labels.contentAvailable)
        writer.bool(true)
      }
      if changes {
        writer.fragment(labels.mutableContent)
        writer.bool(true)
      }
      custom.write(relevance, labels.relevanceScore, into: &writer)
      custom.write(interruption, labels.interruptionLevel, into: &writer)
      custom.write(root, labels.rawPayload, into: &writer)
    }
  }
}
