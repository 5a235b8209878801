import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// One push reaches a device once, however often its list names it.
@Suite(.onBothEngines, .timeLimit(.minutes(1))) struct RepeatTests {
  private func create(_ audience: Audience, _ f: StoreFixture) throws -> CreatedPush {
    try f.store.createPush(f.newPush(audience), now: f.now)
  }

  /// The tokens that a push is sent to.
  private func tokens(_ push: PushID, _ f: StoreFixture) throws -> [String] {
    let lease = try f.lease([.push(push, max: 1_000)])
    _ = try f.record(lease.deliveries.map { f.result($0, .accepted(providerID: nil)) }, lease)
    #expect(try f.store.verifyLedger(push: nil) == [])
    return lease.deliveries.map(\.token)
  }

  @Test func aDeviceThatIsNamedTwiceIsSentToOnce() throws {
    let f = try StoreFixture()
    let devices = try f.devices(3)
    let created = try create(.devices([devices[0], devices[1], devices[0], devices[2], devices[0]]), f)
    #expect(created.targeted == 3 && created.repeats == 2)
    #expect(try tokens(created.id, f) == ["t0", "t1", "t2"])
    #expect(try f.store.push(created.id)?.repeats == 2)
    let once = try create(.devices(devices), f)
    #expect(once.targeted == 3 && once.repeats == 0)
  }

  @Test func aUserThatIsNamedTwiceIsSentToOnceAtEachDevice() throws {
    let f = try StoreFixture()
    let second = DeviceRegistration(app: f.app, token: "pad", kind: .ios, user: "t-user0")
    try f.devices(2)
    _ = try f.store.registerDevices([second], now: f.now)
    let created = try create(.users(["t-user0", "t-user1", "t-user0", "nobody", "nobody"]), f)
    // A user without a device is named once, too.
    #expect(created.targeted == 3 && created.repeats == 2 && created.unreached == [3])
    #expect(try tokens(created.id, f) == ["t0", "pad", "t1"])
  }

  @Test func aTokenThatIsNamedTwiceIsSentToOnce() throws {
    let f = try StoreFixture()
    try f.devices(1)
    let addresses = [
      DeviceAddress(token: "t0", kind: .ios), DeviceAddress(token: "0aff", kind: .ios),
      DeviceAddress(token: "0AFF", kind: .ios), DeviceAddress(token: "t0", kind: .ios, environment: .development),
      // FCM's tokens are not hexadecimal: another case is another token.
      DeviceAddress(token: "abc", kind: .android), DeviceAddress(token: "ABC", kind: .android),
      DeviceAddress(token: "abc", kind: .android),
      // An address of its own: the other gateway.
      DeviceAddress(token: "0aff", kind: .ios, environment: .development),
    ]
    let created = try create(.addresses(addresses), f)
    #expect(created.targeted == 5 && created.repeats == 3)
    #expect(try tokens(created.id, f) == ["t0", "0aff", "abc", "ABC", "0aff"])
  }

  @Test func anEarlierTokenOfAListedDeviceIsThatDevice() throws {
    let f = try StoreFixture()
    func register(_ token: String) throws {
      let device = DeviceRegistration(app: f.app, token: token, kind: .ios, name: "phone")
      _ = try f.store.registerDevices([device], now: f.now)
    }
    try register("old")
    try register("new")
    func addresses(_ tokens: String...) -> Audience { .addresses(tokens.map { DeviceAddress(token: $0, kind: .ios) }) }
    let both = try create(addresses("old", "stranger", "new"), f)
    #expect(both.targeted == 2 && both.repeats == 1)
    #expect(try tokens(both.id, f) == ["stranger", "new"])
    // By itself it is an address like any other.
    #expect(try tokens(try create(addresses("old", "stranger"), f).id, f) == ["old", "stranger"])
  }

  /// Groups that overlap, and chunks of every size, name no device twice.
  @Test(arguments: [1, 2, 3, 7, 100]) func gatheredAudiencesHoldEachDeviceOnce(chunk: Int) throws {
    let f = try StoreFixture()
    let new = (0..<20).map {
      var device = DeviceRegistration(app: f.app, token: "t\($0)", kind: .ios, user: "user\($0 % 4)")
      device.tags = $0 % 2 == 0 ? ["a", "b"] : ["b"]
      return device
    }
    let devices = try f.store.registerDevices(new, now: f.now).map(\.id)
    func tag(_ name: String) -> SegmentFilter { .condition(.init(.attribute("tags"), .contains(name))) }
    let union = SegmentFilter.or([tag("a"), tag("b"), .or([tag("a"), tag("b")])])
    for audience in [Audience.all(kinds: []), .segment(union, kinds: [])] {
      let push = try f.store.createPush(f.newPush(audience, pushClass: .campaign), now: f.now).id
      // A device that is deleted and registered again while the audience is materialized is another one, and comes too late.
      _ = try f.extend(push, chunk)
      _ = try f.store.removeDevices([devices[0]])
      let again = DeviceRegistration(app: f.app, token: "t0", kind: .ios)
      _ = try f.store.registerDevices([again], now: f.now)
      while !(try f.extend(push, chunk).complete) {}
      let lease = try f.lease([.push(push, max: 1_000)])
      #expect(Set(lease.deliveries.map(\.token)).count == lease.deliveries.count)
      #expect(try f.store.push(push)?.repeats == 0)
      #expect(try f.store.verifyLedger(push: nil) == [])
    }
  }

  @Test func aPushThatStartsLaterReachesEachDeviceOnceAndSaysSo() throws {
    let f = try StoreFixture()
    try f.devices(2)
    for local in [nil, LocalStart(clock: f.now.seconds, zone: "UTC")] {
      let new = NewScheduledPush(
        app: f.app, pushClass: .transactional, request: [123, 125], dueAt: f.now, local: local)
      let id = try f.store.addScheduledPush(new, now: f.now).id
      let scheduled = try #require(try f.store.scheduledPush(of: id))
      let users = ["t-user0", "t-user1", "t-user0"]
      try f.wait {
        f.store.startScheduledPush(scheduled, as: f.newPush(.users(users)), atOnce: false, now: f.now, completion: $0)
      }
      let push = try #require(try f.store.push(id))
      #expect(push.counts.targeted == 2 && push.repeats == 1)
      #expect(try f.store.verifyLedger(push: nil) == [])
    }
  }

  @Test func aFrequencyCapOfOneMeansOne() throws {
    let f = try StoreFixture()
    let device = try f.devices(1)[0]
    let cap = SuppressionRules(frequencyCap: FrequencyCap(pushes: 1, windowMs: 86_400_000))
    try f.store.setSuppressionRules(cap, app: f.app)
    #expect(try tokens(try create(.devices([device, device]), f).id, f) == ["t0"])
    #expect(try tokens(try create(.users(["t-user0", "t-user0"]), f).id, f) == [])
  }

  @Test func theSameKeyAnswersWithTheSameNumbers() throws {
    let f = try StoreFixture()
    let device = try f.devices(1)[0]
    let key = IdempotencyKey(key: "k", fingerprint: [1])
    let new = f.newPush(.devices([device, device]), key: key)
    let first = try f.store.createPush(new, now: f.now)
    let again = try f.store.createPush(new, now: f.now)
    #expect(first.repeats == 1 && again.repeats == 1 && again.replayed && again.targeted == 1)
  }
}
