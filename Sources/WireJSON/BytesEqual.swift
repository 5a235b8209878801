/// Comparing short texts without a call.
@usableFromInline
enum BytesEqual {
  /// Whether the bytes at `left` are those of `right`; at least `right.count` bytes must be there.
  @inline(__always) @inlinable
  static func isEqual(_ left: UnsafePointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = right.baseAddress else { return true }
    let count = right.count
    var index = 0
    while index &+ 8 <= count {
      if unsafe EightBytes.load(left + index) != EightBytes.load(start + index) { return false }
      index &+= 8
    }
    while index < count {
      if unsafe left[index] != start[index] { return false }
      index &+= 1
    }
    return true
  }

  /// Whether two texts of the same length, more than eight bytes, are the same behind their first eight.
  @inline(__always) @inlinable
  static func isTailEqual(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    // The last eight bytes overlap with what was compared.
    let last = count &- 8
    var index = 8
    while index < last {
      if unsafe EightBytes.load(left + index) != EightBytes.load(right + index) { return false }
      index &+= 8
    }
    return unsafe EightBytes.load(left + last) == EightBytes.load(right + last)
  }
}

extension StringText {
  /// Whether a string with escapes has this text, compared piece by piece.
  @inline(never) @usableFromInline
  static func isEqual(
    _ token: Token, _ source: UnsafePointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    // No text is longer than its escaped form.
    guard text.count <= token.extent else { return false }
    return unsafe decode(token, source).utf8.elementsEqual(text)
  }
}
