import Glibc
import HTTP2
import PushStore
import Signing
import StoreModel
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

  @Test("each provider's hosts are looked for, and browsers' push services are named")
  func usualGateways() {
    for provider in Provider.allCases where provider.hasOneGateway {
      #expect(DoctorGateways.usual.contains { $0.host.contains(Self.domain(of: provider)) }, "\(provider)")
    }
    let hosts = Set(DoctorGateways.usual.map(\.host))
    #expect(
      hosts.isSuperset(of: [
        "api.push.apple.com", "api.sandbox.push.apple.com", "fcm.googleapis.com", "oauth2.googleapis.com",
        "push-api.cloud.huawei.com", "oauth-login.cloud.huawei.com",
      ]))
    for host in ["updates.push.services.mozilla.com", "web.push.apple.com", "notify.windows.com"] {
      #expect(DoctorGateways.pushServices.text.contains(host))
    }
  }

  private static func domain(of provider: Provider) -> String {
    switch provider {
    case .apns: "push.apple.com"
    case .fcm: "googleapis.com"
    case .web: ""
    case .hms: "huawei.com"
    }
  }

  @Test("a host that is reached with HTTP/1.1 is fine where the server takes it; few need Huawei's")
  func verdicts() throws {
    let apple = try #require(DoctorGateways.usual.first { $0.host == "api.push.apple.com" })
    let huawei = try #require(DoctorGateways.usual.first { $0.host.hasPrefix("push-api") })
    let plain = GatewayVisit.Seen(reason: .noALPN)
    #expect(GatewayVisit.findings(plain, apple, nil).map(\.verdict) == [.error])
    #expect(
      GatewayVisit.findings(plain, huawei, nil)
        == [.ok("push-api.cloud.huawei.com:443", "reached, with TLS and HTTP/1.1")])
    let missed = GatewayVisit.Seen(reason: .lookupFailed(host: "x", why: "no such name"))
    #expect(GatewayVisit.findings(missed, apple, nil).map(\.verdict) == [.error])
    let finding = try #require(GatewayVisit.findings(missed, huawei, nil).first)
    #expect(finding.verdict == .warning && finding.text.contains("Huawei's phones"))
    #expect(finding.remedy.contains("push-api.cloud.huawei.com:443"))
    let reached = GatewayVisit.Seen(address: "192.0.2.1:443", dates: (theirs: 1_000, ours: 1_300))
    #expect(GatewayVisit.findings(reached, huawei, nil).map(\.verdict) == [.ok, .error])
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
