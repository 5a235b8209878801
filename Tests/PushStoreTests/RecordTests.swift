import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

@Suite(.onBothEngines) struct RecordTests {
  @Test func appsAreNamedOnce() throws {
    let f = try StoreFixture()
    #expect(try f.store.app(named: "demo")?.id == f.app && f.store.app(named: "other") == nil)
    let refusal = #expect(throws: StoreError.self) {
      try f.store.createApp(name: "demo", title: "", settings: [], now: f.now)
    }
    #expect(refusal?.description == "conflict: an app named demo exists; choose another name")
    let changed = try f.store.updateApp(f.app, title: "New", settings: [1], compat: [], now: f.now.adding(seconds: 1))
    #expect(changed.title == "New" && changed.settings == [1] && changed.updatedAt > changed.createdAt)
  }

  @Test func anAppWithWorkIsNotDeleted() throws {
    let f = try StoreFixture()
    let push = try f.store.createPush(f.newPush(.devices(try f.devices(1))), now: f.now).id
    #expect(throws: StoreError.self) { try f.store.deleteApp(f.app) }
    try f.store.cancelPush(push, now: f.now)
    try f.store.deleteApp(f.app)
    #expect(try f.store.app(f.app) == nil && f.store.device(app: f.app, token: "t0") == nil)
    #expect(try f.store.createApp(name: "demo", title: "", settings: [], now: f.now).id > f.app)
  }

  @Test func credentialsAreReplacedWithoutAGap() throws {
    let f = try StoreFixture()
    var new = NewCredential(
      app: f.app, provider: .apns, kind: "apns-token", environment: .production, settings: [1], sealed: [9, 9])
    let first = try f.store.saveCredential(new, replacing: nil, now: f.now)
    new.sealed = [8]
    let second = try f.store.saveCredential(new, replacing: first.id, now: f.now.adding(seconds: 1))
    #expect(second.id == first.id && second.sealed == [8] && second.createdAt == first.createdAt)
    #expect(try f.store.credentials(app: f.app) == [second])
    try f.store.deleteCredential(first.id)
    #expect(throws: StoreError.self) { try f.store.deleteCredential(first.id) }
  }

  @Test func keysAreFoundByHashAndRevoked() throws {
    let f = try StoreFixture()
    let new = NewAPIKey(app: nil, name: "first", scopes: "admin", prefix: "pr_ab", hash: [1, 2, 3])
    let key = try f.store.createKey(new, now: f.now)
    #expect(try f.store.key(hash: [1, 2, 3]) == key && f.store.key(hash: [1]) == nil)
    #expect(throws: StoreError.self) { try f.store.createKey(new, now: f.now) }
    try f.store.touchKey(key.id, now: f.now.adding(seconds: 5))
    try f.store.revokeKey(key.id, unlessLastWith: nil, now: f.now)
    try f.store.revokeKey(key.id, unlessLastWith: nil, now: f.now.adding(seconds: 9))
    let after = try #require(try f.store.keys().first)
    #expect(after.revokedAt == f.now && after.lastUsedAt == f.now.adding(seconds: 5))
  }

  @Test func aTokenBelongsToOneDevice() throws {
    let f = try StoreFixture()
    func register(_ token: String, name: String? = nil, user: String? = nil) throws -> RegisteredDevice {
      let device = DeviceRegistration(app: f.app, token: token, kind: .ios, name: name, user: user)
      return try f.store.registerDevices([device], now: f.now)[0]
    }
    let phone = try register("one", name: "phone", user: "ann")
    #expect(try register("one", name: "phone", user: "ann") == RegisteredDevice(id: phone.id, created: false))
    // The token changes, the device stays.
    #expect(try register("two", name: "phone", user: "ann").id == phone.id)
    #expect(try f.store.device(phone.id)?.token == "two" && f.store.device(app: f.app, token: "one") == nil)
    // The token moves to another user.
    #expect(try register("two", user: "bob").id == phone.id)
    #expect(try f.store.device(phone.id)?.user == "bob")
    // A named device takes over the token of an unnamed one.
    let other = try register("three")
    #expect(try register("three", name: "phone").id == phone.id)
    #expect(try f.store.device(other.id) == nil)
    #expect(try f.store.countDevices(app: f.app, filter: DeviceFilter()) == 1)
  }

  @Test func devicesArePagedAndFiltered() async throws {
    let f = try StoreFixture()
    let ios = try f.devices(5)
    let android = try f.devices(4, kind: .android, prefix: "a")
    try f.store.setDeviceState(ios[0], .quarantined, reason: "BadDeviceToken", now: f.now)
    func page(_ filter: DeviceFilter, after: DeviceID? = nil, limit: Int = 100) throws -> [DeviceID] {
      try f.store.devices(app: f.app, filter: filter, after: after, limit: limit).map(\.id)
    }
    #expect(try page(DeviceFilter()) == ios + android)
    #expect(try page(DeviceFilter(), after: ios[3], limit: 2) == [ios[4], android[0]])
    #expect(try page(DeviceFilter(kinds: [.android])) == android)
    #expect(try page(DeviceFilter(state: .quarantined)) == [ios[0]])
    #expect(try page(DeviceFilter(user: "a-user2")) == [android[2]])
    #expect(try page(DeviceFilter(environment: .development)).isEmpty)
    #expect(try await f.erase("a-user2").left == 0)
    #expect(try f.store.countDevices(app: f.app, filter: DeviceFilter(kinds: [.android], state: .active)) == 3)
  }

  @Test func limitsAreNamed() throws {
    let f = try StoreFixture()
    let long = DeviceRegistration(app: f.app, token: String(repeating: "x", count: 4097), kind: .ios)
    do {
      _ = try f.store.registerDevices([long], now: f.now)
      Issue.record("accepted")
    } catch {
      #expect(error.description == "invalid: token: 4097 bytes, allowed are 1 to 4096; change token")
    }
    let listed = f.newPush(.users([String](repeating: "u", count: 10_001)))
    do {
      try f.store.createPush(listed, now: f.now)
      Issue.record("accepted")
    } catch {
      #expect(
        error.description
          == "invalid: audience: 10001 users, at most 10000 can be listed; split the list over several pushes")
    }
  }

  @Test func answersOfOtherRequestsAreRemembered() throws {
    let f = try StoreFixture()
    let key = IdempotencyKey(key: "k", fingerprint: [1])
    func remember(_ answer: [UInt8]) throws {
      try f.store.wait { f.store.remember(answer: answer, scope: 0, key: key, now: f.now, completion: $0) }
    }
    #expect(try f.store.knownRequest(scope: 0, key: key) == nil)
    try remember([7])
    try remember([8])
    #expect(try f.store.knownRequest(scope: 0, key: key) == .answer([7]))
    #expect(throws: StoreError.self) {
      try f.store.knownRequest(scope: 0, key: IdempotencyKey(key: "k", fingerprint: [2]))
    }
  }

  @Test("A key is stored with the first change of its request, and with no other") func keysAndChangesAreOne() throws {
    let f = try StoreFixture()
    let key = IdempotencyKey(key: "k", fingerprint: [1])
    func create(_ name: String) throws {
      try KeyedChange.$current.withValue(KeyedChange(key: key, scope: 0, now: f.now)) {
        _ = try f.store.createApp(name: name, title: "", settings: [], now: f.now)
        _ = try f.store.createApp(name: name + "2", title: "", settings: [], now: f.now)
      }
    }
    // What is refused leaves no key.
    #expect(throws: StoreError.self) { try create("demo") }
    #expect(try f.store.knownRequest(scope: 0, key: key) == nil)
    try create("a")
    #expect(try f.store.knownRequest(scope: 0, key: key) == .createdNamed("a"))
    // Another request with the key changes nothing, also when it was not seen in time.
    #expect(throws: StoreError.self) { try create("b") }
    #expect(try f.store.apps().map(\.name) == ["demo", "a", "a2"])
    try f.store.wait { f.store.remember(answer: [9], scope: 0, key: key, now: f.now, completion: $0) }
    #expect(try f.store.knownRequest(scope: 0, key: key) == .answer([9]))
  }

  @Test func payloadsComeBackAsTheyWere() throws {
    let f = try StoreFixture()
    let payloads = [
      RenderedPayload(kinds: [.ios, .iosVoIP], headers: [.init("apns-topic", "x"), .init("a", "")], body: [1, 2, 3]),
      RenderedPayload(kinds: DeviceKind.allCases, body: [], tokenOffset: 0),
    ]
    var push = f.newPush(.devices(try f.devices(1)))
    push.payloads = payloads
    push.message = [9]
    let id = try f.store.createPush(push, now: f.now).id
    #expect(try f.store.content(of: id) == PushContent(message: [9], payloads: payloads))
    #expect(PayloadCoding.decode([1, 0, 0, 0, 5]) == nil)
  }

  @Test("Placeholders come back as they were, with what a device needs of them") func placeholdersComeBack() {
    var payload = RenderedPayload(kinds: [.ios], body: [0x5B, 0x5D])
    payload.placeholders = RenderedPayload.Need.allCases.flatMap { need in
      [
        RenderedPayload.Placeholder(offset: 1, name: "n", fallback: "f", depth: 2, need: need),
        RenderedPayload.Placeholder(offset: 1, name: "", fallback: "", depth: 3, template: "{{ n }}", need: need),
      ]
    }
    let bytes = PayloadCoding.encode([payload])
    #expect(PayloadCoding.decode(bytes) == [payload])
    // A placeholder of an earlier version needs nothing.
    var plain = payload
    for index in plain.placeholders.indices { plain.placeholders[index].need = .optional }
    #expect(PayloadCoding.encode([plain]).count == bytes.count)
  }
}
