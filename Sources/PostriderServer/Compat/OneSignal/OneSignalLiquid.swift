internal import Liquid
internal import PushPayload
internal import PushRules
internal import WireJSON

/// OneSignal's Liquid in the texts of a message, as the Liquid of our own pushes.
///
/// The language is the same. What differs is what the objects are called: tags are properties, `user.tags.plan` is
/// `user.plan`, and `message.custom_data` is among the values of the push.
struct OneSignalLiquid {
  /// Whether a text of the message has Liquid.
  private(set) var isUsed = false

  /// The texts of a message by our names; `data`, which OneSignal does not render, as it is.
  ///
  /// - Throws: the refusal that names the field and the object that is not here, or the error with line and column.
  mutating func translated(_ message: JSONObject) throws(Problem) -> JSONObject {
    // Most messages have none, and are not taken apart.
    guard message.contains(where: { $0.key != "data" && Self.hasMarkup($0.value) }) else { return message }
    var result = message
    for (name, value) in message where name != "data" {
      result[name] = try translated(value, FieldPath().member(name))
    }
    if isUsed, let data = message["data"] { result["data"] = Self.unrendered(data) }
    return result
  }

  private mutating func translated(_ value: JSONValue, _ path: FieldPath) throws(Problem) -> JSONValue {
    switch value {
    case .string(let text):
      guard Self.hasMarkup(text) else { return value }
      isUsed = true
      do throws(LiquidError) { _ = try LiquidTemplate(Array(text.utf8)) } catch {
        throw OneSignalErrors.refusal(path.text, error.description)
      }
      do throws(OneSignalNames.Refusal) { return .string(try OneSignalNames.translated(text)) } catch {
        throw OneSignalErrors.refusal(path.text, "{{ \(error.name) }}: \(error.reason)")
      }
    case .array(let elements):
      var result: [JSONValue] = []
      for (index, element) in elements.enumerated() { result.append(try translated(element, path.element(index))) }
      return .array(result)
    case .object(let members):
      var result = members
      for (name, member) in members { result[name] = try translated(member, path.member(name)) }
      return .object(result)
    default: return value
    }
  }

  private static func hasMarkup(_ text: String) -> Bool {
    var wasBrace = false
    for byte in text.utf8 {
      if wasBrace, byte == UInt8(ascii: "{") || byte == UInt8(ascii: "%") { return true }
      wasBrace = byte == UInt8(ascii: "{")
    }
    return false
  }

  private static func hasMarkup(_ value: JSONValue) -> Bool {
    switch value {
    case .string(let text): hasMarkup(text)
    case .array(let elements): elements.contains(where: hasMarkup)
    case .object(let members): members.contains { hasMarkup($0.value) }
    default: false
    }
  }

  /// A value whose texts come out of Liquid as they are.
  private static func unrendered(_ value: JSONValue) -> JSONValue {
    switch value {
    case .string(let text):
      guard hasMarkup(text) else { return value }
      var result = ""
      var rest = text[...]
      while let first = rest.first {
        let opening = rest.prefix(2)
        if opening == "{{" || opening == "{%" {
          result += "{{ \"\(opening)\" }}"
          rest = rest.dropFirst(2)
        } else {
          result.append(first)
          rest = rest.dropFirst()
        }
      }
      return .string(result)
    case .array(let elements): return .array(elements.map(unrendered))
    case .object(let members): return .object(JSONObject(members.map { ($0.key, unrendered($0.value)) }))
    default: return value
    }
  }
}

/// The names in a text in Liquid: those of OneSignal's objects, replaced by ours.
private struct OneSignalNames {
  /// An object of OneSignal's that is not here.
  struct Refusal: Error {
    let name: String
    let reason: String
  }

  /// A path of names in markup.
  private struct Path {
    let names: [String]
    let range: Range<Int>
    /// The word in front of it, such as `assign`.
    let before: String
  }

  private static let ofOtherChannels = "is of other channels; a push goes to APNs and FCM"
  /// The members of OneSignal's objects: ours, or their own where a push has values of that name.
  private static let members: [String: [String: String]] = [
    "user": ["external_id": "user.id", "language": "device.locale"],
    "subscription": ["external_id": "user.id", "language": "device.locale"],
    "message": ["custom_data": "message.custom_data", "name": "message.name"],
    "template": ["id": "template.id", "name": "template.name"],
    "app": ["id": "app.id", "name": "app.name"],
  ]
  private static let absent: [String: String] = [
    "org": "there are no organizations here", "journey": "there are no journeys here",
    "event": "there are no journeys here", "data_feed": "there are no data feeds here; give custom_data",
    "user.onesignal_id": "is not here; there is user.external_id", "subscription.email": ofOtherChannels,
    "subscription.phone_number": ofOtherChannels,
    "subscription.unsubscribe_token": ofOtherChannels,
  ]

  /// Members that Liquid gives every text and list.
  private static let ofTexts: Set<String> = ["size", "first", "last"]
  /// Objects of the language itself.
  private static let ofLiquid: Set<String> = ["forloop", "tablerowloop"]

  private let bytes: [UInt8]
  private var paths: [Path] = []

