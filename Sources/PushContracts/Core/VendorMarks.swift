internal import WireJSON

/// What makes it possible that a vendor's contract claims a payload, or that Firebase's extension adds a picture to it, found on the tape without decoding anything.
///
/// A payload without such a mark is recognized as `native` by every contract, so that checking it costs one look at the
/// names of its members. A name with an escape in it counts as a mark, as it is not decoded here.
struct VendorMarks {
  private let document: JSONDocument

  init(_ document: JSONDocument) { self.document = document }

  /// True when a contract may claim an APNs payload.
  func areIn(apple payload: JSONNode) -> Bool {
    for (name, value) in document.members(of: payload) {
      if begins(name, "\"adb_") || begins(name, "\"custom\"") || begins(name, "\"os_data\"")
        || begins(name, "\"fcm_options\"")
      {
        return true
      }
      if document.isString(name, "aps"), areIn(aps: value) { return true }
    }
    return false
  }

  private func areIn(aps: JSONNode) -> Bool {
    if let category = document.member(of: aps, "category"), begins(category, "\"AEPNotification\"") { return true }
    return isChatEvent(document.member(of: aps, "alert"), "loc-key")
  }

  /// True when a contract may claim an FCM message.
  func areIn(fcm message: JSONNode) -> Bool {
    let android = document.member(of: message, "android")
    if areIn(data: document.member(of: message, "data")) || areIn(data: member(android, "data")) { return true }
    for name: StaticString in ["android_v2", "androidV2"] {
      if areIn(data: member(document.member(of: message, name), "data")) { return true }
    }
    return isChatEvent(member(android, "notification"), "body_loc_key")
      || isChatEvent(document.member(of: message, "notification"), "body_loc_key")
  }

  private func areIn(data: JSONNode?) -> Bool {
    guard let data else { return false }
    for (name, value) in document.members(of: data) {
      if begins(name, "\"adb_") || begins(name, "\"custom\"") { return true }
      if document.isString(name, "loc-key"), begins(value, "\"im_loc_") { return true }
    }
    return false
  }

  private func member(_ node: JSONNode?, _ name: StaticString) -> JSONNode? {
    node.flatMap { document.member(of: $0, name) }
  }

  /// True for a localization key as IMKit's are.
  private func isChatEvent(_ node: JSONNode?, _ name: StaticString) -> Bool {
    member(node, name).map { begins($0, "\"im_loc_") } ?? false
  }

  /// True when the source of a string begins with these bytes or has an escape among as many.
  private func begins(_ node: JSONNode, _ text: StaticString) -> Bool {
    let wanted = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return unsafe document.withSource(of: node) { source in
      for index in 0..<min(source.count, wanted.count) where unsafe source[index] != wanted[index] {
        return unsafe source[index] == UInt8(ascii: "\\")
      }
      return source.count >= wanted.count
    }
  }
}
