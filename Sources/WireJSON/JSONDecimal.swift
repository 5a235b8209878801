internal import Basics

/// A number as sign, significant digits and power of ten, so that equal values have equal forms.
struct JSONDecimal: Equatable {
  let isNegative: Bool
  /// Without zeros at either end; empty for zero.
  let digits: [UInt8]
  /// The power of ten of the last digit; 0 for zero.
  let exponent: Int

  /// Exponents beyond this are not compared, to stay clear of overflow.
  private static let maxExponent = 1_000_000_000

  /// The form of a text that follows the grammar of JSON numbers; nil when its exponent is out of reach.
  init?(_ text: String) {
    var digits: [UInt8] = []
    var scale = 0
    var inFraction = false
    var written = text.utf8[...]
    let negative = written.first == 0x2D
    if negative { written.removeFirst() }
    var power = 0
    while let byte = written.popFirst() {
      switch byte {
      case 0x2E: inFraction = true
      case 0x65, 0x45:
        guard let value = Int(Substring(written)), value.magnitude <= JSONDecimal.maxExponent else { return nil }
        power = value
        written = written[written.endIndex...]
      default:
        digits.append(byte)
        if inFraction { scale += 1 }
      }
    }
    let end = digits.lastIndex { $0 != 0x30 }.map { $0 + 1 } ?? 0
    let start = digits.firstIndex { $0 != 0x30 } ?? 0
    exponent = end == 0 ? 0 : power - scale + (digits.count - end)
    self.digits = end == 0 ? [] : Array(digits[start..<end])
    isNegative = negative && end != 0
  }

  /// The value when it is an integer that fits.
  var int: WholeNumber? {
    guard exponent >= 0, digits.count + exponent <= 19 else { return nil }
    var magnitude: UInt64 = 0
    for digit in digits { magnitude = magnitude * 10 + UInt64(digit - 0x30) }
    for _ in 0..<exponent { magnitude *= 10 }
    if isNegative { return magnitude <= 1 << 63 ? WholeNumber(truncatingIfNeeded: 0 &- magnitude) : nil }
    return WholeNumber(exactly: magnitude)
  }
}
