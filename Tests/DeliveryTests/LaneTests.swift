import Delivery
import Glibc
import PushStore
import StoreModel
import Synchronization
import TestSupport
import Testing

/// One lane in trouble: the others do not notice, and it costs nothing while it waits.
@Suite(.timeLimit(.minutes(10))) struct LaneTests {
  /// How a gateway is dead.
  enum Death: String, Sendable, CaseIterable { case refuses, hangs, full, refusesCredential }

  private static func sender(_ death: Death) -> ScriptedSender {
    let refusal = SendRejection(status: 403, reason: "InvalidProviderToken", meaning: .badCredential)
    let sender = ScriptedSender { _, _ in
      switch death {
      case .refuses: .notProcessed(reason: "connect")
      case .hangs, .full: nil
      case .refusesCredential: .rejected(refusal)
      }
    }
    if death == .full { sender.setRoom(0) }
    return sender
  }

  private static func app(_ f: DeliveryFixture, _ name: String, devices: Int, _ sender: any Sender) throws -> AppID {
    let app = try f.store.createApp(name: name, title: "", settings: [], now: f.clock.now).id
    let new = (0..<devices).map { DeviceRegistration(app: app, token: "\(name)-\($0)", kind: .ios) }
    _ = try f.store.registerDevices(new, now: f.clock.now.adding(seconds: -60))
    f.senders.set(sender, app: app, provider: .apns, environment: .production)
    return app
  }

  @Test("Ten dead gateways do not hold up another app", arguments: Death.allCases)
  func tenDeadGateways(death: Death) throws {
    let f = try DeliveryFixture()
    let good = ScriptedSender()
    let healthy = try f.devices(5_000)
    var dead: [PushID] = []
    for number in 0..<10 {
      let app = try Self.app(f, "dead\(number)", devices: 3_000, Self.sender(death))
      dead.append(try f.push(.all(kinds: []), campaign: true, in: app))
      dead.append(try f.push(.addresses([DeviceAddress(token: "one", kind: .ios)]), in: app))
    }
    try f.start(good)
    // Until the dead ones have what they get.
    try f.until("a look at the dead", seconds: 60) { f.engine?.statistics.sent ?? 0 >= 10 || death == .full }
    usleep(300_000)
    let push = try f.push(.all(kinds: []), campaign: true)
    let single = try f.push(.devices([healthy[0]]))
    // Not one second passes.
    try f.until("the healthy app's pushes", seconds: 60) {
      try f.store.push(push)?.finishedAt != nil && f.store.push(single)?.finishedAt != nil
    }
    #expect(try f.counts(push).accepted == 5_000)
    for push in dead { #expect(try f.counts(push).accepted == 0) }
    try f.checkLedger()
  }

  @Test(
    "A dead provider does not hold up the same app's other one", arguments: Death.allCases, Provider.allCases)
  func otherProvider(death: Death, dead: Provider) throws {
    let f = try DeliveryFixture()
    let isWell = Shared(Atomic(false))
    let sick = ScriptedSender { token, earlier in
      guard !isWell.value.load(ordering: .sequentiallyConsistent) else { return .accepted(name: nil) }
      switch death {
      case .refuses: return .notProcessed(reason: "connect")
      // What hangs ends some time.
      case .hangs, .full: return earlier == 0 ? nil : .accepted(name: nil)
      case .refusesCredential:
        return .rejected(SendRejection(status: 403, reason: "InvalidProviderToken", meaning: .badCredential))
      }
    }
    if death == .full { sick.setRoom(0) }
    let good = ScriptedSender()
    let kind: DeviceKind = dead == .apns ? .android : .ios
    for part in 0..<20 {
      try f.devices(200, prefix: "i\(part)-", kind: kind)
      try f.devices(200, prefix: "a\(part)-", kind: try #require(dead.kinds.first))
    }
    try f.start(good)
    f.senders.set(sick, app: f.app, provider: dead, environment: .production)
    let push = try f.push(.all(kinds: []), campaign: true)
    let single = try f.push(.addresses([DeviceAddress(token: "now", kind: kind)]))
    try f.until("the other provider", seconds: 60) {
      // A lane that is full is waited for for a moment.
      f.advance(seconds: 0)
      f.clock.advance(milliseconds: 20)
      return try f.counts(push).accepted == 4_000 && f.counts(single).accepted == 1
    }
    #expect(try f.counts(push).accepted + f.counts(push).waiting + f.counts(push).inFlight == 8_000)
    try f.checkLedger()
    guard death == .refuses || death == .refusesCredential else { return }
    isWell.value.store(true, ordering: .sequentiallyConsistent)
    try f.until("the rest", seconds: 120) {
      f.advance(seconds: 30)
      return try f.store.push(push)?.finishedAt != nil
    }
    #expect(try f.counts(push).accepted == 8_000)
    try f.checkLedger()
  }

  @Test("A dead gateway is tried by few, and costs nothing between two tries") func deadGatewayCostsLittle() throws {
    let f = try DeliveryFixture()
    let sick = Self.sender(.refuses)
    try f.devices(10_000)
    try f.start(sick)
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.until("the breaker") { f.events.value.withLock { $0.contains { $0.isUnreachable } } }
    try f.until("quiet") { f.engine?.isQuiet ?? false }
    let first = sick.sent.count
    #expect(first <= SendWindow.first + 64, "\(first) sends before the lane was closed")
    for _ in 0..<30 {
      f.advance(seconds: 60)
      usleep(20_000)
      try f.until("quiet") { f.engine?.isQuiet ?? false }
    }
    let more = sick.sent.count - first
    #expect(more >= Breaker.probeSends && more <= 31 * Breaker.probeSends, "\(more) sends in half an hour")
    #expect(try f.counts(push).waiting == 10_000)
    try f.checkLedger()
  }

  /// Bytes in the store's log of changes, which grows with each page that is written.
  private static func written(_ f: DeliveryFixture) -> Int {
    ["/store.db", "/store.db-wal"].reduce(0) { sum, name in
      var status = stat()
      return stat(f.folder.path + name, &status) == 0 ? sum + Int(status.st_size) : sum
    }
  }

  @Test("What is held is neither read nor written until it is let go", arguments: ["paused", "stopped"])
  func heldCostsNothing(how: String) throws {
    let f = try DeliveryFixture()
    let isWell = Shared(Atomic(false))
    let sick = ScriptedSender { _, _ in
      if isWell.value.load(ordering: .sequentiallyConsistent) { return .accepted(name: nil) }
      return how == "paused"
        ? .rejected(SendRejection(status: 500, reason: "x", meaning: .trouble(.fcm)))
        : .rejected(SendRejection(status: 403, reason: "InvalidProviderToken", meaning: .badCredential))
    }
    try f.devices(3_000)
    try f.start(sick)
    let push = try f.push(.all(kinds: []), campaign: true)
    if how == "paused" {
      try f.until("the first tries") { try f.counts(push).waiting == 3_000 && sick.sent.count == 3_000 }
      try f.store.pausePush(push)
      f.engine?.recheck(push)
      f.advance(seconds: 30)
    } else {
      try f.until("the stop") { try !f.store.stops().isEmpty }
    }
    try f.until("quiet") { try f.engine?.isQuiet ?? false && f.store.waitingWork().lanes.isEmpty || how == "stopped" }
    // First tries that wait for the closed lane are put aside once, a part at a time.
    for _ in 0..<20 {
      f.clock.advance(milliseconds: 100)
      f.engine?.wake()
      usleep(20_000)
    }
    try f.until("quiet") { f.engine?.isQuiet ?? false }
    let before = Self.written(f)
    let sent = sick.sent.count
    // A stop is tried again after a minute.
    for _ in 0..<(how == "paused" ? 60 : 1) {
      f.advance(seconds: 50)
      usleep(30_000)
    }
    #expect(Self.written(f) == before, "\(Self.written(f) - before) bytes were written")
    #expect(sick.sent.count == sent)
    isWell.value.store(true, ordering: .sequentiallyConsistent)
    if how == "paused" { try f.store.resumePush(push, now: f.clock.now) }
    try f.until("the rest", seconds: 120) {
      f.advance(seconds: 60)
      return try f.store.push(push)?.finishedAt != nil
    }
    #expect(try f.counts(push).accepted == 3_000)
    try f.checkLedger()
  }

  @Test("A refused credential stops one provider, is tried again at growing intervals, and survives a restart")
  func stopsOneProvider() throws {
    let f = try DeliveryFixture()
    let isWell = Shared(Atomic(false))
    let refusal = SendRejection(status: 403, reason: "InvalidProviderToken", meaning: .badCredential)
    let sick = ScriptedSender { _, _ in
      isWell.value.load(ordering: .sequentiallyConsistent) ? .accepted(name: nil) : .rejected(refusal)
    }
    try f.devices(100)
    try f.devices(100, prefix: "a", kind: .android)
    try f.start(sick) { $0.givingUp.apnsAgeMs = 30 * 86_400_000 }
    f.senders.set(ScriptedSender(), app: f.app, provider: .fcm, environment: .production)
    let start = f.clock.now
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.until("Android") { try f.counts(push).accepted == 100 }
    var waits: [Int64] = []
    for refusals in 1...8 {
      try f.until("refusal \(refusals)") { try f.store.stops().first?.refusals == refusals }
      let stop = try #require(try f.store.stops().first)
      #expect(stop.lane == LaneKey(app: f.app, provider: .apns, environment: .production) && stop.since == start)
      waits.append((stop.retryAt.milliseconds - f.clock.now.milliseconds) / 60_000)
      try f.until("quiet") { f.engine?.isQuiet ?? false }
      if refusals == 4 {
        // What was learned is not forgotten.
        f.engine?.stop(withinMs: 2_000)
        try f.start(sick) { $0.givingUp.apnsAgeMs = 30 * 86_400_000 }
        f.senders.set(ScriptedSender(), app: f.app, provider: .fcm, environment: .production)
        usleep(50_000)
      }
      if refusals < 8 { f.advance(seconds: waits[refusals - 1] * 60) }
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
    #expect(sick.sent.count <= 100 + 7 * Breaker.probeSends + 100)
    isWell.value.store(true, ordering: .sequentiallyConsistent)
    f.advance(seconds: 3_600)
    try f.untilFinished(push)
    #expect(try f.counts(push).accepted == 200)
    try f.until("the end of the stop") { try f.store.stops().isEmpty }
    let lane = LaneKey(app: f.app, provider: .apns, environment: .production)
    #expect(f.events.value.withLock { $0 }.contains(.providerResumed(lane)))
    try f.checkLedger()
  }

  @Test("What waits for a gateway that is only full is kept, however old it is") func fullGatewayIsNotGivenUp() throws {
    let f = try DeliveryFixture()
    let full = ScriptedSender()
    full.setRoom(0)
    for part in 0..<20 {
      try f.devices(200, prefix: "i\(part)-")
      try f.devices(200, prefix: "a\(part)-", kind: .android)
    }
    try f.start(ScriptedSender())
    f.senders.set(full, app: f.app, provider: .apns, environment: .production)
    let push = try f.push(.all(kinds: []), campaign: true)
    let lane = LaneKey(app: f.app, provider: .apns, environment: .production)
    try f.until("the other provider", seconds: 60) {
      f.advance(seconds: 0)
      f.clock.advance(milliseconds: 20)
      return try f.counts(push).accepted == 4_000
    }
    try f.until("what waits in the lane") { try f.store.waitingWork().lanes.contains { $0.lane == lane } }
    f.advance(seconds: 2 * GivingUp().apnsAgeMs / 1_000)
    for _ in 0..<3 {
      try f.lookAtStore()
      // Longer than a full lane is waited for.
      f.clock.advance(milliseconds: 100)
    }
    #expect(try f.counts(push).rejected == 0)
    full.setRoom(.max)
    try f.until("the end", seconds: 60) {
      f.advance(seconds: 1)
      return try f.store.push(push)?.finishedAt != nil
    }
    #expect(try f.counts(push).accepted == 8_000)
    try f.checkLedger()
  }

  @Test("What waits for a dead gateway is given up at its age, with the reason") func deadGatewayIsGivenUp() throws {
    let f = try DeliveryFixture()
    try f.devices(3_000)
    try f.start(Self.sender(.refuses))
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.until("the breaker") { f.events.value.withLock { $0.contains { $0.isUnreachable } } }
    try f.until("the end", seconds: 120) {
      f.advance(seconds: 600)
      usleep(2_000)
      return try f.counts(push).rejected >= SendWindow.first
    }
    let rows = try f.store.deliveries(of: push, state: .rejected, after: nil, limit: 3_000)
    #expect(rows.allSatisfy { $0.reason == "retries-exhausted: connect" }, "\(Set(rows.map(\.reason)))")
    #expect(rows.allSatisfy { $0.provider == .apns })
    #expect(f.clock.now >= Timestamp(seconds: 1_800_000_000).adding(milliseconds: GivingUp().apnsAgeMs))
    try f.checkLedger()
  }
}

extension DeliveryEvent {
  var isUnreachable: Bool { if case .gatewayUnreachable = self { true } else { false } }
}

extension DeliveryEngine {
  /// Nothing is leased, on the wire or waiting to be written.
  fileprivate var isQuiet: Bool {
    let now = statistics
    return now.inFlight == 0 && now.onWire == 0 && now.unwritten == 0
  }
}
