import HTTP2
import Synchronization
import TLS
import Testing

@Suite(.timeLimit(.minutes(1))) struct ClientCertificateTests {
  private static let client = TestCertificate(names: "DNS:client", commonName: "client")

  private func pair(required: Bool, seen: @escaping @Sendable ([UInt8]?) -> Void) throws -> Pair {
    let tls = try TLSContext.server(
      identity: TestCertificate.shared.identity, clientTrust: ClientCertificateTests.client.trust,
      clientCertificateRequired: required)
    return try Pair(
      server: { $0.tls = tls },
      answer: { request in
        seen(request.connection.clientCertificatePEM)
        request.respond(status: 200)
      })
  }

  @Test func aClientCertificateReachesTheServer() throws {
    let seen = Mutex<[UInt8]?>(nil)
    let pair = try pair(required: true) { certificate in seen.withLock { $0 = certificate } }
    pair.configuration.tls = try .client(
      trust: TestCertificate.shared.trust, identity: ClientCertificateTests.client.identity)
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(1))
    #expect(recorder.endings(1) == [.response(200, "")])
    #expect(seen.withLock { $0 } == ClientCertificateTests.client.certificatePEM)
    connection.close()
  }

  /// In TLS 1.3 the client learns of the refusal only after its own handshake is done.
  @Test func withoutTheRequiredCertificateTheConnectionEnds() throws {
    let pair = try pair(required: true) { _ in }
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(1))
    switch recorder.closing() {
    case .broken(let why): #expect(why == "tlsv13 alert certificate required")
    case .tlsFailed: break
    case let other: Issue.record("\(String(describing: other))")
    }
    #expect(recorder.endings(1).count == 1)
  }

  @Test func anOptionalCertificateMayBeMissing() throws {
    let seen = Mutex<[UInt8]?>([1])
    let pair = try pair(required: false) { certificate in seen.withLock { $0 = certificate } }
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(1))
    #expect(recorder.endings(1) == [.response(200, "")])
    #expect(seen.withLock { $0 } == nil)
    connection.close()
  }
}
