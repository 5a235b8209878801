/// A number with as many decimals as its shortest text has, so that 0.1 and 0.2 are 0.3.
struct DecimalNumber {
  /// The digits.
  let digits: Int64
  /// How many of them are behind the point.
  let scale: Int

  private static let powers: [Int64] = (0...18).map { power in (0..<power).reduce(1) { product, _ in product * 10 } }

  private init(digits: Int64, scale: Int) {
    self.digits = digits
    self.scale = scale
  }

  init?(_ value: Value) {
    if value.kind == .integer {
      self.init(digits: value.bits, scale: 0)
    } else {
      self.init(value.double)
    }
  }

  /// Nil for what is written with an exponent, or has too many digits.
  init?(_ double: Double) {
    var digits: Int64 = 0
    var scale = 0
    var isBehindPoint = false
    var isNegative = false
    for byte in double.description.utf8 {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isBehindPoint = true
      case 0x30...0x39:
        let (product, isOver) = digits.multipliedReportingOverflow(by: 10)
        if isOver || product > .max - 9 { return nil }
        digits = product + Int64(byte - 0x30)
        if isBehindPoint { scale += 1 }
      default: return nil
      }
    }
    guard scale <= 18 else { return nil }
    // 2.0 is 2.
    while scale > 0, digits % 10 == 0 { (digits, scale) = (digits / 10, scale - 1) }
    self.init(digits: isNegative ? -digits : digits, scale: scale)
  }

  var negated: DecimalNumber { DecimalNumber(digits: -digits, scale: scale) }

  /// The nearest double.
  var double: Double {
    // Both exact, so that the quotient is rounded once.
    if digits.magnitude < 1 << 53 { return Double(digits) / Double(Self.powers[scale]) }
    return Double("\(digits)e-\(scale)") ?? 0
  }

  /// With more decimals; nil when there are too many digits.
  private func scaled(to other: Int) -> Int64? {
    let (product, isOver) = digits.multipliedReportingOverflow(by: Self.powers[other - scale])
    return isOver ? nil : product
  }

  func adding(_ other: DecimalNumber) -> DecimalNumber? {
    let scale = max(scale, other.scale)
    guard let one = scaled(to: scale), let two = other.scaled(to: scale) else { return nil }
    let (sum, isOver) = one.addingReportingOverflow(two)
    return isOver ? nil : DecimalNumber(digits: sum, scale: scale)
  }

  func times(_ other: DecimalNumber) -> DecimalNumber? {
    let (product, isOver) = digits.multipliedReportingOverflow(by: other.digits)
    return isOver || scale + other.scale > 18 ? nil : DecimalNumber(digits: product, scale: scale + other.scale)
  }

  /// The remainder, with the sign of the divisor.
  func modulo(_ other: DecimalNumber) -> DecimalNumber? {
    let scale = max(scale, other.scale)
    guard let one = scaled(to: scale), let two = other.scaled(to: scale), two != 0, two != -1 else { return nil }
    let rest = one % two
    return DecimalNumber(digits: rest != 0 && (rest < 0) != (two < 0) ? rest + two : rest, scale: scale)
  }

  /// Half away from zero.
  func rounded(_ places: Int) -> DecimalNumber {
    guard places < scale else { return self }
    let divisor = Self.powers[scale - places]
    let (quotient, rest) = digits.quotientAndRemainder(dividingBy: divisor)
    let isUp = rest.magnitude >= (divisor / 2).magnitude
    return DecimalNumber(digits: isUp ? quotient + (digits < 0 ? -1 : 1) : quotient, scale: places)
  }
}
