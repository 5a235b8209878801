import Delivery
import PushStore
import StoreModel
import Synchronization
import TestSupport
import Testing

@Suite struct PipelineTests {
  @Test func aTransactionalPushReachesItsDevice() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    try f.start(sender)
    let push = try f.push(.devices(try f.devices(1)))
    try f.untilFinished(push)
    #expect(try f.counts(push).accepted == 1)
    let bits = APNsIDs(salt: 99).bits(of: DeliveryID(rawValue: push.rawValue))
    let id = "\(String(bits.high, radix: 16))-\(String(bits.low, radix: 16))"
    #expect(sender.sent == [.init(token: "t0", apnsID: id, body: [123, 125], urgent: true)])
    try f.checkLedger()
  }

  @Test func aCampaignReachesEachDeviceOnce() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    try f.devices(5_000)
    try f.devices(2_000, prefix: "a", kind: .android)
    try f.start(sender) {
      $0.window = 900
      $0.transactionalReserve = 100
      $0.campaignTurn = 300
      $0.audienceChunk = 500
      $0.audienceAhead = 1_000
    }
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.untilFinished(push)
    #expect(try f.counts(push).accepted == 7_000)
    #expect(Set(sender.sent.map(\.token)).count == 7_000 && sender.sent.count == 7_000)
    try f.checkLedger()
  }

  @Test func whatIsAcceptedBeforeTheStartIsSentAfterIt() throws {
    let f = try DeliveryFixture()
    let push = try f.push(.devices(try f.devices(1)))
    try f.start(ScriptedSender())
    try f.untilFinished(push)
    #expect(try f.counts(push).accepted == 1)
  }

  @Test func aRetryComesAfterItsBackoff() throws {
    let f = try DeliveryFixture()
    let busy = SendRejection(status: 503, reason: "ServiceUnavailable", meaning: .trouble(.apns))
    let sender = ScriptedSender { _, earlier in earlier == 0 ? .rejected(busy) : .accepted(name: nil) }
    try f.start(sender)
    let push = try f.push(.devices(try f.devices(1)))
    try f.until("the first try") { try f.counts(push).waiting == 1 && sender.sent.count == 1 }
    f.advance(seconds: 899)
    try f.until("a look at the store") { f.engine?.statistics.inFlight == 0 }
    #expect(sender.sent.count == 1)
    f.advance(seconds: 2)
    try f.untilFinished(push)
    #expect(sender.sent.count == 2 && Set(sender.sent.map(\.apnsID)).count == 1)
    let row = try f.store.deliveries(of: push, state: .accepted, after: nil, limit: 1)
    #expect(row.map(\.attempts) == [2])
    try f.checkLedger()
  }

  @Test func anUnknownOutcomeIsNamedAndSentAgainWithTheSameID() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender { _, earlier in earlier == 0 ? .unknown(reason: "timeout") : .accepted(name: nil) }
    try f.start(sender)
    let push = try f.push(.devices(try f.devices(1)))
    try f.until("the first try") { try f.store.push(push)?.resent == 1 }
    f.advance(seconds: 2)
    try f.untilFinished(push)
    #expect(Set(sender.sent.map(\.apnsID)).count == 1 && sender.sent.count == 2)
    #expect(try f.store.deliveries(of: push, state: nil, after: nil, limit: 1).map(\.unknowns) == [1])
    let left = try f.push(.addresses([DeviceAddress(token: "z", kind: .ios)]), policy: .leave)
    try f.untilFinished(left)
    #expect(try f.counts(left).unknown == 1)
    try f.checkLedger()
  }

  @Test func aRefusedCredentialStopsTheAppAndLosesNothing() throws {
    let f = try DeliveryFixture()
    let isFixed = Shared(Atomic(false))
    let refusal = SendRejection(status: 403, reason: "InvalidProviderToken", meaning: .badCredential)
    let sender = ScriptedSender { _, _ in
      isFixed.value.load(ordering: .relaxed) ? .accepted(name: nil) : .rejected(refusal)
    }
    try f.devices(500)
    try f.start(sender)
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.until("the stop") { try f.store.app(f.app)?.stopReason != nil }
    #expect(try f.store.app(f.app)?.stopReason == "apns refused the credential: InvalidProviderToken")
    try f.until("quiet") { f.engine?.statistics.inFlight == 0 && f.engine?.statistics.unwritten == 0 }
    #expect(try f.counts(push).rejected == 0)
    isFixed.value.store(true, ordering: .relaxed)
    try f.store.clearStops(app: f.app)
    f.advance(seconds: 20)
    try f.until("the second wave") { try f.counts(push).accepted > 0 || f.engine?.statistics.inFlight == 0 }
    f.advance(seconds: 20)
    try f.untilFinished(push)
    #expect(try f.counts(push).accepted == 500)
    try f.checkLedger()
  }

  /// A credential that fails for some pushes only: the operator is told once in ten minutes, and the app goes on.
  @Test func aDoubtfulCredentialIsToldAndStopsNothing() throws {
    let f = try DeliveryFixture()
    let refusal = SendRejection(status: 401, reason: "THIRD_PARTY_AUTH_ERROR", meaning: .doubtfulCredential)
    let sender = ScriptedSender { token, _ in token.hasPrefix("x") ? .rejected(refusal) : .accepted(name: nil) }
    try f.devices(20, prefix: "x", kind: .android)
    try f.devices(20, prefix: "t", kind: .android)
    try f.start(sender)
    let told = { f.events.value.withLock { $0 }.count { if case .credentialDoubted = $0 { true } else { false } } }
    for (seconds, times) in [(Int64(0), 1), (599, 1), (1, 2)] {
      f.advance(seconds: seconds)
      let push = try f.push(.all(kinds: []), campaign: true)
      try f.untilFinished(push)
      #expect(try f.counts(push).rejected == 20 && f.counts(push).accepted == 20)
      #expect(told() == times)
    }
    let event = DeliveryEvent.credentialDoubted(
      LaneKey(app: f.app, provider: .fcm, environment: .production), reason: "THIRD_PARTY_AUTH_ERROR")
    #expect(f.events.value.withLock { $0 }.contains(event))
    #expect(try f.store.app(f.app)?.stopReason == nil)
    #expect(try f.store.countDevices(app: f.app, filter: DeviceFilter(state: .active)) == 40)
    try f.checkLedger()
  }

  @Test func massRetirementIsHalted() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender { _, _ in
      .rejected(SendRejection(status: 400, reason: "BadDeviceToken", meaning: .suspectToken))
    }
    try f.devices(1_000)
    try f.start(sender) { $0.spikeGuard = .init(shareMax: 0.3, answersMin: 100, windowMs: 600_000) }
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.untilFinished(push)
    #expect(try f.counts(push).rejected == 1_000)
    let held = try f.store.countDevices(app: f.app, filter: DeviceFilter(state: .quarantined))
    #expect(held == 99)
    #expect(f.events.value.withLock { $0 }.contains(.retirementHalted(f.app, share: 1)))
  }

  @Test func aDeadTokenRetiresItsDevice() throws {
    let f = try DeliveryFixture()
    let since = f.clock.now.adding(seconds: -30)
    let sender = ScriptedSender { _, _ in
      .rejected(SendRejection(status: 410, reason: "Unregistered", meaning: .deadToken, deadSince: since))
    }
    let device = try f.devices(1)[0]
    try f.start(sender)
    let push = try f.push(.devices([device]))
    try f.untilFinished(push)
    #expect(try f.store.device(device)?.state == .retired)
    #expect(try f.store.device(device)?.stateReason == "Unregistered")
  }

  @Test func aTransactionalPushOvertakesACampaign() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    try f.devices(3_000)
    try f.start(sender) {
      $0.window = 200
      $0.transactionalReserve = 50
      $0.campaignTurn = 100
    }
    let campaign = try f.push(.all(kinds: []), campaign: true)
    try f.until("a running campaign") { sender.sent.count > 200 }
    let push = try f.push(.addresses([DeviceAddress(token: "now", kind: .ios)]))
    try f.untilFinished(push)
    try f.untilFinished(campaign)
    let index = try #require(sender.sent.firstIndex { $0.token == "now" })
    #expect(sender.sent[index].urgent && index < 3_000)
  }

  @Test func campaignsShareTheSenders() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    let other = try f.store.createApp(name: "other", title: "", settings: [], now: f.clock.now).id
    try f.devices(2_000)
    let more = (0..<2_000).map { DeviceRegistration(app: other, token: "o\($0)", kind: .ios) }
    _ = try f.store.registerDevices(more, now: f.clock.now)
    f.senders.set(sender, app: other, provider: .apns, environment: .production)
    let first = try f.push(.all(kinds: []), campaign: true)
    let second = try f.push(.all(kinds: []), campaign: true, in: other)
    try f.start(sender) {
      $0.window = 400
      $0.transactionalReserve = 0
      $0.campaignTurn = 200
      $0.audienceChunk = 2_000
    }
    try f.untilFinished(first)
    try f.untilFinished(second)
    let tokens = sender.sent.map(\.token)
    let half = tokens.prefix(2_000).filter { $0.hasPrefix("o") }.count
    #expect(half > 600 && half < 1_400, "\(half) of the first 2000 belong to the second campaign")
  }

  @Test func aFullSenderIsTriedAgain() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    sender.setRoom(0)
    try f.start(sender)
    let push = try f.push(.devices(try f.devices(1)))
    try f.until("the lease") { try f.counts(push).inFlight == 1 }
    sender.setRoom(.max)
    f.clock.advance(milliseconds: 100)
    try f.untilFinished(push)
  }

  @Test func withoutACredentialDeliveriesWait() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    try f.start(sender)
    f.senders.removeAll(of: f.app)
    let push = try f.push(.devices(try f.devices(1)))
    try f.until("the return") {
      try f.store.deliveries(of: push, state: .waiting, after: nil, limit: 1).map(\.reason) == ["no-credential"]
    }
    // Nothing is leased from a lane without a credential, however long it takes.
    let waiting = try f.store.deliveries(of: push, state: .waiting, after: nil, limit: 1)
    f.advance(seconds: 5)
    try f.lookAtStore()
    #expect(try f.store.deliveries(of: push, state: .waiting, after: nil, limit: 1) == waiting)
    f.senders.set(sender, app: f.app, provider: .apns, environment: .production)
    f.engine?.resumeLanes(of: f.app)
    try f.untilFinished(push)
    #expect(try f.counts(push).accepted == 1)
  }

  @Test func aKindWithoutPayloadIsRejectedByName() throws {
    let f = try DeliveryFixture()
    try f.start(ScriptedSender())
    let push = try f.push(.devices(try f.devices(1, kind: .android)), kinds: [.ios])
    try f.untilFinished(push)
    #expect(try f.store.deliveries(of: push, state: .rejected, after: nil, limit: 1).map(\.reason) == ["no-payload"])
    // Messages are written for what the app has credentials for: the message is not what is at fault then.
    f.senders.set(nil, app: f.app, provider: .fcm, environment: .production)
    let second = try f.push(.devices(try f.devices(1, prefix: "u", kind: .android)), kinds: [.ios])
    try f.untilFinished(second)
    #expect(
      try f.store.deliveries(of: second, state: .rejected, after: nil, limit: 1).map(\.reason) == ["no-credential"])
  }

  @Test func cancellingTakesBackWhatIsNotOnTheWire() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    sender.setRoom(0)
    try f.devices(300)
    try f.start(sender)
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.until("the leases") { try f.counts(push).inFlight == 300 }
    try f.store.cancelPush(push, now: f.clock.now)
    f.engine?.recheck(push)
    try f.untilFinished(push)
    #expect(try f.counts(push).cancelled == 300 && sender.sent.isEmpty)
    try f.checkLedger()
  }

  @Test func pausingHoldsAndResumingGoesOn() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    sender.setRoom(0)
    try f.devices(300)
    try f.start(sender)
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.until("the leases") { try f.counts(push).inFlight == 300 }
    try f.store.pausePush(push)
    f.engine?.recheck(push)
    try f.until("the return") { try f.counts(push).waiting == 300 }
    sender.setRoom(.max)
    try f.store.resumePush(push, now: f.clock.now)
    f.advance(seconds: 20)
    try f.untilFinished(push)
    #expect(try f.counts(push).accepted == 300)
    try f.checkLedger()
  }

  @Test func aThrottleIsKept() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    try f.devices(100)
    try f.start(sender)
    let push = try f.push(.all(kinds: []), campaign: true, throttle: 60)
    try f.until("the first") { sender.sent.count >= 1 }
    for second in 1...5 {
      f.advance(seconds: 1)
      try f.until("second \(second)") { sender.sent.count >= second + 1 }
      #expect(sender.sent.count <= second + 2)
    }
    try f.store.setThrottle(push, perMinute: nil, now: f.clock.now)
    f.engine?.wake()
    try f.untilFinished(push)
  }

  @Test func stoppingGivesBackAndWritesAll() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    try f.devices(2_000)
    try f.start(sender) { $0.window = 500 }
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.until("a running campaign") { sender.sent.count > 300 }
    f.engine?.stop(withinMs: 5_000)
    let counts = try f.counts(push)
    #expect(counts.inFlight == 0 && counts.accepted == sender.sent.count)
    try f.checkLedger()
  }

  /// More pushes at once than the pipeline keeps laid out.
  @Test func manyPushesOfManyAppsAllEnd() throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    let apps = try (0..<6).map { try f.store.createApp(name: "a\($0)", title: "", settings: [], now: f.clock.now).id }
    for app in apps {
      f.senders.set(sender, app: app, provider: .apns, environment: .production)
      let pushes = (0..<900).map { number in
        NewPush(
          app: app, audience: .addresses([DeviceAddress(token: "\(app)-\(number)", kind: .ios)]),
          payloads: [RenderedPayload(kinds: [.ios], body: [1])], salt: 3)
      }
      let now = f.clock.now
      _ = try f.store.wait { f.store.createPushes(pushes, now: now, completion: $0) }
    }
    try f.start(sender)
    try f.until("the end of all") { f.engine?.statistics.accepted == 5_400 }
    #expect(Set(sender.sent.map(\.token)).count == 5_400 && sender.sent.count == 5_400)
    try f.checkLedger()
  }

  @Test func aScheduledPushStartsByItself() throws {
    let f = try DeliveryFixture()
    try f.start(ScriptedSender())
    var new = NewPush(
      app: f.app, audience: .devices(try f.devices(1)), payloads: [RenderedPayload(kinds: [.ios], body: [1])], salt: 1)
    new.startAt = f.clock.now.adding(seconds: 30)
    let push = try f.store.createPush(new, now: f.clock.now).id
    f.engine?.wake()
    f.advance(seconds: 31)
    try f.untilFinished(push)
    #expect(try f.counts(push).accepted == 1)
  }
}
