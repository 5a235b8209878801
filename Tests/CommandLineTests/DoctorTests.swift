import Glibc
import Signing
import TestSupport
import Testing
import WireJSON

@testable import postrider

@Suite("doctor", .serialized)
struct DoctorTests {
  /// The checks of a run, by subject; and whether all is well.
  private static func run(_ arguments: String...) throws -> (checks: [(String, JSONValue)], status: Int32) {
    let console = try Console()
    let result = try console.run((["doctor", "--json"] + arguments).joined(separator: " "))
    let document = try JSON.parse(Array(result.outputText.utf8))
    #expect(document["healthy"]?.bool == (result.status == 0))
    return ((document["checks"]?.array ?? []).map { ($0["check"]?.string ?? "", $0) }, result.status)
  }

  private static func first(_ subject: String, _ checks: [(String, JSONValue)]) -> JSONValue? {
    checks.first { $0.0 == subject }?.1
  }

  @Test("a folder that is not there yet is no fault, and --offline and --quick are said")
  func beforeTheFirstStart() throws {
    let folder = try TemporaryFolder()
    let (checks, status) = try Self.run("--offline", "--quick", "--data", "\(folder.path)/data")
    #expect(status == 0)
    #expect(checks.map(\.0).contains("clock"))
    for subject in ["data", "certificate", "server", "gateways"] {
      #expect(Self.first(subject, checks)?["result"]?.string == "skipped", "\(subject)")
    }
    for subject in ["program", "disk", "time zones"] {
      #expect(Self.first(subject, checks)?["result"]?.string == "ok", "\(subject)")
    }
  }

  @Test("a running server is ready, its ledger balances, and a key that does not open its secrets is an error")
  func whileServing() throws {
    let folder = try TemporaryFolder()
    let data = "\(folder.path)/data"
    let server = try Subprocess(
      Postrider.path, ["serve", "--demo", "--port", "0", "--emulator-port", "0", "--data", data])
    let text = try server.waitFor("POSTRIDER_KEY=")
    let url = String(try #require(text.split { " \n".contains($0) }.first { $0.hasPrefix("http://") }))
    _ = try server.waitFor("phone show")
    let (checks, status) = try Self.run("--offline", "--data", data, "--url", url)
    #expect(status == 0)
    #expect(Self.first("server", checks)?["result"]?.string == "ok")
    #expect(Self.first("ledger", checks)?["detail"]?.string?.contains("the sealing key opens every secret") == true)
    server.signal(SIGTERM)
    _ = try server.finish()

    try Files.write(Array(String(repeating: "ab", count: 32).utf8), to: "\(data)/sealing.key")
    let wrong = try Self.run("--offline", "--data", data, "--url", url)
    #expect(wrong.status == 1)
    #expect(Self.first("ledger", wrong.checks)?["detail"]?.string?.hasPrefix("the sealing key does not open") == true)
    #expect(Self.first("server", wrong.checks)?["remedy"]?.string?.contains("--url") == true)

    #expect(chmod(data, 0o755) == 0)
    let open = try Self.run("--offline", "--data", data)
    #expect(open.status == 1 && Self.first("data", open.checks)?["remedy"]?.string == "chmod 700 \(data)")
    #expect(Self.first("ledger", open.checks) == nil)
  }

  @Test("gateways are reached with TLS; another authority, a closed port and a name without an address are errors")
  func gateways() throws {
    let emulator = try RunningEmulator()
    let folder = try TemporaryFolder()
    let common = ["--quick", "--data", "\(folder.path)/data"]
    let ours = [
      "--gateway", emulator.apns, "--gateway", emulator.fcm, "--gateway-ca", "\(emulator.folder.path)/ca.pem",
    ]
    let (checks, status) = try Self.run((common + ours).joined(separator: " "))
    #expect(status == 0, "\(checks)")
    #expect(
      checks.filter { [emulator.apns, emulator.fcm].contains($0.0) && $0.1["result"]?.string == "ok" }.count == 2)

    let closed = "127.0.0.1:1"
    let refused = ["--gateway", emulator.apns, "--gateway", closed, "--gateway", "gateway.invalid:443"]
    let (faults, failed) = try Self.run((common + refused).joined(separator: " "))
    #expect(failed == 1)
    for (subject, word) in [
      (emulator.apns, "certificate"), (closed, "refused"), ("gateway.invalid:443", "cannot find an address"),
    ] {
      let fault = Self.first(subject, faults)
      #expect(fault?["result"]?.string == "error" && fault?["detail"]?.string?.contains(word) == true, "\(faults)")
    }
  }

  @Test(
    "a certificate is judged by its last day",
    arguments: [(-7_200...(-3_600), "error"), (-60...86_400, "warning"), (-60...8_640_000, "ok")])
  func certificates(validity: ClosedRange<Int>, expected: String) throws {
    let folder = try TemporaryFolder()
    let made = try SelfSignedCertificate.make(
      CertificateRequest(
        commonName: "localhost", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"], validity: validity))
    try Files.write(Array(made.privateKeyPEM.utf8), to: "\(folder.path)/key.pem")
    #expect(chmod("\(folder.path)/key.pem", 0o600) == 0)
    try Files.write(Array(made.certificatePEM.utf8), to: "\(folder.path)/certificate.pem")
    let (checks, status) = try Self.run(
      "--offline", "--quick", "--data", "\(folder.path)/data", "--tls-certificate", "\(folder.path)/certificate.pem",
      "--tls-key", "\(folder.path)/key.pem")
    #expect(Self.first("certificate", checks)?["result"]?.string == expected, "\(checks)")
    #expect(status == (expected == "error" ? 1 : 0))
  }

  @Test("HTTP dates")
  func dates() {
    #expect(GatewayVisit.seconds(ofDate: "Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    for wrong in ["", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Foo 1994 08:49:37 GMT"] {
      #expect(GatewayVisit.seconds(ofDate: wrong) == nil, "\(wrong)")
    }
  }
}
