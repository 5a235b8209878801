import Delivery
import Ledger
import PushStore
import StoreModel
import TestSupport
import Testing

/// A token that was registered for the wrong environment of APNs, where the app has asked to try the other.
@Suite(.timeLimit(.minutes(2))) struct OtherEnvironmentTests {
  static let bad = SendOutcome.rejected(
    SendRejection(status: 400, reason: "BadDeviceToken", meaning: .suspectToken))

  let f: DeliveryFixture
  let production: ScriptedSender
  let development: ScriptedSender
  let device: DeviceID

  init() throws {
    f = try DeliveryFixture()
    production = ScriptedSender { _, _ in Self.bad }
    development = ScriptedSender { token, _ in token == "t0" ? .accepted(name: nil) : Self.bad }
    f.senders.set(development, app: f.app, provider: .apns, environment: .development)
    device = try f.devices(2)[0]
  }

  func record(_ push: PushID) throws -> DeliveryRecord {
    try #require(try f.store.deliveries(of: push, filter: DeliveryFilter(), after: nil, limit: 10).rows.first)
  }

  @Test func sendsOnceMoreAndMovesTheDevice() throws {
    f.senders.setTriesOtherEnvironment(true, app: f.app)
    try f.start(production)
    let push = try f.push(.devices([device]))
    try f.untilFinished(push)
    let row = try record(push)
    #expect(row.state == .accepted)
    #expect(row.reason == LocalReason.otherEnvironment)
    #expect(row.attempts == 2)
    let moved = try #require(try f.store.device(device))
    #expect(moved.environment == .development && moved.state == .active)
    #expect(production.count("t0") == 1 && development.count("t0") == 1)
    // From now on it is one of that environment.
    let next = try f.push(.devices([device]))
    try f.untilFinished(next)
    #expect(try record(next).reason.isEmpty)
    #expect(production.count("t0") == 1 && development.count("t0") == 2)
    try f.checkLedger()
  }

  @Test func endsWhereBothRefuse() throws {
    f.senders.setTriesOtherEnvironment(true, app: f.app)
    try f.start(production)
    let other = try f.devices(2)[1]
    let push = try f.push(.devices([other]))
    try f.untilFinished(push)
    let row = try record(push)
    #expect(row.state == .rejected && row.reason == "BadDeviceToken" && row.attempts == 2)
    #expect(production.count("t1") == 1 && development.count("t1") == 1)
    // It is what it was, and held back.
    let kept = try #require(try f.store.device(other))
    #expect(kept.environment == .production && kept.state == .quarantined)
    try f.checkLedger()
  }

  @Test func endsAtOnceUnlessAsked() throws {
    try f.start(production)
    let push = try f.push(.devices([device]))
    try f.untilFinished(push)
    #expect(try record(push).state == .rejected)
    #expect(try f.store.device(device)?.state == .quarantined)
    #expect(development.sent.isEmpty)
  }

  @Test func endsAtOnceWithoutACredentialForTheOther() throws {
    f.senders.setTriesOtherEnvironment(true, app: f.app)
    f.senders.set(nil, app: f.app, provider: .apns, environment: .development)
    try f.start(production)
    let push = try f.push(.devices([device]))
    try f.untilFinished(push)
    #expect(try record(push).state == .rejected)
    #expect(try record(push).attempts == 1)
  }

  @Test func leavesOtherRefusalsAlone() throws {
    f.senders.setTriesOtherEnvironment(true, app: f.app)
    let gone = SendOutcome.rejected(SendRejection(status: 410, reason: "Unregistered", meaning: .deadToken))
    try f.start(ScriptedSender { _, _ in gone })
    let push = try f.push(.devices([device]))
    try f.untilFinished(push)
    #expect(try record(push).reason == "Unregistered")
    #expect(development.sent.isEmpty)
    #expect(try f.store.device(device)?.environment == .production)
  }
}
