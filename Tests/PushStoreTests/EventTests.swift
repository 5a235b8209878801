import PushStore
import StoreModel
import TestEngines
import TestSupport
import Testing

/// Reports of devices: found, counted once, spread over time.
@Suite(.onBothEngines, .timeLimit(.minutes(1))) final class EventTests {
  var fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  func report(_ events: [NewEvent], app: AppID? = nil) throws -> [EventOutcome] {
    let app = app ?? fixture.app
    return try fixture.wait {
      fixture.store.recordEvents(events, app: app, principal: .trusted, now: fixture.now, completion: $0)
    }
  }

  /// Leases everything of a push and records it as accepted.
  @discardableResult
  func send(_ push: PushID, name: (LeasedDelivery) -> String? = { _ in nil }) throws -> [LeasedDelivery] {
    let lease = try fixture.lease([.push(push, max: 1_000), .transactional(app: fixture.app, max: 1_000)])
    let results = lease.deliveries.map { fixture.result($0, .accepted(providerID: name($0))) }
    _ = try fixture.record(results, lease)
    return lease.deliveries
  }

  func count(_ received: Int, _ opened: Int, _ action: Int) -> EventCounts {
    var counts = EventCounts()
    counts.received = received
    counts.opened = opened
    counts.action = action
    return counts
  }

  /// In steps, others of the push lie between those of a batch, and are answered later.
  @Test(
    "Results of several variants and times in one batch are written like each by itself",
    arguments: [(1, 1), (500, 1), (90, 3), (30, 20)])
  func variantsMixed(perBatch: Int, step: Int) throws {
    _ = try fixture.devices(400)
    var new = fixture.newPush(.all(kinds: []), pushClass: .campaign)
    new.variants = [PushVariant(name: "a", share: 40), PushVariant(name: "b", share: 40)]
    let push = try fixture.store.createPush(new, now: fixture.now).id
    while !(try fixture.extend(push, 100).complete) {}
    let lease = try fixture.lease([.push(push, max: 500)])
    #expect(lease.deliveries.count == 400)
    // Reports that come first, and a result that was written before.
    for index in stride(from: 0, to: 400, by: 7) {
      #expect(try report([NewEvent(.opened, .delivery(lease.deliveries[index].id))]) == [.recorded])
    }
    var random = SeededRandom(seed: 17)
    var expected = [[SeriesMetric: Int]](repeating: [:], count: 3)
    var results: [DeliveryResult] = []
    for (index, delivery) in lease.deliveries.enumerated() {
      let variant = Int.random(in: 0..<3, using: &random)
      let isRefused = index % 50 == 3
      var result = fixture.result(
        delivery, isRefused ? .rejected : .accepted(providerID: nil), status: isRefused ? 400 : 200,
        reason: isRefused ? "BadTopic" : "")
      (result.variant, result.at) = (variant, fixture.now.adding(milliseconds: Int64(index % 4)))
      results.append(result)
      expected[variant][isRefused ? .rejected : .accepted, default: 0] += 1
      if index % 7 == 0 {
        expected[variant][.received, default: 0] += 1
        expected[variant][.opened, default: 0] += 1
      }
    }
    #expect(try fixture.record([results[100]], lease).recorded == 1)
    var recorded = 1
    let order = (0..<step).flatMap { stride(from: $0, to: 400, by: step) }
    var late = 0
    for start in stride(from: 0, to: 400, by: perBatch) {
      let summary = try fixture.record(order[start..<min(start + perBatch, 400)].map { results[$0] }, lease)
      recorded += summary.recorded
      late += summary.late
    }
    #expect(recorded == 400 && late == 1)
    let counted = try fixture.store.variants(of: push)
    #expect(counted.map(\.counts) == expected)
    #expect(try fixture.counts(push).accepted == 392 && fixture.counts(push).rejected == 8)
    #expect(try fixture.store.verifyLedger(push: nil).isEmpty)
    #expect(try fixture.store.push(push)?.finishedAt != nil)
    let rows = try fixture.store.deliveries(of: push, state: nil, after: nil, limit: 500)
    #expect(rows.map(\.at) == results.map(\.at))
  }

  @Test("A report that comes before the provider's answer is written counts for its variant, once")
  func countsVariantsWhateverComesFirst() throws {
    _ = try fixture.devices(2)
    var new = fixture.newPush(.users(["t-user0", "t-user1"]))
    new.variants = [PushVariant(name: "a", share: 50)]
    let push = try fixture.store.createPush(new, now: fixture.now).id
    let lease = try fixture.lease([.transactional(app: fixture.app, max: 10)])
    let (early, late) = (EventTarget.delivery(lease.deliveries[0].id), EventTarget.delivery(lease.deliveries[1].id))
    #expect(try report([NewEvent(.opened, early)]) == [.recorded])
    let results = zip(lease.deliveries, [0, 1]).map { delivery, variant in
      var result = fixture.result(delivery, .accepted(providerID: nil))
      result.variant = variant
      return result
    }
    _ = try fixture.record(results, lease)
    #expect(try report([NewEvent(.received, early), NewEvent(.received, late)]) == [.duplicate, .recorded])
    let wanted = [
      VariantCounts(variant: PushVariant(name: "a", share: 50), counts: [.accepted: 1, .received: 1, .opened: 1]),
      VariantCounts(variant: nil, counts: [.accepted: 1, .received: 1]),
    ]
    #expect(try fixture.store.variants(of: push) == wanted)
    // A second result of the same try changes nothing, nor does a restart.
    #expect(try fixture.record(results, lease).recorded == 0)
    try fixture.reopen()
    #expect(try fixture.store.variants(of: push) == wanted)
  }

  @Test func countsEachReportOnce() throws {
    _ = try fixture.devices(3)
    let push = try fixture.campaign()
    let sent = try send(push)
    let first = EventTarget.delivery(sent[0].id)
    #expect(
      try report([NewEvent(.received, first), NewEvent(.received, first), NewEvent(.opened, first)])
        == [.recorded, .duplicate, .recorded])
    #expect(try fixture.store.push(push)?.events == count(1, 1, 0))
    // An action implies that it was opened, and that it came.
    let second = EventTarget.delivery(sent[1].id)
    #expect(
      try report([
        NewEvent(.action, action: "reply", second), NewEvent(.opened, second),
        NewEvent(.action, action: "reply", second),
        NewEvent(.action, action: "like", second), NewEvent(.action, action: "like", first),
      ]) == [.recorded, .duplicate, .duplicate, .recorded, .recorded])
    let events = try fixture.store.events(of: push)
    #expect(events.counts == count(2, 2, 2))
    #expect(events.actions.map(\.action) == ["like", "reply"])
    #expect(events.actions.map(\.count) == [2, 1])
    // What was acknowledged is there after a restart.
    try fixture.reopen()
    #expect(try fixture.store.events(of: push) == events)
    #expect(try report([NewEvent(.opened, first)]) == [.duplicate])
    #expect(try fixture.store.verifyLedger(push: nil) == [])
  }

  @Test func findsADeliveryByEveryName() throws {
    let devices = try fixture.devices(100)
    let push = try fixture.campaign()
    let sent = try send(push) { "projects/p/messages/0:\($0.id)" }
    let named = fixture.newPush(.devices([devices[7], devices[3]]))
    let direct = try fixture.store.createPush(named, now: fixture.now).id
    try send(direct)
    let bits = APNsIDs(salt: 7).bits(of: sent[1].id)
    let found: [EventTarget] = [
      .delivery(sent[0].id), .apnsID(high: bits.high, low: bits.low),
      .messageName("projects/p/messages/0:\(sent[2].id)"),
      .device(.id(devices[3]), .id(push)), .device(.token("t4"), .id(push)), .device(.id(devices[99]), .id(push)),
      .device(.id(devices[3]), .id(direct)), .device(.token("t7"), .id(direct)),
    ]
    for target in found { #expect(try report([NewEvent(.opened, target)]) == [.recorded], "\(target)") }
    #expect(try fixture.store.push(push)?.events.opened == 6)
    #expect(try fixture.store.push(direct)?.events.opened == 2)
    let wrong: [EventTarget] = [
      .delivery(DeliveryID(rawValue: 9_999)), .apnsID(high: bits.high ^ 1, low: bits.low),
      .apnsID(high: 0, low: .max), .apnsID(high: bits.high, low: APNsIDs(salt: 7).bits(of: sent[2].id).low),
      .messageName("projects/p/messages/none"), .device(.id(devices[8]), .id(direct)),
      .device(.token("none"), .id(push)), .device(.id(devices[3]), .id(PushID(rawValue: 77))),
      .device(.id(devices[3]), .campaign("none")), .delivery(DeliveryID(rawValue: .max)),
    ]
    #expect(try report(wrong.map { NewEvent(.opened, $0) }) == wrong.map { _ in .unknown })
  }

  @Test func meansTheNewestPushOfACampaignThatWasSent() throws {
    let device = try fixture.devices(1)[0]
    func campaign() throws -> PushID {
      var push = fixture.newPush(.devices([device]), pushClass: .campaign)
      push.name = "welcome"
      return try fixture.store.createPush(push, now: fixture.now).id
    }
    let first = try campaign()
    try send(first)
    let second = try campaign()
    let target = EventTarget.device(.id(device), .campaign("welcome"))
    #expect(try report([NewEvent(.opened, target)]) == [.recorded])
    #expect(try fixture.store.push(first)?.events.opened == 1)
    try send(second)
    #expect(try report([NewEvent(.opened, target)]) == [.recorded])
    #expect(try fixture.store.push(second)?.events.opened == 1)
  }

  @Test func takesNoReportOfWhatWasNeverSentOrIsOfAnotherApp() throws {
    _ = try fixture.devices(2)
    let push = try fixture.campaign()
    let id = DeliveryID(rawValue: push.rawValue)
    #expect(try report([NewEvent(.received, .delivery(id))]) == [.unknown])
    // On the wire counts: a device may answer before the provider does.
    _ = try fixture.lease([.push(push, max: 1)])
    let other = try fixture.store.createApp(name: "other", title: "", settings: [], now: fixture.now).id
    #expect(try report([NewEvent(.received, .delivery(id))], app: other) == [.unknown])
    #expect(try report([NewEvent(.received, .delivery(id))]) == [.recorded])
    #expect(try report([NewEvent(.received, .delivery(DeliveryID(rawValue: id.rawValue + 1)))]) == [.unknown])
  }

  @Test func namesLateReports() throws {
    _ = try fixture.devices(1)
    let push = try fixture.campaign()
    let sent = try send(push)
    fixture.now = fixture.now.adding(milliseconds: StoreLimits.eventWindowMs)
    #expect(try report([NewEvent(.received, .delivery(sent[0].id))]) == [.recorded])
    fixture.now = fixture.now.adding(milliseconds: 1)
    #expect(try report([NewEvent(.opened, .delivery(sent[0].id))]) == [.late])
    #expect(try fixture.store.push(push)?.events == count(1, 0, 0))
  }

  @Test func boundsTheButtonsOfAPush() throws {
    _ = try fixture.devices(20)
    let push = try fixture.campaign()
    let sent = try send(push)
    for (index, delivery) in sent.enumerated() {
      let events = (0..<25).map { NewEvent(.action, action: "b\(index * 25 + $0)", .delivery(delivery.id)) }
      let outcomes = try report(events)
      #expect(outcomes.count { $0 == .recorded } <= 20)
    }
    let events = try fixture.store.events(of: push)
    #expect(events.counts.action == 20)
    #expect(events.actions.count <= 102)
    #expect(events.actions.contains { $0.action == "other" })
    let tooMany = [NewEvent](repeating: NewEvent(.opened, .delivery(sent[0].id)), count: 501)
    #expect(throws: StoreError.self) { try report(tooMany) }
    #expect(throws: StoreError.self) { try report([NewEvent(.action, .delivery(sent[0].id))]) }
    #expect(throws: StoreError.self) { try report([NewEvent(.opened, action: "x", .delivery(sent[0].id))]) }
  }

  // MARK: - Time series

  func series(_ scope: SeriesScope, stepMs: Int64 = 60_000) throws -> [SeriesPoint] {
    try fixture.store.series(
      of: scope, from: Timestamp(milliseconds: 0), until: Timestamp(milliseconds: .max), stepMs: stepMs, limit: 1_000)
  }

  func point(_ start: Timestamp, _ counts: [SeriesMetric: Int]) -> SeriesPoint {
    SeriesPoint(start: start, counts: counts)
  }

  @Test(arguments: [PushClass.campaign, .transactional])
  func spreadsCountsOverTime(_ pushClass: PushClass) throws {
    let devices = try fixture.devices(4)
    let start = fixture.now
    let push = try fixture.store.createPush(
      fixture.newPush(.devices(devices), pushClass: pushClass), now: fixture.now
    ).id
    let lease = try fixture.lease([.push(push, max: 4)])
    let results = lease.deliveries.enumerated().map { index, delivery in
      index == 3
        ? fixture.result(delivery, .rejected, status: 410, reason: "Unregistered")
        : fixture.result(delivery, .accepted(providerID: nil))
    }
    _ = try fixture.record(results, lease)
    fixture.now = start.adding(seconds: 90)
    _ = try report([
      NewEvent(.opened, .delivery(lease.deliveries[0].id)),
      NewEvent(.received, .delivery(lease.deliveries[1].id), at: start.adding(seconds: 10)),
      // A device's clock may be wrong: what comes before the send counts as the send, what comes after now as now.
      NewEvent(.received, .delivery(lease.deliveries[2].id), at: start.adding(seconds: -500)),
      NewEvent(.action, action: "yes", .delivery(lease.deliveries[0].id), at: start.adding(seconds: 99_999)),
    ])
    let expected = [
      point(start, [.accepted: 3, .rejected: 1, .received: 2]),
      point(start.adding(seconds: 60), [.received: 1, .opened: 1, .action: 1]),
    ]
    #expect(try series(.push(push)) == expected)
    #expect(try series(.app(fixture.app)) == expected)
    let whole = point(start, [.accepted: 3, .rejected: 1, .received: 3, .opened: 1, .action: 1])
    #expect(try series(.push(push), stepMs: 3_600_000) == [whole])
    #expect(try fixture.store.series(of: .push(push), from: start, until: start, stepMs: 60_000, limit: 9) == [])
    #expect(throws: StoreError.self) { try series(.push(push), stepMs: 1_000) }
  }

  @Test func countsWhatEndsWithoutBeingSent() throws {
    let devices = try fixture.devices(3)
    let push = try fixture.campaign()
    _ = try fixture.store.removeDevices([devices[0]])
    try send(push)
    let second = try fixture.campaign()
    fixture.now = fixture.now.adding(seconds: 120)
    try fixture.store.cancelPush(second, now: fixture.now)
    let single = try fixture.store.createPush(fixture.newPush(.devices([devices[1]])), now: fixture.now).id
    try fixture.store.cancelPush(single, now: fixture.now)
    #expect(try series(.push(push)) == [point(Timestamp(seconds: 1_800_000_000), [.accepted: 2, .rejected: 1])])
    #expect(try series(.push(second)) == [point(fixture.now, [.cancelled: 2])])
    #expect(try series(.push(single)) == [point(fixture.now, [.cancelled: 1])])
    #expect(
      try series(.app(fixture.app)) == [
        point(Timestamp(seconds: 1_800_000_000), [.accepted: 2, .rejected: 1]), point(fixture.now, [.cancelled: 3]),
      ])
  }
}
