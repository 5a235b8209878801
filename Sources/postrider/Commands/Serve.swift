import Glibc
import HTTPServer
import PostriderServer
import ProviderEmulator

extension Command {
  /// The server.
  static let serve = Command(
    name: "serve",
    summary: "Runs the push server: HTTP API, durable ledger, delivery to APNs, FCM, Huawei's Push Kit and browsers.",
    options: [
      Option(name: "--data", value: "DIR", help: "The folder that holds everything; ./postrider-data unless given."),
      StoreOptions.url, StoreOptions.password,
      Option(
        name: "--node", value: "NAME",
        help:
          "The name of this server among those on the database, of which each needs its own; POSTRIDER_NODE, or the "
          + "machine's name, unless given."),
      Option(name: "--host", value: "ADDRESS", help: "The address the API listens on; 127.0.0.1 unless given."),
      Option(name: "--port", value: "PORT", help: "The port of the API; 8787 unless given, 0 for any."),
      Option(
        name: "--tls-certificate", value: "FILE",
        help: "Speaks HTTPS with this certificate, PEM, its chain after it; a renewed file is used without a restart."),
      Option(name: "--tls-key", value: "FILE", help: "The private key of the certificate, PEM."),
      Option(
        name: "--trusted-proxy", value: "CIDR",
        help: "A proxy in front that names the client it forwards for: an address, or a block such as 10.0.0.0/8. "
          + "Nobody is believed unless given.", repeats: true),
      Option(
        name: "--forwarded-header", value: "NAME",
        help: "The header in which the proxy names the client; the other one is ignored. x-forwarded-for unless given.",
        choices: ForwardedHeader.allCases.map(\.rawValue)),
      Option(
        name: "--max-connections", value: "N",
        help: "Connections at once; beyond it the one idle longest makes room. 1024 unless given."),
      Option(
        name: "--max-connections-per-network", value: "N",
        help:
          "Connections of one network (IPv4 /24, IPv6 /64) beyond which it makes room first. An eighth unless given."),
      Option(
        name: "--rate", value: "N",
        help: "Requests a minute of API keys without a rate of their own; no bound unless given."),
      Option(
        name: "--apns-rate", value: "N", help: "Sends a second to APNs for each app; no bound unless given."),
      Option(
        name: "--fcm-rate", value: "N",
        help: "Sends a second to FCM for each app, reached over a minute; 10000 unless given, which is Google's quota."),
      Option(
        name: "--retire-percent", value: "N",
        help: "How many of 100 answers in ten minutes may call devices dead; above it none is retired. 30 unless given."
      ),
      Option(
        name: "--fcm-plain-429", value: "WHAT",
        help:
          "What a 429 of FCM without an error code is about, which Google leaves open: the project's quota (waits of "
          + "1 to 10 minutes; so unless given), or the device (1 to 15).",
        choices: ["quota", "device"]),
      Option(
        name: "--allow-private-webhooks",
        help: "Lets webhooks be on loopback and private addresses, and speak plain HTTP."),
      Option(
        name: "--compat-host", value: "NAME=VENDOR",
        help: "At this host name, speaks a vendor's REST interface at the vendor's own paths: NAME=onesignal, "
          + "NAME=powerauth, NAME=imkit or NAME=amba (docs/compat.md).", repeats: true),
      Option(
        name: "--admin-key-file", value: "FILE",
        help: "The file with the first API key, for the first start; one is generated and printed unless given."),
      Option(
        name: "--replace-sealing-key",
        help: "Starts with a sealing key that opens no stored credential; save the credentials again."),
      Option(
        name: "--core-module", value: "FILE",
        help:
          "The WebAssembly module (script/core wasm) with which the composer previews in the browser; postrider.wasm "
          + "beside the program unless given. Without one the composer asks the server."),
    ] + SignInProvider.options + Egress.options + [
      Option(
        name: "--direct-webhooks",
        help:
          "Reaches webhook receivers without the proxy: they are in this network, and the proxy does not lead to them."),
      Option(
        name: "--otlp", value: "URL",
        help: "The OpenTelemetry collector that traces are sent to by OTLP over HTTP, such as http://127.0.0.1:4318; "
          + "OTEL_EXPORTER_OTLP_ENDPOINT unless given. None is sent without."),
      Option(
        name: "--trace-rate", value: "SHARE",
        help: "The share of sends without a traceparent of their caller that is traced, 0 to 1; 1 unless given."),
      Option(
        name: "--demo",
        help: "Adds the app “demo” with a virtual iPhone, Android phone and browser behind a built-in emulator."),
      Option(name: "--emulator-port", value: "PORT", help: "The demo emulator's control API; 8788 unless given."),
    ],
    details: """
      The first start makes the data folder and prints the first API key, once; only its hash is stored. A key that is given
      with --admin-key-file, POSTRIDER_ADMIN_KEY_FILE (a path) or POSTRIDER_ADMIN_KEY (the key itself) is not printed; it
      is prk_ and 43 letters, digits, - and _. Credentials are sealed with the key file in the data folder, or with
      POSTRIDER_SEALING_KEY (64 hex digits) when it is set.
      --proxy is the way to Apple, Google, Huawei, the push services of browsers, the token endpoints of Google and Huawei,
      the identity provider, and webhooks (not with --direct-webhooks); not to a gateway that a credential names. A credential
      may have a proxy of its own (docs/operations.md).
      With --otlp, a send whose caller sent a sampled traceparent is traced from the request to the provider's answer, and
      so is the given share of the others. Headers for the collector, such as its key, are in OTEL_EXPORTER_OTLP_HEADERS.
      With --oidc-issuer, people who are invited also sign in with an identity provider, which sends them back to the path
      /dashboard/oidc of the address that their browser has called (docs/operations.md).
      Interrupt (Ctrl-C) or SIGTERM stops taking requests, lets running ones end, and closes the ledger.
      """,
    examples: ["postrider serve --data /var/lib/postrider", "postrider serve --demo"],
    run: runServe)

