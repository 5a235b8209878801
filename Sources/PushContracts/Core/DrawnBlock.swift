import WireJSON

extension JSONObject {
  /// The members that every contract shares, with the texts that Firebase's client draws of a notification block.
  ///
  /// Android's own block wins over the shared one, and a block is drawn before any library of a vendor sees the data.
  ///
  /// - Parameters:
  ///   - block: the block.
  ///   - replacesData: true when the contract puts its texts into the data, of which nothing is drawn beside a block.
  func drawing(_ block: NotificationBlock, replacesData: Bool) -> JSONObject {
    let count = block["notification_count"]?.int
    // Firebase's client leaves a count below 0 out.
    let isBelowZero = count.map { $0 < 0 } ?? false
    let isPictureLost = block.lostImage != nil
    if !replacesData, !isBelowZero, !isPictureLost, has("title", of: block), has("body", of: block) { return self }
    var values = self
    if isBelowZero { values.removeValue(forKey: "badge") }
    if replacesData {
      for name in ["title", "subtitle", "body", "badge", "sound", "image", "link", "collapse", "actions", "silent"] {
        values.removeValue(forKey: name)
      }
      for (name, field) in [("sound", "sound"), ("image", "image"), ("collapse", "tag")] {
        if let text = block[field]?.string, !text.isEmpty { values[name] = .string(text) }
      }
      if let count, !isBelowZero { values["badge"] = .number(JSONNumber(count)) }
    }
    if isPictureLost { values.removeValue(forKey: "image") }
    for part in ["title", "body"] { values.draw(part, of: block) }
    return values.ordered
  }

  /// True when a text is there as it is drawn, as it is in nearly every payload.
  private func has(_ part: String, of block: NotificationBlock) -> Bool {
    let text = block[part]?.string ?? ""
    return (text.isEmpty || self[part]?.string == text)
      && (self["\(part)_loc"] != nil || block["\(part)_loc_key"] == nil)
  }

  private mutating func draw(_ part: String, of block: NotificationBlock) {
    if let text = block[part]?.string, !text.isEmpty { self[part] = .string(text) }
    guard let key = block["\(part)_loc_key"]?.string, !key.isEmpty, self["\(part)_loc"] == nil else { return }
    var loc: JSONObject = ["key": .string(key)]
    if let arguments = block["\(part)_loc_args"], arguments.array != nil { loc.append("args", arguments) }
    self["\(part)_loc"] = .object(loc)
  }

  /// The shared members in their order, then those of the contract.
  private var ordered: JSONObject {
    var result = JSONObject()
    for name in FieldRole.commonMembers {
      if let value = self[name] { result.append(name, value) }
    }
    for (name, value) in self where result[name] == nil { result.append(name, value) }
    return result
  }
}