  static func translated(_ text: String) throws(Refusal) -> String {
    var names = OneSignalNames(bytes: Array(text.utf8))
    names.readMarkup()
    var (result, end): ([UInt8], Int) = ([], 0)
    // What the text sets itself is its own, whatever it is called.
    let own = Set(
      names.paths.filter { ["assign", "capture", "for", "tablerow"].contains($0.before) }.compactMap(\.names.first))
    for path in names.paths {
      let replacement: String?
      if let root = path.names.first, own.contains(root) {
        // Ours cannot be set.
        replacement =
          MessageText.objects.contains(root) ? (["own_\(root)"] + path.names.dropFirst()).joined(separator: ".") : nil
      } else {
        replacement = try ours(path)
      }
      guard let replacement else { continue }
      result += names.bytes[end..<path.range.lowerBound] + Array(replacement.utf8)
      end = path.range.upperBound
    }
    return String(decoding: result + names.bytes[end...], as: UTF8.self)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// What a path is called here; nil when it is called the same.
  private static func ours(_ path: Path) throws(Refusal) -> String? {
    let root = path.names[0]
    let name = path.names.joined(separator: ".")
    guard let known = members[root] else {
      guard path.names.count > 1 else { return nil }
      if let reason = absent[root] { throw Refusal(name: name, reason: reason) }
      // A tag is a text: all it has is what every text has.
      let isOfText = path.names.dropFirst().allSatisfy(ofTexts.contains)
      guard isOfText || ofLiquid.contains(root) || MessageText.objects.contains(root) else {
        throw Refusal(name: name, reason: "there is no object \(root) here; \(instead(of: root))")
      }
      return nil
    }
    guard path.names.count > 1 else {
      throw Refusal(name: root, reason: "name one of its members: \(listed(root))")
    }
    if root == "user", path.names[1] == "tags" {
      guard path.names.count > 2 else {
        throw Refusal(
          name: "user.tags", reason: "name the tag, as in user.tags.first_name; the list of all tags is not here")
      }
      let tag = path.names.dropFirst(2).joined(separator: ".")
      // `user.id` is the external ID.
      return tag == "id" ? tag : "user.\(tag)"
    }
    guard let ours = known[path.names[1]] else {
      // A template that was saved has our names already.
      if root == "user", absent[name] == nil { return nil }
      throw Refusal(name: name, reason: absent[name] ?? "is not here; there are \(listed(root))")
    }
    return ([ours] + path.names.dropFirst(2)).joined(separator: ".")
  }

  private static func instead(of root: String) -> String {
    root == OneSignalFields.customData
      ? "name message.\(OneSignalFields.customData)"
      : "tags are user.tags.NAME, and values of the request message.\(OneSignalFields.customData).NAME"
  }

  private static func listed(_ root: String) -> String {
    let names = (members[root] ?? [:]).keys.sorted().map { "\(root).\($0)" }
    return (names + (root == "user" ? ["user.tags"] : [])).joined(separator: ", ")
  }

  // MARK: - Reading

  /// Finds the paths in all markup but comments and `raw`.
  private mutating func readMarkup() {
    var index = 0
    var skipped: String?
    while let start = opening(from: index) {
      let closing = bytes[start + 1] == UInt8(ascii: "%") ? UInt8(ascii: "%") : UInt8(ascii: "}")
      var end = start + 2
      while end + 1 < bytes.count, !(bytes[end] == closing && bytes[end + 1] == UInt8(ascii: "}")) { end += 1 }
      let first = paths.count
      readPaths(start + 2..<end)
      index = end
      let tag = closing == UInt8(ascii: "%") && paths.count > first ? paths[first].names[0] : ""
      if let name = skipped {
        paths.removeSubrange(first...)
        if tag == "end\(name)" { skipped = nil }
      } else if ["raw", "comment", "doc"].contains(tag) {
        skipped = tag
      }
    }
  }

  private func opening(from start: Int) -> Int? {
    var index = start
    while index + 1 < bytes.count {
      if bytes[index] == UInt8(ascii: "{"), [UInt8(ascii: "{"), UInt8(ascii: "%")].contains(bytes[index + 1]) {
        return index
      }
      index += 1
    }
    return nil
  }

  private mutating func readPaths(_ range: Range<Int>) {
    var index = range.lowerBound
    var before = ""
    while index < range.upperBound {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        index = quoted(index, range.upperBound)?.end ?? range.upperBound
      } else if isWord(byte) {
        // A word behind a dot is a member of what an index found.
        let isMember = index > range.lowerBound && bytes[index - 1] == UInt8(ascii: ".")
        let path = path(index..<range.upperBound, before)
        if !isMember, !(0x30...0x39).contains(byte) { paths.append(path) }
        before = path.names.count == 1 ? path.names[0] : ""
        index = path.range.upperBound
      } else {
        index += 1
      }
    }
  }

  private func path(_ range: Range<Int>, _ before: String) -> Path {
    var names: [String] = []
    var index = range.lowerBound
    func word() {
      let start = index
      while index < range.upperBound, isWord(bytes[index]) { index += 1 }
      names.append(String(decoding: bytes[start..<index], as: UTF8.self))
    }
    word()
    while index + 1 < range.upperBound {
      if bytes[index] == UInt8(ascii: "."), isWord(bytes[index + 1]) {
        index += 1
        word()
      } else if bytes[index] == UInt8(ascii: "["), let (text, end) = quoted(index + 1, range.upperBound),
        end < range.upperBound, bytes[end] == UInt8(ascii: "]"), !text.isEmpty, text.utf8.allSatisfy(isWord)
      {
        names.append(text)
        index = end + 1
      } else {
        break
      }
    }
    return Path(names: names, range: range.lowerBound..<index, before: before)
  }

  /// The text in quotes that begins at an index, and where it ends.
  private func quoted(_ start: Int, _ limit: Int) -> (text: String, end: Int)? {
    guard start < limit, bytes[start] == UInt8(ascii: "\"") || bytes[start] == UInt8(ascii: "'") else { return nil }
    guard let end = bytes[(start + 1)..<limit].firstIndex(of: bytes[start]) else { return nil }
    return (String(decoding: bytes[(start + 1)..<end], as: UTF8.self), end + 1)
  }

  private func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), 0x80...: true
    default: false
    }
  }
}
