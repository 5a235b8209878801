import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// The short numbers of pushes.
@Suite(.onBothEngines) struct PushNumberTests {
  @Test("Pushes of an app are numbered 1, 2, 3, however many deliveries they have, drafts and scheduled ones too")
  func numbersEachAppsPushes() throws {
    let f = try StoreFixture()
    let devices = try f.devices(50)
    let other = try f.store.createApp(name: "other", title: "Other", settings: [], now: f.now).id
    let first = try f.store.createPush(f.newPush(.devices(devices)), now: f.now).id
    let campaign = try f.campaign()
    let draft = try f.store.addScheduledPush(
      NewScheduledPush(app: f.app, pushClass: .transactional, request: [123, 125], dueAt: nil, local: nil), now: f.now
    ).id
    var elsewhere = f.newPush(.devices([]))
    elsewhere.app = other
    let away = try f.store.createPush(elsewhere, now: f.now).id
    #expect(draft.rawValue - first.rawValue > 99)
    let numbers = try [first, campaign, draft, away].map { try f.store.push($0)?.number }
    #expect(numbers == [1, 2, 3, 1])
    #expect(try f.store.push(app: f.app, number: 3)?.id == draft)
    #expect(try f.store.push(app: other, number: 1)?.id == away)
    #expect(
      try f.store.numbers(of: [first, draft, away, PushID(rawValue: 9_999)]) == [first: 1, draft: 3, away: 1])
    for none in [0, 4, -1, Int64.max] { #expect(try f.store.push(app: f.app, number: none) == nil) }
    // A start continues where the last one ended.
    try f.reopen()
    let next = try f.store.createPush(f.newPush(.devices([devices[0]])), now: f.now).id
    #expect(try f.store.push(next)?.number == 4)
  }

  @Test("A push that is refused takes no number") func aRefusalTakesNoNumber() throws {
    let f = try StoreFixture()
    var push = f.newPush(.devices([]), key: IdempotencyKey(key: "k", fingerprint: [1]))
    let made = try f.store.createPush(push, now: f.now)
    #expect(try f.store.createPush(push, now: f.now).replayed)
    push.idempotency = IdempotencyKey(key: "k", fingerprint: [2])
    #expect(throws: StoreError.self) { try f.store.createPush(push, now: f.now) }
    push.idempotency = nil
    let next = try f.store.createPush(push, now: f.now)
    #expect(try [made.id, next.id].map { try f.store.push($0)?.number } == [1, 2])
  }
}
