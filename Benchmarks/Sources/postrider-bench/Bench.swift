import Glibc

/// A benchmark that can be asked for by name.
struct Subcommand: Sendable {
  let name: String
  /// One line for the list of subcommands.
  let summary: String
  /// Measures and prints one line of JSON; gets the arguments behind the name.
  let run: @Sendable ([String]) throws -> Void
}

@main
struct Bench {
  static let subcommands: [Subcommand] = [
    Subcommand(name: "json-read", summary: "reading a payload, against Foundation", run: jsonRead),
    Subcommand(name: "json-write", summary: "writing a payload, against Foundation", run: jsonWrite),
    Subcommand(name: "render", summary: "a message to both requests, bytes to bytes, in each contract", run: render),
    Subcommand(name: "parse", summary: "a payload to its notification, in each contract and platform", run: parse),
    Subcommand(name: "contracts-write", summary: "writing a message by its contract", run: contractsWrite),
    Subcommand(name: "contracts-read", summary: "reading OneSignal payloads, against Foundation", run: contractsRead),
    Subcommand(name: "rules-check", summary: "checking requests, also by what a device makes of them", run: rulesCheck),
    Subcommand(name: "preview", summary: "previews of pushes, with and without a picture", run: previewBench),
    Subcommand(
      name: "tray", summary: "what is done to trays of a hundred to ten thousand notifications", run: trayBench),
    Subcommand(name: "template-audit", summary: "the worst case of a template over 1 000 000 rows", run: templateAudit),
    Subcommand(name: "liquid", summary: "a text in Liquid for one recipient after the other", run: liquidBench),
    Subcommand(
      name: "apns", summary: "sends to an APNs on loopback: --host --port --ca --key --key-id …", run: sendAPNs),
    Subcommand(name: "answer", summary: "an HTTP/2 server that answers 200: --port --cert --key", run: answer),
    Subcommand(name: "fcm", summary: "sends to an FCM on loopback: --host --port --ca --key …", run: sendFCM),
    Subcommand(
      name: "web", summary: "web pushes to a push service on loopback, encrypted: --port --ca --body-bytes …",
      run: sendWeb),
    Subcommand(
      name: "campaign", summary: "a campaign with the full ledger: --devices --gateway HOST:PORT --ca …", run: campaign),
    Subcommand(
      name: "mixed",
      summary: "campaigns to five kinds of devices in turn with one kind: --devices --rounds --account …",
      run: mixedCampaign),
    Subcommand(
      name: "segments", summary: "segment counts over a store of its own: --devices --folder", run: segments),
    Subcommand(
      name: "import", summary: "devices a second over the API of a running server: --devices --port --key-file --app",
      run: importDevices),
    Subcommand(
      name: "ingest",
      summary: "pushes a second over the API of a running server: --port --key-file --app --form --users …",
      run: ingest),
    Subcommand(
      name: "reports",
      summary:
        "reports of devices a second over the API of a running server: --port --key-file --app --push --count --per-request …",
      run: reports),
    Subcommand(
      name: "database", summary: "a PostgreSQL server that keeps what it acknowledges, until its input ends",
      run: database),
    Subcommand(
      name: "deliveries", summary: "lists over a ledger of 10 000 000 deliveries: --rows --devices --pages",
      run: deliveries),
  ]

  /// `--scale 0.01` runs each loop a hundredth as often: to try a benchmark out, or to count its instructions.
  static let scale: Double = {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: "--scale"), index + 1 < arguments.count else { return 1 }
    return Double(arguments[index + 1]) ?? 1
  }()

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let name = arguments.first, let command = subcommands.first(where: { $0.name == name }) else {
      print("usage: postrider-bench SUBCOMMAND [--scale X] [options]   (build with -c release)\n")
      for command in subcommands { print("  \(command.name): \(command.summary)") }
      exit(arguments.isEmpty ? 0 : 2)
    }
    do {
      try command.run(Array(arguments.dropFirst()))
    } catch {
      let message = Array("postrider-bench \(name): \(error)\n".utf8)
      _ = write(2, message, message.count)
      exit(2)
    }
  }
}
