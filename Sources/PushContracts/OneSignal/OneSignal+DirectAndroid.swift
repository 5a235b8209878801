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
      var seen = DirectBits()
      while let (name, value) = document.nextMember(&cursor) {
        guard let index = document.quickIndex(of: name, in: DirectAndroid.messageKeys), seen.insert(index) else {
          return false
        }
        switch index {
        case 0:
          guard document.kind(value) == .object, readData(value, texts) else { return false }
          data = value
          found = true
        case 1: guard document.kind(value) == .object, readConfig(value) else { return false }
        default: if document.isContainer(value), document.hasDuplicates(in: value) { return false }
        }
      }
      return found && custom.id != nil && looks.areShown(at: properties.payloadPriority)
        && body.map { !document.isEmptyString($0) } ?? false
    }

    private mutating func readConfig(_ config: JSONNode) -> Bool {
      var cursor = document.cursor(config)
      var seen = DirectBits()
      while let (name, value) = document.nextMember(&cursor) {
        guard let index = document.quickIndex(of: name, in: DirectAndroid.androidKeys), seen.insert(index) else {
          return false
        }
        switch index {
        case 0 where document.kind(value) == .string: collapseKey = value
        case 1:
          // A push without a time to live is shown to nobody, or to everybody: there is something to say of 0.
          guard let seconds = document.wholeSeconds(value), seconds > 0 else { return false }
          (timeToLive, properties.ttl) = (value, seconds)
        case 2: if document.isContainer(value), document.hasDuplicates(in: value) { return false }
        default: return false
        }
      }
      return true
    }

    private mutating func readData(_ data: JSONNode, _ texts: DirectTexts) -> Bool {
      var cursor = document.cursor(data)
      var seen = DirectBits()
      var others = 0
      while let (name, value) = document.nextMember(&cursor) {
        guard document.kind(value) == .string else { return false }
        let index = document.quickIndex(of: name, in: DirectAndroid.dataKeys)
        if let index { guard seen.insert(index) else { return false } } else { others &+= 1 }
        switch index {
        case 0: guard readCustom(value, texts) else { return false }
        case 1: title = value
        case 2: body = value
        case 3: group = value
        case 4: groupText = value
        case 5 where isAddress(value): largeIcon = value
        case 6 where isAddress(value): picture = value
        case 7:
          guard let number = document.digits(value, max: 4) else { return false }
          properties.payloadPriority = number
        case 8:
          guard let number = document.digits(value, max: 4) else { return false }
          properties.lockScreenVisibility = number
        default: guard looks.read(name, value, of: document, texts) else { return false }
        }
      }
      return others < 2 || !document.hasRepeatedNames(data)
    }

    /// True for an address as it is loaded: nothing of it is trimmed.
    private func isAddress(_ value: JSONNode) -> Bool {
      document.isPlainAddress(value) && document.isTrimmed(value)
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

    private func write(_ node: JSONNode?, _ label: JSONFragment, into writer: inout JSONWriter) {
      if let node { writer.member(label, node, of: document) }
    }

    func write(into writer: inout JSONWriter) {
      let labels = DirectLabels.all
      writer.fragment(labels.notification)
      writer.beginObject()
      write(title, labels.title, into: &writer)
      write(body, labels.body, into: &writer)
      write(picture, labels.image, into: &writer)
      custom.write(custom.url, labels.link, into: &writer)
      write(group, labels.thread, into: &writer)
      if isCollapsing { write(collapseKey, labels.collapse, into: &writer) }
      custom.writeData(into: &writer)
      writer.fragment(labels.onesignal)
      writer.beginObject()
      writeOwn(into: &writer)
      writer.endObject()
      writer.endObject()
    }

    private func writeOwn(into writer: inout JSONWriter) {
      let labels = DirectLabels.all
      custom.write(custom.id, labels.notificationId, into: &writer)
      write(title, labels.title, into: &writer)
      write(body, labels.body, into: &writer)
      custom.write(custom.url, labels.launchURL, into: &writer)
      custom.write(custom.data, labels.additionalData, into: &writer)
      custom.write(custom.templateID, labels.templateId, into: &writer)
      custom.write(custom.templateName, labels.templateName, into: &writer)
      if isCollapsing { write(collapseKey, labels.collapseId, into: &writer) }
      writer.fragment(labels.tap)
      write(largeIcon, labels.largeIcon, into: &writer)
      write(picture, labels.bigPicture, into: &writer)
      writer.member(labels.lockScreenVisibility, properties.lockScreenVisibility)
      writer.member(labels.priority, properties.priority)
      writer.member(labels.displayPriority, properties.displayPriority)
      writer.member(labels.importance, properties.importance)
      write(group, labels.groupKey, into: &writer)
      write(groupText, labels.groupMessage, into: &writer)
      writer.member(labels.ttl, properties.ttl)
      writer.fragment(labels.restoring)
      writer.bool(properties.restoring)
      writeRaw(into: &writer)
    }

    /// The map that the client is handed, as JSON text: the data, and how it traveled.
    private func writeRaw(into writer: inout JSONWriter) {
      let labels = DirectLabels.all
      writer.fragment(labels.rawText)
      var cursor = document.cursor(data)
      var isFirst = true
      while let (name, value) = document.nextMember(&cursor) {
        if !isFirst { writer.fragment(labels.comma) }
        isFirst = false
        writer.quotedPiece(name, of: document)
        writer.fragment(labels.colon)
        writer.quotedPiece(value, of: document)
      }
      // There is a member before them: the text that is drawn.
      if let collapseKey {
        writer.fragment(labels.collapseText)
        writer.quotedPiece(collapseKey, of: document)
      }
      if let timeToLive {
        writer.fragment(labels.ttlText)
        unsafe document.withSource(of: timeToLive) { source in
          // The duration without its unit.
          unsafe writer.piece(utf8: UnsafeBufferPointer(rebasing: source[1..<source.count - 2]))
        }
        writer.fragment(labels.ttlEnd)
      }
      writer.fragment(labels.rawEnd)
    }
  }
}
