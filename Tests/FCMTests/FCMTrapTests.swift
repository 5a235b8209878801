import GatewayPool
import GatewayTestSupport
import HTTP2
import PushPayload
import Synchronization
import Testing
import WireJSON

@testable import FCM

/// A client on its own thread that talks to one scripted server, which is gateway and token endpoint at once.
private final class Harness: Sendable {
  let threads: GatewayThreads
  let client: FCMClient
  let collector = OutcomeCollector<FCMResult>()
  let sink: Sink
  let template: FCMTemplate

  final class Sink: FCMSink {
    let collector: OutcomeCollector<FCMResult>

    init(_ collector: OutcomeCollector<FCMResult>) { self.collector = collector }

    func receive(_ results: [FCMResult]) { collector.add(results) }
  }

  init(port: UInt16, tokenHost: String = "127.0.0.1", _ change: (inout FCMClientConfiguration) -> Void = { _ in })
    throws
  {
    var members = try FCMServiceAccountTests.members()
    members["token_uri"] = .string("https://\(tokenHost):\(port)/token")
    var configuration = FCMClientConfiguration(
      gateway: .custom(host: "127.0.0.1", port: port, trust: ScriptedServer.trust),
      account: try FCMServiceAccount(keyFile: JSON.minified(.object(members))))
    configuration.timing.queueTimeout = .seconds(30)
    configuration.timing.requestTimeout = .seconds(30)
    configuration.limits.backoffBase = .milliseconds(10)
    change(&configuration)
    threads = try GatewayThreads()
    client = try FCMClient(configuration, threads: threads)
    sink = Sink(collector)
    template = FCMTemplate(FCMRequestTemplate(message: ["notification": ["title": "hi"]]))
  }

  deinit { threads.shutdown() }

  func submit(_ count: Int, first: Int = 0) throws(QueueFull) {
    var batch = FCMBatch(template, capacity: count)
    for number in first..<(first + count) { batch.append(tag: UInt64(number), target: "token-\(number)") }
    try client.submit(batch, to: sink)
  }

  func outcomes(_ count: Int, first: Int = 0) async throws -> [String: Int] {
    try submit(count, first: first)
    let results = await collector.wait(for: first + count)
    #expect(Set(results.map(\.tag)) == Set((0..<(first + count)).map(UInt64.init)))
    #expect(results.count == first + count)
    return results.filter { $0.tag >= UInt64(first) }.reduce(into: [:]) { $0[$1.outcome.short, default: 0] += 1 }
  }
}

extension FCMOutcome {
  fileprivate var short: String {
    switch self {
    case .accepted: "accepted"
    case .rejected(let rejection): "\(rejection.status) \(rejection.code)"
    case .failed(let failure): "\(failure.cause) \(failure.processing.rawValue)"
    }
  }
}

