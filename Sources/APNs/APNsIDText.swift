internal import PushPayload

/// The text of an `apns-id` without a string: 36 bytes on the stack.
struct APNsIDText {
  /// 8-4-4-4-12 lower-case hexadecimal digits.
  private(set) var bytes: InlineArray<36, UInt8>

  /// Writes an id.
  init(_ id: APNsID) {
    bytes = InlineArray(repeating: UInt8(ascii: "-"))
    var place = 0
    for digit in 0..<32 {
      if place == 8 || place == 13 || place == 18 || place == 23 { place += 1 }
      let half = digit < 16 ? id.high : id.low
      let nibble = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (digit & 15))) & 15
      bytes[place] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
      place += 1
    }
  }

  /// Reads an id in either case; `nil` for anything that is not a UUID.
  static func id(in text: ArraySlice<UInt8>) -> APNsID? {
    guard text.count == APNsID.textLength else { return nil }
    return text.withUnsafeBufferPointer { text in
      var halves: (high: UInt64, low: UInt64) = (0, 0)
      var digits = 0
      for (index, byte) in text.enumerated() {
        if index == 8 || index == 13 || index == 18 || index == 23 {
          guard byte == UInt8(ascii: "-") else { return nil }
          continue
        }
        guard let value = hexValue(byte) else { return nil }
        if digits < 16 { halves.high = halves.high << 4 | value } else { halves.low = halves.low << 4 | value }
        digits += 1
      }
      return APNsID(high: halves.high, low: halves.low)
    }
  }

  private static func hexValue(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
