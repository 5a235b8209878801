import APNs
import Delivery
import FCM
import GatewayPool
import HTTP2
import ProviderEmulator
import PushStore
import StoreModel
import TLS
import TestSupport
import Testing

/// The whole path with the real clients, over TLS, against the emulator.
@Suite struct GatewayTests {
  /// The senders of an app whose credentials name an emulator.
  private static func senders(_ emulator: ProviderEmulator, _ threads: GatewayThreads) throws -> (
    apns: APNsSender, fcm: FCMSender
  ) {
    let trust = TLSTrust.pem(Array(emulator.authorityPEM.utf8))
    let keys = emulator.credentials
    let key = try APNs.APNsSigningKey(p8: Array(keys.signingKeyPEM.utf8), keyID: keys.keyID, teamID: keys.teamID)
    let apns = APNsClientConfiguration(
      gateway: .custom(host: "127.0.0.1", port: emulator.ports.apns, trust: trust), credential: .token(key))
    let account = try FCMServiceAccount(
      keyFile: Array(keys.serviceAccountJSON(tokenURI: emulator.ports.tokenURI).utf8))
    var gateway = FCMGateway.custom(host: "127.0.0.1", port: emulator.ports.fcm, trust: trust)
    gateway.tokenEndpoint = gateway.endpoint
    let fcm = FCMClientConfiguration(gateway: gateway, account: account)
    return (
      APNsSender(try APNsClient(apns, threads: threads)), FCMSender(try FCMClient(fcm, threads: threads))
    )
  }

  private static func payloads() -> [RenderedPayload] {
    let headers: [RenderedPayload.Header] = [
      .init("apns-push-type", "alert"), .init("apns-priority", "10"), .init("apns-topic", "com.example.app"),
    ]
    let prefix = #"{"message":{"token":""#
    let body = prefix + #"","notification":{"title":"Hi","body":"There"}}}"#
    return [
      RenderedPayload(kinds: [.ios], headers: headers, body: Array(#"{"aps":{"alert":"Hi"}}"#.utf8)),
      RenderedPayload(kinds: [.android], body: Array(body.utf8), tokenOffset: prefix.utf8.count),
    ]
  }

  private static func hexToken(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  @Test func aCampaignReachesBothProviders() throws {
    let f = try DeliveryFixture()
    let emulator = try ProviderEmulator()
    defer { emulator.stop() }
    let threads = try GatewayThreads(count: 1)
    defer { threads.shutdown() }
    let senders = try Self.senders(emulator, threads)
    var dead = FaultRule(name: "dead")
    dead.token = Self.hexToken(7)
    dead.effect = .refuse(Refusal("Unregistered"))
    emulator.add(dead)
    let ios = (0..<600).map { DeviceRegistration(app: f.app, token: Self.hexToken($0), kind: .ios) }
    let android = (0..<200).map { DeviceRegistration(app: f.app, token: "fcm-token:\($0)", kind: .android) }
    _ = try f.store.registerDevices(ios + android, now: Timestamp(seconds: 1_700_000_000))
    try f.start(senders.apns) { options in options.recordDelayMs = 5 }
    f.senders.set(senders.fcm, app: f.app, provider: .fcm, environment: .production)
    let new = NewPush(
      app: f.app, pushClass: .campaign, audience: .all(kinds: []), payloads: Self.payloads(), salt: 0x1234)
    let push = try f.store.createPush(new, now: f.clock.now).id
    f.engine?.wake()
    try f.untilFinished(push)
    let counts = try f.counts(push)
    #expect(counts.accepted == 799 && counts.rejected == 1 && emulator.acceptedCount == 799)
    let rejected = try f.store.deliveries(of: push, state: .rejected, after: nil, limit: 10)
    #expect(rejected.map(\.status) == [410] && rejected.map(\.reason) == ["Unregistered"])
    try f.until("the record of the android rows") { try f.store.push(push)?.state == .sent }
    let rows = try f.store.deliveries(of: push, state: .accepted, after: nil, limit: 1_000)
    let names = rows.filter { $0.kind == .android }.compactMap(\.providerID)
    #expect(names.count == 200 && names.allSatisfy { $0.hasPrefix("projects/emulated-project/messages/") })
    let first = try #require(rows.first { $0.kind == .ios })
    let device = try #require(emulator.device(.apns, Self.hexToken(0)))
    #expect(device.receivedPushes.map(\.id) == [first.providerID])
    #expect(device.receivedPushes.map { String(decoding: $0.payload, as: UTF8.self) } == [#"{"aps":{"alert":"Hi"}}"#])
    let phone = try #require(emulator.device(.fcm, "fcm-token:3"))
    #expect(
      phone.receivedPushes.map { String(decoding: $0.payload, as: UTF8.self) } == [
        #"{"message":{"token":"fcm-token:3","notification":{"title":"Hi","body":"There"}}}"#
      ])
    f.engine?.stop(withinMs: 2_000)
    try f.checkLedger()
  }
}
