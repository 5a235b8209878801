import GatewayPool
import GatewayTestSupport
import Glibc
import HTTP2
import PushPayload
import Signing
import Synchronization
import TestSupport
import Testing
import WireJSON

@testable import FCM

/// Access tokens from an endpoint that speaks HTTP/1.1 only.
@Suite(.timeLimit(.minutes(5))) struct PlainTokenTests {
  /// openssl's server: shows what comes, and sends what it is given when the assertion has come.
  final class Endpoint {
    let folder: TemporaryFolder
    let process: Subprocess
    let port: UInt16

    init(answer: String, alpn: String) throws {
      folder = try TemporaryFolder()
      let identity = try #require(ScriptedServer.identity)
      try Files.write(Array(identity.privateKeyPEM.utf8), to: folder.path + "/key.pem")
      try Files.write(Array(identity.certificatePEM.utf8), to: folder.path + "/certificate.pem")
      try Files.write(Array(answer.utf8), to: folder.path + "/answer")
      process = try Subprocess(
        "/bin/bash",
        [
          "-c",
          """
          cd "$0"
          { n=0; until grep -q assertion= seen 2>/dev/null || [ $((n += 1)) -gt 600 ]; do sleep 0.1; done
            cat answer; sleep 2; } |
            openssl s_server -accept 0 -naccept 2 -key key.pem -cert certificate.pem \(alpn) 2>&1 | tee seen
          """, folder.path,
        ])
      let hello = try process.waitFor("ACCEPT", seconds: 60)
      let digits = hello.split(separator: "ACCEPT").last?.split(separator: ":").last?.prefix { $0.isNumber }
      port = try #require(UInt16(digits ?? ""))
    }

    /// What came, until it has the text.
    func seen(_ text: String) throws -> String { try process.waitFor(text, seconds: 60) }
  }

  static let granted = #"{"access_token":"plain-token","expires_in":3599,"token_type":"Bearer"}"#

  static func answer(_ status: String, _ body: String) -> String {
    "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
      + "Connection: close\r\n\r\n\(body)"
  }

  /// A client whose gateway is scripted and whose token endpoint stands elsewhere.
  static func send(
    to gateway: ScriptedServer, tokenHost: String, tokenPort: UInt16, isNamed: Bool,
    within bound: Duration = .seconds(30), proxy: HTTP2Proxy? = nil
  ) async throws -> FCMOutcome {
    var members = try FCMServiceAccountTests.members()
    members["token_uri"] = .string("https://\(tokenHost):\(tokenPort)/token")
    var configuration = FCMClientConfiguration(
      gateway: .custom(host: "127.0.0.1", port: gateway.port, trust: ScriptedServer.trust),
      account: try FCMServiceAccount(keyFile: JSON.minified(.object(members))))
    configuration.gateway.tokenEndpoint = GatewayEndpoint(
      host: tokenHost, port: tokenPort, trust: ScriptedServer.trust, allowsPrivateAddresses: isNamed)
    configuration.gateway.tokenEndpoint?.proxy = proxy
    configuration.timing.queueTimeout = bound
    configuration.limits.backoffBase = .milliseconds(10)
    let threads = try GatewayThreads()
    defer { threads.shutdown() }
    let client = try FCMClient(configuration, threads: threads)
    return try await client.send(FCMRequestTemplate(message: ["notification": ["title": "hi"]]), to: "t")
  }

  static func gateway() throws -> ScriptedServer {
    try ScriptedServer { request, _, _ in
      request.respond(
        status: 200, headers: [HTTP2Header("content-type", "application/json")],
        body: Array(#"{"name":"projects/demo-1/messages/0:1"}"#.utf8))
    }
  }

  @Test("An endpoint without HTTP/2 grants its tokens over HTTP/1.1", arguments: ["", "-alpn http/1.1"])
  func grants(alpn: String) async throws {
    let gateway = try Self.gateway()
    let endpoint = try Endpoint(answer: Self.answer("200 OK", Self.granted), alpn: alpn)
    let outcome = try await Self.send(to: gateway, tokenHost: "127.0.0.1", tokenPort: endpoint.port, isNamed: true)
    #expect(outcome == .accepted(name: "projects/demo-1/messages/0:1"))
    #expect(gateway.log.requests.first?.headers["authorization"] == "Bearer plain-token")
    let seen = try endpoint.seen("assertion=")
    #expect(seen.contains("POST /token HTTP/1.1"))
    #expect(seen.contains("content-type: application/x-www-form-urlencoded"))
  }

  @Test("It is asked through the proxy") func throughAProxy() async throws {
    let proxy = TestProxy(answer: "HTTP/1.1 200 Connection established\r\n\r\n", target: 0)
    proxy.start()
    defer { proxy.stop() }
    let gateway = try Self.gateway()
    let endpoint = try Endpoint(answer: Self.answer("200 OK", Self.granted), alpn: "")
    let outcome = try await Self.send(
      to: gateway, tokenHost: "127.0.0.1", tokenPort: endpoint.port, isNamed: true,
      proxy: HTTP2Proxy(host: "127.0.0.1", port: proxy.port))
    #expect(outcome == .accepted(name: "projects/demo-1/messages/0:1"))
    let head = "CONNECT 127.0.0.1:\(endpoint.port) HTTP/1.1\r\n"
    #expect(proxy.heads.withLock { $0.count >= 2 && $0.allSatisfy { $0.hasPrefix(head) } })
  }

  @Test("What it refuses ends every send with its words") func refuses() async throws {
    let gateway = try Self.gateway()
    let body = #"{"error":"invalid_grant","error_description":"gone"}"#
    let endpoint = try Endpoint(answer: Self.answer("400 Bad Request", body), alpn: "")
    let outcome = try await Self.send(to: gateway, tokenHost: "127.0.0.1", tokenPort: endpoint.port, isNamed: true)
    guard case .failed(let failure) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(failure.detail.contains("answered 400 (invalid_grant: gone)"), "\(failure.detail)")
    #expect(gateway.log.requests.isEmpty)
  }

  @Test("It leads into no inner network either") func staysOutside() async throws {
    let gateway = try Self.gateway()
    let endpoint = try Endpoint(answer: Self.answer("200 OK", Self.granted), alpn: "")
    // It is tried until the send's time is over.
    let outcome = try await Self.send(
      to: gateway, tokenHost: "localhost", tokenPort: endpoint.port, isNamed: false, within: .seconds(2))
    guard case .failed(let failure) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(failure.detail.contains("is not a public address"), "\(failure.detail)")
    // The way over HTTP/1.1 by itself does not open the door that the other one keeps shut.
    let uri = try FCMTokenURI("https://127.0.0.1:\(endpoint.port)/token")
    let inner = GatewayEndpoint(host: "127.0.0.1", port: endpoint.port, trust: ScriptedServer.trust)
    let answer = await withCheckedContinuation { done in
      FCMPlainTokenFetch.start(inner, uri, Array("assertion=secret".utf8), .seconds(20)) { done.resume(returning: $0) }
    }
    guard case .failure(let why) = answer else { return #expect(Bool(false), "\(answer)") }
    #expect(why.detail.contains("loopback, private or reserved"), "\(why.detail)")
    #expect(!why.isRefusal)
  }
}
