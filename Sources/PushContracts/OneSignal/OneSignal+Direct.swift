internal import Basics
import PushPayload
import WireJSON

/// Reading OneSignal's payloads from the tape straight into the answer: the original format on iOS, and what FCM is sent for
/// Android, where nothing needs to be said of them.
///
/// What is not read here is read by ``AppleReader`` and ``AndroidReader``, with the same answer.
extension OneSignal {
  @Sendable static func answer(_ payload: DirectPayload, into writer: inout JSONWriter) -> Bool {
    #if _pointerBitWidth(_32)
      return false
    #else
      return writeAnswer(payload, into: &writer)
    #endif
  }

  /// Nothing to say of a payload; nil where only the readers and the device model know what there is.
  @Sendable static func judge(_ payload: DirectPayload) -> Report? {
    #if _pointerBitWidth(_32)
      return nil
    #else
      return isPlain(payload) ? Report() : nil
    #endif
  }

  private static func isPlain(_ payload: DirectPayload) -> Bool {
    switch payload.platform {
    case .ios:
      var notification = DirectApple(document: payload.document, root: payload.root)
      return notification.read()
    case .android:
      guard let message = DirectReading.message(payload.document, payload.root) else { return false }
      var notification = DirectAndroid(document: payload.document, message: message)
      return notification.read(payload.texts)
    }
  }

  private static func writeAnswer(_ payload: DirectPayload, into writer: inout JSONWriter) -> Bool {
    switch payload.platform {
    case .ios:
      var notification = DirectApple(document: payload.document, root: payload.root)
      guard notification.read(), notification.isAnswered else { return false }
      notification.write(into: &writer)
    case .android:
      guard let message = DirectReading.message(payload.document, payload.root) else { return false }
      var notification = DirectAndroid(document: payload.document, message: message)
      guard notification.read(payload.texts), notification.isAnswered else { return false }
      notification.write(into: &writer)
    }
    writer.fragment(DirectLabels.all.noReport)
    return true
  }

  /// What the two platforms have in common: the members of `custom`, or of the JSON text in it.
  struct DirectCustom {
    let document: JSONDocument
    var id, url, data, templateID, templateName, collapseID: JSONNode?
    /// The number that the service extension adds to the badge, which no answer is written with here.
    var increment: JSONNode?

    init(_ document: JSONDocument) { self.document = document }

    private static let keys = JSONKeyTable([
      "i", "u", "a", "ti", "tn", "collapse_id", "badge_inc", "actionSelected", "actionButtons", "actionId",
      "os_in_app_message_preview_id",
    ])

    /// Reads the object; false where it has no id, a repeated name, or something that needs a word or a look.
    mutating func read(_ object: JSONNode, _ platform: Platform) -> Bool {
      guard document.kind(object) == .object else { return false }
      var cursor = document.cursor(object)
      var seen = DirectBits()
      var others = 0
      while let (name, value) = document.nextMember(&cursor) {
        let kind = document.kind(value)
        let isString = kind == .string
        let index = document.quickIndex(of: name, in: DirectCustom.keys)
        if let index { guard seen.insert(index) else { return false } } else { others &+= 1 }
        if kind == .object || kind == .array, document.hasDuplicates(in: value) { return false }
        switch index {
        case 0 where isString: id = value
        case 1 where isString && document.isTrimmed(value): url = value
        case 2 where isPlain(value): data = value
        case 3 where isString: templateID = value
        case 4 where isString: templateName = value
        case 5 where isString: if platform == .ios { collapseID = value }
        case 6 where platform == .ios && document.int(value) != nil: increment = value
        case 0, 1, 2, 3, 4, 5, 6: return false
        default: break
        }
      }
      return id != nil && (others < 2 || !document.hasRepeatedNames(object))
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

    func write(_ node: JSONNode?, _ label: JSONFragment, into writer: inout JSONWriter) {
      if let node { writer.member(label, node, of: document) }
    }

    /// The data that every contract shares; an empty object is none.
    func writeData(into writer: inout JSONWriter) {
      let labels = DirectLabels.all
      if let data, document.count(data) > 0 { write(data, labels.data, into: &writer) }
    }
  }
}

extension JSONWriter {
  mutating func member(_ label: JSONFragment, _ number: WholeNumber) {
    fragment(label)
    int(number)
  }
}

extension JSONDocument {
  /// True for a string without white space at its ends; false where an escape may represent it.
  func isTrimmed(_ node: JSONNode) -> Bool {
    guard begins(node, with: "") == true else { return false }
    return unsafe withSource(of: node) { source in
      unsafe source.count < 3 || source[1] > 0x20 && source[source.count - 2] > 0x20
    }
  }
}