  private static func runServe(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let interruption = Interruption()
    // The process will hold the credentials of every app.
    ProcessSecrecy.begin()
    var http = HTTPServerConfiguration(port: UInt16(try arguments.integer("--port", in: 0...65_535, default: 8787)))
    http.host = arguments.value("--host") ?? "127.0.0.1"
    http.certificate = try certificate(arguments)
    http.trustedProxies = try trustedProxies(arguments)
    if let name = arguments.value("--forwarded-header"), let header = ForwardedHeader(rawValue: name) {
      http.forwardedHeader = header
    }
    try limitConnections(&http.limits, arguments)
    let emulatorPort = UInt16(try arguments.integer("--emulator-port", in: 0...65_535, default: 8788))
    var configuration = PostriderServerConfiguration(
      dataFolder: arguments.value("--data") ?? "postrider-data", http: http,
      sealingKey: ProcessSecrecy.take("POSTRIDER_SEALING_KEY"), version: Version.current)
    configuration.database = try database(arguments)
    if arguments.value("--rate") != nil {
      configuration.ratePerMinute = try arguments.integer("--rate", in: 1...1_000_000_000, default: 1)
    }
    if arguments.has("--apns-rate") {
      configuration.sending.apnsPerSecond = try arguments.integer("--apns-rate", in: 1...1_000_000, default: 1)
    }
    configuration.sending.fcmPerSecond = try arguments.integer("--fcm-rate", in: 1...1_000_000, default: 10_000)
    configuration.sending.retirePercent = try arguments.integer("--retire-percent", in: 1...100, default: 30)
    configuration.sending.fcmPlain429IsForDevice = arguments.value("--fcm-plain-429") == "device"
    configuration.proxy = try Egress.proxy(arguments, take: ProcessSecrecy.take)
    configuration.tracing = try tracing(arguments)
    configuration.oidc = try SignInProvider.setting(arguments, take: ProcessSecrecy.take)
    configuration.adminKey = try adminKey(arguments)
    configuration.coreModule = try coreModule(arguments)
    configuration.replacesSealingKey = arguments.has("--replace-sealing-key")
    configuration.compatHosts = try compatHosts(arguments)
    configuration.allowsPrivateWebhooks = arguments.has("--allow-private-webhooks")
    configuration.webhooksGoDirectly = arguments.has("--direct-webhooks")
    // The emulator first: a start that fails on its port must not have made, and so lost, the first key.
    let demo = arguments.has("--demo") ? try Demo(port: emulatorPort) : nil
    defer { demo?.stop() }
    configuration.lab = demo?.lab
    let server: PostriderServer
    do {
      server = try PostriderServer(configuration)
    } catch {
      throw Exit(error)
    }
    defer { server.stop() }
    Terminal.print("Postrider listens on \(server.url)\n")
    if let key = server.firstKey {
      Terminal.print("\nThe first API key (admin), shown this once; it also signs in to the dashboard:\n")
      Terminal.print("  export POSTRIDER_KEY=\(key)\n")
    }
    if let demo {
      try demo.furnish(server)
      Terminal.print(try demo.welcome(server))
    }
    interruption.wait()
    Terminal.print("Stopping: requests and sends under way may finish.\n")
    return .fine
  }

