internal import StoreModel
internal import WireJSON

/// What a push says, for those who look for it.
struct PushText {
  /// Whether a text of the push holds what is looked for, in any language or variant.
  static func holds(_ needle: Needle, _ document: PushDocument) -> Bool {
    if let message = try? JSON.parse(document.message), holds(needle, message) { return true }
    guard !document.request.isEmpty, let request = try? JSON.parse(document.request) else { return false }
    return ["campaign", "template", "message", "locales", "variants"].contains { name in
      request[name].map { holds(needle, $0) } ?? false
    }
  }

  /// Whether the push is for a segment.
  static func isFor(segment: String, _ document: PushDocument) -> Bool {
    guard !document.request.isEmpty else { return false }
    return (try? JSON.parse(document.request))?["to"]?["segment"]?.string == segment
  }

  /// The title, of the message for everyone.
  static func title(_ document: PushDocument) -> String? { message(document)?["title"]?.string }

  /// The message for everyone; nil when it is not kept any more, or is a template's.
  static func message(_ document: PushDocument) -> JSONValue? {
    if let message = try? JSON.parse(document.message) { return message }
    // A long list of recipients is not read for a title.
    guard document.request.count <= requestBytesMax else { return nil }
    return (try? JSON.parse(document.request))?["message"]
  }

  private static let requestBytesMax = 1 << 16

  private static func holds(_ needle: Needle, _ value: JSONValue) -> Bool {
    switch value {
    case .string(let text): needle.isIn(text)
    case .array(let values): values.contains { holds(needle, $0) }
    case .object(let members): members.contains { holds(needle, $0.value) }
    default: false
    }
  }
}

/// A text that is looked for in others, without regard to upper and lower case, in one pass over each of them.
struct Needle: Sendable {
  private let bytes: [UInt8]
  /// For each length of a match that ends, the longest one that can go on (Knuth, Morris, Pratt).
  private let falls: [Int]

  init(_ text: String) {
    bytes = Array(text.lowercased().utf8)
    var falls = [Int](repeating: 0, count: bytes.count)
    var length = 0
    for index in bytes.indices.dropFirst() {
      while length > 0, bytes[index] != bytes[length] { length = falls[length - 1] }
      if bytes[index] == bytes[length] { length += 1 }
      falls[index] = length
    }
    self.falls = falls
  }

  func isIn(_ text: String) -> Bool {
    guard !bytes.isEmpty else { return true }
    var length = 0
    for byte in text.lowercased().utf8 {
      while length > 0, byte != bytes[length] { length = falls[length - 1] }
      if byte == bytes[length] { length += 1 }
      if length == bytes.count { return true }
    }
    return false
  }
}
