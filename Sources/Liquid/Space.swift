/// White space, as Unicode has it.
enum Space {
  /// How many bytes of white space begin at an index; zero when there is none.
  static func count(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
    let byte = unsafe bytes[index]
    if byte < 0x80 { return byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) || (byte >= 0x1C && byte <= 0x1F) ? 1 : 0 }
    guard index + 1 < bytes.count else { return 0 }
    if byte == 0xC2 { return unsafe bytes[index + 1] == 0x85 || bytes[index + 1] == 0xA0 ? 2 : 0 }
    guard index + 2 < bytes.count, byte == 0xE1 || byte == 0xE2 || byte == 0xE3 else { return 0 }
    switch unsafe (byte, bytes[index + 1], bytes[index + 2]) {
    case (0xE1, 0x9A, 0x80), (0xE3, 0x80, 0x80), (0xE2, 0x81, 0x9F): return 3
    case (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8), (0xE2, 0x80, 0xA9), (0xE2, 0x80, 0xAF): return 3
    default: return 0
    }
  }

  /// The range without white space at its beginning.
  static func trimmedStart(_ range: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
    let part = unsafe UnsafeBufferPointer(rebasing: bytes[..<range.upperBound])
    var start = range.lowerBound
    while start < range.upperBound {
      let count = unsafe count(part, at: start)
      if count == 0 { break }
      start += count
    }
    return start..<range.upperBound
  }

  /// The range without white space at its end.
  static func trimmedEnd(_ range: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
    var end = range.upperBound
    while end > range.lowerBound {
      var first = end - 1
      while first > range.lowerBound, end - first < 3, unsafe bytes[first] & 0xC0 == 0x80 { first -= 1 }
      guard unsafe count(UnsafeBufferPointer(rebasing: bytes[..<end]), at: first) == end - first else { break }
      end = first
    }
    return range.lowerBound..<end
  }

  static func trimmed(_ range: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
    unsafe trimmedEnd(trimmedStart(range, bytes), bytes)
  }

  static func isAll(_ range: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe trimmedStart(range, bytes).isEmpty
  }
}

/// The same for an array, for what is done once.
extension Space {
  static func trimmedStart(_ range: Range<Int>, _ bytes: [UInt8]) -> Range<Int> {
    unsafe bytes.withUnsafeBufferPointer { unsafe trimmedStart(range, $0) }
  }
  static func trimmedEnd(_ range: Range<Int>, _ bytes: [UInt8]) -> Range<Int> {
    unsafe bytes.withUnsafeBufferPointer { unsafe trimmedEnd(range, $0) }
  }
  static func trimmed(_ range: Range<Int>, _ bytes: [UInt8]) -> Range<Int> {
    unsafe bytes.withUnsafeBufferPointer { unsafe trimmed(range, $0) }
  }
  static func isAll(_ range: Range<Int>, _ bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { unsafe isAll(range, $0) }
  }
}
