extension JSONWriter {
  /// Turns the one value written since `mark` into a string that contains its JSON text, in the same buffer.
  ///
  /// So `{"a":"b"}` becomes `"{\"a\":\"b\"}"`. `mark` must be directly before the value, after its key.
  public mutating func quote(since mark: Mark) {
    precondition(mark.used < used && endsWithComma, "nothing was written since the mark")
    let start = mark.used
    let end = used &- 1
    let escapes = quotables(start, end)
    reserve(escapes &+ 2)
    // From the end, so that no byte is overwritten before it was moved.
    var target = end &+ escapes &+ 2
    used = target &+ 1
    unsafe base[target] = 0x2C
    target &-= 1
    unsafe base[target] = 0x22
    var source = end
    while source > start {
      // Where nothing is left to escape, and in many stretches before, eight bytes move at once.
      if source &- start >= 8, unsafe EightBytes.quotables(EightBytes.load(base + (source &- 8))) == 0 {
        source &-= 8
        target &-= 8
        let word = unsafe EightBytes.load(base + source)
        unsafe UnsafeMutableRawPointer(base + target).storeBytes(of: word.littleEndian, as: UInt64.self)
        continue
      }
      for _ in 0..<Swift.min(8, source &- start) {
        source &-= 1
        target &-= 1
        let byte = unsafe base[source]
        unsafe base[target] = byte
        if JSONWriter.isEscapedInText(byte) {
          target &-= 1
          unsafe base[target] = 0x5C
        }
      }
    }
    unsafe base[start] = 0x22
  }

  /// The number of quotes and backslashes between two positions.
  private func quotables(_ start: Int, _ end: Int) -> Int {
    var count = 0
    var index = start
    while index &+ 8 <= end {
      unsafe count &+= EightBytes.quotables(EightBytes.load(base + index)).nonzeroBitCount
      index &+= 8
    }
    while index < end {
      if unsafe JSONWriter.isEscapedInText(base[index]) { count &+= 1 }
      index &+= 1
    }
    return count
  }

  /// Minified JSON text has no raw control characters, so quotes and backslashes are all there is to escape.
  private static func isEscapedInText(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x5C }

  /// Writes a value as a string: a string as it is, anything else as its JSON text.
  public mutating func textValue(_ value: JSONValue) {
    if case .string(let text) = value { return string(text) }
    let before = mark()
    self.value(value)
    quote(since: before)
  }
}
