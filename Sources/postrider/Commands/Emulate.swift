import Glibc
import ProviderEmulator
import WireJSON

extension Command {
  /// APNs, FCM, a web push service and Push Kit on loopback.
  static let emulate = Command(
    name: "emulate",
    summary:
      "Runs APNs, FCM, Huawei's Push Kit and a web push service on loopback, with their rules, their errors, faults on demand and virtual devices.",
    options: [
      Option(name: "--host", value: "ADDRESS", help: "The address to listen on; 127.0.0.1 unless given."),
      Option(name: "--apns-port", value: "PORT", help: "APNs, HTTP/2 over TLS; 2197 unless given, 0 for any."),
      Option(name: "--fcm-port", value: "PORT", help: "FCM and OAuth, HTTP/2 over TLS; 8443 unless given, 0 for any."),
      Option(
        name: "--web-port", value: "PORT", help: "Web push, HTTP/2 over TLS; any free one unless given."),
      Option(
        name: "--hms-port", value: "PORT",
        help: "Huawei's Push Kit and its OAuth, HTTP/2 over TLS; any free one unless given."),
      Option(
        name: "--port", value: "PORT",
        help: "Plain HTTP/1.1: FCM, Push Kit, OAuth, web push and the control API; 8788 unless given, 0 for any."),
      Option(name: "--scenario", value: "FILE", help: "Devices, settings, latencies and faults, as JSON."),
      Option(name: "--threads", value: "N", help: "Event-loop threads, 1 to 64; 1 unless given."),
      Option(
        name: "--out", value: "DIR",
        help: "Writes what clients need: ca.pem, apns-key.p8, service-account.json, hms-client.json, control-token."),
      Option(
        name: "--allowed-host", value: "NAME",
        help: "A host name, besides addresses and localhost, under which the control API may be called.", repeats: true),
      Option(
        name: "--server", value: "URL",
        help: "The Postrider server that phones may report to; http://127.0.0.1:8787 unless given."),
    ],
    details: """
      One line of JSON says where it listens, when it does. docs/emulator.md describes scenarios and the control API.
      Writes to the control API need the control_token of that line; POSTRIDER_EMULATOR_TOKEN sets it to one of your own.
      Interrupt (Ctrl-C) or SIGTERM ends it.
      """,
    examples: [
      "postrider emulate --out /tmp/emulator",
      "curl -s http://127.0.0.1:8788/control/devices",
    ],
    run: runEmulate)

  private static func runEmulate(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let interruption = Interruption()
    var configuration = EmulatorConfiguration()
    configuration.host = arguments.value("--host") ?? "127.0.0.1"
    configuration.apnsPort = UInt16(try arguments.integer("--apns-port", in: 0...65_535, default: 2197))
    configuration.fcmPort = UInt16(try arguments.integer("--fcm-port", in: 0...65_535, default: 8443))
    configuration.webPort = UInt16(try arguments.integer("--web-port", in: 0...65_535, default: 0))
    configuration.hmsPort = UInt16(try arguments.integer("--hms-port", in: 0...65_535, default: 0))
    configuration.plainPort = UInt16(try arguments.integer("--port", in: 0...65_535, default: 8788))
    configuration.threads = try arguments.integer("--threads", in: 1...64, default: 1)
    if let file = arguments.value("--scenario") { configuration.scenario = try scenario(file) }
    configuration.controlToken = Environment.value("POSTRIDER_EMULATOR_TOKEN")
    configuration.allowedHosts = arguments.all("--allowed-host")
    configuration.reportServer = try reportServer(arguments.value("--server") ?? "http://127.0.0.1:8787")
    let emulator: ProviderEmulator
    do {
      emulator = try ProviderEmulator(configuration)
    } catch {
      guard !error.isAboutSettings else { throw .usage(error.description) }
      throw .failure(
        "\(error.description); --apns-port, --fcm-port, --web-port, --hms-port and --port choose other ports, 0 any")
    }
    if let folder = arguments.value("--out") { try writeCredentials(of: emulator, to: folder) }
    Terminal.print(JSON.minified(announcement(of: emulator)) + [UInt8(ascii: "\n")])
    interruption.wait()
    emulator.stop()
    return .fine
  }

  private static func reportServer(_ text: String) throws(Exit) -> ReportServer {
    guard let server = ReportServer(text) else { throw .usage("--server takes http://HOST:PORT, not “\(text)”") }
    return server
  }

  private static func scenario(_ file: String) throws(Exit) -> Scenario {
    let content = try Input.bytes(file)
    do {
      return try Scenario(parsing: content)
    } catch {
      throw .unreadable("\(file): \(error)")
    }
  }

  private static func announcement(of emulator: ProviderEmulator) -> JSONValue {
    let ports = emulator.ports
    let credentials = emulator.credentials
    return [
      "apns": .string("https://\(ports.host):\(ports.apns)"), "fcm": .string("https://\(ports.host):\(ports.fcm)"),
      "web": .string(ports.webOrigin), "hms": .string("https://\(ports.host):\(ports.hms)"),
      "token_uri": .string(ports.tokenURI), "control": .string(ports.controlURI),
      "control_token": .string(emulator.controlToken),
      "key_id": .string(credentials.keyID), "team_id": .string(credentials.teamID),
      "project_id": .string(credentials.projectID), "hms_client_id": .string(credentials.huaweiClientID),
    ]
  }

  private static func writeCredentials(of emulator: ProviderEmulator, to folder: String) throws(Exit) {
    if mkdir(folder, 0o700) != 0 && errno != EEXIST {
      throw .unreadable("cannot create \(folder): \(Terminal.lastError())")
    }
    let credentials = emulator.credentials
    let account = credentials.serviceAccountJSON(tokenURI: emulator.ports.tokenURI)
    for (name, content) in [
      ("ca.pem", emulator.authorityPEM), ("apns-key.p8", credentials.signingKeyPEM), ("service-account.json", account),
      ("hms-client.json", credentials.huaweiClientJSON), ("control-token", emulator.controlToken + "\n"),
    ] {
      try Terminal.write(content, toFile: "\(folder)/\(name)", mode: 0o600)
    }
  }
}
