internal import WireJSON

/// What may be stored of a request: its shape, and sentences about it, without ids, tokens and texts.
enum ShadowShape {
  private static let depthMax = 5
  private static let membersMax = 40
  private static let nameBytesMax = 60

  /// Members whose own names are the caller's data, such as ids of users.
  private static let opaque: Set<String> = [
    "data", "custom_data", "tags", "properties", "attributes", "extras", "template_data",
  ]
  /// Members whose texts name things of the app's and no people.
  private static let plain: Set<String> = [
    "app_id", "appId", "included_segments", "excluded_segments", "segment_id", "template_id", "field", "relation",
    "operator", "mode", "platform", "provider", "type", "delayed_option", "send_after", "target_channel",
  ]

  /// The shape of a value: names and kinds, with lengths instead of texts.
  static func of(_ value: JSONValue, depth: Int = 0) -> JSONValue {
    switch value {
    case .null, .bool: return value
    case .number: return "number"
    case .string(let text): return .string("text of \(text.utf8.count) bytes")
    case .array(let elements):
      guard let first = elements.first, depth < depthMax else { return .string("list of \(elements.count)") }
      let one = of(first, depth: depth + 1)
      return elements.count == 1 ? [one] : [one, .string("and \(elements.count - 1) more")]
    case .object(let members):
      guard depth < depthMax else { return .string("object of \(members.count)") }
      var shape = JSONObject()
      for (name, value) in members.prefix(membersMax) {
        let isOpaque = opaque.contains(name)
        shape[self.name(name)] =
          isOpaque && value.object != nil
          ? .string("object of \(value.object?.count ?? 0)") : of(value, depth: depth + 1)
      }
      if members.count > membersMax { shape["…"] = .string("and \(members.count - membersMax) more") }
      return .object(shape)
    }
  }

  /// Instead of every other name.
  private static let another = "(another name)"

  /// A member's name, when it has the form of one: others may be addresses or ids.
  static func name(_ text: String) -> String {
    let isName = text.utf8.enumerated().allSatisfy { index, byte in
      switch byte {
      case 0x61...0x7A, 0x41...0x5A, 0x5F: true
      case 0x30...0x39, 0x2D, 0x2E: index > 0
      default: false
      }
    }
    return isName && !text.isEmpty && text.utf8.count <= nameBytesMax || text == another ? text : another
  }

  /// A path of members with only names that may be stored.
  static func path(_ text: String) -> String {
    // A name in quotes is one that no plain path can have.
    if let quote = text.firstRange(of: "[\"") {
      let before = text[..<quote.lowerBound]
      return (before.isEmpty ? "" : path(String(before)) + ".") + name("")
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).prefix(8).map { part -> String in
      let name = part.prefix { $0 != "[" }
      return self.name(String(name)) + (name.count == part.count ? "" : "[]")
    }
    return parts.joined(separator: ".")
  }

  /// Takes the caller's texts out of sentences.
  struct Redaction: Sendable {
    /// The longest first, so that none is left in part.
    private let texts: [String]
    /// More texts than these are not compared: the sentence is left out then.
    private static let textsMax = 5_000
    private static let bytesMin = 3
    private static let sentenceBytesMax = 400
    /// How much of a text our own sentences repeat at most.
    private static let prefixes = [100, 40, 20]
    private let isWhole: Bool

    /// - Parameter others: texts that are no part of the body, such as those of the path.
    init(_ body: JSONValue, others: [String] = []) {
      var found: Set<String> = []
      for text in others { Redaction.add(text, to: &found) }
      isWhole = Redaction.collect(body, into: &found)
      texts = found.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    private static func add(_ text: String, to found: inout Set<String>) {
      guard text.utf8.count >= bytesMin else { return }
      found.insert(text)
      for length in prefixes where text.count > length { found.insert(String(text.prefix(length))) }
    }

    private static func collect(_ value: JSONValue, into found: inout Set<String>) -> Bool {
      guard found.count < textsMax else { return false }
      switch value {
      case .string(let text): add(text, to: &found)
      case .number(let number): add(JSON.minifiedText(.number(number)), to: &found)
      case .array(let elements): return elements.allSatisfy { collect($0, into: &found) }
      case .object(let members):
        for (name, value) in members where !plain.contains(name) {
          guard collect(value, into: &found) else { return false }
          if ShadowShape.name(name) != name { add(name, to: &found) }
        }
      case .null, .bool: break
      }
      return true
    }

    /// The sentence without them.
    func sentence(_ text: String) -> String {
      guard isWhole else { return "(left out: the request is too long to take its texts out of the sentence)" }
      var sentence = text
      for text in texts where sentence.contains(text) { sentence = sentence.replacing(text, with: "…") }
      guard sentence.utf8.count > Redaction.sentenceBytesMax else { return sentence }
      return String(sentence.prefix(Redaction.sentenceBytesMax / 4)) + "…"
    }
  }
}
