/// The generator behind everything a scenario leaves to chance (SplitMix64): one seed, one course of events.
struct EmulatorRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(state)
  }

  /// A number in 0..<1.
  mutating func unit() -> Double { Self.unit(next()) }

  /// A number in 0..<1 that depends on the seed and these bytes only, whatever happened before.
  static func unit(seed: UInt64, _ bytes: UnsafeBufferPointer<UInt8>) -> Double {
    unsafe unit(mixed(hash(bytes) ^ seed))
  }

  /// FNV-1a; spread further by `mixed` where it picks at random.
  static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    unsafe bytes.forEach { hash = (hash ^ UInt64($0)) &* 0x100_0000_01B3 }
    return hash
  }

  static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  private static func unit(_ bits: UInt64) -> Double { Double(bits >> 11) / 9_007_199_254_740_992 }
}
