import Ledger
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Each row is true: what may have been processed is never named expired, cancelled or rejected by a rule of ours.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct TruthTests {
  @Test func theTableHasOneRowForEachEventAndNothingFollowsAFinalState() {
    let keys = Transitions.rows.map { "\($0.state) \($0.event)" }
    #expect(Set(keys).count == keys.count)
    #expect(Set(Transitions.rows.map(\.event)) == Set(LedgerEvent.allCases))
    #expect(Set(Transitions.rows.map(\.state)) == [.waiting, .inFlight])
    for row in Transitions.rows {
      // Only a provider's word ends what may have been processed as anything but unknown.
      let isWord = row.event == .accepted || row.event == .refused
      #expect(isWord || [.waiting, .inFlight, .unknown].contains(row.uncertain), "\(row)")
      #expect(row.certain != .accepted || row.event == .accepted)
    }
  }

  @Test func theDocumentHasTheWholeTable() throws {
    let text = String(decoding: try Files.read(Files.packageRoot + "/docs/ledger.md"), as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("| waiting |") || $0.hasPrefix("| in_flight |") }
    let rows = Transitions.rows.map {
      "| \($0.state.name) | \($0.event.rawValue) | \($0.certain.name) | \($0.uncertain.name) |"
    }
    #expect(lines.map(String.init) == rows)
  }

  /// How the first attempt ended.
  enum First: String, CaseIterable {
    /// The process died while it was on the wire.
    case crash
    /// The connection broke.
    case lost
    /// The provider refused it for now: certainly not processed.
    case refusedForNow

    var isUncertain: Bool { self != .refusedForNow }
  }

  /// What ends the delivery afterwards.
  enum Ending: String, CaseIterable {
    case cancelWaiting, cancelPaused, expireWaiting, retire, remove, optOut, move
    case cancelAndRelease, cancelAndRetry, cancelAndAccept, expireAndRelease, expiredInTheLane, expiredBeforeRetry
    case noPayload, abandonedAfter503, abandonedWithoutAnswer, refused, accepted, lostAgain, crashAfterCancel

    /// The state when an earlier attempt may have been processed, and when none was.
    var states: (uncertain: DeliveryState, certain: DeliveryState) {
      switch self {
      case .cancelWaiting, .cancelPaused, .cancelAndRelease, .cancelAndRetry: (.unknown, .cancelled)
      case .expireWaiting, .expireAndRelease, .expiredInTheLane, .expiredBeforeRetry: (.unknown, .expired)
      case .retire, .remove, .optOut, .move, .noPayload, .abandonedAfter503, .abandonedWithoutAnswer:
        (.unknown, .rejected)
      case .refused: (.rejected, .rejected)
      case .accepted, .cancelAndAccept: (.accepted, .accepted)
      case .lostAgain, .crashAfterCancel: (.unknown, .unknown)
      }
    }
  }

  @Test("Named cases: each first attempt with each ending", arguments: First.allCases, Ending.allCases)
  func ends(first: First, ending: Ending) throws {
    let f = try StoreFixture()
    let device = try f.devices(1)[0]
    let push = try f.store.createPush(
      f.newPush(.devices([device]), expiresAt: f.now.adding(seconds: 60)), now: f.now
    ).id
    try attempt(first, f)
    try end(ending, push, device, f)
    let row = try f.store.deliveries(of: push, state: nil, after: nil, limit: 1)[0]
    let expected = first.isUncertain ? ending.states.uncertain : ending.states.certain
    #expect(row.state == expected, "\(row)")
    #expect(try f.counts(push).balances)
    #expect(try f.store.push(push)?.finishedAt != nil)
    #expect(try f.store.verifyLedger(push: nil) == [])
  }

  private func attempt(_ first: First, _ f: StoreFixture) throws {
    let lease = try f.lease([.transactional(app: f.app, max: 1)])
    switch first {
    case .crash:
      try f.reopen()
      #expect(try f.recover("a").requeued == 1)
    case .lost:
      _ = try f.record([f.result(lease.deliveries[0], .unknown(notBefore: f.now), status: 0, reason: "reset")], lease)
    case .refusedForNow:
      _ = try f.record([f.result(lease.deliveries[0], .retry(notBefore: f.now), status: 503, reason: "x")], lease)
    }
  }

  private func end(_ ending: Ending, _ push: PushID, _ device: DeviceID, _ f: StoreFixture) throws {
    switch ending {
    case .cancelWaiting: try f.store.cancelPush(push, now: f.now)
    case .cancelPaused:
      try f.store.pausePush(push)
      try f.store.cancelPush(push, now: f.now)
    case .expireWaiting:
      f.now = f.now.adding(seconds: 60)
      #expect(try f.lease([.due(max: 5)]).deliveries.isEmpty)
    case .retire:
      try f.store.setDeviceState(device, .retired, reason: "Unregistered", now: f.now)
      #expect(try f.lease([.due(max: 5)]).deliveries.isEmpty)
    case .remove:
      _ = try f.store.removeDevices([device])
      #expect(try f.lease([.due(max: 5)]).deliveries.isEmpty)
    case .optOut, .move:
      f.now = f.now.adding(seconds: 1)
      let isMove = ending == .move
      var again = DeviceRegistration(app: f.app, token: "t0", kind: .ios, user: isMove ? "another" : "t-user0")
      again.optOut.everything = isMove ? nil : true
      _ = try f.store.registerDevices([again], now: f.now)
      #expect(try f.lease([.due(max: 5)]).deliveries.isEmpty)
    default: try endSecondAttempt(ending, push, f)
    }
  }

  private func endSecondAttempt(_ ending: Ending, _ push: PushID, _ f: StoreFixture) throws {
    let lease = try f.lease([.due(max: 5)])
    let delivery = try #require(lease.deliveries.first)
    func record(_ change: DeliveryResult.Change, _ status: Int, _ reason: String) throws {
      #expect(try f.record([f.result(delivery, change, status: status, reason: reason)], lease).recorded == 1)
    }
    switch ending {
    case .cancelAndRelease, .cancelAndRetry, .cancelAndAccept, .crashAfterCancel:
      #expect(try f.store.cancelPush(push, now: f.now) == CancelSummary(stopped: 0, inFlight: 1, unknown: 0))
    case .expireAndRelease:
      // Another delivery of the push finds that its time is over; here the push's row is ended the same way.
      let now = f.now
      try f.sql.write { (context) throws(StoreError) in try context.end(push, as: .expired, now) }
    default: break
    }
    switch ending {
    case .cancelAndRelease, .expireAndRelease: try record(.release(notBefore: f.now), 0, "recalled")
    case .cancelAndRetry: try record(.retry(notBefore: f.now), 503, "ServiceUnavailable")
    case .cancelAndAccept, .accepted: try record(.accepted(providerID: nil), 200, "")
    case .expiredInTheLane: try record(.expired, 0, "expired")
    case .expiredBeforeRetry: try record(.expired, 503, "ServiceUnavailable")
    case .noPayload: try record(.rejected, 0, "no-payload")
    case .abandonedAfter503: try record(.abandoned, 503, "ServiceUnavailable")
    case .abandonedWithoutAnswer: try record(.abandoned, 0, "retries-exhausted: connect")
    case .refused: try record(.rejected, 410, "Unregistered")
    case .lostAgain: try record(.unknown(notBefore: nil), 0, "timeout")
    case .crashAfterCancel:
      try f.reopen()
      #expect(try f.recover("a").left == 1)
    default: Issue.record("not an ending of a second attempt: \(ending)")
    }
  }

  @Test func cancellingSaysWhatItCouldNotStop() throws {
    let f = try StoreFixture()
    try f.devices(10)
    let push = try f.campaign()
    _ = try f.lease([.push(push, max: 3)])
    try f.reopen()
    #expect(try f.recover("a").requeued == 3)
    let second = try f.lease([.push(push, max: 2)])
    #expect(second.deliveries.count == 2)
    let summary = try f.store.cancelPush(push, now: f.now)
    #expect(summary == CancelSummary(stopped: 5, inFlight: 2, unknown: 3) && summary.notStopped == 5)
    #expect(try f.counts(push) == LedgerCounts(targeted: 10, inFlight: 2, cancelled: 5, unknown: 3))
    let points = try f.store.series(
      of: .push(push), from: Timestamp(milliseconds: 0), until: f.now.adding(seconds: 1), stepMs: 60_000, limit: 10)
    #expect(points.map(\.counts) == [[.cancelled: 5, .unknown: 3]])
    #expect(try f.store.verifyLedger(push: nil) == [])
  }

  @Test func webhooksHearOfWhatBecomesUnknownWithItsPush() throws {
    let f = try StoreFixture()
    try f.devices(2)
    let hook = NewWebhook(app: f.app, url: "https://example.com/", kinds: [.unknown, .cancelled], sealed: [1])
    let id = try f.store.createWebhook(hook, now: f.now).id
    let push = try f.campaign()
    _ = try f.lease([.push(push, max: 1)])
    _ = try f.recover("a")
    try f.store.cancelPush(push, now: f.now)
    let turn = try f.store.dueBatches(of: id, after: nil, busy: [], limit: 10, now: f.now)
    let kinds = turn.batches.flatMap(\.notices).map(\.kind)
    #expect(kinds == [.unknown])
  }

  /// A ledger that is wrong is found: the check is what the other tests rely on.
  @Test(arguments: [("expired", 7, 0), ("cancelled", 8, 0), ("rejected", 6, 1)] as [(String, Int, Int)])
  func theRecountFindsARowThatIsNotTrue(counter: String, state: Int, refused: Int) throws {
    let f = try StoreFixture()
    let push = try f.store.createPush(f.newPush(.devices(try f.devices(1))), now: f.now).id
    try attempt(.crash, f)
    try f.sql.write { (context) throws(StoreError) in
      let code = try context.outcomeCode(provider: 0, status: 0, reason: LocalReason.deviceRetired)
      try context.db.execute("UPDATE deliveries SET state = \(state), code = \(refused == 1 ? code : 2)")
      try context.db.execute("UPDATE pushes SET waiting = 0, \(counter) = 1, state = 5")
    }
    let faults = try f.store.verifyLedger(push: push)
    #expect(faults.map(\.description).count == 1 && faults[0].description.contains("may have been processed"))
  }

  /// What a provider refused for a reason beyond the limit of the table was answered, whichever provider that is.
  @Test(arguments: Provider.allCases) func aReasonBeyondTheTableIsTheProvidersOwn(_ provider: Provider) throws {
    let f = try StoreFixture()
    let push = try f.store.createPush(f.newPush(.devices(try f.devices(1))), now: f.now).id
    try attempt(.crash, f)
    try f.sql.write { (context) throws(StoreError) in
      try context.db.execute("UPDATE deliveries SET state = 6, code = \(OutcomeCode.other(provider))")
      try context.db.execute("UPDATE pushes SET waiting = 0, rejected = 1, state = 6")
    }
    #expect(try f.store.verifyLedger(push: push) == [])
  }

  // MARK: Random orders

  @Test("Random events in random order, against a gateway that knows what it took", arguments: 0..<8)
  func randomOrders(_ round: Int) throws {
    let seed = SeededRandom.fromEnvironment().seed
    var random = SeededRandom(seed: seed &+ UInt64(round))
    let walk = try TruthWalk(&random)
    for step in 0..<150 {
      try walk.step(&random)
      try walk.check("seed \(seed), round \(round), step \(step)")
    }
    try walk.drain("seed \(seed), round \(round)")
  }
}

