import FCM
import GatewayPool
import Glibc
import HTTP2
import HTTPServer
import ProviderEmulator
import PushPayload
import Signing
import Synchronization
import TLS
import TestSupport
import Testing
import WireJSON

@testable import Huawei

/// The client against the emulator's Push Kit, and against a gateway over HTTP/1.1.
@Suite(.timeLimit(.minutes(2))) struct HuaweiClientTests {
  /// An emulator and a client of its app.
  final class Lab {
    let emulator: ProviderEmulator
    let threads: GatewayThreads
    let client: HuaweiClient

    init(_ scenario: Scenario = Scenario(), secret: String? = nil, usesProject: Bool = false) throws {
      var settings = EmulatorConfiguration()
      settings.scenario = scenario
      emulator = try ProviderEmulator(settings)
      threads = try GatewayThreads()
      let keys = emulator.credentials
      let account = try HuaweiAccount(
        clientID: keys.huaweiClientID, clientSecret: secret ?? keys.huaweiClientSecret,
        projectID: usesProject ? keys.huaweiProjectID : nil)
      let gateway = Huawei.HuaweiGateway.custom(
        host: "127.0.0.1", port: emulator.ports.hms, trust: .pem(Array(emulator.authorityPEM.utf8)))
      client = try HuaweiClient(HuaweiClientConfiguration(gateway: gateway, account: account), threads: threads)
    }

    deinit {
      client.close(within: .zero)
      threads.shutdown()
    }
  }

  private static let body = HuaweiRequest(message: ["data": "hello"]).template()

  private static func rejection(_ outcome: HuaweiOutcome) -> HuaweiRejection? {
    if case .rejected(let rejection) = outcome { rejection } else { nil }
  }

  @Test("A message arrives at the app's address and at the project's, with its access token", arguments: [false, true])
  func arrives(usesProject: Bool) async throws {
    let lab = try Lab(usesProject: usesProject)
    let outcome = try await lab.client.send(Self.body, to: "phone-1")
    let push = try #require(lab.emulator.device(.hms, "phone-1")?.receivedPushes.first)
    #expect(outcome == .accepted(requestID: push.id) && !push.id.isEmpty)
    #expect(String(decoding: push.payload, as: UTF8.self) == #"{"message":{"token":["phone-1"],"data":"hello"}}"#)
    let headers = Dictionary(push.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    #expect(headers["authorization"] == "Bearer …")
    #expect(headers["content-type"] == "application/json;charset=UTF-8")
    let keys = lab.emulator.credentials
    #expect(
      headers[":path"]
        == (usesProject ? "/v2/\(keys.huaweiProjectID)/messages:send" : "/v1/\(keys.huaweiClientID)/messages:send"))
  }

  @Test("What Push Kit says of a token and of a message") func refusals() async throws {
    var scenario = Scenario()
    var gone = DeviceDescription(provider: .hms, token: "gone")
    gone.registration = .unregistered(sinceMs: 1)
    var foreign = DeviceDescription(provider: .hms, token: "foreign")
    foreign.projects = ["1"]
    scenario.devices = [gone, foreign]
    let lab = try Lab(scenario)
    for token in ["gone", "foreign"] {
      let rejection = try #require(Self.rejection(try await lab.client.send(Self.body, to: token)))
      #expect(rejection.code == .invalidTokens && rejection.consequence == .retireDevice)
    }
    let long = HuaweiRequest(message: ["data": .string(String(repeating: "x", count: 4_096))]).template()
    #expect(Self.rejection(try await lab.client.send(long, to: "phone"))?.code.rawValue == "80300008")
    let empty = HuaweiRequest(message: ["android": [:]]).template()
    #expect(Self.rejection(try await lab.client.send(empty, to: "phone"))?.code.rawValue == "80100003")
    let key = HuaweiRequest(message: ["data": "x", "android": ["collapse_key": 101]]).template()
    #expect(Self.rejection(try await lab.client.send(key, to: "phone"))?.code.rawValue == "80100013")
  }

  @Test("Every documented code and status, by scenario") func scripted() async throws {
    var rows = HuaweiCode.documented.map(\.rawValue) + ["80100000"]
    rows += ["400", "404", "429", "500", "502", "503"]
    var scenario = Scenario()
    for code in rows {
      var device = DeviceDescription(provider: .hms, token: "token-\(code)")
      device.script = DeviceScript([.refuse(Refusal(code))], repeatsLast: true)
      scenario.devices.append(device)
    }
    let lab = try Lab(scenario)
    for code in rows {
      let rejection = try #require(Self.rejection(try await lab.client.send(Self.body, to: "token-\(code)")), "\(code)")
      #expect(rejection.reason == code)
    }
  }

  @Test("A revoked access token is fetched anew, and the message goes out once more") func revoked() async throws {
    let lab = try Lab()
    _ = try await lab.client.send(Self.body, to: "phone")
    lab.emulator.desk.handle(.post, ["revoke-access-tokens"], []) { _ in }
    let outcome = try await lab.client.send(Self.body, to: "phone")
    guard case .accepted = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(lab.emulator.device(.hms, "phone")?.acceptedCount == 2)
  }

  @Test("A wrong secret fails every send, as not processed, with what to do") func wrongSecret() async throws {
    let lab = try Lab(secret: "0123456789abcdef")
    let outcome = try await lab.client.send(Self.body, to: "phone")
    guard case .failed(let failure) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(failure.processing == .notProcessed && failure.cause == .credential)
    #expect(failure.detail.contains("1101/12304") && failure.detail.contains("client secret"), "\(failure.detail)")
    #expect(!failure.detail.contains("0123456789abcdef"))
  }

  @Test("A gateway without HTTP/2 is reached over HTTP/1.1, with a token that is fetched the same way")
  func http1() async throws {
    let folder = try TemporaryFolder()
    let certificate = try SelfSignedCertificate.make()
    let paths = (folder.path + "/certificate.pem", folder.path + "/key.pem")
    try Files.write(Array(certificate.certificatePEM.utf8), to: paths.0)
    try Files.write(Array(certificate.privateKeyPEM.utf8), to: paths.1)
    #expect(chmod(paths.1, 0o600) == 0)
    let handler = OldPushKit()
    var configuration = HTTPServerConfiguration()
    configuration.certificate = try ServerCertificate(certificatePath: paths.0, keyPath: paths.1)
    let server = try HTTPServer(configuration, handler: handler)
    defer { server.stop(drainingFor: .zero) }
    let threads = try GatewayThreads()
    defer { threads.shutdown() }
    let gateway = Huawei.HuaweiGateway.custom(
      host: "127.0.0.1", port: server.port, trust: .pem(Array(certificate.certificatePEM.utf8)))
    let account = try HuaweiAccount(clientID: "42", clientSecret: "0123456789abcdef")
    let client = try HuaweiClient(HuaweiClientConfiguration(gateway: gateway, account: account), threads: threads)
    let collector = HuaweiCollector()
    var texts = SendTexts(perRow: 2)
    for name in ["Ann", "Bob", "Cleo"] {
      texts.append(Array(name.utf8))
      texts.append(Array("\(name)!".utf8))
    }
    // A text before the token and one behind it.
    let whole = Array(#"{"a":"","message":{"token":[""],"data":""}}"#.utf8)
    let layout = FCMRequestTemplate(body: whole, offset: 29, placeholder: .token)
    var batch = FCMBatch(FCMTemplate(layout, prefixGaps: [6], suffixGaps: [11]), texts: texts)
    for (tag, token) in ["good", "refused-once", "gone"].enumerated() {
      batch.append(tag: UInt64(tag), target: token, row: tag)
    }
    try client.submit(batch, to: collector)
    let results = await collector.results(3).sorted { $0.tag < $1.tag }
    #expect(results[0].outcome == .accepted(requestID: "good"))
    #expect(results[1].outcome == .accepted(requestID: "refused-once"))
    #expect(Self.rejection(results[2].outcome)?.consequence == .retireDevice)
    // What follows goes there at once.
    #expect(try await client.send(Self.body, to: "later") == .accepted(requestID: "later"))
    #expect(client.unfinished == 0)
    let bodies = handler.bodies
    #expect(bodies.contains(#"{"a":"Ann","message":{"token":["good"],"data":"Ann!"}}"#), "\(bodies)")
    #expect(bodies.filter { $0.contains("refused-once") }.count == 2)
    client.close(within: .zero)
    guard case .failed(let failure) = try await client.send(Self.body, to: "closed") else {
      Issue.record("sent by a client that is closed")
      return
    }
    #expect(failure.processing == .notProcessed)
  }
}

/// Collects results until there are enough.
private final class HuaweiCollector: HuaweiSink {
  private let held = Mutex<[HuaweiResult]>([])

  func receive(_ results: [HuaweiResult]) { held.withLock { $0 += results } }

  func results(_ count: Int) async -> [HuaweiResult] {
    // The suite's time limit ends a wait for what never comes.
    while held.withLock({ $0.count }) < count { try? await Task.sleep(for: .milliseconds(5)) }
    return held.withLock { $0 }
  }
}

/// A Push Kit that speaks HTTP/1.1; of the token `refused-once` it refuses the first access token.
private final class OldPushKit: HTTPHandler {
  private struct State {
    var bodies: [String] = []
    var hasRefused = false
    var tokens = 0
  }

  private let state = Mutex(State())

  var bodies: [String] { state.withLock { $0.bodies } }

  func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    let text = String(decoding: request.body, as: UTF8.self)
    if request.path == "/oauth2/v3/token" {
      let number = state.withLock { state in
        state.tokens += 1
        return state.tokens
      }
      let isRight = text == "grant_type=client_credentials&client_id=42&client_secret=0123456789abcdef"
      let answer = isRight ? #"{"access_token":"t\#(number)","expires_in":3600}"# : #"{"error":1101}"#
      responder.respond(HTTPResponse(status: isRight ? 200 : 400, headers: [], bytes: Array(answer.utf8)))
      return
    }
    let token = (try? JSON.parse(request.body))?["message"]?["token"]?[0]?.string ?? ""
    let isRefused = state.withLock { state in
      state.bodies.append(text)
      guard token == "refused-once", !state.hasRefused else { return false }
      state.hasRefused = true
      return true
    }
    let code = isRefused ? "80200003" : token == "gone" ? "80300007" : "80000000"
    let answer = #"{"code":"\#(code)","msg":"m","requestId":"\#(token)"}"#
    responder.respond(HTTPResponse(status: isRefused ? 401 : 200, headers: [], bytes: Array(answer.utf8)))
  }
}
