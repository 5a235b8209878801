/// Texts as Foundation takes them.
enum AppleText {
  /// A text without tabs and the blanks of any script around it, and without the line ends if these count, too.
  ///
  /// Source: CoreFoundation, `CFUniChar`: `whitespaces` and `whitespacesAndNewlines`.
  static func trimmed(_ text: String, lines: Bool) -> String {
    func isBlank(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x09, 0x20, 0xA0, 0x1680, 0x2000...0x200B, 0x202F, 0x205F, 0x3000: true
      case 0x0A...0x0D, 0x85, 0x2028, 0x2029: lines
      default: false
      }
    }
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.first, isBlank(scalar) { scalars.removeFirst() }
    while let scalar = scalars.last, isBlank(scalar) { scalars.removeLast() }
    return String(scalars)
  }
}
