/// A small deterministic generator (SplitMix64), so that a failing test can be run again from its printed seed.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  /// The seed this generator started from; print it in every failure message.
  public let seed: UInt64
  private var state: UInt64

  /// Starts from `seed`.
  public init(seed: UInt64) {
    self.seed = seed
    self.state = seed
  }

  /// Starts from `POSTRIDER_SEED` when it is set, and from a fresh random seed otherwise.
  public static func fromEnvironment() -> SeededRandom {
    if let text = Files.environment("POSTRIDER_SEED"), let seed = UInt64(text) { return SeededRandom(seed: seed) }
    return SeededRandom(seed: UInt64.random(in: 0...UInt64.max))
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
