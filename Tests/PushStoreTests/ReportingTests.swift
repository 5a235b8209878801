import Ledger
import Synchronization
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Reports that come in one request, which a server looks up and writes by few statements.
@Suite(.onBothEngines, .timeLimit(.minutes(3))) struct ReportingTests {
  /// A store in which pushes of every form were sent, or not yet, or to devices that are gone.
  private final class World {
    let f: StoreFixture
    let other: AppID
    let devices: [DeviceID]
    let pushes: [PushID]
    let webhook: WebhookID

    init() async throws {
      let f = try StoreFixture()
      self.f = f
      let (store, app, now) = (f.store, f.app, f.now)
      other = try store.createApp(name: "other", title: "", settings: [], now: now).id
      webhook = try store.createWebhook(
        NewWebhook(app: app, url: "https://example.com/", kinds: [.opened, .action], sealed: [1]), now: now
      ).id
      devices = try store.registerDevices(
        (0..<20).map {
          DeviceRegistration(app: app, token: "t\($0)", kind: .ios, name: "phone\($0)", user: "user\($0 % 10)")
        }, now: now
      ).map(\.id)
      var made: [PushID] = []
      func create(_ audience: Audience, _ name: String?) throws {
        var new = f.newPush(audience, pushClass: .campaign)
        new.name = name
        new.variants = [PushVariant(name: "a", share: 50)]
        made.append(try f.store.createPush(new, now: f.now).id)
      }
      try create(.all(kinds: []), "news")
      try create(.devices([devices[7], devices[3], devices[5]]), "news")
      try create(.all(kinds: []), "caf\u{e9}")
      try create(.all(kinds: []), "cafe\u{301}")
      try create(.devices([devices[3]]), "news")
      for push in [0, 2, 3] { while !(try f.extend(made[push], 100).complete) {} }
      let (leased, unsent) = (made.dropLast(), made[4])
      let lease = try f.lease(leased.map { .push($0, max: 200) })
      // One of them is still on the wire, and the last push was not sent.
      let results = lease.deliveries.dropLast(4).map { delivery in
        var result = f.result(delivery, .accepted(providerID: "projects/p/messages/\(delivery.id)"))
        result.variant = delivery.id.rawValue % 3 == 0 ? 0 : nil
        return result
      }
      _ = try f.record(results, lease)
      #expect(try f.counts(unsent).inFlight == 0)
      pushes = made
      _ = try await f.erase("user4")
      let gone = made[0].rawValue
      try f.sql.write { (context) throws(StoreError) in
        let delete = try context.db.prepare("DELETE FROM deliveries WHERE id IN (?1 + 6, ?1 + 9, ?1 + 10, ?1 + 14)")
        delete.bind(1, gone)
        try delete.run()
      }
    }

    /// Everything that reports change, as text.
    var rows: String {
      get throws {
        try f.sql.write { (context) throws(StoreError) in
          var text = ""
          for sql in Self.tables {
            let select = try context.db.prepareOnce(sql)
            while try select.step() {
              text += (0..<4).map { (column: Int32) in "\(select.int64(column))" }.joined(separator: "|")
              text += "|" + Array(select.text(4).utf8).description + "\n"
            }
            text += "\n"
          }
          return text
        }
      }
    }

    private static let tables = [
      "SELECT delivery, kind, at, 0, action FROM events ORDER BY delivery, kind, action",
      "SELECT push, kind, count, 0, action FROM push_events ORDER BY push, kind, action",
      "SELECT push, variant, metric, count, '' FROM variant_counts ORDER BY push, variant, metric",
      "SELECT scope, bucket, metric, count, '' FROM series ORDER BY scope, bucket, metric",
    ]

    var notices: [Notice] {
      get throws {
        var all: [Notice] = []
        while true {
          let turn = try f.store.dueBatches(of: webhook, after: nil, busy: [], limit: 50, now: f.now)
          guard !turn.batches.isEmpty else { return all }
          all += turn.batches.flatMap(\.notices)
          try f.wait {
            f.store.settleBatches(turn.batches.map { WebhookResult($0.id, .taken) }, now: f.now, completion: $0)
          }
        }
      }
    }

    func report(_ events: [NewEvent], _ app: AppID, _ principal: Principal) throws -> [EventOutcome] {
      try f.wait { f.store.recordEvents(events, app: app, principal: principal, now: f.now, completion: $0) }
    }
  }

  private static func event(_ world: World, _ random: inout SeededRandom) -> NewEvent {
    let buttons = ["yes", "no", "\u{e9}", "e\u{301}"] + (0..<30).map { "button \($0)" }
    let delivery = world.pushes[0].rawValue + Int64.random(in: -1...90, using: &random)
    let device = Int.random(in: 0..<world.devices.count, using: &random)
    let name: EventDevice = Bool.random(using: &random) ? .id(world.devices[device]) : .token("t\(device)")
    let push = world.pushes.randomElement(using: &random) ?? PushID(rawValue: 1)
    let target: EventTarget
    switch Int.random(in: 0..<8, using: &random) {
    case 0: target = .delivery(DeliveryID(rawValue: delivery))
    case 1:
      let bits = APNsIDs(salt: 7).bits(of: DeliveryID(rawValue: delivery))
      target = .apnsID(high: Bool.random(using: &random) ? bits.high : bits.high ^ 1, low: bits.low)
    case 2: target = .messageName("projects/p/messages/\(delivery)")
    case 3, 4: target = .device(name, .id(push))
    default:
      let names = ["news", "news", "caf\u{e9}", "cafe\u{301}", "none"]
      target = .device(name, .campaign(names.randomElement(using: &random) ?? ""))
    }
    let kind = EventKind.allCases.randomElement(using: &random) ?? .opened
    let at = Int64.random(in: -5...5, using: &random)
    return NewEvent(
      kind, action: kind == .action ? buttons.randomElement(using: &random) : nil, target,
      at: at == 0 ? nil : world.f.now.adding(seconds: at * 30))
  }

  @Test("Together they do what they do one by one", arguments: 1...4) func together(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let (together, alone) = (try await World(), try await World())
    var seen: Set<EventOutcome> = []
    for turn in 0..<6 {
      for world in [together, alone] { world.f.now = world.f.now.adding(seconds: 60) }
      let events = (0..<150).map { _ in Self.event(together, &random) }
      let app = turn == 4 ? \World.other : \World.f.app
      let principal: Principal = turn == 2 ? .client(user: "user3") : turn == 3 ? .client(user: nil) : .trusted
      let outcomes = try together.report(events, together[keyPath: app], principal)
      let single = try events.map { try alone.report([$0], alone[keyPath: app], principal)[0] }
      #expect(outcomes == single)
      #expect(try together.rows == alone.rows, "turn \(turn)")
      if turn == 4 { #expect(outcomes.allSatisfy { $0 == .unknown }) } else { seen.formUnion(outcomes) }
    }
    #expect(seen == Set(EventOutcome.allCases))
    let told = try (together.notices, alone.notices)
    func order(_ notice: Notice) -> (Int64, UInt8, String) {
      (notice.delivery.rawValue, notice.kind.rawValue, Array(notice.text.utf8).description)
    }
    #expect(told.0.sorted { order($0) < order($1) } == told.1.sorted { order($0) < order($1) })
    #expect(told.0.contains { $0.kind == .action } && told.0.contains { $0.kind == .opened })
    #expect(try together.f.store.events(of: together.pushes[0]).actions.contains { $0.action == "e\u{301}" })
  }

  @Test("Requests that come at the same time are answered each for itself") func atOnce() async throws {
    let world = try await World()
    let f = world.f
    // What the database cannot keep, or cannot look for, fails alone.
    let (bad, strange) = (17, 23)
    func events(_ request: Int) -> [NewEvent] {
      if request == strange { return [NewEvent(.opened, .messageName("a\u{0}b"))] }
      let name = request == bad ? "a\u{0}b" : "button \(request)"
      let own = NewEvent(.action, action: name, .device(.token("t\(request % 4)"), .id(world.pushes[0])))
      let lost = NewEvent(.opened, .device(.token("t0"), .id(PushID(rawValue: 9_999_999))))
      return Array(repeating: own, count: request % 3) + [lost]
    }
    let results = f.store.waitForAll(0..<60) { request, done in
      let app = request % 5 == 4 ? world.other : f.app
      let principal: Principal = request % 7 == 6 ? .client(user: nil) : .trusted
      f.store.recordEvents(events(request), app: app, principal: principal, now: f.now, completion: done)
    }
    for (request, result) in results.enumerated() {
      let own: EventOutcome = request % 5 == 4 ? .unknown : .recorded
      let outcomes = [[], [own], [own, own == .recorded ? .duplicate : .unknown]][request % 3] + [.unknown]
      let isRefused = Engine.current == .postgres && [bad, strange].contains(request)
      switch result {
      case .success(let found):
        #expect(!isRefused && found == (request == strange ? [.unknown] : outcomes), "request \(request)")
      case .failure(let error): #expect(isRefused && error.code == .invalid, "request \(request): \(error)")
      }
    }
    #expect(try f.store.events(of: world.pushes[0]).counts.action == 4)
  }

  @Test("A store that closes answers all requests") func closing() async throws {
    let world = try await World()
    let (f, push) = (world.f, world.pushes[0])
    let answers = Mutex<[Result<[EventOutcome], StoreError>]>([])
    for request in 0..<40 {
      let event = NewEvent(.opened, .device(.token("t\(request % 4)"), .id(push)))
      f.store.recordEvents([event], app: f.app, principal: .trusted, now: f.now) { answer in
        answers.withLock { $0.append(answer) }
      }
    }
    f.sql.close()
    #expect(answers.withLock { $0.count } == 40)
    #expect(answers.withLock { $0.allSatisfy { (try? $0.get()) != nil } })
    f.store.recordEvents([], app: f.app, principal: .trusted, now: f.now) { answer in
      answers.withLock { $0.append(answer) }
    }
    #expect(answers.withLock { $0.last.map { (try? $0.get()) == nil } } == true)
    try f.reopen()
    #expect(try f.store.push(push)?.events.opened == 4)
  }

  @Test("Two ways to write é are two buttons, counted each by itself") func buttonsOfTheSameLook() throws {
    let f = try StoreFixture()
    _ = try f.devices(2)
    let push = try f.campaign()
    let lease = try f.lease([.push(push, max: 2)])
    _ = try f.record(lease.deliveries.map { f.result($0, .accepted(providerID: nil)) }, lease)
    let events = [("\u{e9}", 0), ("e\u{301}", 0), ("\u{e9}", 1)].map { name, delivery in
      NewEvent(.action, action: name, .delivery(lease.deliveries[delivery].id))
    }
    let outcomes = try f.wait {
      f.store.recordEvents(events, app: f.app, principal: .trusted, now: f.now, completion: $0)
    }
    #expect(outcomes == [.recorded, .recorded, .recorded])
    let counted = try f.store.events(of: push).actions.map { (Array($0.action.utf8), $0.count) }
    #expect(counted.count == 2)
    #expect(counted.contains { $0.0 == [0xC3, 0xA9] && $0.1 == 2 })
    #expect(counted.contains { $0.0 == [0x65, 0xCC, 0x81] && $0.1 == 1 })
  }
}
