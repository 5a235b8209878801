/// Arithmetic on numbers from outside: what leaves the range ends at its nearest end, and nothing traps.
extension FixedWidthInteger {
  func saturatingAdding(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }

  func saturatingSubtracting(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  func saturatingMultiplied(by other: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}

/// The time that an emulator knows: 1970 to 9999, whatever its clock and the control API say.
enum EmulatorTime {
  static let range: ClosedRange<Int64> = 0...253_402_300_799_999

  static func clamped(_ milliseconds: Int64) -> Int64 { min(max(milliseconds, range.lowerBound), range.upperBound) }
}