/// What the gateway knows of one delivery.
private struct Known {
  var taken = 0
  var isAnswered = false
  var isRefused = false
}

private final class TruthWalk {
  private let f: StoreFixture
  private var devices: [DeviceID]
  private var pushes: [PushID] = []
  private var open: [(lease: Lease, left: [LeasedDelivery])] = []
  private var gateway: [DeliveryID: Known] = [:]

  init(_ random: inout SeededRandom) throws {
    f = try StoreFixture()
    devices = try f.devices(Int.random(in: 4...30, using: &random))
  }

  func step(_ random: inout SeededRandom) throws {
    f.now = f.now.adding(milliseconds: Int64.random(in: 0...2_000, using: &random))
    switch Int.random(in: 0..<24, using: &random) {
    case 0...1: try create(&random)
    case 2...7: try lease(&random)
    case 8...16: try send(&random)
    case 17: if let push = pushes.randomElement(using: &random) { try cancel(push) }
    case 18: if let push = pushes.randomElement(using: &random) { try? f.store.pausePush(push) }
    case 19: if let push = pushes.randomElement(using: &random) { try? f.store.resumePush(push, now: f.now) }
    case 20: try loseDevice(&random)
    case 21: f.now = f.now.adding(seconds: 10)
    default: try restart()
    }
  }

