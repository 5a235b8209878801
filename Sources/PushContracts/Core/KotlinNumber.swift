/// Numbers as Kotlin and Java read them from texts.
enum KotlinNumber {
  /// A whole number of 64 bits: a sign at most, then digits of any script.
  ///
  /// Source: Kotlin, `String.toLongOrNull`, and Java, `Long.parseLong`, which ask `Character.digit` for each UTF-16 unit; so digits
  /// beyond the Basic Multilingual Plane are none.
  static func long(_ text: String, radix: Int64 = 10) -> Int64? {
    var scalars = text.unicodeScalars[...]
    let isNegative = scalars.first == "-"
    if isNegative || scalars.first == "+" { scalars.removeFirst() }
    guard !scalars.isEmpty else { return Optional.none }
    // Counted down, as there is one number more below 0.
    var number: Int64 = 0
    for scalar in scalars {
      guard let digit = digit(scalar.value), digit < radix else { return Optional.none }
      let (tens, isBeyond) = number.multipliedReportingOverflow(by: radix)
      let (sum, isOver) = tens.subtractingReportingOverflow(digit)
      guard !isBeyond, !isOver else { return Optional.none }
      number = sum
    }
    if isNegative { return number }
    return number == .min ? Optional.none : -number
  }

  /// The same of 32 bits.
  static func int(_ text: String) -> Int32? { long(text).flatMap { Int32(exactly: $0) } }

  /// The zeros of the scripts that have decimal digits (Unicode, general category Nd); the other nine follow each.
  private static let zeros: [UInt32] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0,
    0xF20,
    0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0,
    0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
  ]

  private static func digit(_ scalar: UInt32) -> Int64? {
    switch scalar {
    case 0x30...0x39: return Int64(scalar - 0x30)
    case 0x41...0x5A, 0x61...0x7A: return Int64(scalar & 0x1F) + 9
    case 0xFF21...0xFF3A, 0xFF41...0xFF5A: return Int64(scalar - 0xFF20 & 0x1F) + 9
    case ..<0x660: return Optional.none
    default: break
    }
    for zero in zeros where scalar >= zero && scalar < zero + 10 { return Int64(scalar - zero) }
    return Optional.none
  }
}
