import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// What is queued for webhooks, and which of it is told next.
@Suite(.onBothEngines, .timeLimit(.minutes(5))) struct WebhookQueueTests {
  let f: StoreFixture
  let webhook: WebhookID

  init() throws {
    f = try StoreFixture()
    let new = NewWebhook(app: f.app, url: "https://example.com/", kinds: Set(NoticeKind.allCases), sealed: [1])
    webhook = try f.store.createWebhook(new, now: f.now).id
  }

  func turn(after: PushID? = nil, busy: Set<PushID> = [], limit: Int = 4) throws -> WebhookTurn {
    try f.store.dueBatches(of: webhook, after: after, busy: busy, limit: limit, now: f.now)
  }

  /// Sends a push to some devices, one at a time, each told by itself.
  func send(_ devices: [DeviceID]) throws -> PushID {
    let push = try f.store.createPush(f.newPush(.devices(devices)), now: f.now).id
    for _ in devices {
      let lease = try f.lease([.push(push, max: 1)])
      _ = try f.record([f.result(lease.deliveries[0], .accepted(providerID: nil))], lease)
    }
    return push
  }

  @Test func aPushWithMuchToTellHoldsUpNoOther() throws {
    let devices = try f.devices(StoreLimits.webhookLookMax + 44)
    let long = try send(devices)
    let others = try (0..<3).map { _ in try send([devices[0]]) }
    let first = try turn()
    #expect(first.batches.map(\.push) == [long] + others && first.last == others.last)
    // One that is told without success waits; the others do not.
    let failure = WebhookResult(first.batches[0].id, .again(f.now.adding(seconds: 60), failure: "no"))
    try f.wait { f.store.settleBatches([failure], now: f.now, completion: $0) }
    #expect(try turn().batches.map(\.push) == others)
    #expect(try turn(busy: [others[0]]).batches.map(\.push) == Array(others.dropFirst()))
    f.now = f.now.adding(seconds: 60)
    // The rest of a push stands in its order, and turns go round.
    #expect(try turn(after: others[0]).batches.map(\.push) == [others[1], others[2], long, others[0]])
    #expect(try turn(after: others[1], limit: 2).batches.map(\.push) == [others[2], long])
    let told = first.batches.dropFirst().map { WebhookResult($0.id, .taken) }
    try f.wait { f.store.settleBatches(told, now: f.now, completion: $0) }
    #expect(try turn().batches.map(\.id) == [first.batches[0].id])
  }

  @Test func aPushThatEndsWithoutADeliveryIsToldToo() throws {
    let empty = try f.store.createPush(f.newPush(.users(["nobody"])), now: f.now).id
    let scheduled = NewScheduledPush(app: f.app, pushClass: .campaign, request: [], dueAt: f.now)
    let failed = try f.store.addScheduledPush(scheduled, now: f.now).id
    try f.store.failScheduledPush(failed, problem: "the app has no credentials", now: f.now)
    let notices = try turn().batches.flatMap(\.notices)
    #expect(
      notices == [
        Notice(.finished, delivery: DeliveryID(rawValue: empty.rawValue), at: f.now, text: "sent"),
        Notice(.finished, delivery: DeliveryID(rawValue: failed.rawValue), at: f.now, text: "failed"),
      ])
  }
}
