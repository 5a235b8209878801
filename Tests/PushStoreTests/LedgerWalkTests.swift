import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Random operations in random order, with restarts: after each step the law holds and agrees with a model.
@Suite(.onBothEngines) struct LedgerWalkTests {
  @Test func theLawHoldsAfterEveryStep() throws {
    var random = SeededRandom.fromEnvironment()
    for _ in 0..<6 {
      let walk = try LedgerWalk(&random)
      for step in 0..<120 {
        try walk.step(&random)
        try walk.check("seed \(random.seed), step \(step)")
      }
      try walk.drain("seed \(random.seed)")
    }
  }
}

private final class LedgerWalk {
  private let f: StoreFixture
  private var pushes: [PushID] = []
  private var leases: [Lease] = []
  private var open: [LeaseID: [LeasedDelivery]] = [:]

  init(_ random: inout SeededRandom) throws {
    f = try StoreFixture()
    try f.devices(Int.random(in: 1...60, using: &random))
  }

  func step(_ random: inout SeededRandom) throws {
    f.now = f.now.adding(milliseconds: Int64.random(in: 0...3000, using: &random))
    switch Int.random(in: 0..<20, using: &random) {
    case 0...2: try create(&random)
    case 3...4: if let push = pushes.randomElement(using: &random) { _ = try f.extend(push, 17) }
    case 5...9: try lease(&random)
    case 10...15: try record(&random)
    case 16: if let push = pushes.randomElement(using: &random) { _ = try? f.store.cancelPush(push, now: f.now) }
    case 17: if let push = pushes.randomElement(using: &random) { try? f.store.pausePush(push) }
    case 18: if let push = pushes.randomElement(using: &random) { try? f.store.resumePush(push, now: f.now) }
    default: try restart()
    }
  }

  func check(_ words: String) throws {
    let faults = try f.store.verifyLedger(push: nil)
    #expect(faults.isEmpty, "\(words): \(faults.map(\.description))")
    try checkSeries(words)
  }

  /// What has a final state is in the series, of the push and of the app, once.
  private func checkSeries(_ words: String) throws {
    var total: [SeriesMetric: Int] = [:]
    for push in pushes {
      let counts = try f.counts(push)
      let final: [(SeriesMetric, Int)] = [
        (.accepted, counts.accepted), (.rejected, counts.rejected), (.expired, counts.expired),
        (.cancelled, counts.cancelled), (.unknown, counts.unknown),
      ]
      let expected = Dictionary(uniqueKeysWithValues: final.filter { $0.1 > 0 })
      #expect(try sum(.push(push)) == expected, "\(words), push \(push)")
      let refused = try f.store.refusals(of: push, limit: 100).reduce(0) { $0 + $1.count }
      #expect(refused == counts.rejected, "\(words), push \(push)")
      total.merge(expected, uniquingKeysWith: +)
    }
    #expect(try sum(.app(f.app)) == total, "\(words)")
  }

  private func sum(_ scope: SeriesScope) throws -> [SeriesMetric: Int] {
    let points = try f.store.series(
      of: scope, from: Timestamp(milliseconds: 0), until: f.now.adding(seconds: 1), stepMs: 60_000, limit: 1_000)
    return points.reduce(into: [:]) { $0.merge($1.counts, uniquingKeysWith: +) }
  }

  /// Everything ends: each delivery has a final state, and nothing was forgotten.
  func drain(_ words: String) throws {
    try restart()
    for push in pushes { try? f.store.resumePush(push, now: f.now) }
    for push in pushes { while !(try f.extend(push, 100).complete) {} }
    for _ in 0..<200 {
      f.now = f.now.adding(seconds: 20)
      let lease = try f.lease(pushes.map { .push($0, max: 50) } + [.due(max: 50)])
      let next = try f.store.nextDue()
      if lease.deliveries.isEmpty && next == nil { break }
      _ = try f.record(lease.deliveries.map { f.result($0, .accepted(providerID: nil)) }, lease)
    }
    try check(words)
    for push in pushes {
      let row = try #require(try f.store.push(push))
      #expect(row.counts.waiting == 0 && row.counts.inFlight == 0 && row.state.isOver, "\(words): \(row)")
      #expect(row.finishedAt != nil, "\(words): \(row)")
    }
  }

  private func create(_ random: inout SeededRandom) throws {
    let policy: UnknownPolicy = Bool.random(using: &random) ? .resend : .leave
    let expires = Bool.random(using: &random) ? f.now.adding(milliseconds: 9000) : nil
    let single = Bool.random(using: &random)
    let audience: Audience = single ? .users(["t-user0"]) : .all(kinds: [])
    let push = f.newPush(
      audience, pushClass: single ? .transactional : .campaign, expiresAt: expires, policy: policy)
    pushes.append(try f.store.createPush(push, now: f.now).id)
  }

  private func lease(_ random: inout SeededRandom) throws {
    var picks: [LeaseRequest.Pick] = [.transactional(app: f.app, max: 3), .due(max: 7)]
    if let push = pushes.randomElement(using: &random) { picks.append(.push(push, max: 11)) }
    let lease = try f.lease(picks)
    if !lease.deliveries.isEmpty {
      leases.append(lease)
      open[lease.id] = lease.deliveries
    }
  }

  private func record(_ random: inout SeededRandom) throws {
    guard let lease = leases.randomElement(using: &random), var left = open[lease.id], !left.isEmpty else { return }
    left.shuffle(using: &random)
    let count = Int.random(in: 1...left.count, using: &random)
    var results: [DeliveryResult] = []
    for delivery in left.prefix(count) {
      let changes: [DeliveryResult.Change] = [
        .accepted(providerID: nil), .accepted(providerID: "m"), .rejected, .expired, .unknown(notBefore: f.now),
        .unknown(notBefore: nil),
        .retry(notBefore: f.now.adding(milliseconds: 500)), .release(notBefore: f.now),
      ]
      let change = changes[Int.random(in: 0..<changes.count, using: &random)]
      results.append(f.result(delivery, change, status: 200, reason: "r"))
    }
    open[lease.id] = Array(left.dropFirst(count))
    let summary = try f.record(results, lease)
    #expect(summary.recorded + summary.late == count)
  }

  private func restart() throws {
    try f.reopen()
    _ = try f.recover("a")
    leases = []
    open = [:]
  }
}
