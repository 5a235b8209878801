internal import Basics

extension OneSignal {
  /// The integer that a text begins with, after white space; nil without a digit.
  static func leadingInteger(_ text: String) -> WholeNumber? {
    var bytes = trimmed(text).utf8[...]
    var digits = ""
    if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      digits = sign == UInt8(ascii: "-") ? "-" : ""
      bytes.removeFirst()
    }
    digits += String(Substring(bytes.prefix { $0 >= 0x30 && $0 <= 0x39 }))
    return WholeNumber(digits)
  }

  /// True for a text with `://` in it.
  static func hasScheme(_ text: String) -> Bool {
    var rest = text.utf8[...]
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      if rest[colon...].starts(with: "://".utf8) { return true }
      rest = rest[rest.index(after: colon)...]
    }
    return false
  }

  /// The text without white space at its ends.
  static func trimmed(_ text: String) -> String {
    guard let first = text.utf8.first, let last = text.utf8.last, first <= 0x20 || last <= 0x20 else { return text }
    var bytes = text.utf8[...]
    while let byte = bytes.first, byte <= 0x20 { bytes.removeFirst() }
    while let byte = bytes.last, byte <= 0x20 { bytes.removeLast() }
    return String(Substring(bytes))
  }
}