  private func create(_ random: inout SeededRandom) throws {
    let expires = Bool.random(using: &random) ? f.now.adding(seconds: 12) : nil
    let policy: UnknownPolicy = Int.random(in: 0..<4, using: &random) == 0 ? .leave : .resend
    let new = f.newPush(.all(kinds: []), pushClass: .campaign, expiresAt: expires, policy: policy)
    let push = try f.store.createPush(new, now: f.now).id
    while !(try f.extend(push, 100).complete) {}
    pushes.append(push)
  }

  private func lease(_ random: inout SeededRandom) throws {
    var picks: [LeaseRequest.Pick] = [.due(max: 9)]
    if let push = pushes.randomElement(using: &random) { picks.append(.push(push, max: 7)) }
    let lease = try f.lease(picks)
    if !lease.deliveries.isEmpty { open.append((lease, lease.deliveries)) }
  }

  /// Sends some of a lease; each ends in one of the ways a send can.
  private func send(_ random: inout SeededRandom) throws {
    guard let index = open.indices.randomElement(using: &random) else { return }
    open[index].left.shuffle(using: &random)
    let sent = open[index].left.prefix(Int.random(in: 1...6, using: &random))
    open[index].left.removeFirst(sent.count)
    var results: [DeliveryResult] = []
    for delivery in sent { if let result = send(delivery, &random) { results.append(result) } }
    _ = try f.record(results, open[index].lease)
  }

