internal import Basics

/// A key that is compared byte by byte, as both platforms do: `é` written in two ways is two keys.
struct ByteKey: Sendable, Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: ByteKey, right: ByteKey) -> Bool { left.text.hasSameBytes(as: right.text) }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
