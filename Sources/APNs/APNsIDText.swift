internal import Basics
internal import PushPayload

/// The text of an `apns-id` without a string: 36 bytes on the stack.
struct APNsIDText {
  /// 8-4-4-4-12 lower-case hexadecimal digits.
  private(set) var bytes: InlineArray<36, UInt8>

  /// Writes an id.
  init(_ id: APNsID) {
    bytes = InlineArray(repeating: UInt8(ascii: "-"))
    var offset = 0
    for digit in 0..<32 {
      if offset == 8 || offset == 13 || offset == 18 || offset == 23 { offset += 1 }
      let half = digit < 16 ? id.high : id.low
      let nibble = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (digit & 15))) & 15
      bytes[offset] = Hex.digit(nibble)
      offset += 1
    }
  }
}