  /// - Returns: the result that the process comes to write; nil when it dies before it knows one.
  private func send(_ delivery: LeasedDelivery, _ random: inout SeededRandom) -> DeliveryResult? {
    func result(_ change: DeliveryResult.Change, _ status: Int, _ reason: String = "r") -> DeliveryResult {
      f.result(delivery, change, status: status, reason: reason)
    }
    let later = f.now.adding(milliseconds: Int64.random(in: 0...3_000, using: &random))
    switch Int.random(in: 0..<13, using: &random) {
    case 0...2:
      gateway[delivery.id, default: Known()].taken += 1
      gateway[delivery.id]?.isAnswered = true
      return result(.accepted(providerID: nil), 200, "")
    case 3:
      gateway[delivery.id, default: Known()].taken += 1
      return result(.unknown(notBefore: Bool.random(using: &random) ? later : nil), 0, "connection-lost")
    case 4: return result(.unknown(notBefore: later), 0, "timeout")
    case 5:
      gateway[delivery.id, default: Known()].isRefused = true
      return result(.rejected, 400, "BadTopic")
    case 6: return result(.retry(notBefore: later), 503, "ServiceUnavailable")
    case 7: return result(.abandoned, Bool.random(using: &random) ? 503 : 0, "retries-exhausted: connect")
    case 8: return result(.rejected, 0, "no-payload")
    case 9: return result(.release(notBefore: later), 0, "recalled")
    case 10: return result(.expired, 0, "expired")
    case 11:
      gateway[delivery.id, default: Known()].taken += 1
      return nil
    default: return nil
    }
  }

  private func cancel(_ push: PushID) throws {
    let before = try f.counts(push)
    guard let summary = try? f.store.cancelPush(push, now: f.now) else { return }
    let after = try f.counts(push)
    #expect(summary.stopped == after.cancelled - before.cancelled)
    #expect(summary.notStopped == after.inFlight + after.unknown - before.unknown)
    #expect(summary.stopped + summary.unknown == before.waiting)
  }

  private func loseDevice(_ random: inout SeededRandom) throws {
    guard devices.count > 2, let device = devices.randomElement(using: &random) else { return }
    if Bool.random(using: &random) {
      try f.store.setDeviceState(device, .retired, reason: "Unregistered", now: f.now)
    } else {
      _ = try f.store.removeDevices([device])
    }
    devices.removeAll { $0 == device }
  }

  private func restart() throws {
    try f.reopen()
    _ = try f.recover("a")
    open = []
  }

  func check(_ words: String) throws {
    #expect(try f.store.verifyLedger(push: nil) == [], "\(words)")
    for push in pushes {
      for row in try f.store.deliveries(of: push, state: nil, after: nil, limit: 1_000) { check(row, words) }
    }
  }

  private func check(_ row: DeliveryRecord, _ words: String) {
    let known = gateway[row.id] ?? Known()
    switch row.state {
    case .accepted: #expect(known.isAnswered, "\(words): \(row)")
    case .rejected: #expect(known.isRefused || known.taken == 0, "\(words): \(row), \(known)")
    case .expired, .cancelled: #expect(known.taken == 0, "\(words): \(row), \(known)")
    case .waiting: #expect(known.taken == 0 || row.unknowns > 0, "\(words): \(row), \(known)")
    case .unknown: #expect(row.unknowns > 0, "\(words): \(row)")
    case .inFlight: break
    }
    // Twice only where the row says so.
    let isOut = row.state == .accepted || row.state == .inFlight || row.state == .waiting
    #expect(known.taken <= row.unknowns + (isOut ? 1 : 0), "\(words): \(row), \(known)")
  }

  /// Everything ends, and each row is still true.
  func drain(_ words: String) throws {
    try restart()
    for push in pushes { try? f.store.resumePush(push, now: f.now) }
    for _ in 0..<500 {
      f.now = f.now.adding(seconds: 20)
      let lease = try f.lease(pushes.map { .push($0, max: 50) } + [.due(max: 50)])
      let next = try f.store.nextDue()
      // A lease of first tries that are all ruled out says nothing of what was held with the push.
      if lease.deliveries.isEmpty && lease.settled == 0 && next == nil { break }
      for delivery in lease.deliveries {
        gateway[delivery.id, default: Known()].taken += 1
        gateway[delivery.id]?.isAnswered = true
      }
      _ = try f.record(lease.deliveries.map { f.result($0, .accepted(providerID: nil)) }, lease)
    }
    try check(words)
    for push in pushes {
      let row = try #require(try f.store.push(push))
      #expect(row.counts.waiting == 0 && row.counts.inFlight == 0 && row.finishedAt != nil, "\(words): \(row)")
    }
  }
}
