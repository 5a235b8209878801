/// Hexadecimal text (RFC 4648, section 8).
public enum Hex {
  /// The lower-case digit of a value below 16.
  @inlinable
  public static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x57 &+ value }

  /// The upper-case digit of a value below 16.
  @inlinable
  public static func upperDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x37 &+ value }

  /// The value of a digit of either case; nil for any other byte.
  @inlinable
  public static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit &- 0x30
    case 0x41...0x46: digit &- 0x37
    case 0x61...0x66: digit &- 0x57
    default: nil
    }
  }

  /// Writes two digits for each byte, in lower case by default.
  @inlinable
  public static func encode(_ bytes: some Sequence<UInt8>, uppercase: Bool = false) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.underestimatedCount * 2)
    for byte in bytes {
      text.append(uppercase ? upperDigit(byte >> 4) : digit(byte >> 4))
      text.append(uppercase ? upperDigit(byte & 15) : digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads pairs of digits of either case; nil when a character is not a digit or the count is odd.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(Array(text.utf8)) }

  /// Reads pairs of digits of either case; nil when a byte is not a digit or the count is odd.
  @inlinable
  public static func decode(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    for index in stride(from: 0, to: text.count, by: 2) {
      guard let high = value(text[index]), let low = value(text[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Appends the last `digits` digits of a number, at most 16, in lower case.
  @inlinable
  public static func write(_ number: UInt64, digits: Int, to bytes: inout [UInt8]) {
    var shift = digits * 4
    while shift > 0 {
      shift -= 4
      bytes.append(digit(UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15))
    }
  }

  /// A number with at least `digits` digits, padded with zeros, in upper case by default.
  public static func text(_ number: some BinaryInteger, digits: Int, uppercase: Bool = true) -> String {
    let text = String(number, radix: 16, uppercase: uppercase)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
