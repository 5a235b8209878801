import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Answers that are recorded in one command, which a server writes by few statements.
@Suite(.onBothEngines, .timeLimit(.minutes(3))) struct RecordingTests {
  /// What webhooks of the app want to be told of, and of another app.
  private static let kinds: [(own: Set<NoticeKind>, others: Set<NoticeKind>)] = [
    ([], []), ([], [.accepted]), ([.finished], [.accepted]), ([.rejected, .finished], []),
    ([.accepted, .finished], []),
  ]

  /// A store in which several pushes to phones of both providers and to browsers are on the wire.
  private final class World {
    let f: StoreFixture
    let lease: Lease
    let webhook: WebhookID?

    init(_ own: Set<NoticeKind>, _ others: Set<NoticeKind>) throws {
      f = try StoreFixture()
      let other = try f.store.createApp(name: "other", title: "", settings: [], now: f.now).id
      for (app, kinds) in [(other, others), (f.app, own)] where !kinds.isEmpty {
        _ = try f.store.createWebhook(
          NewWebhook(app: app, url: "https://example.com/", kinds: kinds, sealed: [1]), now: f.now)
      }
      webhook = own.isEmpty ? nil : try f.store.webhooks(app: f.app).first?.id
      for (kind, prefix) in [(DeviceKind.ios, "i"), (.android, "a"), (.ios, "j"), (.android, "b")] {
        try f.devices(20, kind: kind, prefix: prefix)
      }
      var pushes: [PushID] = []
      for _ in 0..<3 {
        var push = f.newPush(.all(kinds: []), pushClass: .campaign)
        push.payloads = [RenderedPayload(kinds: [.ios, .android], headers: [], body: [123, 125])]
        let id = try f.store.createPush(push, now: f.now).id
        while !(try f.extend(id, 100).complete) {}
        pushes.append(id)
      }
      // An address of nobody, whose row says nothing of what a provider named it.
      var single = f.newPush(.addresses([DeviceAddress(token: "nobody", kind: .android)]))
      single.payloads = [RenderedPayload(kinds: [.android], headers: [], body: [123, 125])]
      pushes.append(try f.store.createPush(single, now: f.now).id)
      lease = try f.lease(pushes.map { .push($0, max: 200) })
    }

    /// The rows of all deliveries and the counts of all pushes, as text.
    var rows: String {
      get throws {
        try f.sql.write { (context) throws(StoreError) in
          let deliveries = try context.db.prepareOnce(
            """
            SELECT d.id, d.state, o.provider * 1000 + o.status, d.at, d.attempts, coalesce(d.provider_id, '-'),
              coalesce(d.variant, -1)
            FROM deliveries d JOIN outcomes o ON o.code = d.code ORDER BY d.id
            """)
          var text = ""
          while try deliveries.step() {
            text += "\(deliveries.int64(0))|\(deliveries.int(1))|\(deliveries.int64(2))|\(deliveries.int64(3))|"
            text += "\(deliveries.int(4))|\(deliveries.text(5))|\(deliveries.int(6))\n"
          }
          let pushes = try context.db.prepareOnce(
            "SELECT id, accepted, rejected, waiting, in_flight, coalesce(finished_at, 0) FROM pushes ORDER BY id")
          while try pushes.step() {
            text += (0..<6).map { (column: Int32) in "\(pushes.int64(column))" }.joined(separator: "|") + "\n"
          }
          return text
        }
      }
    }

    /// What is queued for the webhook, in the order of its deliveries.
    var notices: [Notice] {
      get throws {
        guard let webhook else { return [] }
        var all: [Notice] = []
        while true {
          let turn = try f.store.dueBatches(of: webhook, after: nil, busy: [], limit: 50, now: f.now)
          guard !turn.batches.isEmpty else { break }
          all += turn.batches.flatMap(\.notices)
          try f.wait {
            f.store.settleBatches(turn.batches.map { WebhookResult($0.id, .taken) }, now: f.now, completion: $0)
          }
        }
        return all.sorted { ($0.delivery.rawValue, $0.kind.rawValue) < ($1.delivery.rawValue, $1.kind.rawValue) }
      }
    }
  }

  private static func answer(
    _ f: StoreFixture, _ delivery: LeasedDelivery, _ random: inout SeededRandom
  ) -> DeliveryResult {
    var result: DeliveryResult
    switch Int.random(in: 0..<12, using: &random) {
    case 0: result = f.result(delivery, .rejected, status: 400, reason: "BadRequest")
    case 1: result = f.result(delivery, .retry(notBefore: f.now.adding(seconds: 9)), status: 503)
    case 2: result = f.result(delivery, .accepted(providerID: "projects/p/messages/é\(delivery.id)"), status: 201)
    case 3: result = f.result(delivery, .accepted(providerID: nil))
    default:
      let isNamed = delivery.kind == .android
      result = f.result(delivery, .accepted(providerID: isNamed ? "projects/p/messages/0:\(delivery.id)" : nil))
    }
    if delivery.id.rawValue % 3 == 0 { result.variant = Int.random(in: 0..<2, using: &random) }
    return result
  }

  @Test("Together they do what they do one by one", arguments: kinds.indices)
  func together(kinds: Int) throws {
    var random = SeededRandom(seed: UInt64(kinds))
    let (own, others) = Self.kinds[kinds]
    let (together, alone) = (try World(own, others), try World(own, others))
    #expect(together.lease.deliveries.map(\.id) == alone.lease.deliveries.map(\.id))
    #expect(together.lease.deliveries.count == 241)
    let results = together.lease.deliveries.shuffled(using: &random).map { Self.answer(together.f, $0, &random) }
    // Some were answered before, and some are not answered yet.
    let (before, now) = (results.prefix(20), results.dropFirst(10).dropLast(10))
    var summaries: [RecordSummary] = []
    for world in [together, alone] {
      for result in before { _ = try world.f.record([result], world.lease) }
      var sum = RecordSummary()
      for part in world === together ? [Array(now)] : now.map({ [$0] }) {
        let one = try world.f.record(part, world.lease)
        sum.recorded += one.recorded
        sum.late += one.late
        sum.finished += one.finished
      }
      summaries.append(sum)
    }
    #expect(summaries[0].recorded == summaries[1].recorded && summaries[0].late == summaries[1].late)
    #expect(summaries[0].late == 10)
    #expect(Set(summaries[0].finished) == Set(summaries[1].finished))
    #expect(try together.rows == alone.rows)
    let told = try together.notices
    #expect(try told == alone.notices)
    #expect(told.contains { $0.kind == .accepted } == own.contains(.accepted))
    #expect(try together.f.store.verifyLedger(push: nil) == [])
  }
}
