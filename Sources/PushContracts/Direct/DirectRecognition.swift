import PushPayload
import WireJSON

/// Which contract a payload is written in, found on the tape: what `Contracts.recognize` finds in members.
struct DirectRecognition {
  let document: JSONDocument
  /// The APNs payload, or the FCM message.
  let payload: JSONNode
  let platform: Platform

  /// What tells a contract.
  enum Mark {
    /// A localization key.
    case chatKey(JSONNode)
    /// The name of a member.
    case templateKey(JSONNode)
    case templateCategory
    /// The member with OneSignal's notification id.
    case identifier(StaticString)
    /// The text of a member with OneSignal's notification id.
    case identifierText
    case none

    var entry: ContractEntry {
      switch self {
      case .chatKey: IMKit.entry
      case .templateKey, .templateCategory: Adobe.entry
      case .identifier, .identifierText: OneSignal.entry
      case .none: Native.entry
      }
    }
  }

  /// What identifies the contract of the payload; nil where that cannot be known without decoding a text.
  func mark(_ texts: DirectTexts) -> Mark? { DirectPlatform.all[platform].mark(self, texts) }

  func appleMark() -> Mark? {
    let aps = member(payload, "aps")
    switch isChatKey(member(member(aps, "alert"), "loc-key")) {
    case .some(let key?): return .chatKey(key)
    case .some(nil): break
    case nil: return nil
    }
    guard let template = templateKey(payload) else { return nil }
    if let template { return .templateKey(template) }
    if let category = member(aps, "category"), document.isString(category, "AEPNotification") {
      return .templateCategory
    }
    for name: StaticString in ["custom", "os_data"] {
      if let id = member(member(payload, name), "i"), document.kind(id) == .string { return .identifier(name) }
    }
    return Mark.none
  }

  func androidMark(_ texts: DirectTexts) -> Mark? {
    let data = member(payload, "data")
    let keys = [
      member(member(member(payload, "android"), "notification"), "body_loc_key"),
      member(member(payload, "notification"), "body_loc_key"), member(data, "loc-key"),
    ]
    for key in keys {
      switch isChatKey(key) {
      case .some(let key?): return .chatKey(key)
      case .some(nil): continue
      case nil: return nil
      }
    }
    guard let template = templateKey(data) else { return nil }
    if let template { return .templateKey(template) }
    guard let custom = member(data, "custom") else { return Mark.none }
    guard let index = texts.add(custom, of: document) else { return nil }
    let inner = texts[index]
    guard inner.kind(inner.root) == .object else { return nil }
    return inner.member(of: inner.root, "i") == nil ? Mark.none : .identifierText
  }

  private func member(_ node: JSONNode?, _ name: StaticString) -> JSONNode? {
    node.flatMap { document.member(of: $0, name) }
  }

  /// The key when it is IMKit's, and none when it is not; nil where that is not known.
  private func isChatKey(_ node: JSONNode?) -> JSONNode?? {
    guard let node else { return .some(nil) }
    guard let begins = document.begins(node, with: "im_loc_") else { return nil }
    return .some(begins ? node : nil)
  }

  /// The first name that begins as those of Adobe's templates do; nil where that is not known.
  private func templateKey(_ node: JSONNode?) -> JSONNode?? {
    guard let node, document.kind(node) == .object else { return .some(nil) }
    var cursor = document.cursor(node)
    while let (name, _) = document.nextMember(&cursor) {
      guard let begins = document.begins(name, with: "adb_") else { return nil }
      if begins { return .some(name) }
    }
    return .some(nil)
  }

  /// Writes the reason, as `Recognition.reason` has it.
  func writeReason(_ mark: Mark, into writer: inout JSONWriter) {
    let words = DirectRecognition.words
    switch mark {
    case .chatKey(let key): write(words.chatKey, key, into: &writer)
    case .templateKey(let name): write(words.templateKey, name, into: &writer)
    case .templateCategory: writer.fragment(words.templateCategory)
    case .identifier(let name): writer.string("\(name).i holds OneSignal's notification id")
    case .identifierText: writer.fragment(words.customText)
    case .none: writer.fragment(words.none)
    }
  }

  private func write(_ words: (begin: JSONFragment, end: JSONFragment), _ node: JSONNode, into writer: inout JSONWriter)
  {
    writer.fragment(words.begin)
    writer.piece(node, of: document)
    writer.fragment(words.end)
  }

  /// The reasons as they are written; a class, so that asking for one copies none.
  private final class Words: Sendable {
    let chatKey = around("the localization key ", " begins with im_loc_, as IMKit's do")
    let templateKey = around("the key ", " begins with adb_, as those of Adobe's templates do")
    let templateCategory = whole("the category is AEPNotification, which selects Adobe's content extension")
    let customText = whole("data.custom is JSON text with OneSignal's notification id at i")
    let none = whole(Contracts.nativeReason)

    private static func around(_ begin: String, _ end: String) -> (begin: JSONFragment, end: JSONFragment) {
      (JSONFragment(Array("\"\(begin)".utf8)), JSONFragment(Array("\(end)\",".utf8)))
    }

    private static func whole(_ text: String) -> JSONFragment {
      JSONFragment(JSON.minified(.string(text)) + [UInt8(ascii: ",")])
    }
  }

  private static let words = Words()
}
