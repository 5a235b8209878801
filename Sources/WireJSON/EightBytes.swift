/// Eight bytes of text looked at in one register, the first byte lowest.
///
/// The tests use the classic borrow trick: subtracting a constant from each byte sets its top bit when the byte was
/// smaller. A borrow can only spill out of a byte that is itself a hit, so the lowest hit is always exact.
@usableFromInline
enum EightBytes {
  /// The top bit of each byte.
  @usableFromInline static var tops: UInt64 { @inline(__always) @inlinable get { 0x8080_8080_8080_8080 } }

  /// Reads eight bytes, the first one lowest on every machine.
  @inline(__always) @inlinable
  static func load(_ pointer: UnsafePointer<UInt8>) -> UInt64 {
    unsafe UInt64(littleEndian: UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self))
  }

  /// Marks control characters, quotes and backslashes: what a writer has to escape.
  @inline(__always) @inlinable
  static func needingEscape(_ word: UInt64) -> UInt64 {
    let quotes = word ^ 0x2222_2222_2222_2222
    let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
    let below =
      (word &- 0x2020_2020_2020_2020) | (quotes &- 0x0101_0101_0101_0101) | (backslashes &- 0x0101_0101_0101_0101)
    return below & ~word & tops
  }

  /// Marks the same, and bytes beyond ASCII: what a reader has to look at.
  @inline(__always) @inlinable
  static func needingCare(_ word: UInt64) -> UInt64 {
    let quotes = word ^ 0x2222_2222_2222_2222
    let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
    let below =
      (word &- 0x2020_2020_2020_2020) | (quotes &- 0x0101_0101_0101_0101) | (backslashes &- 0x0101_0101_0101_0101)
    return (below | word) & tops
  }

  /// Marks quotes and backslashes: each of them, so that they can be counted.
  @inline(__always)
  static func quotables(_ word: UInt64) -> UInt64 {
    zeros(word ^ 0x2222_2222_2222_2222) | zeros(word ^ 0x5C5C_5C5C_5C5C_5C5C)
  }

  /// Marks the bytes that are zero; no carry leaves a byte.
  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 {
    ~(((word & ~tops) &+ ~tops) | word | ~tops)
  }

  /// The index of the first marked byte.
  @inline(__always) @inlinable
  static func first(_ marks: UInt64) -> Int { marks.trailingZeroBitCount >> 3 }
}

#if !_pointerBitWidth(_32)
  /// Twice eight bytes at a time, by the same sums, for the stretches where there is nothing to do.
  @usableFromInline
  enum SixteenBytes {
    @inline(__always) @inlinable
    static func load(_ pointer: UnsafePointer<UInt8>) -> SIMD2<UInt64> {
      unsafe UnsafeRawPointer(pointer).loadUnaligned(as: SIMD2<UInt64>.self)
    }

    /// Whether a byte is marked by ``EightBytes/needingEscape(_:)``.
    @inline(__always) @inlinable
    static func needEscape(_ words: SIMD2<UInt64>) -> Bool {
      let marks = below(words) & ~words
      return (marks[0] | marks[1]) & EightBytes.tops != 0
    }

    /// Whether a byte is marked by ``EightBytes/needingCare(_:)``.
    @inline(__always) @inlinable
    static func needCare(_ words: SIMD2<UInt64>) -> Bool {
      let marks = below(words) | words
      return (marks[0] | marks[1]) & EightBytes.tops != 0
    }

    @inline(__always) @inlinable
    static func below(_ words: SIMD2<UInt64>) -> SIMD2<UInt64> {
      let quotes = words ^ 0x2222_2222_2222_2222
      let backslashes = words ^ 0x5C5C_5C5C_5C5C_5C5C
      return (words &- 0x2020_2020_2020_2020) | (quotes &- 0x0101_0101_0101_0101)
        | (backslashes &- 0x0101_0101_0101_0101)
    }
  }
#endif
