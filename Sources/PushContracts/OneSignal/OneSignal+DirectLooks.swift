internal import Basics
import WireJSON

extension OneSignal {
  /// The buttons, the channel, the sound and the colors of a message for Android, found on the tape where a device draws and
  /// plays all of them as they are.
  ///
  /// They tell that there is nothing to say of a payload; its answer is left to ``AndroidReader``.
  struct DirectLooks {
    /// True when the payload has one of these keys.
    private(set) var isAny = false
    private var hasChannel = false
    private var hasOwnChannel = false
    private var hasSound = false

    private static let keys = JSONKeyTable([
      "o", "chnl", "oth_chnl", "sound", "sicon", "bgac", "ledc", "led", "vib", "bdg", "bdnd",
    ])

    /// Reads a string of the data; false for a key that is none of these, and for a value of which there is something to say.
    mutating func read(_ name: JSONNode, _ value: JSONNode, of document: JSONDocument, _ texts: DirectTexts) -> Bool {
      isAny = true
      switch document.index(of: name, in: DirectLooks.keys) {
      case 0: return DirectLooks.areButtons(value, of: document, texts)
      case 1:
        hasChannel = true
        return DirectLooks.isChannel(value, of: document, texts)
      case 2:
        hasOwnChannel = !document.isEmptyString(value)
        return true
      case 3:
        hasSound = !document.isEmptyString(value)
        return document.isPlainName(value)
      case 4: return document.isPlainName(value)
      case 5, 6: return document.isColor(value, digits: 8)
      case 7, 8, 9, 10: return document.index(of: value, in: DirectLooks.flags) != nil
      default: return !DirectLooks.isRead(name, of: document)
      }
    }

    private static let readKeys = JSONKeyTable(AndroidReader.names.compactMap { JSONKey(keeping: $0) })

    /// True for a name that the SDK or a transport may read.
    private static func isRead(_ name: JSONNode, of document: JSONDocument) -> Bool {
      !document.isPlainName(name) || document.index(of: name, in: readKeys) != nil
    }

    /// False where the sound is that of a channel and not the payload's, or where the channel of a priority is not shown.
    func areShown(at priority: WholeNumber?) -> Bool {
      // Below 2 some versions of the SDK give the channel no importance.
      if hasChannel, let priority, priority < 2 { return false }
      guard hasSound else { return true }
      return hasChannel && !hasOwnChannel && priority.map { $0 >= quietBelow } ?? true
    }

    private static let flags = JSONKeyTable(["0", "1", "false", "true"])

    /// A document in a string whose every value Android's reader takes as any other reader does.
    private static func inner(_ text: JSONNode, of document: JSONDocument, _ texts: DirectTexts) -> JSONDocument? {
      guard let index = texts.add(text, of: document), texts[index].hasPlainNumbers else { return nil }
      return texts[index]
    }

    private static let buttonKeys = JSONKeyTable(["n", "i", "p"])

    /// True for as many buttons as Android draws, each with a label.
    private static func areButtons(_ text: JSONNode, of document: JSONDocument, _ texts: DirectTexts) -> Bool {
      guard let list = inner(text, of: document, texts), list.kind(list.root) == .array,
        list.count(list.root) <= AndroidNotification.buttonsMax
      else { return false }
      var elements = list.cursor(list.root)
      while let element = list.nextElement(&elements) {
        guard list.kind(element) == .object else { return false }
        var hasLabel = false
        var members = list.cursor(element)
        while let (name, value) = list.nextMember(&members) {
          guard let index = list.index(of: name, in: buttonKeys), list.kind(value) == .string else { return false }
          if index == 0 { hasLabel = !list.isEmptyString(value) }
        }
        guard hasLabel else { return false }
      }
      return true
    }

    private static let channelKeys = JSONKeyTable(["id", "nm", "dscr", "grp_id", "grp_nm"])

    /// True for a channel that Android makes as it is, for people of every language.
    private static func isChannel(_ text: JSONNode, of document: JSONDocument, _ texts: DirectTexts) -> Bool {
      guard let channel = inner(text, of: document, texts), channel.kind(channel.root) == .object else { return false }
      var hasGroup = false
      var hasGroupName = false
      var members = channel.cursor(channel.root)
      while let (name, value) = channel.nextMember(&members) {
        guard channel.kind(value) == .string else { return false }
        switch channel.index(of: name, in: channelKeys) {
        case 0: if channel.isString(value, "miscellaneous") { return false }
        case 1: if channel.isEmptyString(value) { return false }
        case 2: break
        case 3: hasGroup = true
        case 4: hasGroupName = !channel.isEmptyString(value)
        default: return false
        }
      }
      return !hasGroup || hasGroupName
    }
  }
}
