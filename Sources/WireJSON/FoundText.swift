internal import Basics

/// The words behind "found" in an error.
enum FoundText {
  /// Describes what was found at a fault, when `rest` is the text from there on.
  static func describe(_ fault: ScanFault, _ rest: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    switch fault.expected {
    case .utf8: unsafe rest.first.map { "the byte \(Hex.text($0, digits: 2))" } ?? endOfText
    case .surrogate: unsafe "a lone surrogate \(String(decoding: rest.prefix(6), as: UTF8.self))"
    case .depth: "one more"
    case .stringEnd, .escape, .hex, .afterZero: unsafe character(rest)
    default: unsafe byteOrderMark(rest) ?? word(rest) ?? character(rest)
    }
  }

  /// The escape of a control character.
  static func escape(_ byte: UInt8) -> String {
    String(JSON.minifiedText(.string(String(Unicode.Scalar(byte)))).dropFirst().dropLast())
  }

  /// A text without control characters, so that a message about hostile input stays on one line.
  static func onOneLine(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
    var line = ""
    for scalar in text.unicodeScalars {
      if scalar.value < 0x20 || scalar.value == 0x7F {
        line += "\\u00\(Hex.text(scalar.value, digits: 2))"
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  private static let endOfText = "the end of the text"

  /// The longest word shown in full.
  private static let maxWordBytes = 20

  /// A bare word such as `None` or `NaN`.
  private static func word(_ rest: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
    let letters = unsafe rest.prefix {
      ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x5F
    }
    guard unsafe letters.count > 1 else { return nil }
    let shown = unsafe String(decoding: letters.prefix(maxWordBytes), as: UTF8.self)
    return unsafe letters.count > maxWordBytes ? "\"\(shown)…\"" : "\"\(shown)\""
  }

  private static func byteOrderMark(_ rest: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
    guard unsafe rest.startIndex == 0 else { return nil }
    if unsafe rest.starts(with: [0xEF, 0xBB, 0xBF]) {
      return "a byte order mark (EF BB BF; save the text as UTF-8 without it)"
    }
    if unsafe rest.starts(with: [0xFE, 0xFF]) || rest.starts(with: [0xFF, 0xFE]) {
      return "a UTF-16 byte order mark (save the text as UTF-8)"
    }
    return nil
  }

  private static func character(_ rest: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    guard let first = unsafe rest.first else { return endOfText }
    if first == 0x22 { return "a quote (\")" }
    if first < 0x20 || first == 0x7F { return "the control character U+00\(Hex.text(first, digits: 2))" }
    if first < 0x80 { return "\"\(Unicode.Scalar(first))\"" }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard let scalar = unsafe String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars.first else {
      return "the byte \(Hex.text(first, digits: 2))"
    }
    let code = "U+" + Hex.text(scalar.value, digits: 4)
    return isInvisible(scalar) ? "the character \(code)" : "\"\(scalar)\" (\(code))"
  }

  /// Spaces, direction marks and other characters beyond ASCII that show nothing or change what is shown around them.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x80...0xA0, 0xAD, 0x1680, 0x180E, 0x2000...0x200F, 0x2028...0x202F, 0x205F...0x206F, 0x3000, 0xFEFF: true
    case 0xE0000...0xE0FFF, 0xE000...0xF8FF: true
    default: false
    }
  }
}
