import Delivery
import PushStore
import StoreModel
import Testing

@Suite(.timeLimit(.minutes(1))) struct StopReasonTests {
  /// Found by simulation: a delivery too old for another attempt lent its own reason, `retries-exhausted`, to the stop of the lane.
  @Test func aStopNamesTheProvidersReason() throws {
    let f = try DeliveryFixture()
    let refusal = SendRejection(status: 0, reason: "credential", meaning: .badCredential)
    let devices = try f.devices(1)
    try f.start(ScriptedSender { _, _ in .rejected(refusal) }) { options in
      options.givingUp = GivingUp(apnsAgeMs: 0, fcmAgeMs: 0)
    }
    let push = try f.push(.devices(devices))
    try f.untilFinished(push)
    try f.until("the stop of the lane") { try !f.store.stops().isEmpty }
    #expect(try f.store.stops().map(\.reason) == ["credential"])
    let rows = try f.store.deliveries(of: push, state: .rejected, after: nil, limit: 1)
    #expect(rows.map(\.reason) == ["retries-exhausted: credential"])
  }
}
