import GatewayPool
import Glibc
import HTTP2
import HTTPServer
import ProviderEmulator
import Signing
import Synchronization
import TLS
import TestSupport
import Testing
import WireJSON

@testable import WebPush

/// The client against the emulator's push service, and against others over HTTP/1.1.
@Suite(.timeLimit(.minutes(2))) struct WebPushClientTests {
  /// An emulator, a key, and a client that may reach it.
  final class Lab {
    let emulator: ProviderEmulator
    let key: VAPIDKey
    let threads: GatewayThreads
    let client: WebPushClient

    init(_ scenario: Scenario = Scenario(), _ change: (inout WebPushClientConfiguration) -> Void = { _ in }) throws {
      var settings = EmulatorConfiguration()
      settings.scenario = scenario
      emulator = try ProviderEmulator(settings)
      key = try VAPIDKey.generate()
      threads = try GatewayThreads()
      var configuration = WebPushClientConfiguration(key: key, subject: try VAPIDSubject("mailto:ops@example.com"))
      configuration.trust = .pem(Array(emulator.authorityPEM.utf8))
      configuration.allowsPrivateAddresses = true
      change(&configuration)
      client = try WebPushClient(configuration, threads: threads)
    }

    deinit {
      client.close(within: .zero)
      threads.shutdown()
    }

    /// A browser's subscription, bound to a key; to this application's unless another is given.
    func subscribe(_ token: String, key: VAPIDKey? = nil, registration: VirtualDevice.Registration = .active) throws
      -> WebPushSubscription
    {
      var device = DeviceDescription(provider: .web, token: token)
      device.applicationServerKey = Base64URL.decode((key ?? self.key).publicText)
      device.registration = registration
      emulator.makeDevice(device)
      return try WebPushSubscription(#require(emulator.subscription(token)))
    }

    func received(_ token: String) -> [ReceivedPush] { emulator.device(.web, token)?.receivedPushes ?? [] }
  }

  private static func message(_ text: String) throws -> WebPushMessage { try WebPushMessage(payload: Array(text.utf8)) }

  @Test("A message arrives decrypted, with its headers") func arrives() async throws {
    let lab = try Lab()
    let subscription = try lab.subscribe("alice")
    let message = try WebPushMessage(
      payload: Array(#"{"title":"Hallo"}"#.utf8), ttl: 60, urgency: .high, topic: WebPushTopic("news"),
      padding: .multiple(128))
    guard case .accepted(let acceptance) = try await lab.client.send(message, to: subscription) else {
      Issue.record("not accepted")
      return
    }
    #expect(acceptance.status == 201 && acceptance.location?.hasPrefix(lab.emulator.ports.webOrigin) == true)
    let push = try #require(lab.received("alice").first)
    #expect(String(decoding: push.payload, as: UTF8.self) == #"{"title":"Hallo"}"#)
    #expect(push.problem == nil && push.replacementKey == "news")
    let headers = Dictionary(push.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    #expect(headers["ttl"] == "60" && headers["urgency"] == "high" && headers["topic"] == "news")
    #expect(headers["content-encoding"] == "aes128gcm")
    // A push without data has no body and no encoding.
    _ = try await lab.client.send(WebPushMessage(payload: []), to: subscription)
    let empty = try #require(lab.received("alice").last)
    #expect(empty.payload.isEmpty && !empty.headers.contains { $0.name == "content-encoding" })
  }

  @Test("Each refusal comes with its status and what to do about it") func refusals() async throws {
    var scenario = Scenario()
    scenario.web.messagesPerSubscriptionMinute = 1
    scenario.web.bodyBytesMax = 1000
    let lab = try Lab(scenario)
    let message = try Self.message("{}")
    let gone = try lab.subscribe("gone", registration: .unregistered(sinceMs: 1))
    let foreign = try lab.subscribe("foreign", key: .generate())
    let busy = try lab.subscribe("busy")
    let missing = try WebPushSubscription(
      endpoint: lab.emulator.ports.webOrigin + "/push/nobody", p256dh: lab.key.publicText,
      auth: "BTBZMqHH6r4Tts7J_aSIgg")
    _ = try await lab.client.send(message, to: busy)
    let rows: [(WebPushSubscription, WebPushMessage, Int, WebPushConsequence)] = [
      (gone, message, 410, .retireDevice), (missing, message, 404, .retireDevice),
      (foreign, message, 403, .configuration), (busy, message, 429, .slowDown),
      (busy, try Self.message(String(repeating: "x", count: 1200)), 413, .fixRequest),
    ]
    for (subscription, message, status, consequence) in rows {
      let outcome = try await lab.client.send(message, to: subscription)
      guard case .rejected(let rejection) = outcome else {
        Issue.record("\(outcome) instead of \(status)")
        continue
      }
      #expect(rejection.status == status && rejection.consequence == consequence && !rejection.detail.isEmpty)
      if status == 429 { #expect((rejection.retryAfter ?? 0) > 0) }
    }
    #expect(WebPushConsequence(status: 503) == .retryLater && WebPushConsequence(status: 400) == .fixRequest)
  }

  @Test("A browser that cannot decrypt drops the message, and the push service has taken it all the same")
  func wrongKeys() async throws {
    let lab = try Lab()
    let own = try lab.subscribe("alice")
    let other = try lab.subscribe("bob")
    let mixed = try WebPushSubscription(
      endpoint: own.endpoint.url, p256dh: Base64URL.encode(other.key.point()), auth: Base64URL.encode(other.auth))
    guard case .accepted = try await lab.client.send(Self.message("{}"), to: mixed) else {
      Issue.record("not accepted")
      return
    }
    #expect(lab.received("alice").first?.problem != nil)
  }

  @Test("Endpoints on private addresses are refused unless they are allowed") func privateAddresses() async throws {
    let lab = try Lab { $0.allowsPrivateAddresses = false }
    let outcome = try await lab.client.send(Self.message("{}"), to: lab.subscribe("alice"))
    guard case .failed(let failure) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(failure.processing == .notProcessed && failure.cause == .addressRefused)
    #expect(lab.emulator.acceptedCount == 0)
  }

  @Test("A thousand sends to many subscribers each have their outcome, and each subscriber has its own message")
  func many() async throws {
    let lab = try Lab()
    let collector = Collector()
    var batch = WebPushBatch(try Self.message(#"{"n":1}"#))
    for index in 0..<1000 { batch.append(tag: UInt64(index), to: try lab.subscribe("browser-\(index % 50)")) }
    try lab.client.submit(batch, to: collector)
    let results = await collector.results(1000)
    #expect(Set(results.map(\.tag)).count == 1000)
    #expect(results.allSatisfy { if case .accepted = $0.outcome { true } else { false } })
    #expect(lab.emulator.acceptedCount == 1000 && lab.client.unfinished == 0 && lab.client.origins == 1)
    #expect(lab.emulator.devices.allSatisfy { $0.receivedPushes.allSatisfy { $0.problem == nil } })
  }

  @Test("A full client refuses a batch whole; a closed one fails it") func bounds() async throws {
    let lab = try Lab { $0.queueCapacity = 2 }
    let subscription = try lab.subscribe("alice")
    var batch = WebPushBatch(try Self.message("{}"))
    for tag in 0..<3 { batch.append(tag: UInt64(tag), to: subscription) }
    #expect(throws: QueueFull.self) { try lab.client.submit(batch, to: Collector()) }
    lab.client.close(within: .seconds(1))
    guard case .failed(let failure) = try await lab.client.send(Self.message("{}"), to: subscription) else {
      Issue.record("a closed client has sent")
      return
    }
    #expect(failure.cause == .closed && failure.processing == .notProcessed && lab.client.unfinished == 0)
  }

  @Test("Beyond the bound on push services, a busy one does not make room, and an idle one does") func origins()
    async throws
  {
    let lab = try Lab {
      $0.originsMax = 1
      $0.timing.requestTimeout = .seconds(3)
    }
    var silent = DeviceDescription(provider: .web, token: "silent")
    silent.script = DeviceScript([.silence])
    lab.emulator.makeDevice(silent)
    let busy = try WebPushSubscription(#require(lab.emulator.subscription("silent")))
    let other = try ProviderEmulator()
    let elsewhere = try WebPushSubscription(
      endpoint: other.ports.webOrigin + "/push/x", p256dh: lab.key.publicText, auth: "BTBZMqHH6r4Tts7J_aSIgg")
    let collector = Collector()
    var batch = WebPushBatch(try Self.message("{}"))
    batch.append(tag: 1, to: busy)
    try lab.client.submit(batch, to: collector)
    guard case .failed(let refusal) = try await lab.client.send(Self.message("{}"), to: elsewhere) else {
      Issue.record("sent to a second push service")
      return
    }
    #expect(refusal.cause == .originLimit && refusal.processing == .notProcessed)
    guard case .failed(let failure)? = await collector.results(1).first?.outcome else {
      Issue.record("an answer from a silent push service")
      return
    }
    #expect(failure.cause == .requestTimeout && failure.processing == .unknown)
    // Idle now, so that either gets its turn.
    for target in [elsewhere, busy, elsewhere] {
      let outcome = try await lab.client.send(Self.message("{}"), to: target)
      if case .failed(let failure) = outcome { #expect(failure.cause != .originLimit, "\(failure)") }
      #expect(lab.client.origins == 1)
    }
  }

  @Test("What waits for an endpoint whose host cannot be reached fails with the cause, and waits for no second try")
  func unreachable() async throws {
    let lab = try Lab { $0.timing.queueTimeout = .seconds(3_600) }
    let nowhere = try WebPushSubscription(
      endpoint: "https://push.invalid/x", p256dh: lab.key.publicText, auth: "BTBZMqHH6r4Tts7J_aSIgg")
    for _ in 0..<2 {
      guard case .failed(let failure) = try await lab.client.send(Self.message("{}"), to: nowhere) else {
        Issue.record("an answer from nowhere")
        return
      }
      #expect(failure.cause == .nameLookup && failure.processing == .notProcessed, "\(failure)")
    }
    #expect(lab.client.unfinished == 0)
  }

  @Test("Hosts that have never answered take no place of push services that have") func known() async throws {
    let lab = try Lab { $0.originsMax = 2 }
    let real = try lab.subscribe("alice")
    func isTaken() async throws -> Bool {
      if case .accepted = try await lab.client.send(Self.message("{}"), to: real) { true } else { false }
    }
    #expect(try await isTaken())
    // Takes connections, and waits for the line of a request that is no TLS.
    let silent = TestProxy(answer: "", target: 0, authorization: nil)
    silent.start()
    defer { silent.stop() }
    func endpoint(_ host: String) throws -> WebPushSubscription {
      try WebPushSubscription(
        endpoint: "https://\(host):\(silent.port)/x", p256dh: lab.key.publicText, auth: "BTBZMqHH6r4Tts7J_aSIgg")
    }
    var batch = WebPushBatch(try Self.message("{}"))
    batch.append(tag: 1, to: try endpoint("127.0.0.1"))
    try lab.client.submit(batch, to: Collector())
    guard case .failed(let refusal) = try await lab.client.send(Self.message("{}"), to: endpoint("127.0.0.2")) else {
      Issue.record("a second host that never answered got a place")
      return
    }
    #expect(refusal.cause == .originLimit)
    #expect(try await isTaken())
  }

  @Test(
    "A push service without HTTP/2 is reached over HTTP/1.1, through the proxy where there is one",
    arguments: [false, true])
  func http1(throughProxy: Bool) async throws {
    let proxy = TestProxy(
      answer: "HTTP/1.1 200 Connection established\r\n\r\n", target: 0, authorization: "Basic YW5uOnM=")
    proxy.start()
    defer { proxy.stop() }
    let folder = try TemporaryFolder()
    let certificate = try SelfSignedCertificate.make()
    let paths = (folder.path + "/certificate.pem", folder.path + "/key.pem")
    try Files.write(Array(certificate.certificatePEM.utf8), to: paths.0)
    try Files.write(Array(certificate.privateKeyPEM.utf8), to: paths.1)
    #expect(chmod(paths.1, 0o600) == 0)
    let handler = OldPushService()
    var configuration = HTTPServerConfiguration()
    configuration.certificate = try ServerCertificate(certificatePath: paths.0, keyPath: paths.1)
    let server = try HTTPServer(configuration, handler: handler)
    defer { server.stop(drainingFor: .zero) }
    let lab = try Lab {
      $0.trust = .pem(Array(certificate.certificatePEM.utf8))
      if throughProxy { $0.proxy = try? HTTP2Proxy("http://ann:s@127.0.0.1:\(proxy.port)") }
    }
    let receiver = try ECPrivateKey.generate()
    let auth = SecureRandom.bytes(16)
    let point = Base64URL.encode(try receiver.publicKey.point())
    let collector = Collector()
    var batch = WebPushBatch(try Self.message("hello"))
    for (tag, path) in ["good", "good", "gone", "busy", "closed"].enumerated() {
      batch.append(
        tag: UInt64(tag),
        to: try WebPushSubscription(
          endpoint: "https://127.0.0.1:\(server.port)/\(path)", p256dh: point, auth: Base64URL.encode(auth)))
    }
    try lab.client.submit(batch, to: collector)
    let results = await collector.results(5).sorted { $0.tag < $1.tag }
    #expect(results[0].outcome == .accepted(WebPushAcceptance(status: 201, location: "https://127.0.0.1/m/good")))
    #expect(results[1].outcome == results[0].outcome)
    #expect(results[2].outcome == .rejected(WebPushRejection(status: 410, detail: "gone")))
    #expect(results[3].outcome == .rejected(WebPushRejection(status: 429, detail: "busy", retryAfter: 7)))
    // A date, further away than is believed.
    #expect(results[4].outcome == .rejected(WebPushRejection(status: 503, detail: "closed", retryAfter: 86_400)))
    let bodies = handler.received
    #expect(bodies.count == 5 && lab.client.unfinished == 0)
    for (headers, body) in bodies {
      #expect(try WebPushCipher.open(body, key: receiver, auth: auth) == Array("hello".utf8))
      #expect(headers["ttl"] == "2419200" && headers["authorization"]?.hasPrefix("vapid t=") == true)
      #expect(headers["proxy-authorization"] == nil)
    }
    // One attempt over HTTP/2 at least, and one or more over HTTP/1.1.
    let asked = proxy.heads.withLock { $0 }
    #expect(throughProxy ? asked.count >= 2 : asked.isEmpty)
    #expect(asked.allSatisfy { $0.hasPrefix("CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\n") }, "\(asked)")
  }
}

/// Collects results until there are enough.
final class Collector: WebPushSink {
  private struct State {
    var results: [WebPushResult] = []
    var waiter: (count: Int, continuation: CheckedContinuation<[WebPushResult], Never>)?
  }

  private let state = Mutex(State())

  func receive(_ results: [WebPushResult]) {
    let done = state.withLock { state -> (CheckedContinuation<[WebPushResult], Never>, [WebPushResult])? in
      state.results += results
      guard let waiter = state.waiter, state.results.count >= waiter.count else { return nil }
      state.waiter = nil
      return (waiter.continuation, state.results)
    }
    if let (continuation, results) = done { continuation.resume(returning: results) }
  }

  func results(_ count: Int) async -> [WebPushResult] {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state -> [WebPushResult]? in
        if state.results.count >= count { return state.results }
        state.waiter = (count, continuation)
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }
}

/// A push service of the kind that people host themselves, over HTTP/1.1.
final class OldPushService: HTTPHandler {
  private let requests = Mutex<[(headers: [String: String], body: [UInt8])]>([])

  var received: [(headers: [String: String], body: [UInt8])] { requests.withLock { $0 } }

  func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    let headers = Dictionary(
      request.headers.all.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    requests.withLock { $0.append((headers, request.body)) }
    let name = request.path.split(separator: "/").last ?? ""
    let (status, header): (Int, (name: String, value: String)) =
      switch name {
      case "gone": (410, ("x-seen", "1"))
      case "busy": (429, ("retry-after", "7"))
      case "closed": (503, ("retry-after", "Fri, 31 Dec 2100 23:59:59 GMT"))
      default: (201, ("location", "https://127.0.0.1/m/\(name)"))
      }
    responder.respond(
      HTTPResponse(status: status, headers: [header], bytes: Array((status == 201 ? "" : String(name)).utf8)))
  }
}
