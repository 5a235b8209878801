import TestSupport
import Testing

@testable import HTTP2

@Suite struct FrameBudgetTests {
  private static let second: Int64 = 1_000_000_000

  private static func read(_ budget: inout FrameBudget, _ bytes: [UInt8], at now: Int64 = 0) -> String? {
    bytes.withUnsafeBufferPointer { budget.read($0, at: now) }
  }

  private static let ping = Raw.frame(6, 0, 0, [UInt8](repeating: 0, count: 8))

  @Test func theFrameAfterTheBurstIsAFlood() {
    var budget = FrameBudget(now: 0)
    for _ in 0..<FrameBudget.burst { #expect(Self.read(&budget, Self.ping) == nil) }
    #expect(
      Self.read(&budget, Self.ping)
        == "ENHANCE_YOUR_CALM: a flood of frames that carry nothing, most of them PING")
  }

  @Test func workAndTimeRefillTheBudgetUpToTheBurst() {
    var budget = FrameBudget(now: 0)
    for _ in 0..<FrameBudget.burst { _ = Self.read(&budget, Self.ping) }
    budget.earn()
    for _ in 0..<FrameBudget.perRequest { #expect(Self.read(&budget, Self.ping) == nil) }
    for _ in 0..<FrameBudget.perSecond { #expect(Self.read(&budget, Self.ping, at: Self.second) == nil) }
    #expect(Self.read(&budget, Self.ping, at: Self.second) != nil)
    // The longest time and the most work fill it once, and overflow nothing.
    budget = FrameBudget(now: 0)
    for _ in 0..<1000 { budget.earn() }
    #expect(Self.read(&budget, [], at: Int64.max) == nil)
    for _ in 0..<FrameBudget.burst { #expect(Self.read(&budget, Self.ping, at: Int64.max) == nil) }
    #expect(Self.read(&budget, Self.ping, at: Int64.max) != nil)
  }

  @Test func dataIsWork() {
    var budget = FrameBudget(now: 0)
    let body = Raw.data(1, [UInt8](repeating: 0, count: FrameBudget.dataBytesMin))
    for _ in 0..<(FrameBudget.burst * 2) { #expect(Self.read(&budget, body) == nil) }
    let small = Raw.data(1, [UInt8](repeating: 0, count: FrameBudget.dataBytesMin - 1))
    var flood: String?
    for _ in 0...FrameBudget.burst { flood = Self.read(&budget, small) }
    #expect(flood?.hasSuffix("DATA") == true)
  }

  /// However the bytes are cut, the same frames are counted.
  @Test func cutsDoNotMatter() {
    var random = SeededRandom.fromEnvironment()
    let seed = random.seed
    for _ in 0..<50 {
      var bytes = [UInt8](repeating: 1, count: 24)
      var frames = 0
      while bytes.count < 20_000 {
        let type = UInt8.random(in: 1...20, using: &random)
        bytes += Raw.frame(type, 0, 0, [UInt8](repeating: 9, count: Int.random(in: 0...40, using: &random)))
        frames += 1
      }
      var budget = FrameBudget(preface: 24, now: 0)
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...50, using: &random))
        #expect(Self.read(&budget, Array(piece)) == nil, "POSTRIDER_SEED=\(seed)")
        rest = rest.dropFirst(piece.count)
      }
      for _ in frames..<FrameBudget.burst {
        #expect(Self.read(&budget, Self.ping) == nil, "POSTRIDER_SEED=\(seed)")
      }
      #expect(Self.read(&budget, Self.ping) != nil, "POSTRIDER_SEED=\(seed): \(frames) frames")
    }
  }
}
