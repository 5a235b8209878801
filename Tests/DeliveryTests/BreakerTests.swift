import Delivery
import PushStore
import StoreModel
import TestSupport
import Testing

/// A gateway that was out of reach is asked again, whatever the clock does meanwhile.
@Suite struct BreakerTests {
  private let start = Timestamp(seconds: 1_800_000_000)

  @Test("Probes that end after the clock was set back make room for others") func setBackWhileProbing() {
    var breaker = Breaker(failuresMax: 1)
    breaker.failed(at: start, random: 0)
    let ahead = start.adding(seconds: 86_400)
    #expect(breaker.allowed(at: ahead) == Breaker.probeSends)
    breaker.sent(Breaker.probeSends)
    breaker.failed(at: ahead, random: 0)
    // In the new wait of a clock that is ahead, others are sent; then it is set back.
    let later = ahead.adding(seconds: 61)
    breaker.sent(Breaker.probeSends)
    breaker.follow(jumpMs: start.milliseconds - later.milliseconds)
    for _ in 0..<Breaker.probeSends { breaker.failed(at: start, random: 0) }
    #expect(breaker.isOpen && later > ahead)
    #expect(breaker.allowed(at: start.adding(seconds: 61)) == Breaker.probeSends)
  }

  @Test(
    "A wait that a clock measured that was ahead goes on for as long as it would have",
    arguments: [3_600, 86_400, 2_619_302_400])
  func waitsAsLong(aheadSeconds: Int64) throws {
    let ahead = start.adding(seconds: aheadSeconds)
    var breaker = Breaker(failuresMax: 1)
    breaker.failed(at: ahead, random: 0)
    let wait = try #require(breaker.nextDue(after: ahead)).milliseconds - ahead.milliseconds
    breaker.follow(jumpMs: -aheadSeconds * 1_000)
    #expect(breaker.allowed(at: start.adding(milliseconds: wait - 1)) == 0)
    #expect(breaker.allowed(at: start.adding(milliseconds: wait)) == Breaker.probeSends)
  }

  @Test("A wait of a clock that was ahead between two looks at it is over") func jumpThatNobodySaw() {
    var breaker = Breaker(failuresMax: 1)
    breaker.failed(at: start.adding(seconds: 86_400), random: 0)
    #expect(breaker.nextDue(after: start) == nil)
    #expect(breaker.allowed(at: start) == Breaker.probeSends)
  }

  @Test("When nothing is under way, a gateway is asked again within a minute", arguments: 0..<200)
  func isAskedAgain(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var breaker = Breaker(failuresMax: 4)
    var now = start
    var underWay = 0
    for _ in 0..<200 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        let count = min(breaker.allowed(at: now), Int.random(in: 1...8, using: &random))
        breaker.sent(count)
        underWay += count
      case 1, 2:
        guard underWay > 0 else { continue }
        underWay -= 1
        breaker.failed(at: now, random: random.next())
      case 3:
        guard underWay > 0 else { continue }
        underWay -= 1
        breaker.ended()
      case 4: now = now.adding(milliseconds: Int64.random(in: 1...90_000, using: &random))
      default:
        let jump = Int64.random(in: -86_400_000...86_400_000, using: &random)
        now = now.adding(milliseconds: jump)
        if jump < 0, Bool.random(using: &random) { breaker.follow(jumpMs: jump) }
      }
    }
    for _ in 0..<underWay { breaker.failed(at: now, random: random.next()) }
    #expect(breaker.allowed(at: now.adding(milliseconds: 60_001)) > 0, "seed \(seed)")
  }
}
