import GatewayPool
import GatewayTestSupport
import HTTP2
import PushPayload
import Signing
import Synchronization
import TLS
import TestSupport
import Testing

@testable import APNs

/// How connections come to be, fail and end, against real servers on loopback.
@Suite(.timeLimit(.minutes(1))) struct APNsConnectionTests {
  @Test func trap11APrivateAddressIsRefusedUnlessTheGatewayIsNamed() async throws {
    let server = try ScriptedServer()
    let refused = try APNsHarness(port: server.port) { $0.gateway.endpoint.allowsPrivateAddresses = false }
    let outcomes = try await refused.outcomes(3)
    #expect(tally(outcomes) == ["address_refused not_processed": 3])
    guard case .failed(let failure) = outcomes[0] else { return }
    #expect(
      failure.detail
        == "127.0.0.1 leads to 127.0.0.1:\(server.port), which is not a public address; name the gateway or allow "
        + "private addresses explicitly if that is meant")
    #expect(server.log.connections.isEmpty)
    #expect(!APNsGateway.production().endpoint.allowsPrivateAddresses)
    #expect(!APNsGateway.sandbox(port: .alternative).endpoint.allowsPrivateAddresses)
    let named = try APNsHarness(port: server.port)
    #expect(tally(try await named.outcomes(3)) == ["accepted": 3])
  }

  @Test func aNameThatLeadsToLoopbackIsRefusedAsWell() async throws {
    let server = try ScriptedServer()
    let harness = try APNsHarness(port: server.port) {
      $0.gateway.endpoint.host = "localhost"
      $0.gateway.endpoint.allowsPrivateAddresses = false
    }
    #expect(tally(try await harness.outcomes(1)) == ["address_refused not_processed": 1])
  }

  @Test func aCertificateOfAStrangerIsNamed() async throws {
    let server = try ScriptedServer()
    let stranger = try SelfSignedCertificate.make(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"])
    let harness = try APNsHarness(port: server.port, trust: .pem(Array(stranger.certificatePEM.utf8)))
    #expect(tally(try await harness.outcomes(3)) == ["tls not_processed": 3])
    #expect(server.log.requests.isEmpty)
  }

  @Test func aCertificateForAnotherNameIsNamed() async throws {
    let server = try ScriptedServer()
    let harness = try APNsHarness(port: server.port) { $0.gateway.endpoint.serverName = "api.push.apple.com" }
    #expect(tally(try await harness.outcomes(3)) == ["tls not_processed": 3])
  }

  @Test func aServerWithoutHTTP2IsNamed() async throws {
    for alpn in [[], ["http/1.1"]] {
      let server = try ScriptedServer(tls: ScriptedServer.tls(alpn: alpn))
      let harness = try APNsHarness(port: server.port)
      let outcomes = tally(try await harness.outcomes(3))
      // With another protocol in its list the server ends the handshake with an alert, without any it chooses none.
      #expect(outcomes == ["no_http2 not_processed": 3])
    }
  }

  @Test func aPortThatSpeaksNoTLSIsNamed() async throws {
    let server = try ScriptedServer(behavior: { _ in
      var behavior = HTTP2ConnectionBehavior()
      behavior.opening = .garbage
      return behavior
    })
    let harness = try APNsHarness(port: server.port)
    #expect(tally(try await harness.outcomes(3)) == ["tls not_processed": 3])
  }

  @Test(arguments: [false, true])
  func aServerThatSaysNothingIsNamed(afterTLS: Bool) async throws {
    let server = try ScriptedServer(behavior: { _ in
      var behavior = HTTP2ConnectionBehavior()
      behavior.opening = afterTLS ? .silenceAfterTLS : .silence
      return behavior
    })
    let harness = try APNsHarness(port: server.port) {
      $0.limits.connectTimeout = .milliseconds(200)
      $0.limits.connectFailuresMax = 2
    }
    #expect(tally(try await harness.outcomes(3)) == ["silence not_processed": 3])
    #expect(server.log.connections.count == 2)
  }

  @Test func aServerThatResetsConnectionsIsNamed() async throws {
    let server = try ScriptedServer(behavior: { _ in
      var behavior = HTTP2ConnectionBehavior()
      behavior.opening = .reset
      return behavior
    })
    let harness = try APNsHarness(port: server.port) { $0.limits.backoffBase = .milliseconds(10) }
    let outcomes = tally(try await harness.outcomes(3))
    #expect(outcomes == ["connect not_processed": 3] || outcomes == ["connection_lost not_processed": 3])
    #expect(server.log.connections.count <= 5)
  }

  @Test func aPortThatNobodyListensOnIsNamed() async throws {
    let port = try { try ScriptedServer().port }()
    let harness = try APNsHarness(port: port) { $0.limits.backoffBase = .milliseconds(10) }
    let outcomes = try await harness.outcomes(3)
    #expect(tally(outcomes) == ["connect not_processed": 3])
    guard case .failed(let failure) = outcomes[0] else { return }
    #expect(failure.detail == "cannot connect to 127.0.0.1:\(port): Connection refused")
  }

  @Test func aNameWithoutAnAddressIsNamed() async throws {
    let harness = try APNsHarness(port: 443) {
      $0.gateway.endpoint.host = "no-such-host.invalid"
      $0.limits.backoffBase = .milliseconds(10)
      $0.limits.connectFailuresMax = 1
    }
    #expect(tally(try await harness.outcomes(1)) == ["name_lookup not_processed": 1])
  }

  @Test func aServerThatComesBackIsFoundAgain() async throws {
    let isBack = Mutex(false)
    let server = try ScriptedServer(behavior: { _ in
      var behavior = HTTP2ConnectionBehavior()
      if !isBack.withLock({ $0 }) { behavior.opening = .reset }
      return behavior
    })
    let harness = try APNsHarness(port: server.port) {
      $0.limits.backoffBase = .milliseconds(20)
      $0.limits.connectFailuresMax = 100
    }
    try harness.submit(10)
    #expect(await eventually { server.log.connections.count >= 3 })
    isBack.withLock { $0 = true }
    #expect(tally(APNsHarness.byTag(await harness.collector.wait(for: 10), 10)) == ["accepted": 10])
  }

  @Test(arguments: [true, false]) func aClientCertificateInPEMSpeaksForTheSender(isKeyFirst: Bool) async throws {
    let authority = try CertificateAuthority(commonName: "Test CA")
    let identity = try authority.issue(CertificateRequest(commonName: "Apple Push Services: com.example.app"))
    let trust = TLSTrust.pem(Array(authority.certificatePEM.utf8))
    let server = try ScriptedServer(tls: ScriptedServer.tls(clientTrust: trust))
    let parts = [identity.privateKeyPEM, "Bag Attributes\n", identity.certificatePEM]
    let pem = Array((isKeyFirst ? parts : parts.reversed()).joined().utf8)
    let harness = try APNsHarness(port: server.port, credential: .certificate(pem: pem))
    #expect(tally(try await harness.outcomes(20)) == ["accepted": 20])
    #expect(server.log.requests.allSatisfy { $0.headers["authorization"] == nil })
  }

  @Test func aClientCertificateIsReadFromAPKCS12File() async throws {
    let authority = try CertificateAuthority(commonName: "Test CA")
    let identity = try authority.issue(CertificateRequest(commonName: "Apple Push Services: com.example.app"))
    let folder = try TemporaryFolder()
    try Files.write(Array((identity.certificatePEM + identity.privateKeyPEM).utf8), to: "\(folder.path)/identity.pem")
    let export = try Subprocess.run(
      "openssl",
      [
        "pkcs12", "-export", "-in", "\(folder.path)/identity.pem", "-out", "\(folder.path)/i.p12", "-passout",
        "pass:pw",
      ])
    #expect(export.status == 0, "\(export.errorText)")
    let file = try Files.read("\(folder.path)/i.p12")
    let trust = TLSTrust.pem(Array(authority.certificatePEM.utf8))
    let server = try ScriptedServer(tls: ScriptedServer.tls(clientTrust: trust))
    let harness = try APNsHarness(port: server.port, credential: .certificate(p12: file, password: "pw"))
    #expect(tally(try await harness.outcomes(3)) == ["accepted": 3])
    #expect(throws: SigningError.self) { try APNsCredential.certificate(p12: file, password: "wrong") }
  }

  @Test func aServerThatWantsAnotherCertificateIsNamed() async throws {
    let authority = try CertificateAuthority(commonName: "Test CA")
    let server = try ScriptedServer(
      tls: ScriptedServer.tls(clientTrust: .pem(Array(authority.certificatePEM.utf8))))
    let harness = try APNsHarness(port: server.port) { $0.limits.connectFailuresMax = 1 }
    let outcomes = try await harness.outcomes(3)
    for outcome in outcomes {
      guard case .failed(let failure) = outcome else {
        Issue.record("\(outcome)")
        continue
      }
      #expect(failure.processing == .notProcessed)
      #expect(failure.cause == .tls || failure.cause == .connectionLost)
    }
  }

  @Test func throughAProxyANumericPrivateTargetIsStillRefused() async throws {
    let port = try { try ScriptedServer().port }()
    let refused = try APNsHarness(port: port) {
      $0.gateway.endpoint.proxy = HTTP2Proxy(host: "127.0.0.1", port: port)
      $0.gateway.endpoint.allowsPrivateAddresses = false
    }
    #expect(tally(try await refused.outcomes(2)) == ["address_refused not_processed": 2])
    let unreachable = try APNsHarness(port: port) {
      $0.gateway.endpoint.proxy = HTTP2Proxy(host: "127.0.0.1", port: port)
      $0.limits.connectFailuresMax = 1
    }
    #expect(tally(try await unreachable.outcomes(2)) == ["proxy not_processed": 2])
  }

  @Test func drainLetsSubmittedSendsEndAndRefusesNewOnes() async throws {
    let server = try ScriptedServer { request, _, _ in
      let responder = request.responder
      request.connection.loop.schedule(after: .milliseconds(50)) { responder.respond(status: 200) }
    }
    let harness = try APNsHarness(port: server.port) { $0.limits.streamsBeforeFirstAcceptance = nil }
    try harness.submit(50)
    await harness.client.drain(within: .seconds(5))
    #expect(tally(APNsHarness.byTag(harness.collector.all, 50)) == ["accepted": 50])
    let late = try await harness.client.send(harness.template.request, to: "00")
    #expect(late.short == "closed not_processed")
  }

  @Test func drainEndsWithinItsTime() async throws {
    let server = try ScriptedServer(answer: { _, _, _ in })
    let harness = try APNsHarness(port: server.port) { $0.limits.streamsBeforeFirstAcceptance = 1 }
    try harness.submit(10)
    #expect(await eventually { server.log.requests.count == 1 })
    await harness.client.drain(within: .milliseconds(100))
    let outcomes = APNsHarness.byTag(await harness.collector.wait(for: 10), 10)
    #expect(tally(outcomes) == ["closed unknown": 1, "closed not_processed": 9])
  }

  @Test func urgentSendsGoFirst() async throws {
    let server = try ScriptedServer { request, _, _ in
      let responder = request.responder
      request.connection.loop.schedule(after: .milliseconds(1)) { responder.respond(status: 200) }
    }
    let harness = try APNsHarness(port: server.port) { $0.limits.streamsPerConnectionMax = 1 }
    try harness.submit(200)
    try harness.submit(1, first: 200, urgency: .urgent)
    _ = await harness.collector.wait(for: 201)
    let index = server.log.requests.firstIndex { $0.path.hasSuffix(APNsHarness.token(200)) }
    #expect(try #require(index) < 100)
  }

  @Test func manyThreadsShareTheWork() async throws {
    let server = try ScriptedServer()
    let harness = try APNsHarness(port: server.port, threadCount: 3)
    for first in stride(from: 0, to: 3000, by: 100) { try harness.submit(100, first: first) }
    #expect(tally(APNsHarness.byTag(await harness.collector.wait(for: 3000), 3000)) == ["accepted": 3000])
    #expect(server.log.connections.count == 3)
    #expect(Set(server.log.requests.map { $0.headers["authorization"] ?? "" }).count == 1, "trap 8: one token for all")
  }

  /// Two servers stand for two addresses of one name, which is asked for each connection.
  @Test func connectionsAreSpreadOverTheAddressesOfAName() async throws {
    let answer: ScriptedServer.Answer = { request, _, _ in
      let responder = request.responder
      request.connection.loop.schedule(after: .milliseconds(20)) { responder.respond(status: 200) }
    }
    let servers = [try ScriptedServer(streams: 10, answer: answer), try ScriptedServer(streams: 10, answer: answer)]
    let ports = servers.map(\.port)
    let lookups = Counter()
    let harness = try APNsHarness(port: 443) {
      $0.gateway.endpoint.host = "push.test"
      $0.gateway.endpoint.serverName = "localhost"
      $0.gateway.endpoint.resolver = { host, port in
        lookups.value.add(1, ordering: .relaxed)
        return host == "push.test" && port == 443 ? ports.map { ("127.0.0.1", $0) } : []
      }
      $0.limits.connectionsMax = 4
      $0.limits.connectionsMin = 4
    }
    #expect(tally(try await harness.outcomes(400)) == ["accepted": 400])
    let connections = servers.map(\.log.connections.count)
    #expect(connections.reduce(0, +) >= 2 && abs(connections[0] - connections[1]) <= 1, "\(connections)")
    #expect(lookups.value.load(ordering: .relaxed) == connections.reduce(0, +))
  }

  /// A name that has moved is found at its new address by the next connection.
  @Test func eachConnectionLooksTheNameUpAnew() async throws {
    let servers = [try ScriptedServer(), try ScriptedServer()]
    let ports = servers.map(\.port)
    let moved = Counter()
    let harness = try APNsHarness(port: 443) {
      $0.gateway.endpoint.host = "push.test"
      $0.gateway.endpoint.serverName = "localhost"
      $0.gateway.endpoint.resolver = { _, _ in [("127.0.0.1", ports[moved.value.load(ordering: .relaxed)])] }
    }
    #expect(tally(try await harness.outcomes(10)) == ["accepted": 10])
    moved.value.store(1, ordering: .relaxed)
    for connection in servers[0].log.connections { connection.goAway() }
    // The client has heard of it once that connection is gone, or another one stands in for it.
    for _ in 0..<10_000 {
      if await harness.client.statistics().open == 0 || !servers[1].log.connections.isEmpty { break }
      try await Task.sleep(for: .milliseconds(5))
    }
    try harness.submit(10, first: 10)
    let outcomes = APNsHarness.byTag(await harness.collector.wait(for: 20), 20)
    #expect(tally(outcomes) == ["accepted": 20])
    #expect(servers.map(\.log.requests.count) == [10, 10])
  }

  /// A resolver that knows nothing, or gives what is no address, is a name without an address.
  @Test(arguments: [[], ["push.test"]]) func aResolverThatFailsIsNamed(addresses: [String]) async throws {
    let harness = try APNsHarness(port: 443) {
      $0.gateway.endpoint.host = "push.test"
      $0.gateway.endpoint.resolver = { _, port in addresses.map { ($0, port) } }
      $0.limits.connectFailuresMax = 1
      $0.limits.connectTimeout = .seconds(60)
    }
    #expect(tally(try await harness.outcomes(2)) == ["name_lookup not_processed": 2])
  }

  @Test func statisticsShowThePool() async throws {
    let server = try ScriptedServer()
    let harness = try APNsHarness(port: server.port)
    _ = try await harness.outcomes(10)
    let statistics = await harness.client.statistics()
    #expect(statistics.open == 1)
    #expect(statistics.inFlight == 0)
    #expect(statistics.waiting == 0)
    #expect(statistics.lastFailure == nil)
  }
}

/// A number that several threads count.
private final class Counter: Sendable {
  let value = Atomic(0)
}
