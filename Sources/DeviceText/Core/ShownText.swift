internal import Basics

/// Makes untrusted text safe for a message on one line.
enum ShownText {
  /// The longest piece that is shown, in scalars.
  static let scalarsMax = 60

  /// A short text with everything invisible or overlaying by its number.
  static func short(_ text: String) -> String {
    var shown = ""
    for (count, scalar) in text.unicodeScalars.enumerated() {
      if count == scalarsMax { return shown + "…" }
      shown += self.scalar(scalar)
    }
    return shown
  }

  /// One character: itself, or `U+202E` when it would not be seen or would change how others are.
  static func scalar(_ scalar: Unicode.Scalar) -> String {
    isPlain(scalar) ? String(Character(scalar)) : "U+" + Hex.text(scalar.value, digits: 4)
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: false
    case 0x300...0x36F, 0x61C, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF: false
    case 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x20D0...0x20FF: false
    case 0xFE00...0xFE0F, 0xFE20...0xFE2F, 0xFEFF, 0xFFF0...0xFFFB, 0xE0000...0xE0FFF: false
    default: true
    }
  }
}
