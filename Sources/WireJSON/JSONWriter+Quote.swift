extension JSONWriter {
  /// Turns the one value written since `mark` into a string that contains its JSON text, in the same buffer.
  ///
  /// So `{"a":"b"}` becomes `"{\"a\":\"b\"}"`. `mark` must be directly before the value, after its key.
  public mutating func quote(since mark: Mark) {
    precondition(mark.used < used && endsWithComma, "nothing was written since the mark")
    let start = mark.used
    let end = used &- 1
    var escapes = 0
    var place = start
    #if !_pointerBitWidth(_32)
      while place &+ 8 <= end {
        escapes &+= JSONWriter.escapedInText(EightBytes.load(base + place)).nonzeroBitCount
        place &+= 8
      }
    #endif
    while place < end {
      if JSONWriter.isEscapedInText(base[place]) { escapes &+= 1 }
      place &+= 1
    }
    reserve(escapes &+ 2)
    // From the end, so that no byte is overwritten before it was moved.
    var target = end &+ escapes &+ 2
    used = target &+ 1
    base[target] = 0x2C
    target &-= 1
    base[target] = 0x22
    var source = end
    while source > start {
      #if !_pointerBitWidth(_32)
        // Eight bytes without an escape are moved at once.
        if source &- start >= 8 {
          let word = EightBytes.load(base + (source &- 8))
          if JSONWriter.escapedInText(word) == 0 {
            source &-= 8
            target &-= 8
            UnsafeMutableRawPointer(base + target).storeBytes(of: word.littleEndian, as: UInt64.self)
            continue
          }
        }
      #endif
      source &-= 1
      target &-= 1
      let byte = base[source]
      base[target] = byte
      if JSONWriter.isEscapedInText(byte) {
        target &-= 1
        base[target] = 0x5C
      }
    }
    base[start] = 0x22
  }

  /// Minified JSON text has no raw control characters, so quotes and backslashes are all there is to escape.
  private static func isEscapedInText(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x5C }

  #if !_pointerBitWidth(_32)
    /// The same for eight bytes: the top bit of each such byte, and of no other.
    private static func escapedInText(_ word: UInt64) -> UInt64 {
      let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
      let quotes = word ^ 0x2222_2222_2222_2222
      let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
      // A byte is zero where neither its top bit is set nor the sum of the others carries into it.
      return ~(((quotes & low) &+ low) | quotes | low) | ~(((backslashes & low) &+ low) | backslashes | low)
    }
  #endif

  /// Writes a value as a string: a string as it is, anything else as its JSON text.
  public mutating func textValue(_ value: JSONValue) {
    if case .string(let text) = value { return string(text) }
    let before = mark()
    self.value(value)
    quote(since: before)
  }
}