  /// The database server that the option or the environment names; nil for the folder's own database.
  private static func database(_ arguments: Arguments) throws(Exit) -> DatabaseServer? {
    guard var server = try StoreOptions.database(arguments) else {
      guard !arguments.has("--node") else { throw .usage("--node belongs to --store") }
      return nil
    }
    server.node = arguments.value("--node") ?? Environment.value("POSTRIDER_NODE")
    return server
  }

  private static func certificate(_ arguments: Arguments) throws(Exit) -> ServerCertificate? {
    let (certificate, key) = (arguments.value("--tls-certificate"), arguments.value("--tls-key"))
    guard certificate != nil || key != nil else { return nil }
    guard let certificate, let key else { throw .usage("--tls-certificate and --tls-key belong together") }
    guard !arguments.has("--demo") else {
      throw .usage("--demo reports by plain HTTP, and goes without --tls-certificate")
    }
    do throws(HTTPServerError) { return try ServerCertificate(certificatePath: certificate, keyPath: key) } catch {
      throw Exit(status: .unreadable, message: error.description)
    }
  }

  private static func tracing(_ arguments: Arguments) throws(Exit) -> TracingSetting? {
    do throws(TracingSettingError) {
      return try TracingSetting(base: arguments.value("--otlp"), rate: arguments.value("--trace-rate")) { variable in
        // What may hold a key leaves the environment.
        switch variable {
        case .headers, .tracesHeaders: ProcessSecrecy.take(variable.rawValue)
        default: Environment.value(variable.rawValue)
        }
      }
    } catch { throw .usage(error.description) }
  }

  private static func compatHosts(_ arguments: Arguments) throws(Exit) -> [String: String] {
    var hosts: [String: String] = [:]
    for text in arguments.all("--compat-host") {
      let parts = text.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
        throw .usage("--compat-host \(text): expected NAME=VENDOR, such as push.example.com=onesignal")
      }
      hosts[String(parts[0])] = String(parts[1])
    }
    return hosts
  }

  /// The first key: from the option, the file that the environment names, or the environment.
  private static func adminKey(_ arguments: Arguments) throws(Exit) -> String? {
    // Out of the environment in any case, so that no child process and no `/proc` shows it.
    let text = ProcessSecrecy.take("POSTRIDER_ADMIN_KEY")
    guard let path = arguments.value("--admin-key-file") ?? Environment.value("POSTRIDER_ADMIN_KEY_FILE") else {
      return text.flatMap { $0.isEmpty ? nil : $0 }
    }
    return try APISettings.key(inFile: path)
  }

  /// The module that the option names, or the one beside the program.
  private static func coreModule(_ arguments: Arguments) throws(Exit) -> CoreModule? {
    guard let path = arguments.value("--core-module") ?? fileBesideProgram("postrider.wasm") else { return nil }
    let bytes = try Terminal.read(path)
    do throws(PostriderServerError) { return try CoreModule(bytes: bytes) } catch {
      throw .unreadable("\(path): \(error)")
    }
  }

  /// The path of a file in the program's folder; nil when there is none.
  private static func fileBesideProgram(_ name: String) -> String? {
    var program = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &program, program.count)
    guard count > 0, count < program.count else { return nil }
    let file = program[..<count].map { UInt8(bitPattern: $0) }
    let folder = file.prefix(through: file.lastIndex(of: UInt8(ascii: "/")) ?? 0)
    let path = String(decoding: folder, as: UTF8.self) + name
    return unsafe access(path, R_OK) == 0 ? path : nil
  }

  private static func limitConnections(_ limits: inout HTTPLimits, _ arguments: Arguments) throws(Exit) {
    limits.maxConnections = try arguments.integer(
      "--max-connections", in: 1...HTTPLimits.connectionsMax, default: limits.maxConnections)
    guard arguments.value("--max-connections-per-network") != nil else { return }
    limits.maxConnectionsPerNetwork = try arguments.integer(
      "--max-connections-per-network", in: 1...limits.maxConnections, default: limits.connectionShare)
  }

  private static func trustedProxies(_ arguments: Arguments) throws(Exit) -> [AddressBlock] {
    try arguments.all("--trusted-proxy").map { text throws(Exit) in
      guard let block = AddressBlock(text) else {
        throw .usage("--trusted-proxy takes an address or a block such as 10.0.0.0/8, not “\(text)”")
      }
      return block
    }
  }
}
