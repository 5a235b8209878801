/// How the `apns-id`s of a push are made: canonical version-8 UUIDs (RFC 9562) that hold the delivery's number, so that nothing
/// has to be stored for a delivery, and that it is sent with each time it is sent.
public struct APNsIDs: Sendable, Hashable {
  /// How the part before the delivery's number is made.
  public enum Form: UInt8, Sendable, Hashable {
    /// The push's salt as it is: who got a push knew the ids of all others who did (pushes before schema version 26).
    case salt = 0
    /// A keyed hash of the delivery's number: an id says nothing of another.
    case keyed = 1
  }

  /// The push's secret random number.
  public let salt: UInt64
  /// How the part before the delivery's number is made.
  public let form: Form

  /// The ids of a push with this salt.
  public init(salt: UInt64, form: Form = .keyed) {
    self.salt = salt
    self.form = form
  }

  /// The two halves of a delivery's `apns-id`, the first half first.
  public func bits(of delivery: DeliveryID) -> (high: UInt64, low: UInt64) {
    let number = UInt64(bitPattern: delivery.rawValue)
    let hidden = form == .keyed ? APNsIDs.hash(number, key: salt) : salt
    return ((hidden & ~0xf000) | 0x8000, (number & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000)
  }

  /// A delivery's `apns-id`.
  public func id(of delivery: DeliveryID) -> String {
    let (high, low) = bits(of: delivery)
    return unsafe String(unsafeUninitializedCapacity: 36) { buffer in
      var offset = 0
      for nibble in 0..<32 {
        if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
          unsafe buffer[offset] = UInt8(ascii: "-")
          offset += 1
        }
        let half = nibble < 16 ? high >> UInt64(60 - nibble * 4) : low >> UInt64(60 - (nibble - 16) * 4)
        let digit = UInt8(truncatingIfNeeded: half & 0xf)
        unsafe buffer[offset] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        offset += 1
      }
      return 36
    }
  }

  /// SipHash-2-4 of one number: it takes 20 ns where an HMAC would take a microsecond of every send.
  package static func hash(_ number: UInt64, key: UInt64, _ second: UInt64 = 0x706f_7374_7269_6465) -> UInt64 {
    var state = SipState(key, second)
    state.compress(number)
    // The length of the message, 8 bytes, is the last word.
    state.compress(8 << 56)
    return state.finish()
  }

  private struct SipState {
    private var v0, v1, v2, v3: UInt64

    init(_ first: UInt64, _ second: UInt64) {
      v0 = first ^ 0x736f_6d65_7073_6575
      v1 = second ^ 0x646f_7261_6e64_6f6d
      v2 = first ^ 0x6c79_6765_6e65_7261
      v3 = second ^ 0x7465_6462_7974_6573
    }

    mutating func compress(_ word: UInt64) {
      v3 ^= word
      round()
      round()
      v0 ^= word
    }

    mutating func finish() -> UInt64 {
      v2 ^= 0xff
      for _ in 0..<4 { round() }
      return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func round() {
      v0 &+= v1
      v1 = SipState.rotated(v1, 13) ^ v0
      v0 = SipState.rotated(v0, 32)
      v2 &+= v3
      v3 = SipState.rotated(v3, 16) ^ v2
      v0 &+= v3
      v3 = SipState.rotated(v3, 21) ^ v0
      v2 &+= v1
      v1 = SipState.rotated(v1, 17) ^ v2
      v2 = SipState.rotated(v2, 32)
    }

    private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }
  }
}
