internal import PushContracts
internal import StoreModel
internal import WireJSON

/// A tag for notifications of FCM that may be sent again after an answer that says little, such as a 503: the phone shows a
/// second one instead of the first.
extension PushComposer {
  /// Bodies above this get none: what was checked against the limit of 4,096 bytes stays within it.
  private static let taggedBytesMax = 3_900

  /// The addresses behind which FCM's own library shows notifications.
  private static let tagged: Set<AddressForm> = [.registrationToken, .installationID]

  /// Whether transactional pushes of a contract get a tag unless the app says otherwise.
  ///
  /// Apps of the other contracts may read the tag: those of `amba` as the campaign, those of `powerauth` as the kind of
  /// notification.
  private static func isTagged(_ contract: ContractName) -> Bool { contract.rawValue == "native" }

  /// Gives each notification that FCM's library shows, and that names no tag, one of this push.
  func tag(_ push: inout NewPush, _ contract: ContractName) {
    guard push.pushClass == .transactional, entry.settings.tagsNotifications ?? PushComposer.isTagged(contract) else {
      return
    }
    let digits = String(push.salt, radix: 16)
    let tag = "once-" + String(repeating: "0", count: 16 - digits.utf8.count) + digits
    for index in push.payloads.indices
    where push.payloads[index].kinds.allSatisfy({ Self.tagged.contains($0.form) && !$0.isCarried }) {
      push.payloads[index].addTag(tag, upTo: PushComposer.taggedBytesMax)
    }
  }
}

extension RenderedPayload {
  /// Writes a tag into the notification of a request to FCM that has none; a message of data alone is left as it is, because
  /// the app shows it, or does not.
  fileprivate mutating func addTag(_ tag: String, upTo bytesMax: Int) {
    guard tokenOffset != nil, let (offset, text) = RenderedPayload.insertion(body, tag),
      body.count + text.utf8.count <= bytesMax
    else { return }
    let count = text.utf8.count
    body.insert(contentsOf: text.utf8, at: offset)
    if let token = tokenOffset, token >= offset { tokenOffset = token + count }
    for index in placeholders.indices where placeholders[index].offset >= offset { placeholders[index].offset += count }
  }

  /// What is inserted where; nil for a message that needs no tag.
  private static func insertion(_ body: [UInt8], _ tag: String) -> (offset: Int, text: String)? {
    var document = JSONDocument()
    guard (try? document.parse(body)) != nil, let message = document.member(of: document.root, "message") else {
      return nil
    }
    func opening(in node: JSONNode, _ text: String) -> (Int, String) {
      let isEmpty = document.count(node) == 0
      return (document.sourceRange(of: node).lowerBound + 1, isEmpty ? text : text + ",")
    }
    let member = "\"tag\":\"\(tag)\""
    let android = document.member(of: message, "android")
    if let android, let notification = document.member(of: android, "notification") {
      guard document.member(of: notification, "tag") == nil else { return nil }
      return opening(in: notification, member)
    }
    guard document.member(of: message, "notification") != nil else { return nil }
    if let android { return opening(in: android, "\"notification\":{\(member)}") }
    return opening(in: message, "\"android\":{\"notification\":{\(member)}}")
  }
}
