/// A key that is compared byte by byte, as both platforms do: `é` written in two ways is two keys.
struct ByteKey: Sendable, Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: ByteKey, right: ByteKey) -> Bool { left.text.hasSameBytes(as: right.text) }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

extension String {
  /// Whether two texts have the same bytes; `==` of `String` also takes canonically equivalent ones for the same.
  func hasSameBytes(as other: String) -> Bool { utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8) }
}
