import Glibc
import Signing
import TestSupport
import Testing
import WireJSON

@Suite("HTTPS without a proxy", .serialized)
struct ServeTLSTests {
  private static let key = "prk_0123456789abcdefghijklmnopqrstuvwxyzABCDE-_"

  /// A certificate and a key on disk, for a server with a first key that is known.
  private final class Site {
    let folder: TemporaryFolder
    var certificate: String { "\(folder.path)/certificate.pem" }
    var privateKey: String { "\(folder.path)/key.pem" }

    init() throws {
      folder = try TemporaryFolder()
      try renew()
    }

    func renew(validity: ClosedRange<Int> = -3600...7_776_000) throws {
      let made = try SelfSignedCertificate.make(
        CertificateRequest(
          commonName: "localhost", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"], validity: validity))
      try Files.write(Array(made.privateKeyPEM.utf8), to: privateKey)
      #expect(chmod(privateKey, 0o600) == 0)
      try Files.write(Array(made.certificatePEM.utf8), to: certificate)
    }

    func serve() throws -> (process: Subprocess, api: String) {
      let process = try Subprocess(
        Postrider.path,
        [
          "serve", "--port", "0", "--data", "\(folder.path)/data", "--tls-certificate", certificate, "--tls-key",
          privateKey,
        ],
        environment: ["POSTRIDER_ADMIN_KEY": key])
      let text = try process.waitFor("Postrider listens on ")
      return (process, String(try #require(text.split { " \n".contains($0) }.first { $0.hasPrefix("https://") })))
    }

    func curl(_ arguments: String...) throws -> Subprocess.Result {
      try Subprocess.run("curl", ["-sS", "--cacert", certificate] + arguments, seconds: 20)
    }
  }

  @Test("the API, its commands and the dashboard's cookie work by HTTPS, and a renewed certificate without a restart")
  func works() throws {
    let site = try Site()
    let (process, api) = try site.serve()
    var console = try Console()
    console.environment["POSTRIDER_URL"] = api
    console.environment["POSTRIDER_KEY"] = Self.key
    #expect(try console.json("keys list --ca \(site.certificate)")["keys"]?.array?.map { $0["name"] } == ["first"])
    #expect(try console.run("keys list").status != 0)

    let signIn = try site.curl(
      "-D", "-", "-H", "Content-Type: application/json", "-d", #"{"key":"\#(Self.key)"}"#, "\(api)/session")
    #expect(signIn.outputText.contains("Set-Cookie: __Host-postrider_session="), "\(signIn.outputText)")
    #expect(signIn.outputText.contains("SameSite=Strict") && signIn.outputText.contains("; Secure\r\n"))

    let metrics = try site.curl("-H", "Authorization: Bearer \(Self.key)", "\(api)/metrics").outputText
    let expiry = metrics.split(separator: "\n").first { $0.hasPrefix("postrider_http_certificate_expires_at_seconds ") }
    let days = (Int(expiry?.split(separator: " ").last ?? "").map { $0 - time(nil) } ?? 0) / 86_400
    #expect((89...90).contains(days), "\(expiry ?? "none")")

    let plain = try Subprocess.run("curl", ["-sS", "http" + api.dropFirst(5) + "/healthz"], seconds: 20)
    #expect(plain.outputText == "This port speaks HTTPS only: use https:// in the address.\n", "\(plain)")

    // The same authority no longer vouches for it until the server has taken the new certificate.
    try site.renew()
    var isRenewed = false
    for _ in 0..<200 where !isRenewed {
      isRenewed = try site.curl("\(api)/healthz").status == 0
      if !isRenewed { usleep(100_000) }
    }
    #expect(isRenewed)
    // Each certificate is reported for itself: one that expires soon, and the one after it that has expired.
    for (validity, event) in [
      (-3600...432_000, "certificate expires soon"), (-7200...(-3600), "certificate has expired"),
    ] {
      try site.renew(validity: validity)
      _ = try process.waitFor(#""event":"\#(event)""#)
    }
    process.signal(SIGTERM)
    let result = try process.finish(seconds: 20)
    #expect(result.status == 0)
    #expect(result.errorText.contains(#""event":"certificate loaded""#), "\(result.errorText)")
    #expect(!result.errorText.contains("PRIVATE KEY"))
  }

  @Test(
    "a certificate that cannot be used ends the start, before anything is made",
    arguments: [
      (["--tls-certificate", "CERT"], 2, "belong together"), (["--tls-key", "KEY"], 2, "belong together"),
      (["--tls-certificate", "none.pem", "--tls-key", "KEY"], 3, "cannot read none.pem"),
      (["--tls-certificate", "CERT", "--tls-key", "CERT"], 3, "the private key"),
      (["--tls-certificate", "CERT", "--tls-key", "KEY", "--demo"], 2, "plain HTTP"),
    ])
  func refused(options: [String], status: Int32, words: String) throws {
    let site = try Site()
    let options = options.map { $0 == "CERT" ? site.certificate : $0 == "KEY" ? site.privateKey : $0 }
    // A certificate may be read by everyone; given as a key it would be refused for that.
    #expect(chmod(site.certificate, 0o600) == 0)
    let result = try Subprocess.run(
      Postrider.path, ["serve", "--port", "0", "--data", "\(site.folder.path)/data"] + options)
    #expect(result.status == status && result.errorText.contains(words), "\(result)")
    #expect(try Files.list(site.folder.path) == ["certificate.pem", "key.pem"])
  }
}
