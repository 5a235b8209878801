import GatewayPool
import GatewayTestSupport
import Glibc
import HTTP2
import Signing
import TestSupport
import Testing

@testable import APNs

/// Servers that this project did not write.
private enum Foreign {
  /// A Python that has the package h2: the one of `script/test --interop`, or the system's.
  static let python: String? = {
    for path in ["\(Files.packageRoot)/.build/interop-venv/bin/python", "python3"] {
      if let result = try? Subprocess.run(path, ["-c", "import h2"]), result.status == 0 { return path }
    }
    return nil
  }()

  static let hasNghttpd = ((try? Subprocess.run("nghttpd", ["--version"]))?.status ?? 1) == 0

  /// Writes the certificate of the scripted servers to files.
  static func writeIdentity(_ folder: TemporaryFolder) throws -> (certificate: String, key: String) {
    let identity = try #require(ScriptedServer.identity)
    let paths = ("\(folder.path)/cert.pem", "\(folder.path)/key.pem")
    try Files.write(Array(identity.certificatePEM.utf8), to: paths.0)
    try Files.write(Array(identity.privateKeyPEM.utf8), to: paths.1)
    return paths
  }

  /// A port that nobody listens on at this moment.
  static func freePort() throws -> UInt16 { try ScriptedServer().port }
}

@Suite(.timeLimit(.minutes(2))) struct APNsInteropTests {
  @Test(.enabled(if: Foreign.hasNghttpd, "nghttpd is not installed"))
  func nghttpdAnswersEverySend() async throws {
    let folder = try TemporaryFolder()
    let files = try Foreign.writeIdentity(folder)
    try Files.write([], to: "\(folder.path)/index.html")
    let port = try Foreign.freePort()
    let process = try Subprocess(
      "nghttpd", ["-d", folder.path, "-m", "20", "-a", "127.0.0.1", "\(port)", files.key, files.certificate])
    defer { process.signal(SIGKILL) }
    let harness = try APNsHarness(port: port) {
      $0.limits.backoffBase = .milliseconds(20)
      $0.limits.backoffMax = .milliseconds(100)
      $0.limits.connectFailuresMax = 200
    }
    // It serves files, so it refuses every path of ours, with a page and not with Apple's JSON.
    #expect(tally(try await harness.outcomes(300)) == ["404 (no reason)": 300])
  }

  @Test(
    .enabled(if: Foreign.python != nil, "no Python with the package h2"),
    arguments: [
      ("answer", ["accepted": 40]),
      ("limit-7", ["accepted": 40]),
      ("no-alpn", ["no_http2 not_processed": 40]),
      ("http1", ["no_http2 not_processed": 40]),
      ("goaway-before-settings", ["go_away not_processed": 40]),
      ("silence-before-tls", ["silence not_processed": 40]),
      ("silence-after-tls", ["silence not_processed": 40]),
      ("silence-after-request", ["silence unknown": 40]),
      ("reset-after-request", ["connection_lost unknown": 40]),
      ("close-after-request", ["connection_lost unknown": 40]),
      ("reset-stream", ["stream_reset unknown": 40]),
      ("not-http2", ["protocol_violation not_processed": 40]),
    ] as [(String, [String: Int])])
  func eachMisbehaviourOfAPythonServerIsANamedOutcome(behaviour: String, expected: [String: Int]) async throws {
    let found = try await outcomes(behaviour)
    #expect(found == expected)
  }

  @Test(.enabled(if: Foreign.python != nil, "no Python with the package h2"))
  func aResetBeforeTLSIsNamed() async throws {
    let outcomes = try await outcomes("reset-before-tls")
    #expect(outcomes == ["connect not_processed": 40] || outcomes == ["connection_lost not_processed": 40])
  }

  @Test(.enabled(if: Foreign.python != nil, "no Python with the package h2"))
  func trap2GoAwayAfterTwoStreamsResendsTheRestOnce() async throws {
    // Each connection acts on two streams and disowns the rest; a send that is disowned twice is given back.
    let outcomes = try await outcomes("goaway-half")
    #expect(Set(outcomes.keys).isSubset(of: ["accepted", "go_away not_processed", "go_away unknown"]), "\(outcomes)")
    #expect(outcomes["accepted", default: 0] >= 4)
  }

  private func outcomes(_ behaviour: String) async throws -> [String: Int] {
    let folder = try TemporaryFolder()
    let files = try Foreign.writeIdentity(folder)
    let process = try Subprocess(
      try #require(Foreign.python),
      ["\(Files.packageRoot)/Tests/Interop/servers/h2_server.py", files.certificate, files.key, behaviour])
    defer { process.signal(SIGKILL) }
    let said = try process.waitFor("\n")
    let port = try #require(said.split(whereSeparator: \.isWhitespace).last.flatMap { UInt16($0) })
    let harness = try APNsHarness(port: port) {
      $0.limits.streamsBeforeProof = nil
      $0.limits.connectTimeout = .milliseconds(behaviour.hasPrefix("silence") ? 400 : 5000)
      $0.limits.busySilence = .milliseconds(300)
      $0.limits.pingTimeout = .milliseconds(300)
      $0.limits.connectFailuresMax = 2
      $0.limits.backoffBase = .milliseconds(10)
      $0.limits.connectionsMax = 1
      $0.limits.streamsBeforeSettings = 1
    }
    return tally(try await harness.outcomes(40, seconds: 30))
  }
}
