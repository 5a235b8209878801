import Delivery
import PushStore
import Synchronization
import TestSupport
import Testing

/// Broadcasts share the lane of APNs with what goes to devices, and go to another service of Apple's.
@Suite(.timeLimit(.minutes(2))) struct BroadcastLaneTests {
  /// A sender whose way to channels is out of order.
  private final class HalfSender: Sender {
    private let isElsewhere: Bool

    init(isElsewhere: Bool) { self.isElsewhere = isElsewhere }

    func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
      let isBroadcast = batch.payload.rendered.kinds == [.iosBroadcast]
      sink.receive(
        batch.entries.map { entry in
          isBroadcast
            ? SendAnswer(
              tag: entry.tag, outcome: .notProcessed(reason: "connection refused"), isElsewhere: isElsewhere)
            : SendAnswer(tag: entry.tag, outcome: .accepted(name: nil))
        })
      return true
    }
  }

  @Test(
    "A broadcast service that is away closes no lane of devices; a gateway that is away does", arguments: [true, false])
  func isOnItsOwn(isElsewhere: Bool) throws {
    let f = try DeliveryFixture()
    try f.start(HalfSender(isElsewhere: isElsewhere))
    let channels = (0..<400).map { DeviceAddress(token: "channel\($0)", kind: .iosBroadcast) }
    _ = try f.push(.addresses(channels), kinds: [.iosBroadcast])
    try f.until("a verdict") {
      (f.engine?.statistics.sent ?? 0) >= 400 || f.events.value.withLock { $0.contains { $0.isUnreachable } }
    }
    try f.until("all answers") { f.engine?.statistics.onWire == 0 }
    #expect(f.events.value.withLock { $0.contains { $0.isUnreachable } } == !isElsewhere)
    let push = try f.push(.addresses([DeviceAddress(token: "phone", kind: .ios)]), kinds: [.ios])
    if isElsewhere {
      try f.until("the phone's push") { try f.counts(push).accepted == 1 }
    }
    f.engine?.stop(withinMs: 2_000)
    try f.checkLedger()
  }
}
