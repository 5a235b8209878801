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

    /// The rows of all deliveries, the counts of all pushes and what devices are, as text.
    var rows: String {
      get throws {
        try f.sql.write { (context) throws(StoreError) in
          var text = ""
          for table in Self.tables {
            let select = try context.db.prepareOnce(table.sql)
            while try select.step() {
              text += (0..<table.numbers).map { (column: Int32) in "\(select.int64(column))" }.joined(separator: "|")
              text += "|" + select.text(table.numbers) + "\n"
            }
          }
          return text
        }
      }
    }

    private static let tables: [(sql: String, numbers: Int32)] = [
      (
        """
        SELECT d.id, d.state, o.provider * 1000 + o.status, d.at, d.attempts, coalesce(d.variant, -1), d.unknowns,
          coalesce(d.not_before, -1), coalesce(d.lane, -1), coalesce(d.provider_id, '-') || ' ' || o.reason
        FROM deliveries d JOIN outcomes o ON o.code = d.code ORDER BY d.id
        """, 9
      ),
      (
        """
        SELECT id, accepted, rejected, waiting, in_flight, expired, cancelled, unknown, resent, coalesce(finished_at, 0), ''
        FROM pushes ORDER BY id
        """, 10
      ),
      ("SELECT id, state, environment, state_at, coalesce(state_reason, '-') FROM devices ORDER BY id", 4),
    ]

    /// What is due in all lanes.
    func due() throws -> Lease {
      let lanes = [LaneKey.iPhones, .sandbox, .android]
      return try f.lease(lanes.map { .due($0, max: 300) })
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

  /// - Parameter triesOther: whether the app tries the other environment of APNs; those answers are written one by one.
  private static func answer(
    _ f: StoreFixture, _ delivery: LeasedDelivery, triesOther: Bool, _ random: inout SeededRandom
  ) -> DeliveryResult {
    let again = f.now.adding(seconds: Int64.random(in: 1...9, using: &random))
    var result: DeliveryResult
    switch Int.random(in: 0..<26, using: &random) {
    case 0: result = f.result(delivery, .rejected, status: 400, reason: "BadRequest")
    case 1, 2: result = f.result(delivery, .retry(notBefore: again), status: 503, reason: "Shutdown")
    case 3: result = f.result(delivery, .accepted(providerID: "projects/p/messages/é\(delivery.id)"), status: 201)
    case 4: result = f.result(delivery, .accepted(providerID: nil))
    case 5, 6: result = f.result(delivery, .unknown(notBefore: again), status: 0)
    case 7: result = f.result(delivery, .unknown(notBefore: nil), status: 0)
    case 8: result = f.result(delivery, .release(notBefore: again), status: 0)
    case 9: result = f.result(delivery, .abandoned, status: 429, reason: "TooManyRequests")
    case 10: result = f.result(delivery, .expired, status: 0)
    case 11, 12, 13:
      // A device may have registered since the time that the provider says; two answers may differ in it.
      let since = f.now.adding(seconds: Int64.random(in: -1...1, using: &random))
      result = f.result(
        delivery, .rejected, status: 410, reason: "Unregistered\(delivery.push)", consequence: .retire(since: since))
    case 14...17:
      let consequence = DeviceConsequence.quarantine(since: f.now.adding(seconds: 1))
      result = f.result(delivery, .rejected, status: 400, reason: "BadDeviceToken", consequence: consequence)
      result.triesOtherEnvironment = triesOther
    default:
      let isNamed = delivery.kind == .android
      result = f.result(delivery, .accepted(providerID: isNamed ? "projects/p/messages/0:\(delivery.id)" : nil))
    }
    result.environment = delivery.environment
    if delivery.id.rawValue % 3 == 0 { result.variant = Int.random(in: 0..<2, using: &random) }
    return result
  }

  @Test("Together they do what they do one by one", arguments: kinds.indices)
  func together(kinds: Int) throws {
    var random = SeededRandom(seed: UInt64(kinds))
    let (own, others) = Self.kinds[kinds]
    let (together, alone) = (try World(own, others), try World(own, others))
    #expect(together.lease.deliveries.count == 241)
    var leases = [together.lease, alone.lease]
    // Some were answered before, and some are not answered yet.
    var (before, rest) = (20, 10)
    for turn in 0..<3 {
      #expect(leases[0].deliveries.map(\.id) == leases[1].deliveries.map(\.id))
      let answers = leases[0].deliveries.shuffled(using: &random).map {
        Self.answer(together.f, $0, triesOther: kinds % 2 == 1, &random)
      }
      #expect(answers.count > 1)
      let now = answers.dropFirst(before / 2).dropLast(rest)
      var summaries: [RecordSummary] = []
      for (world, lease) in zip([together, alone], leases) {
        for result in answers.prefix(before) { _ = try world.f.record([result], lease) }
        var sum = RecordSummary()
        for part in world === together ? [Array(now)] : now.sorted(by: { $0.delivery < $1.delivery }).map({ [$0] }) {
          let one = try world.f.record(part, lease)
          sum.recorded += one.recorded
          sum.late += one.late
          sum.retired += one.retired
          sum.quarantined += one.quarantined
          sum.finished += one.finished
        }
        sum.finished.sort()
        summaries.append(sum)
      }
      #expect(summaries[0] == summaries[1])
      #expect(summaries[0].late == before / 2)
      #expect(try together.rows == alone.rows, "turn \(turn)")
      (before, rest) = (0, 0)
      for world in [together, alone] { world.f.now = world.f.now.adding(seconds: 10) }
      leases = [try together.due(), try alone.due()]
    }
    let told = try together.notices
    #expect(try told == alone.notices)
    #expect(told.contains { $0.kind == .accepted } == own.contains(.accepted))
    #expect(try together.f.store.verifyLedger(push: nil) == [])
  }
}
