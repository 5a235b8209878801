import Delivery
import Glibc
import PushStore
import StoreModel
import Synchronization
import TestSupport
import Testing

/// A provider that is away, two campaigns at once, a clock that jumps: nothing is lost and nothing is sent twice.
@Suite(.timeLimit(.minutes(10))) struct OutageTests {
  /// What the gateway does while it is away.
  enum Away: String, Sendable, CaseIterable { case unreachable, troubled }

  @Test("A provider that is down for an hour gets everything once when it is back", arguments: Away.allCases)
  func providerDownForAnHour(away: Away) throws {
    let f = try DeliveryFixture()
    let isDown = Shared(Atomic(true))
    let taken = Shared(Mutex<[String: Int]>([:]))
    let apns = SendRejection(status: 503, reason: "ServiceUnavailable", meaning: .trouble(.apns))
    let fcm = SendRejection(status: 503, reason: "UNAVAILABLE", meaning: .trouble(.fcm))
    let sender = ScriptedSender { token, _ in
      if isDown.value.load(ordering: .sequentiallyConsistent) {
        let trouble = token.hasPrefix("a") ? fcm : apns
        return away == .unreachable ? .notProcessed(reason: "connection refused") : .rejected(trouble)
      }
      taken.value.withLock { $0[token, default: 0] += 1 }
      return .accepted(name: nil)
    }
    try f.devices(200)
    try f.devices(100, prefix: "a", kind: .android)
    try f.start(sender)
    let campaign = try f.push(.all(kinds: []), campaign: true)
    let single = try f.push(.addresses([DeviceAddress(token: "single", kind: .ios)]))
    try f.until("the first tries", seconds: 120) { try sender.sent.count > 1 && f.counts(campaign).targeted == 300 }
    // An hour in steps; at each of them the ledger balances and nothing has ended.
    for _ in 0..<60 {
      f.advance(seconds: 60)
      try f.until("a look at the store", seconds: 120) { f.engine?.statistics.onWire == 0 }
      try f.checkLedger()
    }
    let counts = try f.counts(campaign)
    #expect(counts.targeted == 300 && counts.waiting + counts.inFlight == 300, "\(counts)")
    #expect(try f.counts(single).accepted == 0)
    isDown.value.store(false, ordering: .sequentiallyConsistent)
    // On a busy machine the clock must not run away from the engine: after a day a delivery is abandoned for its age.
    var steps = 600
    try f.until("the end of both", seconds: 240) {
      if steps > 0 { f.advance(seconds: 30) }
      steps -= 1
      return try [campaign, single].allSatisfy { try f.store.push($0)?.finishedAt != nil }
    }
    #expect(try f.counts(campaign).accepted == 300)
    #expect(try f.counts(single).accepted == 1)
    let once = taken.value.withLock { $0 }
    let resent = try [campaign, single].reduce(0) { try $0 + (f.store.push($1)?.resent ?? 0) }
    let twice = once.filter { $0.value != 1 }
    #expect(once.count == 301 && twice.isEmpty, "\(twice.count) twice, \(resent) named, \(sender.sent.count) sends")
    try f.checkLedger()
  }

  @Test("A push service that is out of reach is tried after growing pauses") func growingPauses() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender { _, _ in .notProcessed(reason: "name_lookup") }
    try f.start(sender)
    let push = try f.push(.addresses([DeviceAddress(token: "https://push.example/a p a", kind: .web)]))
    try f.until("the first try") { sender.sent.count == 1 }
    for _ in 0..<60 {
      f.advance(seconds: 1)
      try f.lookAtStore()
    }
    // With the shortest pauses, each is half as long as the push is old: 1.5 to the tenth power is 58.
    let tries = sender.sent.count
    #expect(tries > 3 && tries <= 13, "\(tries) tries")
    #expect(try f.counts(push).waiting == 1)
    f.engine?.stop(withinMs: 2_000)
    try f.checkLedger()
  }

  @Test(
    "What is on the way to every gateway and lets nothing through is told after a few sends, and its end",
    arguments: [
      (DeviceKind.web, "proxy"), (.hms, "proxy"), (.hms, "token_unavailable"), (.android, "token_unavailable"),
    ])
  func wayOut(kind: DeviceKind, reason: String) throws {
    let f = try DeliveryFixture()
    let works = Shared(Atomic(false))
    try f.start(
      ScriptedSender { _, _ in
        works.value.load(ordering: .sequentiallyConsistent) ? .accepted(name: nil) : .notProcessed(reason: reason)
      })
    let push = try f.push(
      .addresses((0..<8).map { DeviceAddress(token: "https://push\($0).example/a p a", kind: kind) }))
    try f.until("the event") { f.events.value.withLock { $0.contains { $0.isUnreachable } } }
    works.value.store(true, ordering: .sequentiallyConsistent)
    try f.until("all of them") {
      f.advance(seconds: 10)
      return try f.counts(push).accepted == 8
    }
    let told = f.events.value.withLock { events in
      events.compactMap { event in
        if case .gatewayReachable = event { return "back" }
        return event.isUnreachable ? "away" : nil
      }
    }
    #expect(told == ["away", "back"])
    try f.checkLedger()
  }

  @Test("Two campaigns over one audience at once reach each device once each") func twoCampaignsOverOneAudience() throws
  {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    try f.devices(3_000)
    try f.start(sender) {
      $0.window = 400
      $0.transactionalReserve = 50
      $0.campaignTurn = 100
      $0.audienceChunk = 250
      $0.audienceAhead = 500
    }
    let pushes = [try f.push(.all(kinds: []), campaign: true), try f.push(.all(kinds: []), campaign: true)]
    for push in pushes {
      try f.until("the end of \(push)", seconds: 240) { try f.store.push(push)?.finishedAt != nil }
      #expect(try f.counts(push).accepted == 3_000)
    }
    var sends: [String: Set<String>] = [:]
    for sent in sender.sent { sends[sent.token, default: []].insert(sent.apnsID) }
    #expect(sender.sent.count == 6_000 && sends.count == 3_000)
    #expect(sends.values.allSatisfy { $0.count == 2 }, "each delivery has an id of its own")
    try f.checkLedger()
  }

  @Test(
    "A clock that jumps a day ahead and back loses nothing and sends only again what it names", arguments: [1, 2, 3])
  func clockJumps(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let f = try DeliveryFixture()
    // The outcome of a tenth of the first tries is not known.
    let sender = ScriptedSender { token, earlier in
      earlier == 0 && token.hasSuffix("3") ? .unknown(reason: "timeout") : .accepted(name: nil)
    }
    try f.devices(400)
    try f.start(sender) {
      $0.window = 100
      $0.transactionalReserve = 10
      $0.campaignTurn = 20
    }
    let push = try f.push(.all(kinds: []), campaign: true)
    for _ in 0..<12 {
      f.jump(seconds: Int64.random(in: -86_400...86_400, using: &random))
      try f.until("a look at the store", seconds: 120) { f.engine?.statistics.unwritten == 0 }
      try f.checkLedger()
    }
    try f.until("the end of it", seconds: 240) {
      f.advance(seconds: 120)
      return try f.store.push(push)?.finishedAt != nil
    }
    let end = try #require(try f.store.push(push))
    #expect(end.counts.accepted == 400, "\(end.counts)")
    var ids: [String: Set<String>] = [:]
    for sent in sender.sent { ids[sent.token, default: []].insert(sent.apnsID) }
    #expect(ids.count == 400 && ids.values.allSatisfy { $0.count == 1 })
    #expect(sender.sent.count <= 400 + end.resent, "\(sender.sent.count) sends, \(end.resent) named")
    try f.checkLedger()
  }

  /// A sender whose gateway cannot be reached until the flag is cleared.
  private static func refusing() -> (isDown: Shared<Atomic<Bool>>, sender: ScriptedSender) {
    let isDown = Shared(Atomic(true))
    let sender = ScriptedSender { _, _ in
      isDown.value.load(ordering: .sequentiallyConsistent)
        ? .notProcessed(reason: "connection refused") : .accepted(name: nil)
    }
    return (isDown, sender)
  }

  private func quiet(_ f: DeliveryFixture) throws {
    try f.until("quiet", seconds: 120) { f.engine?.statistics.onWire == 0 && f.engine?.statistics.unwritten == 0 }
  }

  @Test("Deliveries that break each connection do not keep their lane closed for the others")
  func brokenConnections() throws {
    let f = try DeliveryFixture()
    let isDown = Shared(Atomic(true))
    let sender = BreakingSender { isDown.value.load(ordering: .sequentiallyConsistent) }
    try f.devices(3_000)
    try f.start(sender)
    let campaign = try f.push(.all(kinds: []), campaign: true)
    for number in 0..<20 { _ = try f.push(.addresses([DeviceAddress(token: "bad\(number)", kind: .ios)])) }
    try f.until("the breaker", seconds: 120) { f.events.value.withLock { $0.contains { $0.isUnreachable } } }
    try quiet(f)
    isDown.value.store(false, ordering: .sequentiallyConsistent)
    let start = f.clock.now
    try f.until("the campaign", seconds: 240) {
      f.advance(seconds: 1)
      return try f.counts(campaign).accepted == 3_000
    }
    let seconds = (f.clock.now.milliseconds - start.milliseconds) / 1_000
    #expect(seconds < 600, "it took \(seconds) s of its clock")
  }

  @Test("A gateway that could not be reached is tried again soon after the clock was set back") func clockSetBack()
    throws
  {
    let f = try DeliveryFixture()
    let (isDown, sender) = Self.refusing()
    try f.devices(200)
    try f.start(sender)
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.until("the breaker", seconds: 120) { f.events.value.withLock { $0.contains { $0.isUnreachable } } }
    try quiet(f)
    // A week back; what waited for the gateway, here or in the ledger, waits as long as it was to wait.
    f.jump(seconds: -7 * 86_400)
    isDown.value.store(false, ordering: .sequentiallyConsistent)
    let late = try f.push(.addresses([DeviceAddress(token: "late", kind: .ios)]))
    try f.until("the new push", seconds: 240) {
      f.advance(seconds: 10)
      return try f.store.push(late)?.finishedAt != nil
    }
    try f.until("the campaign", seconds: 240) {
      f.advance(seconds: 10)
      return try f.store.push(push)?.finishedAt != nil
    }
    #expect(try f.counts(push).accepted == 200)
    let end = f.clock.now
    #expect(end < Timestamp(seconds: 1_800_000_000 - 6 * 86_400), "it took until \(end)")
    try f.checkLedger()
  }

  @Test("A gateway that was lost while the clock was ahead is tried again as soon as one that was lost at any time")
  func lostWhileAhead() throws {
    let f = try DeliveryFixture()
    let (isDown, sender) = Self.refusing()
    try f.devices(200)
    try f.start(sender)
    f.jump(seconds: 83 * 365 * 86_400)
    _ = try f.push(.all(kinds: []), campaign: true)
    try f.until("the breaker", seconds: 120) { f.events.value.withLock { $0.contains { $0.isUnreachable } } }
    try quiet(f)
    isDown.value.store(false, ordering: .sequentiallyConsistent)
    f.jump(seconds: -83 * 365 * 86_400)
    let late = try f.push(.addresses([DeviceAddress(token: "late", kind: .ios)]))
    // Longer than the first wait of a gateway that was lost, and much less than the longest one.
    f.advance(seconds: 5)
    try f.untilFinished(late)
    #expect(try f.counts(late).accepted == 1)
    try f.checkLedger()
  }

  @Test(
    "A clock that is wrong for a moment during an outage gives nothing up",
    arguments: [-86_400, 86_400, -30 * 86_400, 7 * 3_600], [false, true])
  func wrongForAMoment(seconds: Int64, atStart: Bool) throws {
    let f = try DeliveryFixture()
    let (isDown, sender) = Self.refusing()
    try f.devices(300)
    try f.start(sender)
    let campaign = try f.push(.all(kinds: []), campaign: true)
    let single = try f.push(.addresses([DeviceAddress(token: "one", kind: .ios)]))
    try f.until("the breaker", seconds: 120) { f.events.value.withLock { $0.contains { $0.isUnreachable } } }
    try quiet(f)
    if atStart { f.engine?.stop(withinMs: 0) }
    f.jump(seconds: seconds)
    if atStart { try f.start(sender) }
    for _ in 0..<4 {
      f.advance(seconds: 1)
      usleep(100_000)
      try quiet(f)
    }
    f.jump(seconds: -seconds)
    for _ in 0..<10 {
      f.advance(seconds: 60)
      usleep(50_000)
      try quiet(f)
    }
    isDown.value.store(false, ordering: .sequentiallyConsistent)
    try f.until("the end", seconds: 240) {
      f.advance(seconds: 60)
      return try f.store.push(campaign)?.finishedAt != nil && f.store.push(single)?.finishedAt != nil
    }
    #expect(try f.counts(campaign).accepted == 300 && f.counts(single).accepted == 1)
    try f.checkLedger()
  }

  @Test("A store that refuses the first recovery is asked again, and nothing is sent before it answers")
  func recoveryIsRepeated() throws {
    let f = try DeliveryFixture()
    let dying = HeldSender()
    try f.devices(3)
    try f.start(dying)
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.until("the sends") { dying.count == 3 }
    // Nothing is recorded: as a process that dies leaves it.
    f.engine?.stop(withinMs: 0)
    let away = f.folder.path + "-away"
    #expect(rename(f.folder.path, away) == 0)
    let good = ScriptedSender()
    try f.start(good)
    try f.until("the refusal") {
      f.events.value.withLock { events in events.contains { if case .storeTrouble = $0 { true } else { false } } }
    }
    #expect(rename(away, f.folder.path) == 0)
    #expect(good.sent.isEmpty)
    try f.until("the end") {
      f.advance(seconds: 1)
      return try f.store.push(push)?.finishedAt != nil
    }
    #expect(try f.counts(push).accepted == 3)
    #expect(try f.store.push(push)?.resent == 3)
    #expect(good.sent.count == 3)
    try f.checkLedger()
  }

  @Test(
    "A full disk is one trouble, from the first refused write until a write succeeds",
    .enabled(if: Mounts.areAllowed, "this process may not mount a file system"))
  func fullDisk() throws {
    let f = try DeliveryFixture(diskSize: "24m")
    let sender = HeldSender()
    try f.devices(400)
    try f.start(sender)
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.until("the sends") { sender.count == 400 }
    let filler = f.folder.path + "/filler"
    _ = try Subprocess.run("dd", ["if=/dev/zero", "of=\(filler)", "bs=64k"])
    sender.answer(.accepted(name: nil))
    let troubles = {
      f.events.value.withLock { events in
        events.compactMap { event -> Bool? in
          switch event {
          case .storeTrouble: true
          case .storeRecovered: false
          default: nil
          }
        }
      }
    }
    try f.until("the refusal") { troubles() == [true] }
    for _ in 0..<10 {
      f.advance(seconds: 2)
      usleep(50_000)
    }
    #expect(troubles() == [true])
    #expect(unlink(filler) == 0)
    try f.until("the end") {
      f.advance(seconds: 2)
      usleep(10_000)
      return try f.store.push(push)?.finishedAt != nil
    }
    #expect(troubles() == [true, false])
    #expect(try f.counts(push).accepted == 400)
    try f.checkLedger()
  }

  @Test(
    "A push that was paused for longer than deliveries are tried is tried anew when it is resumed",
    arguments: Provider.allCases)
  func pausedForLong(provider: Provider) throws {
    let f = try DeliveryFixture()
    let isWell = Shared(Atomic(false))
    let trouble = SendRejection(
      status: 503, reason: "Unavailable",
      meaning: .trouble(provider))
    let sender = ScriptedSender { _, _ in
      isWell.value.load(ordering: .sequentiallyConsistent) ? .accepted(name: nil) : .rejected(trouble)
    }
    try f.devices(5, kind: try #require(provider.kinds.first))
    try f.start(sender)
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.until("the first tries") { try sender.sent.count == 5 && f.counts(push).waiting == 5 }
    try f.store.pausePush(push)
    f.engine?.recheck(push)
    f.advance(seconds: 7 * 3_600)
    try f.lookAtStore()
    try f.store.resumePush(push, now: f.clock.now)
    f.engine?.recheck(push)
    f.engine?.wake()
    try f.until("the second tries") { sender.sent.count >= 10 && f.engine?.statistics.unwritten == 0 }
    #expect(try f.counts(push).rejected == 0)
    isWell.value.store(true, ordering: .sequentiallyConsistent)
    try f.until("the end", seconds: 60) {
      f.advance(seconds: 600)
      return try f.store.push(push)?.finishedAt != nil
    }
    #expect(try f.counts(push).accepted == 5)
    try f.checkLedger()
  }
}

/// Its gateway ends the connection at each delivery to a token that begins with `bad`: all that is sent with it is not processed.
private final class BreakingSender: Sender {
  private let isDown: @Sendable () -> Bool

  init(isDown: @escaping @Sendable () -> Bool) { self.isDown = isDown }

  func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
    let isBroken = isDown() || batch.entries.contains { $0.token.hasPrefix("bad") }
    let outcome = isBroken ? SendOutcome.notProcessed(reason: "connection lost") : .accepted(name: nil)
    sink.receive(batch.entries.map { SendAnswer(tag: $0.tag, outcome: outcome) })
    return true
  }
}
