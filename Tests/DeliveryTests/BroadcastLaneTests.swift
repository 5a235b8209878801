import Delivery
import PushStore
import StoreModel
import Synchronization
import TestSupport
import Testing

/// Broadcasts go to another service of Apple's than what goes to devices, in a lane of their own.
@Suite(.timeLimit(.minutes(2))) struct BroadcastLaneTests {
  /// Hands broadcasts to one sender and what goes to devices to another, as one credential does.
  private final class ForkedSender: Sender {
    private let channels: any Sender
    private let devices: any Sender

    init(channels: any Sender, devices: any Sender) { (self.channels, self.devices) = (channels, devices) }

    func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
      (batch.payload.rendered.kinds == [.iosBroadcast] ? channels : devices).submit(batch, to: sink)
    }
  }

  /// Answers every send in the same way.
  private final class PlainSender: Sender {
    private let outcome: SendOutcome

    init(_ outcome: SendOutcome) { self.outcome = outcome }

    func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
      sink.receive(batch.entries.map { SendAnswer(tag: $0.tag, outcome: outcome) })
      return true
    }
  }

  private static let away = PlainSender(.notProcessed(reason: "connection refused"))
  private static let works = PlainSender(.accepted(name: nil))

  private static func addresses(_ count: Int, _ kind: DeviceKind) -> Audience {
    .addresses((0..<count).map { DeviceAddress(token: "\(kind.name)-\($0)", kind: kind) })
  }

  private static let ways: [(away: DeviceKind, other: DeviceKind)] = [(.iosBroadcast, .ios), (.ios, .iosBroadcast)]

  @Test("A gateway that is away closes its own lane and not the other's", arguments: ways)
  func breaker(way: (away: DeviceKind, other: DeviceKind)) throws {
    let f = try DeliveryFixture()
    let isChannels = way.away == .iosBroadcast
    try f.start(
      isChannels
        ? ForkedSender(channels: Self.away, devices: Self.works)
        : ForkedSender(channels: Self.works, devices: Self.away))
    let held = try f.push(Self.addresses(400, way.away), kinds: [way.away])
    try f.until("an open breaker") { f.events.value.withLock { $0.contains { $0.isUnreachable } } }
    let push = try f.push(Self.addresses(1, way.other), kinds: [way.other])
    try f.until("the other push") { try f.counts(push).accepted == 1 }
    #expect(try f.counts(held).accepted == 0)
    f.engine?.stop(withinMs: 2_000)
    try f.checkLedger()
  }

  @Test("A gateway that takes requests and answers none delays its own lane and not the other", arguments: ways)
  func hanging(way: (away: DeviceKind, other: DeviceKind)) throws {
    let f = try DeliveryFixture()
    let held = HeldSender()
    try f.start(
      way.away == .iosBroadcast
        ? ForkedSender(channels: held, devices: Self.works) : ForkedSender(channels: Self.works, devices: held))
    let first = try f.push(Self.addresses(300, way.away), kinds: [way.away])
    try f.until("sends without an answer") { held.count > 0 }
    let push = try f.push(Self.addresses(1, way.other), kinds: [way.other])
    try f.until("the other push") { try f.counts(push).accepted == 1 }
    #expect(try f.counts(first).accepted == 0)
    try f.until("the rest") {
      held.answer(.accepted(name: nil))
      return try f.counts(first).accepted == 300
    }
    f.engine?.stop(withinMs: 2_000)
    try f.checkLedger()
  }

  @Test("What waits in the lane of channels comes back to it after a restart")
  func restart() throws {
    let f = try DeliveryFixture()
    try f.start(ForkedSender(channels: Self.away, devices: Self.works))
    let push = try f.push(Self.addresses(3, .iosBroadcast), kinds: [.iosBroadcast])
    try f.until("a failed attempt") { f.engine?.statistics.sent ?? 0 > 0 && f.engine?.statistics.onWire == 0 }
    f.engine?.stop(withinMs: 2_000)
    let waiting = try f.store.waitingWork().lanes.map(\.lane)
    let lane = LaneKey(app: f.app, provider: .apns, environment: .production, isForChannels: true)
    #expect(waiting.allSatisfy { $0 == lane } && !waiting.isEmpty, "\(waiting)")
    try f.start(ForkedSender(channels: Self.works, devices: Self.away))
    f.clock.advance(milliseconds: 3_600_000)
    f.engine?.wake()
    try f.until("the broadcasts") { try f.counts(push).accepted == 3 }
    f.engine?.stop(withinMs: 2_000)
    try f.checkLedger()
  }
}
