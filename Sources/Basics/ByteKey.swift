/// A name that is compared byte by byte, as both platforms do: `é` written in two ways is two names, and the Kelvin sign is
/// no K.
package struct ByteKey: Sendable, Hashable {
  /// The name.
  package let text: String

  /// The key for a name.
  package init(_ text: String) { self.text = text }

  /// Whether both have the same bytes.
  package static func == (left: ByteKey, right: ByteKey) -> Bool { left.text.hasSameBytes(as: right.text) }

  /// Feeds the bytes.
  package func hash(into hasher: inout Hasher) {
    let isFed: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
      unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isFed == nil { for byte in text.utf8 { hasher.combine(byte) } }
    hasher.combine(UInt8(0xFF))
  }
}
