import Glibc
import HTTPServer
import PostriderServer
import ProviderEmulator

extension Command {
  /// The server.
  static let serve = Command(
    name: "serve",
    summary: "Runs the push server: HTTP API, durable ledger, delivery to APNs and FCM.",
    options: [
      Option(name: "--data", value: "DIR", help: "The folder that holds everything; ./postrider-data unless given."),
      Option(name: "--host", value: "ADDRESS", help: "The address the API listens on; 127.0.0.1 unless given."),
      Option(name: "--port", value: "PORT", help: "The port of the API; 8787 unless given, 0 for any."),
      Option(name: "--demo", help: "Adds the app “demo” with two virtual devices behind a built-in emulator."),
      Option(name: "--emulator-port", value: "PORT", help: "The demo emulator's control API; 8788 unless given."),
    ],
    details: """
      The first start makes the data folder and prints the first API key, once; only its hash is kept. Credentials are
      sealed with the key file in the data folder, or with POSTRIDER_SEALING_KEY (64 hex digits) when it is set.
      Interrupt (Ctrl-C) or SIGTERM stops taking requests, lets running ones end, and closes the ledger.
      """,
    examples: ["postrider serve --data /var/lib/postrider", "postrider serve --demo"],
    run: runServe)

  private static func runServe(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let interruption = Interruption()
    var http = HTTPServerConfiguration(port: UInt16(try arguments.integer("--port", in: 0...65_535, default: 8787)))
    http.host = arguments.value("--host") ?? "127.0.0.1"
    let emulatorPort = UInt16(try arguments.integer("--emulator-port", in: 0...65_535, default: 8788))
    var configuration = PostriderServerConfiguration(
      dataFolder: arguments.value("--data") ?? "postrider-data", http: http,
      sealingKey: getenv("POSTRIDER_SEALING_KEY").map { String(cString: $0) }, version: Version.current)
    // The emulator first: a start that fails on its port must not have made, and so lost, the first key.
    let demo = arguments.has("--demo") ? try Demo(port: emulatorPort) : nil
    defer { demo?.stop() }
    configuration.lab = demo?.lab
    let server: PostriderServer
    do {
      server = try PostriderServer(configuration)
    } catch {
      throw Exit(status: error.isAboutNetwork ? .failure : .unreadable, message: error.description)
    }
    defer { server.stop() }
    Terminal.print("Postrider listens on http://\(server.host):\(server.port)\n")
    if let key = server.firstKey {
      Terminal.print("\nThe first API key (admin), shown this once; it also signs in to the dashboard:\n")
      Terminal.print("  export POSTRIDER_KEY=\(key)\n")
    }
    if let demo {
      try demo.furnish(server)
      Terminal.print(demo.welcome(server))
    }
    interruption.wait()
    Terminal.print("Stopping: requests and sends under way may finish.\n")
    return .fine
  }
}
