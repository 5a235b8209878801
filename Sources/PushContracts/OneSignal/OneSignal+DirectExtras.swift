import WireJSON

extension OneSignal {
  /// What the service extension adds to an alert in the original format, found on the tape where it adds all of it.
  ///
  /// It tells that there is nothing to say of a payload; its answer is left to ``AppleReader``.
  struct DirectExtras {
    /// True when a button is added.
    private(set) var hasButtons = false
    private var hasAttachments = false

    /// True when nothing is added.
    var isEmpty: Bool { !hasButtons && !hasAttachments }

    private static let rootKeys = JSONKeyTable(["aps", "custom", "buttons", "att"])

    /// Reads the payload; false for another member, and for one of which there is something to say.
    mutating func read(_ root: JSONNode, of document: JSONDocument) -> Bool {
      var cursor = document.cursor(root)
      while let (name, value) = document.nextMember(&cursor) {
        switch document.index(of: name, in: DirectExtras.rootKeys) {
        case 0, 1: break
        case 2:
          guard DirectExtras.areButtons(value, of: document) else { return false }
          hasButtons = true
        case 3:
          guard DirectExtras.areAttachments(value, of: document) else { return false }
          hasAttachments = true
        default: return false
        }
      }
      return true
    }

    /// Reads the members of `os_data` beside an alert; false for one of which there is something to say.
    mutating func read(buttons: JSONNode?, attachments: JSONNode?, of document: JSONDocument) -> Bool {
      (hasButtons, hasAttachments) = (buttons != nil, attachments != nil)
      return buttons.map { DirectExtras.areButtons($0, of: document) } ?? true
        && attachments.map { DirectExtras.areAttachments($0, of: document) } ?? true
    }

    private static let otherKeys = JSONKeyTable([
      "custom", "att", "at", "buttons", "actionbuttons", "o", "m", "b", "s", "actionSelected", "fcm_options", "mdm",
    ])

    /// True when the root has what other formats or systems read.
    func readsOthers(in root: JSONNode, of document: JSONDocument) -> Bool {
      document.members(of: root).contains { name, _ in document.index(of: name, in: DirectExtras.otherKeys) != nil }
    }

    private static let minifiedKeys = JSONKeyTable(["m", "b", "s", "at", "o", "aps", "custom"])
    private static let textKeys = JSONKeyTable(["title", "subtitle", "body"])

    /// Reads what is minified, at the root or in `os_data.buttons`; false without a text, and where there is something to say.
    mutating func readMinified(_ node: JSONNode, isRoot: Bool, of document: JSONDocument) -> Bool {
      guard document.kind(node) == .object else { return false }
      var hasText = false
      for (name, value) in document.members(of: node) {
        switch document.index(of: name, in: DirectExtras.minifiedKeys) {
        case 0:
          hasText = DirectExtras.isText(value, of: document)
          guard hasText else { return false }
        case 1: guard document.int(value) != nil else { return false }
        case 2: guard document.kind(value) == .string else { return false }
        case 3:
          guard DirectExtras.areAttachments(value, of: document) else { return false }
          hasAttachments = true
        case 4:
          guard DirectExtras.areButtons(value, of: document) else { return false }
          hasButtons = true
        case 5, 6: guard isRoot else { return false }
        default: return false
        }
      }
      // At the root the SDK reads the texts only beside one of the lists.
      return hasText && (!isRoot || !isEmpty)
    }

    private static func isText(_ node: JSONNode, of document: JSONDocument) -> Bool {
      guard document.kind(node) == .object else {
        return document.kind(node) == .string && !document.isEmptyString(node)
      }
      var hasText = false
      for (name, value) in document.members(of: node) {
        guard document.kind(value) == .string, document.index(of: name, in: textKeys) != nil else { return false }
        if !document.isEmptyString(value) { hasText = true }
      }
      return hasText
    }

    private static let buttonKeys = JSONKeyTable(["n", "i", "path", "icon_type"])

    /// True for a list of buttons with labels that iOS draws whole.
    private static func areButtons(_ list: JSONNode, of document: JSONDocument) -> Bool {
      guard document.kind(list) == .array, document.count(list) <= AppleNotification.buttonsMax else { return false }
      var elements = document.cursor(list)
      while let element = document.nextElement(&elements) {
        guard document.kind(element) == .object else { return false }
        var hasLabel = false
        var members = document.cursor(element)
        while let (name, value) = document.nextMember(&members) {
          guard let index = document.index(of: name, in: buttonKeys), document.kind(value) == .string else {
            return false
          }
          if index == 0 { hasLabel = true }
        }
        guard hasLabel else { return false }
      }
      return true
    }

    /// True for addresses that are loaded as they are.
    private static func areAttachments(_ object: JSONNode, of document: JSONDocument) -> Bool {
      guard document.kind(object) == .object else { return false }
      var members = document.cursor(object)
      while let (name, value) = document.nextMember(&members) {
        guard document.begins(name, with: "@") == false, document.isPlainAddress(value),
          unsafe document.withSource(of: value, { unsafe !$0.contains(0x7F) })
        else { return false }
      }
      return true
    }
  }
}
