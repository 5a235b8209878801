import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// What a server is asked once for many pushes or devices, and what is the same on a file that is asked one by one.
@Suite(.onBothEngines, .timeLimit(.minutes(5))) struct TogetherTests {
  /// Pushes to a device, to an address that nobody registered, and to one that is retired, leased with those that do not fit left.
  @Test func transactionalPushesAreLeasedTogetherInTheirOrder() throws {
    let f = try StoreFixture()
    let devices = try f.devices(3)
    try f.store.setDeviceState(devices[2], .retired, reason: "Unregistered", now: f.now)
    let addresses = ["t0", "nobody", "t2"].map { DeviceAddress(token: $0, kind: .ios) }
    let pushes = try f.wait {
      f.store.createPushes(addresses.map { f.newPush(.addresses([$0])) }, now: f.now, completion: $0)
    }.map(\.id)
    let many = try f.store.createPush(f.newPush(.devices(devices)), now: f.now).id
    let last = try f.store.createPush(f.newPush(.addresses([addresses[1]])), now: f.now).id
    let lease = try f.lease([.transactional(app: f.app, max: 4)])
    #expect(lease.deliveries.map(\.token) == ["t0", "nobody", "t0", "t1"])
    #expect(lease.deliveries.map(\.device) == [devices[0], nil, devices[0], devices[1]])
    #expect(lease.deliveries.map(\.push) == [pushes[0], pushes[1], many, many])
    #expect(try f.counts(pushes[2]) == LedgerCounts(targeted: 1, rejected: 1))
    let rest = try f.lease([.transactional(app: f.app, max: 4)])
    #expect(rest.deliveries.map(\.push) == [last])
    for lease in [lease, rest] {
      _ = try f.record(lease.deliveries.map { f.result($0, .accepted(providerID: nil)) }, lease)
    }
    #expect(try f.counts(pushes[0]) == LedgerCounts(targeted: 1, accepted: 1))
    #expect(try f.counts(last) == LedgerCounts(targeted: 1, accepted: 1))
    #expect(try f.store.push(pushes[1])?.finishedAt == f.now)
    #expect(try f.store.verifyLedger(push: nil) == [])
  }

  /// Chunks that end at a device that is not meant, at one that is, and at the last one.
  @Test(arguments: [1, 2, 3, 4, 100]) func anAudienceIsGatheredInChunksOfAnySize(limit: Int) throws {
    let f = try StoreFixture()
    let phones = try f.devices(3) + f.devices(4, kind: .android, prefix: "a") + f.devices(2, prefix: "u")
    let push = try f.store.createPush(f.newPush(.all(kinds: [.ios]), pushClass: .campaign), now: f.now).id
    // The numbers behind those of the push are another one's.
    let strangers = (0..<200).map { DeviceAddress(token: "s\($0)", kind: .ios) }
    _ = try f.store.createPush(f.newPush(.addresses(strangers), pushClass: .campaign), now: f.now)
    var chunks = 0
    while !(try f.extend(push, limit).complete) {
      chunks += 1
      try #require(chunks < 20)
    }
    let lease = try f.lease([.push(push, max: 10)])
    #expect(lease.deliveries.map(\.device) == [0, 1, 2, 7, 8].map { phones[$0] })
    #expect(try f.counts(push).targeted == 5)
    #expect(try f.store.verifyLedger(push: nil) == [])
  }

  /// A server is not asked again for what was just gathered; leases larger and smaller than the chunks, what another process of the
  /// database has taken, and a user who was erased meanwhile change nothing of what is leased.
  @Test(arguments: [1, 2, 5, 7]) func whatWasGatheredIsLeasedInPiecesOfAnySize(size: Int) async throws {
    let f = try StoreFixture()
    func phone(_ number: Int, _ token: String) -> DeviceRegistration {
      DeviceRegistration(app: f.app, token: token, kind: .ios, name: "phone\(number)", user: "user\(number)")
    }
    let devices = try f.store.registerDevices((0..<12).map { phone($0, "t\($0)") }, now: f.now).map(\.id)
    let push = try f.store.createPush(f.newPush(.all(kinds: []), pushClass: .campaign), now: f.now).id
    while !(try f.extend(push, 3).complete) {}
    _ = try f.store.registerDevices([phone(4, "renewed")], now: f.now)
    try f.store.setDeviceState(devices[5], .retired, reason: "Unregistered", now: f.now)
    _ = try f.store.removeDevices([devices[6]])
    _ = try await f.erase("user7")
    var tokens: [String] = []
    while tokens.count < 9 {
      let lease = try f.lease([.push(push, max: size)])
      try #require(!lease.deliveries.isEmpty || lease.settled > 0)
      for delivery in lease.deliveries {
        #expect(devices.firstIndex { $0 == delivery.device } == Int(delivery.id.rawValue - push.rawValue))
      }
      tokens += lease.deliveries.map(\.token)
    }
    #expect(tokens == ["t0", "t1", "t2", "t3", "renewed", "t8", "t9", "t10", "t11"])
    #expect(try f.counts(push) == LedgerCounts(targeted: 12, inFlight: 9, rejected: 3))
    #expect(try f.store.verifyLedger(push: nil) == [])
  }

  /// Devices that are far apart are searched for, near ones are walked over.
  @Test func theDevicesOfAListAreFoundHoweverFarApart() throws {
    let f = try StoreFixture()
    let devices = try f.devices(60)
    for list in [[devices[59], devices[0]], [devices[3], devices[2], devices[5]]] {
      let push = try f.store.createPush(f.newPush(.devices(list), pushClass: .campaign), now: f.now).id
      let lease = try f.lease([.push(push, max: 10)])
      #expect(lease.deliveries.map(\.device) == list)
      #expect(lease.deliveries.map(\.token) == list.map { device in "t\(devices.firstIndex(of: device) ?? -1)" })
    }
  }
}
