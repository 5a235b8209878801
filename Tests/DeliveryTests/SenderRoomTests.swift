import Delivery
import PushStore
import StoreModel
import Testing

/// A sender accepts a batch whole or not at all.
@Suite(.timeLimit(.minutes(1))) struct SenderRoomTests {
  /// Found by simulation: a batch that is larger than the sender's queue was refused for ever.
  @Test func aBatchLargerThanTheSendersQueueGoesInParts() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    sender.setRoom(2)
    try f.devices(5)
    try f.start(sender)
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.until("the end of the push") {
      f.clock.advance(milliseconds: 20)
      f.engine?.wake()
      return try f.store.push(push)?.finishedAt != nil
    }
    #expect(try f.counts(push).accepted == 5)
    #expect(sender.sent.count == 5)
  }
}
