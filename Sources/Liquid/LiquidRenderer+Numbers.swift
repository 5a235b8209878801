/// Numbers: what reads as one, and the filters that calculate.
extension LiquidRenderer {
  func double(_ value: Value) -> Double { value.kind == .integer ? Double(value.bits) : value.double }

  /// A whole number: an integer, a decimal without its fraction, or a text of one.
  func whole(_ value: Value) -> Int64? {
    switch value.kind {
    case .integer: value.bits
    case .decimal: Int64(exactly: value.double.rounded(.towardZero))
    case .bool: value.bits
    case .text:
      if let number = number(reading: value.textRange), number.kind == .integer { number.bits } else { nil }
    default: nil
    }
  }

  /// The number that a text is, with white space around it; nil when it is none.
  func number(reading range: Range<Int>) -> Value? {
    let text = unsafe bytes.withUnsafeBufferPointer { unsafe Space.trimmed(range, $0) }
    guard let first = text.first else { return nil }
    var at = bytes[first] == UInt8(ascii: "-") || bytes[first] == UInt8(ascii: "+") ? first + 1 : first
    let start = at
    var value: Int64 = 0
    while at < text.upperBound, bytes[at] >= 0x30, bytes[at] <= 0x39, at - start < 18 {
      value = value * 10 + Int64(bytes[at] - 0x30)
      at += 1
    }
    if at == text.upperBound, at > start { return .integer(bytes[first] == UInt8(ascii: "-") ? -value : value) }
    let isDecimal = text.allSatisfy { index in
      switch bytes[index] {
      case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        true
      default: false
      }
    }
    guard isDecimal, let double = Double(String(decoding: bytes[text], as: UTF8.self)), double.isFinite else {
      return nil
    }
    return .decimal(double)
  }

  /// A value as a number; zero when it is none.
  private func numeric(_ value: Value) -> Value {
    switch value.kind {
    case .integer, .decimal: value
    case .bool: .integer(value.bits)
    case .text: number(reading: value.textRange) ?? .integer(0)
    default: .integer(0)
    }
  }

  mutating func calculated(_ filter: Filter, _ value: Value, _ argument: Value) -> Value {
    let left = numeric(value)
    if argument.kind == .unset { return calculated(filter, left) }
    if filter == .round { return rounded(left, argument) }
    let right = numeric(argument)
    let result: Value
    switch filter {
    case .atLeast: result = double(left) < double(right) ? right : left
    case .atMost: result = double(left) > double(right) ? right : left
    case .dividedBy, .modulo: result = divided(filter, left, right)
    default: result = combined(filter, left, right)
    }
    return finite(result)
  }

  private mutating func finite(_ value: Value) -> Value {
    if value.kind == .decimal, !value.double.isFinite { fail(.range) }
    return value
  }

  private mutating func calculated(_ filter: Filter, _ value: Value) -> Value {
    if value.kind == .integer {
      guard filter == .abs else { return value }
      guard value.bits != .min else { return .decimal(-Double(value.bits)) }
      return .integer(Swift.abs(value.bits))
    }
    switch filter {
    case .abs: return .decimal(Swift.abs(value.double))
    case .ceil: return integer(value.double.rounded(.up))
    case .floor: return integer(value.double.rounded(.down))
    default: return integer(value.double.rounded(.toNearestOrAwayFromZero))
    }
  }

  private mutating func integer(_ double: Double) -> Value {
    guard let whole = Int64(exactly: double) else {
      fail(.range)
      return .integer(0)
    }
    return .integer(whole)
  }

  private mutating func rounded(_ value: Value, _ argument: Value) -> Value {
    let digits = whole(numeric(argument)) ?? 0
    guard digits > 0 else { return calculated(.round, value) }
    guard value.kind == .decimal, digits < 18, let number = DecimalNumber(value.double) else { return value }
    return .decimal(number.rounded(Int(digits)).double)
  }

  private mutating func divided(_ filter: Filter, _ left: Value, _ right: Value) -> Value {
    guard double(right) != 0 else {
      fail(.zero)
      return left
    }
    if left.kind == .integer, right.kind == .integer {
      guard !(left.bits == .min && right.bits == -1) else {
        fail(.range)
        return left
      }
      let (quotient, remainder) = left.bits.quotientAndRemainder(dividingBy: right.bits)
      let isBelow = remainder != 0 && (remainder < 0) != (right.bits < 0)
      if filter == .dividedBy { return .integer(isBelow ? quotient - 1 : quotient) }
      return .integer(isBelow ? remainder + right.bits : remainder)
    }
    if filter == .dividedBy { return .decimal(double(left) / double(right)) }
    if let one = DecimalNumber(left), let other = DecimalNumber(right), let rest = one.modulo(other) {
      return .decimal(rest.double)
    }
    let (one, other) = (double(left), double(right))
    return .decimal(one - other * (one / other).rounded(.down))
  }

  private mutating func combined(_ filter: Filter, _ left: Value, _ right: Value) -> Value {
    if left.kind == .integer, right.kind == .integer {
      let (result, isOver) =
        switch filter {
        case .minus: left.bits.subtractingReportingOverflow(right.bits)
        case .times: left.bits.multipliedReportingOverflow(by: right.bits)
        default: left.bits.addingReportingOverflow(right.bits)
        }
      if isOver { fail(.range) }
      return .integer(result)
    }
    if let one = DecimalNumber(left), let other = DecimalNumber(right) {
      let result =
        switch filter {
        case .minus: one.adding(other.negated)
        case .times: one.times(other)
        default: one.adding(other)
        }
      if let result { return .decimal(result.double) }
    }
    switch filter {
    case .minus: return .decimal(double(left) - double(right))
    case .times: return .decimal(double(left) * double(right))
    default: return .decimal(double(left) + double(right))
    }
  }

  /// Adds the numbers of a list.
  mutating func sum(_ items: [Value]) -> Value {
    items.reduce(.integer(0)) { combined(.plus, $0, numeric($1)) }
  }
}
