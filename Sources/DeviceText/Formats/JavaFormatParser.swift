/// Takes a Java format apart and checks each specifier as soon as it is read.
struct JavaFormatParser {
  private let bytes: [UInt8]
  private var index = 0

  init(_ format: String) { bytes = Array(format.utf8) }

  mutating func parse() throws(JavaFormatException) -> [JavaFormatPiece] {
    var pieces: [JavaFormatPiece] = []
    while index < bytes.count {
      let start = index
      while index < bytes.count, bytes[index] != UInt8(ascii: "%") { index += 1 }
      if index > start { pieces.append(.fixed(text(start..<index))) }
      if index < bytes.count { pieces.append(.specifier(try specifier())) }
    }
    return pieces
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// Reads `%[index$][flags][width][.precision][t]conversion`.
  private mutating func specifier() throws(JavaFormatException) -> JavaFormatSpecifier {
    let start = index
    index += 1
    guard index < bytes.count else {
      throw JavaFormatException(
        "UnknownFormatConversionException", "a % at the end of a format ends the app; write %%")
    }
    var digits = self.digits()
    let position = byte == UInt8(ascii: "$") ? digits : nil
    if position != nil { index += 1 } else { index = start + 1 }
    let flagsStart = index
    while let byte, "-#+ 0,(<".utf8.contains(byte) { index += 1 }
    let flags = Array(bytes[flagsStart..<index])
    digits = self.digits()
    let width = digits
    var precision: Range<Int>?
    if byte == UInt8(ascii: "."), index + 1 < bytes.count, Self.isDigit(bytes[index + 1]) {
      index += 1
      precision = self.digits()
    }
    let isDate = (byte ?? 0) | 0x20 == UInt8(ascii: "t") && index + 1 < bytes.count && Self.ends(bytes[index + 1])
    let isUpperDate = isDate && byte == UInt8(ascii: "T")
    if isDate { index += 1 }
    guard let last = byte, Self.ends(last) else { throw unknown(at: start) }
    index += 1
    var specifier = JavaFormatSpecifier(text: text(start..<index), conversion: last)
    specifier.isDate = isDate
    specifier.isUpperCase = isUpperDate
    try set(&specifier, position: position, flags: flags, width: width, precision: precision)
    try JavaFormatCheck.check(specifier)
    return specifier
  }

  /// Fills in what may be out of range, in the order in which Java looks at it.
  private func set(
    _ specifier: inout JavaFormatSpecifier, position: Range<Int>?, flags: [UInt8], width: Range<Int>?,
    precision: Range<Int>?
  ) throws(JavaFormatException) {
    let text = ShownText.short(specifier.text)
    if let position {
      guard let number = number(position), number > 0 else {
        throw JavaFormatException(
          "IllegalFormatArgumentIndexException", "\(text) has no such position, and ends the app; positions start at 1")
      }
      specifier.index = .at(number - 1)
    }
    for (index, flag) in flags.enumerated() where flags[..<index].contains(flag) {
      throw JavaFormatException("DuplicateFormatFlagsException", "\(text) has a flag twice, and ends the app")
    }
    specifier.flags = flags
    if specifier.has("<") { specifier.index = .previous }
    if let width {
      guard let number = number(width) else {
        throw JavaFormatException("IllegalFormatWidthException", "\(text) has too large a width, and ends the app")
      }
      specifier.width = number
    }
    if let precision {
      guard let number = number(precision) else {
        throw JavaFormatException(
          "IllegalFormatPrecisionException", "\(text) has too large a precision, and ends the app")
      }
      specifier.precision = number
    }
    try JavaFormatCheck.classify(&specifier)
  }

  private func unknown(at start: Int) -> JavaFormatException {
    let shown = ShownText.short(text(start..<bytes.count).prefixScalars(8))
    let isApple = bytes[start...].contains(UInt8(ascii: "@"))
    return JavaFormatException(
      "UnknownFormatConversionException",
      "“\(shown)” is no specifier of Android, and ends the app; write "
        + (isApple ? "%s or %1$s, not Apple's %@" : "%% for a percent sign, %s or %1$s for an argument"))
  }

  private mutating func digits() -> Range<Int>? {
    let start = index
    while let byte, Self.isDigit(byte) { index += 1 }
    return index > start ? start..<index : nil
  }

  /// The number of some digits; nil above what a Java `int` holds.
  private func number(_ range: Range<Int>) -> Int? {
    var value: Int64 = 0
    for digit in bytes[range] {
      value = value * 10 + Int64(digit - UInt8(ascii: "0"))
      if value > Int64(Int32.max) { return nil }
    }
    return Int(value)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func ends(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "%") }
}

extension String {
  /// The first scalars.
  func prefixScalars(_ count: Int) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: unicodeScalars.prefix(count))
    return text
  }
}
