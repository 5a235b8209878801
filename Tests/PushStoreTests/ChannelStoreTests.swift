import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Broadcast channels in the store, and the pushes that belong to one.
@Suite(.onBothEngines, .timeLimit(.minutes(1))) struct ChannelStoreTests {
  let fixture: StoreFixture
  var store: any Store { fixture.store }
  let now = Timestamp(seconds: 1_700_000_000)

  init() throws { fixture = try StoreFixture() }

  private func new(_ id: String, name: String? = nil, bundle: String = "com.example.app") -> NewChannel {
    NewChannel(
      app: fixture.app, environment: .production, bundleID: bundle, channelID: id, storage: .mostRecent, name: name)
  }

  private func broadcast(_ channel: Channel, _ event: LiveEvent = .update) throws -> PushID {
    let payload = RenderedPayload(kinds: [.iosBroadcast], headers: [], body: Array(#"{"aps":{}}"#.utf8))
    var push = NewPush(
      app: fixture.app, audience: .addresses([DeviceAddress(token: channel.channelID, kind: .iosBroadcast)]),
      payloads: [payload], salt: 7)
    push.live = LivePush(owner: .channel(channel.id), event: event)
    return try store.createPush(push, now: now).id
  }

  @Test("A channel is found by its key, listed by app, and forgotten") func keeps() throws {
    let one = try store.createChannel(new("AAAA", name: "match"), now: now)
    let other = try store.createChannel(new("BBBB"), now: now)
    #expect(try store.channel(one.id) == one && one.name == "match" && one.storage == .mostRecent)
    #expect(try store.channels(app: fixture.app, after: nil, limit: 10) == [one, other])
    #expect(try store.channels(app: fixture.app, after: one.id, limit: 10) == [other])
    #expect(try store.hasChannel(app: fixture.app, environment: .production, named: "match"))
    #expect(try !store.hasChannel(app: fixture.app, environment: .development, named: "match"))
    try store.deleteChannel(one.id)
    #expect(try store.channel(one.id) == nil)
    #expect(throws: StoreError.self) { try store.deleteChannel(one.id) }
  }

  @Test("The same channel and the same name are known once; another bundle's may have the same id") func unique() throws
  {
    _ = try store.createChannel(new("AAAA", name: "match"), now: now)
    let same = #expect(throws: StoreError.self) { try store.createChannel(new("AAAA"), now: now) }
    #expect(same?.code == .conflict && same?.message == "the channel is known already")
    let name = #expect(throws: StoreError.self) { try store.createChannel(new("BBBB", name: "match"), now: now) }
    #expect(name?.code == .conflict && name?.message == "a channel has this name already")
    #expect(throws: Never.self) { try store.createChannel(new("AAAA", bundle: "com.example.other"), now: now) }
  }

  @Test("A broadcast is a push with one delivery, listed under its channel, and stays when the channel goes")
  func broadcasts() throws {
    let one = try store.createChannel(new("AAAA"), now: now)
    let other = try store.createChannel(new("BBBB"), now: now)
    let first = try broadcast(one)
    let second = try broadcast(one, .end)
    _ = try broadcast(other)
    let all = try store.livePushes(of: .channel(one.id), before: nil, limit: 10)
    #expect(all.map(\.push.id) == [second, first] && all.map(\.event) == [.end, .update])
    #expect(all.allSatisfy { $0.push.counts.targeted == 1 && $0.push.counts.waiting == 1 })
    #expect(try store.livePushes(of: .channel(one.id), before: second, limit: 10).map(\.push.id) == [first])
    try store.deleteChannel(one.id)
    #expect(try store.livePushes(of: .channel(one.id), before: nil, limit: 10).isEmpty)
    #expect(try store.push(first)?.counts.targeted == 1)
  }

  @Test("A device that registers under a channel's id takes none of its broadcasts") func isNobodysDevice() throws {
    let channel = try store.createChannel(new("AAAABBBB"), now: now)
    _ = try store.registerDevices(
      [DeviceRegistration(app: fixture.app, token: "AAAABBBB", kind: .ios)], now: now)
    let push = try broadcast(channel)
    let rows = try store.deliveries(of: push, state: .waiting, after: nil, limit: 10)
    #expect(rows.map(\.device) == [nil] && rows.map(\.kind) == [.iosBroadcast])
  }

  @Test("An app takes its channels along") func goesWithTheApp() throws {
    let channel = try store.createChannel(new("AAAA"), now: now)
    let push = try broadcast(channel)
    try store.cancelPush(push, now: now)
    try store.deleteApp(fixture.app)
    #expect(try store.channel(channel.id) == nil)
    #expect(try store.livePushes(of: .channel(channel.id), before: nil, limit: 10).isEmpty)
  }

  @Test("No kind of a device is a channel") func kinds() {
    #expect(!DeviceKind.allCases.contains(.iosBroadcast) && DeviceKind(name: "ios-broadcast") == nil)
    #expect(DeviceKind.all.contains(.iosBroadcast) && Set(DeviceKind.all.map(\.rawValue)).count == DeviceKind.all.count)
    #expect(Set(DeviceKind.all).subtracting(DeviceKind.allCases) == [.iosBroadcast])
  }
}
