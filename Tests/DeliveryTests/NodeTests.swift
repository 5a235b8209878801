import Delivery
import Glibc
import PushStore
import StoreModel
import Synchronization
import System
import TestEngines
import TestSupport
import Testing

/// Engines of several nodes on one database.
@Suite(.serialized, .timeLimit(.minutes(10))) struct NodeTests {
  @Test func aCampaignIsSharedAndEachDeviceGetsItOnce() throws {
    let f = try NodeFixture()
    try f.devices(2_000)
    let held = HeldSender()
    let push = try f.push()
    try f.first.start(f.app, held) { $0.window = 200 }
    try f.until("the first node's share") { held.count > 0 }
    let second = try f.add("two")
    let third = try f.add("three")
    let senders = [ScriptedSender(), ScriptedSender()]
    try second.start(f.app, senders[0]) { $0.campaignTurn = 100 }
    try third.start(f.app, senders[1]) { $0.campaignTurn = 100 }
    try f.until("the others' share") { held.count + senders[0].sent.count + senders[1].sent.count == 2_000 }
    // Nothing more comes to the first while it answers: what it holds is all that is left.
    held.answer(.accepted(name: nil))
    try f.untilFinished(push)
    let counts = try f.counts(push)
    #expect(
      counts.accepted == 2_000, "\(counts)"
    )
    #expect(try f.resent(push) == 0)
    let tokens = senders.flatMap { $0.sent.map(\.token) }
    #expect(Set(tokens).count == tokens.count)
    try f.checkLedger()
  }

  @Test func whatADeadNodeHadIsSentByAnotherWhenItsTermIsOver() throws {
    let f = try NodeFixture()
    try f.devices(50)
    let push = try f.push()
    while try !f.first.store.wait({
      f.first.store.extendAudience(of: push, limit: 1_000, now: FixtureNode.now, completion: $0)
    }).complete {}
    // A node that leased and was never heard of again.
    let request = LeaseRequest(node: "gone", durationMs: 1_500, picks: [.push(push, max: 20)], closed: [])
    let lease = try f.first.store.wait { f.first.store.lease(request, now: FixtureNode.now, completion: $0) }
    #expect(lease.deliveries.count == 20)
    let sender = ScriptedSender()
    try f.first.start(f.app, sender) { $0.leaseMs = 1_500 }
    try f.untilFinished(push)
    let counts = try f.counts(push)
    #expect(counts.accepted == 50, "\(counts)")
    #expect(try f.resent(push) == 20)
    #expect(sender.sent.count == 50)
    try f.checkLedger()
  }

  /// The right to send ends before the lease does, by the node's own clock.
  @Test func aNodeThatWasStoppedGivesBackWhatItHasNotSent() throws {
    let f = try NodeFixture()
    try f.devices(30)
    let full = ScriptedSender()
    full.setRoom(0)
    let push = try f.push()
    let two = try f.add("two")
    let elapsed = two.elapsed
    try two.start(f.app, full) {
      $0.elapsedMs = { SystemClock.elapsedMs() + elapsed.value.load(ordering: .relaxed) }
    }
    try f.until("a full lane") { two.engine?.statistics.queued == 30 }
    let before = two.engine?.statistics.recorded ?? 0
    // As if the process had been stopped for twelve seconds of a lease of fifteen.
    elapsed.value.store(12_000, ordering: .relaxed)
    two.engine?.wake()
    try f.until("what is given back") { (two.engine?.statistics.recorded ?? 0) >= before + 30 }
    #expect(full.sent.isEmpty)
    // Its leases are extended then, and it goes on.
    full.setRoom(.max)
    try f.untilFinished(push)
    #expect(full.sent.count == 30 && Set(full.sent.map(\.token)).count == 30)
    #expect(try f.resent(push) == 0)
    try f.checkLedger()
  }

  @Test func answersUnderALeaseThatOthersEndedChangeNothing() throws {
    let f = try NodeFixture()
    try f.devices(30)
    let held = HeldSender()
    let push = try f.push()
    let two = try f.add("two")
    // Room for these thirty, so that it leases none of them again.
    try two.start(f.app, held) { ($0.window, $0.transactionalReserve) = (60, 30) }
    try f.until("everything on the wire") { held.count == 30 }
    // The first node takes the second for dead, and sends again.
    let later = FixtureNode.now.adding(seconds: 60)
    let ended = try f.first.store.wait { f.first.store.recoverLeases(node: nil, now: later, completion: $0) }
    #expect(ended.requeued == 30)
    let sender = ScriptedSender { _, _ in .accepted(name: nil) }
    try f.first.start(f.app, sender) { $0.clock = { FixtureNode.now.adding(seconds: 60) } }
    try f.untilFinished(push)
    let before = try f.counts(push)
    #expect(before.accepted == 30, "\(before)")
    #expect(try f.resent(push) == 30)
    held.answer(.rejected(SendRejection(status: 410, reason: "Unregistered", meaning: .deadToken)))
    try f.until("the late answers") { two.engine?.statistics.unwritten == 0 && two.engine?.statistics.onWire == 0 }
    #expect(try f.counts(push) == before)
    try f.checkLedger()
  }

  @Test func whatAnotherNodeTakesBackIsNotSent() throws {
    let f = try NodeFixture()
    let devices = try f.devices(10)
    let full = ScriptedSender()
    full.setRoom(0)
    let push = try f.push()
    let two = try f.add("two")
    try two.start(f.app, full)
    try f.until("a full lane") { two.engine?.statistics.queued == 10 }
    try f.first.store.setDeviceState(devices[3], .retired, reason: "gone", now: FixtureNode.now)
    try f.until("what is taken back") { try f.counts(push).rejected == 1 }
    full.setRoom(.max)
    try f.untilFinished(push)
    #expect(full.sent.count == 9 && full.count("t3") == 0)
    try f.checkLedger()
  }

  @Test func aPushThatAnotherNodeCancelsIsNotSent() throws {
    let f = try NodeFixture()
    try f.devices(10)
    let full = ScriptedSender()
    full.setRoom(0)
    let push = try f.push()
    let two = try f.add("two")
    try two.start(f.app, full)
    try f.until("a full lane") { two.engine?.statistics.queued == 10 }
    try f.first.store.cancelPush(push, now: FixtureNode.now)
    try f.untilFinished(push)
    #expect(try f.counts(push).cancelled == 10 && full.sent.isEmpty)
    try f.checkLedger()
  }

  /// How a node learns of the stops that others write.
  enum Way: CaseIterable { case news, poll }

  /// News are enough, and so is a look once in a while where they are lost.
  @Test(arguments: Way.allCases) func aLaneThatAnotherNodeStopsIsSentNothingUntilItIsLetGo(by way: Way) throws {
    let f = try NodeFixture(losesNotifications: way == .poll)
    try f.devices(30)
    let sender = ScriptedSender()
    sender.setRoom(0)
    let push = try f.push()
    let two = try f.add("two")
    // What changes this is heard of as work.
    try f.until("that they know each other") {
      f.first.store.nodeStatus.liveNodes == 2 && two.store.nodeStatus.liveNodes == 2
    }
    try two.start(f.app, sender) {
      // Whoever extends its leases looks as well: once an hour.
      $0.leaseMs = 3 * 3_600_000
      if way == .news { $0.pollMs = 3_600_000 }
    }
    try f.until("a full lane") { two.engine?.statistics.queued == 30 }
    let lane = LaneKey(app: f.app, provider: .apns, environment: .production)
    let now = FixtureNode.now
    let stop = LaneStop(
      lane: lane, reason: "InvalidProviderToken", since: now, refusals: 1, retryAt: now.adding(seconds: 1_800))
    try f.first.store.wait { f.first.store.setStop(of: lane, stop, completion: $0) }
    try f.until("what is given back") { two.engine?.statistics.queued == 0 }
    sender.setRoom(.max)
    try f.until("quiet") { two.engine?.statistics.inFlight == 0 && two.engine?.statistics.unwritten == 0 }
    #expect(sender.sent.isEmpty)
    try f.first.store.wait { f.first.store.setStop(of: lane, nil, completion: $0) }
    try f.untilFinished(push)
    #expect(sender.sent.count == 30 && Set(sender.sent.map(\.token)).count == 30)
    try f.checkLedger()
  }

  @Test func aNodeThatStopsHandsEverythingBackAtOnce() throws {
    let f = try NodeFixture()
    try f.devices(40)
    let held = HeldSender()
    let push = try f.push()
    let two = try f.add("two")
    try two.start(f.app, held)
    try f.until("everything on the wire") { held.count == 40 }
    let term = try #require(
      try two.store.claimDuty(.upkeep, until: FixtureNode.now.adding(seconds: 3_600), now: FixtureNode.now))
    #expect(try f.first.store.claimDuty(.upkeep, until: term.until, now: FixtureNode.now) == nil)
    two.engine?.stop(withinMs: 0)
    try two.store.leave(now: FixtureNode.now)
    #expect(try f.database.run("SELECT count(*) FROM leases") == "0\n")
    #expect(try f.first.store.nodes().map(\.name) == ["one"])
    #expect(try f.first.store.claimDuty(.upkeep, until: term.until, now: FixtureNode.now)?.epoch == term.epoch + 1)
    // What had no answer may have arrived.
    let counts = try f.counts(push)
    #expect(counts.waiting == 40, "\(counts)")
    #expect(try f.resent(push) == 40)
    try f.checkLedger()
  }

  /// Both of them send, each its part.
  @Test(arguments: [(Provider.apns, DeviceKind.ios), (.fcm, .android)])
  func aRateIsForAllNodesTogether(_ provider: Provider, _ kind: DeviceKind) throws {
    let f = try NodeFixture()
    try f.devices(600, kind)
    let two = try f.add("two")
    try f.until("that they know each other") {
      f.first.store.nodeStatus.liveNodes == 2 && two.store.nodeStatus.liveNodes == 2
    }
    let senders = [ScriptedSender(), ScriptedSender()]
    // Time stands still: what may be sent is what a tenth of a second lets through.
    let now = FixtureNode.now
    _ = try f.push()
    for (node, sender) in zip([f.first, two], senders) {
      try node.start(f.app, sender) {
        $0.clock = { now }
        $0.rates = [provider: .init(perSecond: 1_000)]
        // So that neither takes what the other has a part for.
        $0.window = 100
      }
    }
    try f.until("half of it by each") { senders.allSatisfy { $0.sent.count >= 50 } }
    usleep(300_000)
    #expect(senders.map(\.sent.count) == [50, 50])
  }

  @Test func aNodeWithAWrongClockSendsNothingAndSaysSo() throws {
    let f = try NodeFixture()
    try f.devices(5)
    let push = try f.push()
    let ahead = Shared(Atomic<Int64>(5_000))
    let two = try f.add("two") {
      $0.clock = { FixtureNode.now.adding(milliseconds: ahead.value.load(ordering: .relaxed)) }
    }
    let sender = ScriptedSender()
    try two.start(f.app, sender)
    try f.until("a word about the clock") {
      two.events.value.withLock { events in
        events.contains { if case .nodeWaits(let error) = $0 { error.message.contains("clock") } else { false } }
      }
    }
    #expect(throws: StoreError.self) { try two.store.checkReadiness() }
    #expect(try two.store.claimDuty(.upkeep, until: FixtureNode.now, now: FixtureNode.now) == nil)
    #expect(sender.sent.isEmpty)
    #expect(try f.counts(push).inFlight == 0)
    ahead.value.store(0, ordering: .relaxed)
    try f.untilFinished(push)
    #expect(sender.sent.count == 5)
    try two.store.checkReadiness()
  }

  /// A connection that is lost costs a moment: the name is taken again, and nothing that came meanwhile is missed.
  @Test func workGoesOnWhenTheConnectionOfANodeIsEnded() throws {
    let f = try NodeFixture()
    try f.devices(20)
    let two = try f.add("two")
    let sender = ScriptedSender()
    try two.start(f.app, sender)
    for _ in 0..<3 {
      try f.database.run(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query LIKE '%own AS (%'"
          + " AND pid <> pg_backend_pid() AND datname = current_database()")
      let push = try f.push()
      try f.untilFinished(push)
    }
    #expect(sender.sent.count == 60)
    try f.until("both are known again") { try f.first.store.nodes().filter(\.isLive).count == 2 }
    try f.checkLedger()
  }
}
