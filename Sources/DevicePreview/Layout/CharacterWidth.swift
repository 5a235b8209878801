/// How wide characters are, as far as a picture without the platform's fonts can know.
///
/// Widths are in thousandths of an em and those of a common sans serif; a device's own font differs by a few percent,
/// and so does where its lines end.
enum CharacterWidth {
  /// Space to tilde.
  private static let ascii: [UInt16] = [
    278, 278, 355, 560, 560, 889, 667, 191, 333, 333, 389, 584, 278, 350, 278, 278,
    560, 560, 560, 560, 560, 560, 560, 560, 560, 560, 278, 278, 584, 584, 584, 556,
    960, 667, 667, 710, 722, 640, 600, 770, 722, 278, 520, 667, 560, 850, 722, 770,
    650, 770, 680, 650, 620, 722, 667, 944, 667, 660, 611, 278, 278, 278, 469, 500,
    333, 550, 570, 530, 570, 556, 320, 570, 560, 240, 240, 520, 240, 850, 560, 570,
    570, 570, 350, 510, 330, 560, 520, 760, 520, 520, 500, 334, 260, 334, 584,
  ]

  /// Ranges of characters with their width; what no row names is 600.
  private static let ranges: [(first: UInt32, last: UInt32, width: UInt16)] = [
    (0x00A0, 0x00FF, 560), (0x0100, 0x024F, 560), (0x0370, 0x03FF, 570), (0x0400, 0x052F, 590),
    (0x0590, 0x05FF, 560), (0x0600, 0x06FF, 560), (0x0750, 0x077F, 560), (0x08A0, 0x08FF, 560),
    (0x0900, 0x0DFF, 640), (0x0E00, 0x0EFF, 560), (0x1100, 0x11FF, 950), (0x2000, 0x200A, 400),
    (0x2010, 0x2027, 700), (0x2030, 0x205E, 600), (0x20A0, 0x20CF, 600), (0x2190, 0x21FF, 900),
    (0x2600, 0x27BF, 1150), (0x2B00, 0x2BFF, 1150), (0x2E80, 0xA4CF, 1000), (0xAC00, 0xD7AF, 950),
    (0xF900, 0xFAFF, 1000), (0xFB50, 0xFDFF, 560), (0xFE30, 0xFE4F, 1000), (0xFE70, 0xFEFE, 560),
    (0xFF00, 0xFF60, 1000), (0xFFE0, 0xFFE6, 1000), (0x1F000, 0x1FAFF, 1180), (0x20000, 0x3FFFF, 1000),
  ]

  /// Characters that are drawn on the one before them.
  private static let marks: [ClosedRange<UInt32>] = [
    0x0300...0x036F, 0x0483...0x0489, 0x0591...0x05BD, 0x05BF...0x05BF, 0x05C1...0x05C2, 0x05C4...0x05C5,
    0x0610...0x061A, 0x064B...0x065F, 0x0670...0x0670, 0x06D6...0x06DC, 0x06DF...0x06E4, 0x06E7...0x06E8,
    0x06EA...0x06ED, 0x0900...0x0902, 0x093A...0x093A, 0x093C...0x093C, 0x0941...0x0948, 0x094D...0x094D,
    0x0951...0x0957, 0x0962...0x0963, 0x0981...0x0981, 0x09BC...0x09BC, 0x09C1...0x09C4, 0x09CD...0x09CD,
    0x0E31...0x0E31, 0x0E34...0x0E3A, 0x0E47...0x0E4E, 0x0EB1...0x0EB1, 0x0EB4...0x0EBC, 0x0EC8...0x0ECD,
    0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x200B...0x200F, 0x20D0...0x20FF, 0x302A...0x302F, 0x3099...0x309A,
    0xFE00...0xFE0F, 0xFE20...0xFE2F, 0x1F3FB...0x1F3FF, 0xE0020...0xE007F, 0xE0100...0xE01EF,
  ]

  /// Whether a character takes no room of its own.
  static func isMark(_ value: UInt32) -> Bool {
    guard value >= 0x0300 else { return false }
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < marks.count && marks[low].contains(value)
  }

  /// The width in thousandths of an em.
  static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value >= 0x20 && value < 0x7F { return Int(ascii[Int(value - 0x20)]) }
    if isMark(value) { return 0 }
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].last < value { low = middle + 1 } else { high = middle }
    }
    guard low < ranges.count, ranges[low].first <= value else { return 600 }
    return Int(ranges[low].width)
  }

  /// Whether a line may end before and after the character without a space: the scripts of East Asia.
  static func breaksAnywhere(_ value: UInt32) -> Bool {
    (0x2E80...0xA4CF).contains(value) || (0xAC00...0xD7AF).contains(value) || (0xF900...0xFAFF).contains(value)
      || (0xFF00...0xFFEF).contains(value) || (0x20000...0x3FFFF).contains(value)
      || (0x0E00...0x0EFF).contains(value)
  }

  /// Whether a character is drawn by a font of color pictures, alone or after one that is.
  static func isEmoji(_ value: UInt32) -> Bool {
    (0x1F000...0x1FAFF).contains(value) || (0x2600...0x27BF).contains(value) || (0x2B00...0x2BFF).contains(value)
  }

  /// Whether a character belongs to the emoji before it.
  static func continuesEmoji(_ value: UInt32) -> Bool {
    value == 0x200D || value == 0xFE0F || (0xE0020...0xE007F).contains(value) || value == 0x2640 || value == 0x2642
  }

  /// Punctuation of East Asia that must not begin a line.
  static func isClosing(_ value: UInt32) -> Bool {
    switch value {
    case 0x3001, 0x3002, 0x300D, 0x300F, 0x3011, 0x300B, 0x3009, 0xFF01, 0xFF09, 0xFF0C, 0xFF0E, 0xFF1A, 0xFF1B, 0xFF1F,
      0x30FC:
      true
    default: false
    }
  }
}
