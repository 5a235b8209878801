import Delivery
import FCM
import GatewayPool
import HTTP2
import ProviderEmulator
import PushStore
import StoreModel
import Synchronization
import TLS
import TestSupport
import Testing

/// A token endpoint in trouble, met without an access token in hand: nothing stops, the app's other provider goes on, and
/// when the endpoint is well again, so do the pushes.
@Suite(.timeLimit(.minutes(10))) struct TokenEndpointTests {
  /// What the endpoint does.
  struct Trouble: Sendable, CustomTestStringConvertible {
    let name: String
    let effect: Effect
    var testDescription: String { name }
  }

  static let troubles: [Trouble] = [
    Trouble(name: "503", effect: .answer(RawAnswer(status: 503))),
    Trouble(name: "500", effect: .answer(RawAnswer(status: 500, contentType: "application/json", body: [123, 125]))),
    Trouble(name: "429", effect: .answer(RawAnswer(status: 429, retryAfterSeconds: 1))),
    Trouble(name: "408", effect: .answer(RawAnswer(status: 408))),
    Trouble(name: "302", effect: .answer(RawAnswer(status: 302))),
    Trouble(name: "404", effect: .answer(RawAnswer(status: 404))),
    Trouble(
      name: "403 of a proxy",
      effect: .answer(RawAnswer(status: 403, contentType: "text/html", body: Array("<html>No</html>".utf8)))),
    Trouble(
      name: "200 with HTML",
      effect: .answer(RawAnswer(status: 200, contentType: "text/html", body: Array("<html></html>".utf8)))),
    Trouble(name: "500 that names a grant", effect: .refuse(Refusal("invalid_grant", status: 500))),
    Trouble(name: "invalid_request", effect: .refuse(Refusal("invalid_request"))),
    Trouble(name: "RST_STREAM", effect: .reset(code: 2)),
    Trouble(name: "GOAWAY", effect: .goAway(GoAwayEffect(code: 0, processed: false))),
    Trouble(name: "TCP reset", effect: .close),
    Trouble(name: "silence", effect: .silence),
  ]

  /// An app with a token endpoint of its own and APNs beside it.
  final class Setup {
    let f: DeliveryFixture
    let emulator: ProviderEmulator
    let threads: GatewayThreads
    let push: PushID

    init(_ effect: Effect) throws {
      f = try DeliveryFixture()
      emulator = try ProviderEmulator()
      threads = try GatewayThreads(count: 1)
      var rule = FaultRule(name: "trouble", effect: effect)
      rule.provider = .oauth
      emulator.add(rule)
      try f.devices(20, prefix: "i")
      try f.devices(20, prefix: "fcm-token:", kind: .android)
      try f.start(ScriptedSender())
      f.senders.set(try Self.sender(emulator, threads), app: f.app, provider: .fcm, environment: .production)
      push = try f.push(.all(kinds: []), campaign: true, body: Self.body)
    }

    deinit {
      f.engine?.stop(withinMs: 2_000)
      threads.shutdown()
      emulator.stop()
    }

    static let body: (bytes: [UInt8], tokenOffset: Int) = {
      let prefix = #"{"message":{"token":""#
      return (Array((prefix + #"","notification":{"title":"Hi"}}}"#).utf8), prefix.utf8.count)
    }()

    static func sender(_ emulator: ProviderEmulator, _ threads: GatewayThreads) throws -> FCMSender {
      let account = try FCMServiceAccount(
        keyFile: Array(emulator.credentials.serviceAccountJSON(tokenURI: emulator.ports.tokenURI).utf8))
      var gateway = FCMGateway.custom(
        host: "127.0.0.1", port: emulator.ports.fcm, trust: .pem(Array(emulator.authorityPEM.utf8)))
      gateway.tokenEndpoint = gateway.endpoint
      var client = FCMClientConfiguration(gateway: gateway, account: account)
      client.timing.queueTimeout = .milliseconds(300)
      client.tokenTimeout = .milliseconds(200)
      return FCMSender(try FCMClient(client, threads: threads))
    }

    /// Waits until the iPhones have their push and the Android phones have been tried.
    func untilTried(_ reason: String) throws {
      try f.until("the first tries", seconds: 60) {
        let waiting = try f.store.deliveries(of: push, state: .waiting, after: nil, limit: 100)
        return try f.counts(push).accepted == 20 && waiting.count == 20 && waiting.allSatisfy { $0.reason == reason }
      }
    }

    func untilDone() throws {
      try f.until("the rest", seconds: 120) {
        f.advance(seconds: 5)
        return try f.store.push(push)?.finishedAt != nil
      }
      #expect(try f.counts(push).accepted == 40)
      try f.checkLedger()
    }
  }

  @Test("Trouble at the token endpoint stops nothing, and ends by itself", arguments: troubles)
  func passes(trouble: Trouble) throws {
    let setup = try Setup(trouble.effect)
    try setup.untilTried("token_unavailable")
    #expect(try setup.f.store.stops().isEmpty)
    setup.emulator.removeFaults()
    try setup.untilDone()
    let stops = setup.f.events.value.withLock { $0 }.filter { if case .providerStopped = $0 { true } else { false } }
    #expect(stops.isEmpty, "\(stops)")
  }

  @Test(
    "A refusal of the credential stops FCM alone, is remembered, and is tried again",
    arguments: ["invalid_grant", "unauthorized_client"])
  func refused(code: String) throws {
    let setup = try Setup(.refuse(Refusal(code)))
    let f = setup.f
    try setup.untilTried("credential")
    let lane = LaneKey(app: f.app, provider: .fcm, environment: .production)
    try f.until("the stop") { try f.store.stops().count == 1 }
    let stop = try #require(try f.store.stops().first)
    #expect(stop.lane == lane && stop.refusals == 1 && stop.retryAt == stop.since.adding(seconds: 60))
    // The client asks the endpoint again after half a minute of its own clock; a new one asks at once.
    setup.emulator.removeFaults()
    f.senders.set(
      try Setup.sender(setup.emulator, setup.threads), app: f.app, provider: .fcm, environment: .production)
    f.advance(seconds: 55)
    try f.until("a look at the store") { f.engine?.statistics.inFlight == 0 }
    #expect(try f.counts(setup.push).accepted == 20)
    try setup.untilDone()
    try f.until("the end of the stop") { try f.store.stops().isEmpty }
  }
}
