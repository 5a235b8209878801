#if !_pointerBitWidth(_32)
  extension JSONWriter {
    /// The value that was written as the one member since `mark`, without its key, and its offset in the text; empty when
    /// nothing was.
    ///
    /// It is valid until the next change of the text.
    ///
    /// - Parameters:
    ///   - mark: the position before the key.
    ///   - key: the member's name.
    package func value(since mark: Mark, of key: JSONKey) -> (bytes: UnsafeBufferPointer<UInt8>, offset: Int) {
      let start = mark.used &+ key.count &+ 3
      // A comma is behind every value.
      return unsafe (UnsafeBufferPointer(start: base + start, count: Swift.max(used &- 1 &- start, 0)), start)
    }
  }
#endif
