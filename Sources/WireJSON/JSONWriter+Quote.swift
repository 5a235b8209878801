extension JSONWriter {
  /// Turns the one value written since `mark` into a string that contains its JSON text, in the same buffer.
  ///
  /// So `{"a":"b"}` becomes `"{\"a\":\"b\"}"`. `mark` must be directly before the value, after its key.
  public mutating func quote(since mark: Mark) {
    precondition(mark.used < used && endsWithComma, "nothing was written since the mark")
    let start = mark.used
    let end = used &- 1
    var escapes = 0
    for index in start..<end where JSONWriter.isEscapedInText(base[index]) { escapes &+= 1 }
    reserve(escapes &+ 2)
    // From the end, so that no byte is overwritten before it was moved.
    var target = end &+ escapes &+ 2
    used = target &+ 1
    base[target] = 0x2C
    target &-= 1
    base[target] = 0x22
    var source = end
    while source > start {
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

  /// Writes a value as a string: a string as it is, anything else as its JSON text.
  public mutating func textValue(_ value: JSONValue) {
    if case .string(let text) = value { return string(text) }
    let before = mark()
    self.value(value)
    quote(since: before)
  }
}
