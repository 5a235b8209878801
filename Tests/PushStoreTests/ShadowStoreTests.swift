import Synchronization
import System
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Records of shadowed requests in the store: pages, totals, and the bounds on both.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct ShadowStoreTests {
  let fixture: StoreFixture
  var store: any Store { fixture.store }
  let now = Timestamp(seconds: 1_800_000_000)

  init() throws { fixture = try StoreFixture() }

  private func request(
    _ operation: String = "op", at time: Timestamp? = nil, counts: [ShadowCount] = [], app: AppID? = nil,
    detail: [UInt8] = Array("{}".utf8)
  ) -> NewShadowRequest {
    var request = NewShadowRequest(
      app: app ?? fixture.app, vendor: "onesignal", operation: operation, at: time ?? now, outcome: .refused,
      vendorStatus: 429, targeted: 12, detail: detail)
    request.counts = counts
    return request
  }

  private func add(_ requests: [NewShadowRequest]) throws {
    let ended = Semaphore()
    let outcome = Mutex<Result<Void, StoreError>?>(nil)
    store.addShadowRequests(requests) { result in
      outcome.withLock { $0 = result }
      ended.signal()
    }
    ended.wait()
    try outcome.withLock { $0 }?.get()
  }

  private func operations(before: ShadowRequestID? = nil, limit: Int = 10) throws -> [String] {
    try store.shadowRequests(app: fixture.app, before: before, limit: limit).map(\.request.operation)
  }

  @Test("Records come back whole, newest first, page by page, each app's to itself") func pages() throws {
    try add(["a", "b", "c"].map { request($0, detail: Array(#"{"n":1}"#.utf8)) })
    #expect(try operations(limit: 2) == ["c", "b"])
    let second = try #require(try store.shadowRequests(app: fixture.app, before: nil, limit: 2).last)
    #expect(try operations(before: second.id) == ["a"])
    let one = try #require(try store.shadowRequest(second.id, app: fixture.app)).request
    #expect(
      one.outcome == .refused && one.vendorStatus == 429 && one.targeted == 12 && one.detail == Array(#"{"n":1}"#.utf8))
    let other = try store.createApp(name: "other", title: "", settings: [], now: now).id
    #expect(try store.shadowRequest(second.id, app: other) == nil)
    // An app that is gone has no records, and a record that is too long is refused.
    try add([request(app: AppID(rawValue: 99))])
    #expect(throws: StoreError.self) {
      try add([request(detail: [UInt8](repeating: 32, count: StoreLimits.shadowDetailBytesMax + 1))])
    }
    #expect(try operations().count == 3)
  }

  @Test("Totals add up, and names beyond the limit are counted together") func totals() throws {
    try add([request(counts: [ShadowCount(.platform, "ios", 5), ShadowCount(.outcome, "refused")])])
    try add([request(at: now.adding(seconds: 9), counts: [ShadowCount(.platform, "ios", 7)])])
    let totals = try store.shadowTotals(app: fixture.app)
    #expect(totals.map(\.name) == ["refused", "ios"] && totals.map(\.count) == [1, 12])
    #expect(totals.last?.latest == now.adding(seconds: 9))
    let names = (0..<StoreLimits.shadowNamesMax + 50).map { ShadowCount(.reason, "reason \($0)") }
    try add([request(counts: names + [ShadowCount(.reason, String(repeating: "é", count: 400))])])
    let reasons = try store.shadowTotals(app: fixture.app).filter { $0.kind == .reason }
    #expect(reasons.count == StoreLimits.shadowNamesMax + 1 && reasons.first?.name == "(others)")
    #expect(reasons.first?.count == 51)
    #expect(reasons.allSatisfy { $0.name.utf8.count <= StoreLimits.shadowNameBytesMax })
  }

  @Test("The oldest records go beyond the limit, after 30 days, when they are cleared, and with the app") func bounds()
    throws
  {
    for batch in 0..<21 { try add((0..<500).map { request("\(batch)-\($0)") }) }
    #expect(try operations(limit: 1) == ["20-499"])
    var count = 0
    var last: ShadowRequestID?
    while true {
      let page = try store.shadowRequests(app: fixture.app, before: last, limit: 1_000)
      guard let end = page.last else { break }
      count += page.count
      last = end.id
    }
    #expect(count == StoreLimits.shadowRequestsPerAppMax)
    try store.clearShadow(app: fixture.app)
    #expect(try operations().isEmpty && store.shadowTotals(app: fixture.app).isEmpty)
    try add([request("old"), request("new", at: now.adding(seconds: 86_400), counts: [ShadowCount(.outcome, "x")])])
    let ended = Semaphore()
    store.purge(now: now.adding(milliseconds: StoreLimits.shadowMs + 1), limit: 1_000) { _ in ended.signal() }
    ended.wait()
    #expect(try operations() == ["new"])
    try store.deleteApp(fixture.app)
    #expect(try operations().isEmpty && store.shadowTotals(app: fixture.app).isEmpty)
  }
}
