import DevicePreview
import WireJSON

/// Values as a person reads them in a line.
enum Cell {
  /// A value: text as it is, lists with commas, what is absent as nothing.
  static func text(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null: ""
    case .string(let text): text
    case .bool(let bool): bool ? "yes" : "no"
    case .number(let number): number.text
    case .array(let values) where !values.contains { $0.object != nil || $0.array != nil }:
      values.map(text).joined(separator: ", ")
    case .some(let other): JSON.minifiedText(other)
    }
  }

  /// The member behind a path such as `counts.accepted`.
  static func member(_ path: String, of value: JSONValue) -> JSONValue? {
    var value: JSONValue? = value
    for name in path.split(separator: ".") { value = value?[String(name)] }
    return value
  }

  /// One line that can do nothing to a terminal.
  static func inert(_ text: String) -> String {
    InertText(text).text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: " ")
  }

  /// A time to the second, for people; all else as it is.
  static func brief(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let isInstant = bytes.count == 24 && bytes[10] == UInt8(ascii: "T") && bytes[19] == UInt8(ascii: ".")
    return isInstant && bytes[23] == UInt8(ascii: "Z") ? "\(text.prefix(19))Z" : text
  }

  /// How many columns of a terminal a text takes: two for letters of East Asia and pictures.
  static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  static func width(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if first.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    return wide.contains { $0.contains(first.value) } ? 2 : 1
  }

  /// UAX #11: blocks whose characters are wide.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]

  /// A text cut to at most `width` columns, the last of them an ellipsis.
  static func cut(_ text: String, to width: Int) -> String {
    guard Cell.width(text) > width else { return text }
    var kept = ""
    var used = 0
    for character in text {
      used += Cell.width(character)
      guard used < width else { break }
      kept.append(character)
    }
    return kept + "…"
  }
}
