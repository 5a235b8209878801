extension String {
  /// Whether two texts have the same bytes; `==` of `String` also takes canonically equivalent ones for the same.
  ///
  /// Nearly every two names differ in length, which is known without looking at the bytes, and without a call.
  @inlinable @inline(__always)
  package func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && hasSameBytes(asEquallyLong: other)
  }

  /// The same for a text of as many bytes, compared word by word: each look-up of a member's name ends here.
  @usableFromInline
  package func hasSameBytes(asEquallyLong other: String) -> Bool {
    let isSame = unsafe utf8.withContiguousStorageIfAvailable { mine in
      unsafe other.utf8.withContiguousStorageIfAvailable { theirs in
        unsafe String.areSame(UnsafeRawBufferPointer(mine), UnsafeRawBufferPointer(theirs))
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Whether as many bytes are the same; every read is inside both, because a word is only read where eight bytes are left.
  private static func areSame(_ mine: UnsafeRawBufferPointer, _ theirs: UnsafeRawBufferPointer) -> Bool {
    var at = 0
    while at + 8 <= mine.count {
      let word = unsafe mine.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      guard unsafe word == theirs.loadUnaligned(fromByteOffset: at, as: UInt64.self) else { return false }
      at += 8
    }
    while at < mine.count {
      guard unsafe mine[at] == theirs[at] else { return false }
      at += 1
    }
    return true
  }
}
