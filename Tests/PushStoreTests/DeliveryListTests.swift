import SQLiteEngine
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Lists of deliveries: every filter, pages, exports, and the plans by which SQLite answers.
@Suite(.onBothEngines, .timeLimit(.minutes(1))) final class DeliveryListTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  /// A campaign to `count` devices, of which every tenth is refused and every third of an answer later than the others.
  func send(_ count: Int) throws -> (push: PushID, devices: [DeviceID], start: Timestamp) {
    let devices = try fixture.devices(count)
    let push = try fixture.campaign()
    let start = fixture.now
    let lease = try fixture.lease([.push(push, max: count)])
    let results = lease.deliveries.enumerated().map { index, delivery in
      var result =
        index % 10 == 0
        ? fixture.result(delivery, .rejected, status: 410, reason: index % 20 == 0 ? "Unregistered" : "ExpiredToken")
        : fixture.result(delivery, .accepted(providerID: nil))
      result.at = index % 3 == 0 ? start.adding(seconds: 60) : start
      return result
    }
    _ = try fixture.record(results, lease)
    return (push, devices, start)
  }

  /// All pages of a list.
  func all(_ push: PushID, _ filter: DeliveryFilter, limit: Int = 7) throws -> [DeliveryRecord] {
    var rows: [DeliveryRecord] = []
    var after: DeliveryID?
    repeat {
      let page = try fixture.store.deliveries(of: push, filter: filter, after: after, limit: limit)
      #expect(page.rows.count <= limit)
      rows += page.rows
      after = page.next
    } while after != nil
    return rows
  }

  /// Those that wait for a credential and were never tried have no reason of their own.
  @Test func findsWhatWaitsWithoutAReason() throws {
    let (answered, devices, _) = try send(10)
    let waiting = try fixture.campaign()
    var filter = DeliveryFilter(reason: "no-credential")
    #expect(try all(waiting, filter).isEmpty)
    filter.unanswered = [KindInEnvironment(.ios, .production), KindInEnvironment(.android, .production)]
    #expect(try all(waiting, filter).map(\.device) == devices)
    #expect(try all(answered, filter).isEmpty)
    filter.unanswered = [KindInEnvironment(.android, .production)]
    #expect(try all(waiting, filter).isEmpty)
  }

  @Test func filtersByEverything() throws {
    let (push, devices, start) = try send(100)
    let indexes: [(filter: DeliveryFilter, isMeant: (Int) -> Bool)] = [
      (DeliveryFilter(), { _ in true }),
      (DeliveryFilter(state: .accepted), { $0 % 10 != 0 }),
      (DeliveryFilter(state: .rejected), { $0 % 10 == 0 }),
      (DeliveryFilter(state: .waiting), { _ in false }),
      (DeliveryFilter(reason: "Unregistered"), { $0 % 20 == 0 }),
      (DeliveryFilter(state: .rejected, reason: "ExpiredToken"), { $0 % 20 == 10 }),
      (DeliveryFilter(reason: "nothing"), { _ in false }),
      (DeliveryFilter(provider: .apns), { _ in true }),
      (DeliveryFilter(provider: .fcm), { _ in false }),
      (DeliveryFilter(device: devices[42]), { $0 == 42 }),
      (DeliveryFilter(user: "t-user7"), { $0 == 7 }),
      (DeliveryFilter(state: .rejected, user: "t-user7"), { _ in false }),
      (DeliveryFilter(device: devices[7], user: "t-user8"), { _ in false }),
      (DeliveryFilter(user: "nobody"), { _ in false }),
      (DeliveryFilter(from: start.adding(seconds: 60)), { $0 % 3 == 0 }),
      (DeliveryFilter(state: .accepted, until: start.adding(seconds: 60)), { $0 % 3 != 0 && $0 % 10 != 0 }),
    ]
    for (filter, isMeant) in indexes {
      let meant = (0..<100).filter(isMeant).map { devices[$0] }
      #expect(try all(push, filter).compactMap(\.device) == meant, "\(filter)")
      #expect(try exported(push, filter).compactMap(\.device) == meant, "\(filter)")
    }
    #expect(try all(PushID(rawValue: 9_999), DeliveryFilter()) == [])
  }

  func exported(_ push: PushID, _ filter: DeliveryFilter) throws -> [DeliveryRecord] {
    let export = try fixture.store.exportDeliveries(of: push, filter: filter, now: fixture.now)
    var rows: [DeliveryRecord] = []
    while case let piece = try export.next(now: fixture.now), !piece.isEmpty { rows += piece }
    return rows
  }

  @Test func aPageLooksAtABoundedNumberOfRows() throws {
    let count = Int(DeliverySQL.windowRows) + 100
    let (push, _, _) = try send(count)
    let page = try fixture.store.deliveries(
      of: push, filter: DeliveryFilter(state: .waiting), after: nil, limit: 10)
    #expect(page.rows == [])
    #expect(page.next == DeliveryID(rawValue: push.rawValue + DeliverySQL.windowRows - 1))
    // Rejected rows are found by their index: one page sees as many of them.
    let rejected = try fixture.store.deliveries(
      of: push, filter: DeliveryFilter(state: .rejected), after: nil, limit: 1_000)
    #expect(rejected.rows.count == (count + 9) / 10)
    #expect(rejected.next == nil)
    #expect(try all(push, DeliveryFilter(state: .waiting)) == [])
    #expect(
      try fixture.store.deliveries(of: push, state: .rejected, after: nil, limit: 10_000).count == (count + 9) / 10)
  }

  /// Every list walks one range of one tree in its own order: no sorting, no table scan, whatever the number of rows.
  @Test(
    .aboutTheFile,
    arguments: [
      DeliveryFilter(), DeliveryFilter(state: .accepted), DeliveryFilter(state: .rejected),
      DeliveryFilter(reason: "Unregistered", provider: .apns), DeliveryFilter(user: "u", from: Timestamp(seconds: 1)),
      DeliveryFilter(state: .rejected, reason: "r", device: DeviceID(rawValue: 1), until: Timestamp(seconds: 1)),
    ])
  func pagesAreWalksOfOneRange(_ filter: DeliveryFilter) throws {
    let plan = try plan(DeliverySQL.page(filter))
    let walk =
      filter.state == .rejected
      ? "SEARCH d USING INDEX deliveries_refused (id>? AND id<?)"
      : "SEARCH d USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"
    #expect(plan.contains(walk), "\(plan)")
    #expect(plan.allSatisfy { !$0.contains("B-TREE") && !$0.hasPrefix("SCAN") }, "\(plan)")
  }

  @Test(.aboutTheFile) func seriesAndReportsUseTheirIndexes() throws {
    #expect(try plan(SeriesSQL.kept).contains("SEARCH series USING PRIMARY KEY (scope=? AND bucket>? AND bucket<?)"))
    let named = try plan("SELECT id FROM deliveries INDEXED BY deliveries_by_name WHERE provider_id = ?1")
    #expect(named == ["SEARCH deliveries USING COVERING INDEX deliveries_by_name (provider_id=?)"])
  }

  private func plan(_ sql: String) throws -> [String] {
    let db = try Connection(path: fixture.path, access: .readOnly)
    let select = try db.prepareOnce("EXPLAIN QUERY PLAN " + sql)
    var lines: [String] = []
    // The look-up of an outcome's number is a list of its own, made once for a page.
    while try select.step() {
      let line = select.text(3)
      if !line.contains("outcomes") { lines.append(line) }
    }
    return lines
  }

  @Test func findsADeviceAndAUserAcrossPushes() throws {
    let (first, devices, _) = try send(50)
    let second = try fixture.campaign()
    var names: [PushID] = [second, first]
    for _ in 0..<5 {
      names.insert(
        try fixture.store.createPush(fixture.newPush(.devices([devices[1], devices[9]])), now: fixture.now).id, at: 0)
    }
    for filter in [DeliveryFilter(device: devices[9]), DeliveryFilter(user: "t-user9")] {
      var rows: [DeliveryRecord] = []
      var before: PushID?
      repeat {
        let page = try fixture.store.deliveries(app: fixture.app, filter: filter, before: before, limit: 3)
        rows += page.rows
        before = page.next
      } while before != nil
      #expect(rows.map(\.push) == names)
      #expect(rows.allSatisfy { $0.device == devices[9] })
    }
    let accepted = DeliveryFilter(state: .accepted, device: devices[9])
    #expect(
      try fixture.store.deliveries(app: fixture.app, filter: accepted, before: nil, limit: 9).rows.map(\.push) == [
        first
      ])
    let other = try fixture.store.createApp(name: "other", title: "", settings: [], now: fixture.now).id
    let strange = try fixture.store.deliveries(
      app: other, filter: DeliveryFilter(device: devices[9]), before: nil, limit: 9)
    #expect(strange.rows == [])
    #expect(throws: StoreError.self) {
      try fixture.store.deliveries(app: fixture.app, filter: DeliveryFilter(), before: nil, limit: 9)
    }
  }

  /// A page looks at so many pushes, of whichever app.
  @Test func pushesOfOtherAppsHideNone() throws {
    let device = try fixture.devices(1)[0]
    let push = try fixture.campaign()
    let other = try fixture.store.createApp(name: "other", title: "", settings: [], now: fixture.now).id
    var strange = fixture.newPush(.addresses([DeviceAddress(token: "t", kind: .ios)]))
    strange.app = other
    for _ in 0..<2_001 { _ = try fixture.store.createPush(strange, now: fixture.now) }
    var pages: [DeliveryPage<PushID>] = []
    repeat {
      pages.append(
        try fixture.store.deliveries(
          app: fixture.app, filter: DeliveryFilter(device: device), before: pages.last?.next, limit: 9))
    } while pages.last?.next != nil && pages.count < 9
    #expect(pages.flatMap(\.rows).map(\.push) == [push])
    #expect(pages.count == 2)
  }

  /// A row without a device is none by which the others of its audience are found.
  @Test func peopleWhoWereErasedHideNobodyElse() async throws {
    let (push, devices, _) = try send(60)
    let again = try fixture.campaign()
    var random = SeededRandom(seed: 5)
    // Some next to each other, and those in the middle, where each search begins.
    let erased = Set((0..<60).shuffled(using: &random).prefix(15) + [29, 30, 31])
    for user in erased.sorted() { #expect(try await fixture.erase("t-user\(user)").left == 0) }
    for (index, device) in devices.enumerated() where !erased.contains(index) {
      for filter in [DeliveryFilter(device: device), DeliveryFilter(user: "t-user\(index)")] {
        let page = try fixture.store.deliveries(app: fixture.app, filter: filter, before: nil, limit: 9)
        #expect(page.rows.map(\.push) == [again, push], "device \(index)")
        #expect(page.rows.allSatisfy { $0.device == device })
        #expect(try all(push, filter).count == 1)
      }
    }
    let opened = devices.map { NewEvent(.opened, .device(.id($0), .id(push))) }
    let results = try fixture.wait {
      fixture.store.recordEvents(opened, app: fixture.app, principal: .trusted, now: fixture.now, completion: $0)
    }
    #expect(results.count == 60)
    #expect(try fixture.store.events(of: push).counts.opened == 60 - erased.count)
  }

  @Test func anExportShowsOneMomentAndHasAnEnd() throws {
    let (push, _, _) = try send(1_200)
    let export = try fixture.store.exportDeliveries(of: push, filter: DeliveryFilter(), now: fixture.now)
    var rows = try export.next(now: fixture.now)
    // What is reported meanwhile is not in it.
    _ = try fixture.wait {
      fixture.store.recordEvents(
        [NewEvent(.opened, .delivery(DeliveryID(rawValue: push.rawValue + 1_100)))], app: fixture.app,
        principal: .trusted, now: fixture.now, completion: $0)
    }
    while case let piece = try export.next(now: fixture.now), !piece.isEmpty { rows += piece }
    #expect(rows.count == 1_200)
    #expect(rows.allSatisfy { $0.events.openedAt == nil })
    #expect(try exported(push, DeliveryFilter())[1_100].events.openedAt == fixture.now)
    let slow = try fixture.store.exportDeliveries(of: push, filter: DeliveryFilter(), now: fixture.now)
    let late = fixture.now.adding(milliseconds: StoreLimits.exportMs)
    #expect(throws: StoreError.self) { try slow.next(now: late) }
  }

  @Test func boundsExports() throws {
    let (push, _, _) = try send(10)
    var open: [any DeliveryExport] = []
    for _ in 0..<StoreLimits.exportsMax {
      open.append(try fixture.store.exportDeliveries(of: push, filter: DeliveryFilter(), now: fixture.now))
    }
    #expect(throws: StoreError.self) {
      try fixture.store.exportDeliveries(of: push, filter: DeliveryFilter(), now: fixture.now)
    }
    open = []
    #expect(try exported(push, DeliveryFilter()).count == 10)
    #expect(throws: StoreError.self) {
      try fixture.store.exportDeliveries(of: PushID(rawValue: 9_999), filter: DeliveryFilter(), now: fixture.now)
    }
    #expect(try exported(push, DeliveryFilter()).count == 10)
  }
}
