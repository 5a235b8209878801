import Glibc
import ProviderEmulator
import WireJSON

extension Command {
  /// APNs, FCM, a web push service and Push Kit on loopback.
  static let emulate = Command(
    name: "emulate",
    summary:
      "Runs APNs, FCM, Huawei's Push Kit and a web push service on loopback, with their rules, their errors, faults on demand and virtual devices.",
    options: [Option(name: "--host", value: "ADDRESS", help: "The address to listen on; 127.0.0.1 unless given.")]
      + EmulatedProvider.withDevices.map(portOption) + emulateOptions,
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

  private static let emulateOptions: [Option] = [
    Option(
      name: "--port", value: "PORT",
      help: "Plain HTTP/1.1: FCM, Push Kit, OAuth, web push and the control API; 8788 unless given, 0 for any."),
    Option(name: "--scenario", value: "FILE", help: "Devices, settings, latencies and faults, as JSON."),
    Option(name: "--threads", value: "N", help: "Event-loop threads, 1 to 64; 1 unless given."),
    Option(
      name: "--out", value: "DIR",
      help: "Writes what clients need: ca.pem, "
        + EmulatedProvider.credentialFileNames.map { $0 + ", " }.joined() + "control-token."),
    Option(
      name: "--allowed-host", value: "NAME",
      help: "A host name, besides addresses and localhost, under which the control API may be called.", repeats: true),
    Option(
      name: "--server", value: "URL",
      help: "The Postrider server that phones may report to; http://127.0.0.1:8787 unless given."),
  ]

  private static func runEmulate(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let interruption = Interruption()
    var configuration = EmulatorConfiguration()
    configuration.host = arguments.value("--host") ?? "127.0.0.1"
    for provider in EmulatedProvider.withDevices {
      configuration.ports[provider] = UInt16(
        try arguments.integer(portName(provider), in: 0...65_535, default: Int(provider.port.usual)))
    }
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
      let names = EmulatedProvider.withDevices.map(portName).joined(separator: ", ")
      throw .failure("\(error.description); \(names) and --port choose other ports, 0 any")
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
    var object = JSONObject()
    for provider in EmulatedProvider.withDevices {
      object.append(provider.rawValue, .string(emulator.origin(of: provider)))
    }
    object.append("token_uri", .string(emulator.ports.tokenURI))
    object.append("control", .string(emulator.ports.controlURI))
    object.append("control_token", .string(emulator.controlToken))
    for (name, value) in emulator.credentialNames { object.append(name, value) }
    return .object(object)
  }

  private static func writeCredentials(of emulator: ProviderEmulator, to folder: String) throws(Exit) {
    if unsafe mkdir(folder, 0o700) != 0 && errno != EEXIST {
      throw .unreadable("cannot create \(folder): \(Terminal.lastError())")
    }
    let files =
      [("ca.pem", emulator.authorityPEM)] + emulator.credentialFiles
      + [("control-token", emulator.controlToken + "\n")]
    for (name, content) in files { try Terminal.write(content, toFile: "\(folder)/\(name)", mode: 0o600) }
  }

  private static func portName(_ provider: EmulatedProvider) -> String { "--\(provider.rawValue)-port" }

  private static func portOption(_ provider: EmulatedProvider) -> Option {
    let (words, usual) = provider.port
    let number = usual == 0 ? "any free one unless given" : "\(usual) unless given, 0 for any"
    return Option(name: portName(provider), value: "PORT", help: "\(words), HTTP/2 over TLS; \(number).")
  }
}
