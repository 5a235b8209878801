import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// What a throttle spreads stays spread: while its server is away, and while its clock is wrong.
@Suite(.onBothEngines, .timeLimit(.minutes(5))) struct ThrottleTests {
  let f: StoreFixture

  init() throws { f = try StoreFixture() }

  /// What happens to the server before its deliveries are due.
  enum Trouble: String, Sendable, CaseIterable { case none, awayForAnHour, restart, behindForAMoment, aheadForAMoment }

  /// A campaign of ten a minute whose lane is closed.
  private func held(_ count: Int, perMinute: Int = 10) throws -> PushID {
    var new = f.newPush(.devices(try f.devices(count)))
    new.throttlePerMinute = perMinute
    let push = try f.store.createPush(new, now: f.now).id
    while try f.lease([.push(push, max: 10)], closed: [.iPhones]).settled > 0 {}
    return push
  }

  private func jump(_ seconds: Int64, _ check: () throws -> Void = {}) throws {
    let latest = f.now
    f.now = f.now.adding(seconds: seconds)
    var page: ClockPage? = .begin(latest: max(latest, f.now))
    while let next = page { page = try f.wait { f.store.followClock(next, now: f.now, completion: $0) }.next }
  }

  /// Leases once a second until nothing waits; returns how many were sent in each second, and how often a row was put off.
  private func run(_ push: PushID, seconds: Int) throws -> (sent: [Int], settled: Int) {
    var (sent, settled) = ([Int](), 0)
    while try f.counts(push).waiting > 0, sent.count < seconds {
      let lease = try f.lease([.push(push, max: 1_000), .due(max: 1_000)])
      sent.append(lease.deliveries.count)
      settled += lease.settled - lease.deliveries.count
      f.now = f.now.adding(seconds: 1)
    }
    return (sent, settled)
  }

  @Test("No more go out in a minute than the throttle allows, whatever happened", arguments: Trouble.allCases)
  func keepsTheRate(after trouble: Trouble) throws {
    let push = try held(60)
    switch trouble {
    case .none: break
    case .awayForAnHour: f.now = f.now.adding(seconds: 3_600)
    case .restart:
      f.now = f.now.adding(seconds: 120)
      try f.reopen()
    case .behindForAMoment, .aheadForAMoment:
      let seconds: Int64 = trouble == .behindForAMoment ? -86_400 : 86_400
      try jump(seconds)
      // What is looked at while the clock is wrong.
      for _ in 0..<3 { _ = try f.lease([.due(max: 1_000)], closed: [.iPhones]) }
      f.now = f.now.adding(seconds: 4)
      try jump(-seconds)
    }
    let (sent, _) = try run(push, seconds: 1_000)
    #expect(try f.counts(push).waiting == 0)
    for start in sent.indices where start + 60 <= sent.count {
      let minute = sent[start..<start + 60].reduce(0, +)
      #expect(minute <= 11, "\(trouble), second \(start): \(minute)")
    }
    #expect(sent.max() == 1, "\(trouble): \(sent)")
    #expect((345...480).contains(sent.count), "\(sent.count) seconds")
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test("What came due meanwhile and what comes due now share the rate, and each is put off a few times at most")
  func sharesTheRate() throws {
    for count in [120, 240, 480] {
      let push = try held(count)
      // Half of them are overdue.
      f.now = f.now.adding(seconds: Int64(count) * 3)
      let (sent, settled) = try run(push, seconds: count * 20)
      #expect(try f.counts(push).waiting == 0)
      #expect(sent.max() == 1, "\(sent)")
      #expect(settled <= count * 3, "\(settled) of \(count)")
      #expect(sent.count <= count * 8, "\(sent.count) seconds for \(count)")
    }
  }

  @Test("A throttle that is raised or removed lets go of what it has spread", arguments: [nil, 600, 5])
  func faster(perMinute: Int?) throws {
    let push = try held(9_000)
    f.now = f.now.adding(seconds: 60)
    // What is overdue is spread over hours.
    #expect(try f.lease([.due(max: 9_000)]).deliveries.count <= 2)
    try f.store.setThrottle(push, perMinute: perMinute, now: f.now)
    let count = try f.lease([.due(max: 5_000)]).deliveries.count
    switch perMinute {
    case nil: #expect(count == 5_000)
    case 600: #expect((5...20).contains(count), "\(count)")
    default: #expect(count <= 2, "\(count)")
    }
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test("What a throttle puts off does not use up a user's place under a cap") func cap() throws {
    let push = try held(3, perMinute: 1)
    try f.store.setSuppressionRules(.init(frequencyCap: .init(pushes: 1, windowMs: 3_600_000)), app: f.app)
    f.now = f.now.adding(seconds: 600)
    let first = try #require(try f.lease([.due(max: 3)]).deliveries.first)
    let others = try f.store.devices(app: f.app, filter: DeviceFilter(), after: nil, limit: 10).map(\.id)
      .filter { $0 != first.device }
    let other = try f.store.createPush(f.newPush(.devices(others)), now: f.now).id
    #expect(try f.lease([.push(other, max: 3)]).deliveries.count == 2)
    #expect(try f.counts(push).waiting == 2)
  }

  @Test("First tries that are not held count against the rate of those that were") func countsBoth() throws {
    let push = try held(30)
    f.now = f.now.adding(seconds: 600)
    var new = f.newPush(.devices(try f.devices(5, prefix: "u")))
    new.throttlePerMinute = 10
    let other = try f.store.createPush(new, now: f.now).id
    // Another push has a rate of its own.
    #expect(try f.lease([.push(other, max: 5)]).deliveries.count == 5)
    #expect(try f.lease([.due(max: 100)]).deliveries.map(\.push) == [push])
  }
}
