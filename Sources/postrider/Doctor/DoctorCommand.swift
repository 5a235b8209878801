import Glibc
import WireJSON

extension Command {
  /// Everything around the server that can be wrong, looked at.
  static let doctor = Command(
    name: "doctor",
    summary: "Checks what a server needs: disk, clock, certificates, ledger, credentials, gateways; says what to do.",
    options: [
      Option(name: "--data", value: "DIR", help: "The data folder; ./postrider-data unless given."),
      StoreOptions.url, StoreOptions.password,
      Option(name: "--url", value: "URL", help: "The running server; \(APISettings.urlDefault) unless configured."),
      Option(name: "--ca", value: "FILE", help: "The certificate authority that vouches for the server, PEM."),
      Option(
        name: "--tls-certificate", value: "FILE", help: "The certificate that serve is started with; needs --tls-key."),
      Option(name: "--tls-key", value: "FILE", help: "The private key of the certificate, PEM."),
      Option(
        name: "--gateway", value: "HOST:PORT",
        help: "A gateway to reach instead of Apple's, Google's and Huawei's.", repeats: true),
      Option(name: "--gateway-ca", value: "FILE", help: "The certificate authority that vouches for --gateway, PEM."),
      Option(
        name: "--oidc-issuer", value: "URL",
        help:
          "The identity provider that serve is started with, to be looked at, too; POSTRIDER_OIDC_ISSUER unless given."
      ),
      SignInProvider.authorities,
    ] + Egress.options + [
      Option(name: "--offline", help: "Connects to no gateway and no identity provider."),
      Option(name: "--quick", help: "Does not read the ledger, which takes as long as the disk needs for all of it."),
      Option(name: "--json", help: "Prints one JSON document: {\"healthy\", \"checks\": […]}."),
    ],
    details: """
      Changes nothing; the server may run. Run it as the server's user, who must be able to read the data folder. Each line is
      ok, warning, error or skipped; below a warning or an error is what to do. The gateways are connected to with TLS, as
      the server does, and nothing is sent to a device. Exit status: 0 when there is no error, 1 when there is one.
      """,
    examples: ["postrider doctor --data /var/lib/postrider", "postrider doctor --quick --offline --json"],
    run: runDoctor)

  private static func runDoctor(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let gateways = try DoctorGateways(arguments)
    let folder = arguments.value("--data") ?? "postrider-data"
    var findings = DoctorMachine.findings
    findings.append(try DoctorCertificates.own(arguments))
    let (server, reads) = (try StoreOptions.database(arguments), !arguments.has("--quick"))
    findings += DoctorFolder(path: folder, readsLedger: reads, keepsDatabase: server == nil).findings
    if let server { findings += DoctorStore(server: server, keyFolder: folder, readsLedger: reads).findings }
    findings.append(try DoctorServer.finding(arguments))
    findings += gateways.findings()
    findings += try DoctorIssuer.findings(arguments)
    let isHealthy = !findings.contains { $0.verdict == .error }
    if arguments.has("--json") {
      let document: JSONObject = ["healthy": .bool(isHealthy), "checks": .array(findings.map(\.json))]
      Terminal.print(JSON.minified(.object(document)) + [UInt8(ascii: "\n")])
    } else {
      let width = findings.map(\.subject.count).max() ?? 0
      Terminal.print(findings.map { $0.lines(subjectWidth: width) }.joined())
    }
    return isHealthy ? .fine : .invalid
  }
}
