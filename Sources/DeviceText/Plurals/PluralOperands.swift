/// A number as the plural rules of CLDR look at it (UTS #35, part 3): trailing zeros of a fraction count.
public struct PluralOperands: Sendable, Hashable {
  /// How large numbers may be: digits before the point, digits behind it.
  static let digitsMax = 18

  /// The digits before the point, as a number.
  public let i: UInt64
  /// The digits behind the point with trailing zeros, as a number.
  public let f: UInt64
  /// The number of fraction digits, with trailing zeros.
  public let v: Int
  /// The digits behind the point without trailing zeros, as a number.
  public let t: UInt64
  /// The number of fraction digits, without trailing zeros.
  public let w: Int
  /// The exponent of a number in compact notation: 6 for `1c6`.
  public let c: Int
  /// The same as ``c``; an older name.
  public var e: Int { c }

  /// A whole number; the sign does not matter.
  public init(_ number: Int) {
    i = UInt64(number.magnitude)
    f = 0
    v = 0
    t = 0
    w = 0
    c = 0
  }

  /// Reads `12`, `-3`, `1.50` or `1.2c6`; nil for what is no such number or has more than 18 digits on a side.
  public init?(_ text: String) {
    var bytes = Array(text.utf8)[...]
    if bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
    guard var whole = Self.digits(&bytes) else { return nil }
    var fraction: [UInt8] = []
    if bytes.first == UInt8(ascii: ".") {
      bytes.removeFirst()
      guard let digits = Self.digits(&bytes) else { return nil }
      fraction = digits
    }
    var exponent = 0
    if let mark = bytes.first, mark == UInt8(ascii: "c") || mark == UInt8(ascii: "e") {
      bytes.removeFirst()
      guard let digits = Self.digits(&bytes), digits.count <= 2 else { return nil }
      exponent = Int(Self.number(digits))
      // The operands are those of the number that is meant, with its fraction moved behind the point.
      for _ in 0..<exponent { whole.append(fraction.isEmpty ? 0 : fraction.removeFirst()) }
    }
    while whole.count > 1, whole.first == 0 { whole.removeFirst() }
    guard bytes.isEmpty, whole.count <= Self.digitsMax, fraction.count <= Self.digitsMax else { return nil }
    i = Self.number(whole)
    f = Self.number(fraction)
    v = fraction.count
    while fraction.last == 0 { fraction.removeLast() }
    t = Self.number(fraction)
    w = fraction.count
    c = exponent
  }

  private static func digits(_ bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
    let digits = bytes.prefix { (0x30...0x39).contains($0) }.map { $0 - UInt8(ascii: "0") }
    bytes = bytes.dropFirst(digits.count)
    return digits.isEmpty ? nil : digits
  }

  private static func number(_ digits: [UInt8]) -> UInt64 {
    digits.reduce(0) { $0 &* 10 &+ UInt64($1) }
  }
}
