internal import Signing

/// How much longer than its content an encrypted message is, so that its length says less (RFC 8291 section 5).
public enum WebPushPadding: Sendable, Hashable {
  /// As long as the content.
  case none
  /// Up to the next multiple of so many bytes, as far as the limit allows.
  case multiple(Int)
  /// As long as the limit allows: all messages have the same length.
  case full

  /// The zeros behind a content of so many bytes.
  func zeros(_ count: Int) -> Int {
    let room = WebPushCipher.plaintextBytesMax - count
    switch self {
    case .none: return 0
    case .multiple(let size): return min(room, size > 0 ? (size - count % size) % size : 0)
    case .full: return room
    }
  }
}