@Suite(.timeLimit(.minutes(1))) struct FCMTrapTests {
  private static func json(_ request: HTTP2ServerRequest, _ status: Int, _ body: String) {
    request.respond(status: status, headers: [HTTP2Header("content-type", "application/json")], body: Array(body.utf8))
  }

  private static func grant(_ request: HTTP2ServerRequest, _ token: String = "ya29.test") {
    json(request, 200, #"{"access_token":"\#(token)","expires_in":3599,"token_type":"Bearer"}"#)
  }

  private static func accept(_ request: HTTP2ServerRequest) {
    json(request, 200, "{\n  \"name\": \"projects/demo-1/messages/0:1\"\n}\n")
  }

  private static func isToken(_ request: HTTP2ServerRequest) -> Bool { request.path.starts(with: "/token".utf8) }

  /// Grants tokens, and answers messages by the closure.
  private static func server(
    streams: UInt32 = 100, _ answer: @escaping @Sendable (HTTP2ServerRequest) -> Void = { accept($0) }
  ) throws -> ScriptedServer {
    try ScriptedServer(streams: streams) { request, _, _ in isToken(request) ? grant(request) : answer(request) }
  }

  @Test func aSendCarriesWhatGoogleDescribes() async throws {
    let server = try Self.server()
    let harness = try Harness(port: server.port)
    let outcome = try await harness.client.send(harness.template.body, to: "a:b_c-\"d")
    #expect(outcome == .accepted(name: "projects/demo-1/messages/0:1"))
    let log = server.log
    #expect(log.requests.map(\.path) == ["/token", "/v1/projects/demo-1/messages:send"])
    #expect(log.requests[0].headers["content-type"] == "application/x-www-form-urlencoded")
    #expect(log.requests[1].headers["authorization"] == "Bearer ya29.test")
    #expect(log.requests[1].headers["content-type"] == "application/json")
    #expect(log.requests[1].body == #"{"message":{"token":"a:b_c-\"d","notification":{"title":"hi"}}}"#)
  }

  @Test func aFinishedRequestGoesOutAsItIs() async throws {
    let server = try Self.server()
    let harness = try Harness(port: server.port)
    let request = FCMRequest(message: ["topic": "news", "data": ["a": "1"]])
    #expect(try await harness.client.send(request) == .accepted(name: "projects/demo-1/messages/0:1"))
    #expect(server.log.requests.last?.body == #"{"message":{"topic":"news","data":{"a":"1"}}}"#)
  }

  @Test func oneTokenIsFetchedForManySends() async throws {
    let server = try Self.server()
    let harness = try Harness(port: server.port)
    #expect(try await harness.outcomes(1000) == ["accepted": 1000])
    #expect(server.log.requests.count { $0.path == "/token" } == 1)
  }

  @Test func trap1ASilentTokenEndpointEndsEverySend() async throws {
    let server = try ScriptedServer { request, _, _ in if !Self.isToken(request) { Self.accept(request) } }
    let harness = try Harness(port: server.port) { $0.timing.queueTimeout = .milliseconds(300) }
    #expect(try await harness.outcomes(20) == ["token_unavailable not_processed": 20])
  }

  @Test func trap1AServerThatNeverAnswersEndsEverySend() async throws {
    let server = try Self.server { _ in }
    let harness = try Harness(port: server.port) { $0.timing.requestTimeout = .milliseconds(300) }
    #expect(try await harness.outcomes(50) == ["request_timeout unknown": 50])
  }

  @Test func trap3AHundredStreamsAConnectionAndMoreConnections() async throws {
    let open = Mutex((perConnection: [UInt64: Int](), max: 0))
    let server = try Self.server { request in
      let id = request.connection.id
      open.withLock {
        $0.perConnection[id, default: 0] += 1
        $0.max = max($0.max, $0.perConnection[id] ?? 0)
      }
      let connection = request.connection
      let responder = request.responder
      connection.loop.schedule(after: .milliseconds(20)) {
        open.withLock { $0.perConnection[id, default: 0] -= 1 }
        responder.respond(
          status: 200, body: Array(#"{"name":"projects/demo-1/messages/1"}"#.utf8))
      }
    }
    let harness = try Harness(port: server.port) { $0.limits.connectionsMax = 4 }
    #expect(try await harness.outcomes(2000) == ["accepted": 2000])
    #expect(open.withLock { $0.max } <= 100)
    // One more than the messages' connections: the token's.
    #expect(server.log.connections.count == 5)
  }

  @Test func anExpiredAccessTokenIsReplacedOnceAndTheSendRepeated() async throws {
    let grants = Mutex(0)
    let server = try ScriptedServer { request, _, _ in
      if Self.isToken(request) { return Self.grant(request, "t\(grants.withLock { $0 += 1; return $0 })") }
      guard request.header("authorization")?.elementsEqual("Bearer t1".utf8) == true else {
        return Self.accept(request)
      }
      Self.json(request, 401, #"{"error":{"code":401,"message":"invalid","status":"UNAUTHENTICATED"}}"#)
    }
    let harness = try Harness(port: server.port)
    #expect(try await harness.outcomes(80) == ["accepted": 80])
    #expect(grants.withLock { $0 } == 2)
  }

  @Test func anAccessTokenThatIsAlwaysRefusedEndsAfterOneRefresh() async throws {
    let server = try Self.server {
      Self.json($0, 401, #"{"error":{"code":401,"message":"invalid","status":"UNAUTHENTICATED"}}"#)
    }
    let harness = try Harness(port: server.port)
    #expect(try await harness.outcomes(10) == ["401 UNAUTHENTICATED": 10])
    #expect(server.log.requests.count { $0.path == "/token" } == 2)
  }

  @Test func aRefusedCredentialEndsEverySendWithItsReason() async throws {
    let server = try ScriptedServer { request, _, _ in
      Self.json(request, 400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#)
    }
    let harness = try Harness(port: server.port)
    #expect(try await harness.outcomes(10) == ["credential not_processed": 10])
    guard case .failed(let failure)? = harness.collector.all.first?.outcome else { return }
    #expect(
      failure.detail
        == "the token endpoint answered 400 (invalid_grant: Invalid JWT Signature.); check that this machine's clock "
        + "is right, and that the key has not been deleted or the account disabled")
    #expect(try await harness.outcomes(10, first: 10) == ["credential not_processed": 10])
    #expect(server.log.requests.count == 1, "a refused credential is not tried again at once")
  }

  @Test func aTokenEndpointInTroubleIsAskedAgain() async throws {
    let server = try ScriptedServer { request, number, _ in
      if !Self.isToken(request) { return Self.accept(request) }
      if number == 0 { request.respond(status: 503) } else { Self.grant(request) }
    }
    let harness = try Harness(port: server.port)
    #expect(try await harness.outcomes(10) == ["accepted": 10])
  }

  @Test func trap6OneRefusedMemberLeavesTheRestAlone() async throws {
    let server = try Self.server { request in
      let text = String(decoding: request.body, as: UTF8.self)
      guard text.contains("token-7\"") else { return Self.accept(request) }
      Self.json(
        request, 404,
        """
        {"error":{"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND","details":[
        {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}]}}
        """)
    }
    let harness = try Harness(port: server.port)
    #expect(try await harness.outcomes(50) == ["accepted": 49, "404 UNREGISTERED": 1])
    #expect(server.log.requests.count == 51)
  }

  @Test func retryAfterIsRead() async throws {
    let server = try Self.server {
      $0.respond(status: 429, headers: [HTTP2Header("retry-after", "37")], body: Array("{}".utf8))
    }
    let harness = try Harness(port: server.port)
    let outcome = try await harness.client.send(harness.template.body, to: "t")
    #expect(outcome == .rejected(FCMRejection(status: 429, code: .none, retryAfter: 37)))
  }

  @Test func trap11ATokenURIMayNotLeadIntoTheInnerNetwork() async throws {
    let server = try Self.server()
    // The gateway was named by a person as 127.0.0.1; what the key file names is another host.
    let harness = try Harness(port: server.port, tokenHost: "localhost") { $0.timing.queueTimeout = .milliseconds(300) }
    #expect(try await harness.outcomes(2) == ["token_unavailable not_processed": 2])
    guard case .failed(let failure)? = harness.collector.all.first?.outcome else { return }
    #expect(failure.detail.contains("is not a public address"))
    #expect(server.log.requests.isEmpty, "the assertion was sent to nobody")
  }

  @Test func errorsAndDescriptionsHoldNoSecret() async throws {
    let server = try ScriptedServer { request, _, _ in
      Self.json(request, 400, #"{"error":"invalid_grant"}"#)
    }
    let harness = try Harness(port: server.port)
    _ = try await harness.outcomes(1)
    let assertion = try #require(server.log.requests.first?.body.split(separator: "=").last)
    #expect(!"\(harness.collector.all)".contains(assertion))
    #expect(!"\(harness.collector.all)".contains("token-0"))
  }

  /// Sends that wait for an access token end when the network threads do, and when the client is drained.
  @Test(arguments: [true, false]) func whatWaitsForATokenEndsWithTheClient(isDrained: Bool) async throws {
    let server = try ScriptedServer(answer: { _, _, _ in })
    let harness = try Harness(port: server.port)
    try harness.submit(10)
    #expect(await eventually { !server.log.requests.isEmpty })
    if isDrained {
      await harness.client.drain(within: .milliseconds(50))
    } else {
      harness.threads.shutdown()
    }
    #expect(harness.collector.all.map(\.outcome.short) == Array(repeating: "closed not_processed", count: 10))
    #expect(harness.client.unfinished == 0)
  }
}
