import Glibc
import HTTP2
import Synchronization
import TLS
import Testing

/// A way in which no connection comes to be, and the name it must get.
struct ConnectFailure: CustomTestStringConvertible, Sendable {
  let testDescription: String
  var behavior = HTTP2ConnectionBehavior()
  var change: @Sendable (inout HTTP2ClientConfiguration) -> Void = { _ in }
  let expected: String

  static func opening(_ opening: HTTP2ConnectionBehavior.Opening) -> HTTP2ConnectionBehavior {
    var behavior = HTTP2ConnectionBehavior()
    behavior.opening = opening
    return behavior
  }

  static func tls(_ certificate: TestCertificate = .shared, alpn: [String] = ["h2"]) -> HTTP2ConnectionBehavior {
    var behavior = HTTP2ConnectionBehavior()
    behavior.tls = try? .server(identity: certificate.identity, alpn: alpn)
    return behavior
  }

  static let expired = TestCertificate(validFrom: -7200, validTo: -3600)
  static let otherName = TestCertificate(names: "DNS:push.example")

  static let all: [ConnectFailure] = [
    ConnectFailure(
      testDescription: "nothing listens", change: { $0.port = 1 },
      expected: "cannot connect to 127.0.0.1:1: Connection refused"),
    ConnectFailure(
      testDescription: "silence before TLS", behavior: opening(.silence),
      change: { $0.connectTimeout = .milliseconds(100) },
      expected: "the connection was not ready in time; it waited for the TLS handshake"),
    ConnectFailure(
      testDescription: "silence after TLS", behavior: opening(.silenceAfterTLS),
      change: { $0.settingsTimeout = .milliseconds(100) },
      expected: "the server sent no SETTINGS after the handshake"),
    ConnectFailure(
      testDescription: "not TLS", behavior: opening(.garbage),
      expected: "the TLS handshake failed: wrong version number"),
    ConnectFailure(
      testDescription: "no ALPN", behavior: tls(alpn: []),
      expected: "no ALPN h2: the server does not offer HTTP/2 on this port"),
    ConnectFailure(
      testDescription: "ALPN http/1.1 only", behavior: tls(alpn: ["http/1.1"]),
      expected: "no ALPN h2: the server does not offer HTTP/2 on this port"),
    ConnectFailure(
      testDescription: "expired certificate", behavior: tls(expired),
      change: { change in if let tls = try? TLSContext.client(trust: expired.trust) { change.tls = tls } },
      expected: "the TLS handshake failed: the certificate is not trusted: certificate has expired"),
    ConnectFailure(
      testDescription: "unknown authority", behavior: tls(TestCertificate()),
      expected: "the TLS handshake failed: the certificate is not trusted: self-signed certificate"),
    ConnectFailure(
      testDescription: "certificate of another name", behavior: tls(otherName),
      change: { change in
        change.serverName = "localhost"
        if let tls = try? TLSContext.client(trust: otherName.trust) { change.tls = tls }
      },
      expected: "the TLS handshake failed: the certificate is not trusted: hostname mismatch"),
    ConnectFailure(
      testDescription: "certificate of another address", behavior: tls(otherName),
      change: { change in if let tls = try? TLSContext.client(trust: otherName.trust) { change.tls = tls } },
      expected: "the TLS handshake failed: the certificate is not trusted: IP address mismatch"),
    ConnectFailure(
      testDescription: "proxy that is not there",
      change: { $0.proxy = HTTP2Proxy(host: "127.0.0.1", port: 1) },
      expected: "the proxy did not open the tunnel: cannot connect to 127.0.0.1:1: Connection refused"),
  ]
}

@Suite(.timeLimit(.minutes(1))) struct ConnectFailureTests {
  /// Trap 1 of the peers: whatever goes wrong, each pending request ends, by name and within a bound.
  @Test(arguments: ConnectFailure.all) func trap1EveryFailureToConnectHasAName(row: ConnectFailure) throws {
    let pair = try Pair(behavior: { _ in row.behavior })
    row.change(&pair.configuration)
    let recorder = Recorder()
    let connection = HTTP2ClientConnection(
      loop: pair.clientLoop, configuration: pair.configuration, observer: recorder)
    connection.submit(pair.batch(3))
    connection.start()
    let reason = recorder.closing()
    #expect(reason?.description == row.expected)
    #expect(recorder.endings(3).count == 3)
    #expect(recorder.record.withLock { $0.resultsAfterClose } == 0)
    if row.testDescription != "silence after TLS" {
      #expect(recorder.endings(3).allSatisfy { $0.isNotProcessed })
    }
  }

  @Test func aResetBeforeTLSHasAName() throws {
    let pair = try Pair(behavior: { _ in ConnectFailure.opening(.reset) })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(1))
    // The reset may be seen by the connect, the read or the write.
    switch recorder.closing() {
    case .tlsFailed, .connectFailed, .broken: break
    case let other: Issue.record("\(String(describing: other))")
    }
    #expect(recorder.endings(1).allSatisfy { $0.isNotProcessed })
  }

  @Test func aNameWithoutAddressIsNamed() throws {
    let pair = try Pair()
    pair.configuration.host = "no-such-host.invalid"
    pair.configuration.connectTimeout = .seconds(5)
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(1))
    switch recorder.closing() {
    case .lookupFailed(let host, _): #expect(host == "no-such-host.invalid")
    // Without any name server the resolver may take its time.
    case .connectTimeout(let stage): #expect(stage == .lookup)
    case let other: Issue.record("\(String(describing: other))")
    }
    #expect(recorder.endings(1).allSatisfy { $0.isNotProcessed })
  }

  @Test func allAddressesOfAHostAreTried() throws {
    // `localhost` usually has ::1 first, where nothing listens.
    let pair = try Pair()
    pair.configuration.host = "localhost"
    for offset in 0..<2 {
      pair.configuration.addressOffset = offset
      let recorder = Recorder()
      let connection = pair.connect(recorder)
      connection.submit(pair.batch(1))
      #expect(recorder.endings(1) == [.response(200, "")])
      connection.close()
    }
  }

  @Test func anIdentityMustFitItsKey() throws {
    let other = TestCertificate()
    let mixed = TLSIdentity(certificatePEM: TestCertificate.shared.certificatePEM, keyPEM: other.keyPEM)
    #expect(throws: TLSError.self) { try TLSContext.server(identity: mixed) }
    let noKey = TLSIdentity(certificatePEM: TestCertificate.shared.certificatePEM, keyPEM: Array("nonsense".utf8))
    #expect(throws: TLSError.self) { try TLSContext.client(identity: noKey) }
    #expect(throws: TLSError.self) { try TLSContext.client(trust: .file("/no/such/file.pem")) }
    #expect(throws: TLSError.self) { try TLSContext.client(trust: .pem([])) }
  }
}
