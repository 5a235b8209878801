import PushContracts
import PushCore
import PushPayload
import WebPush

extension Command {
  /// Messages, straight to a provider or an emulator.
  static let send = Command(
    name: "send",
    summary:
      "Sends messages straight to APNs, FCM, Huawei or the push services of browsers, or to an emulator, and explains the answers.",
    operands: "[FILE]", operandsMax: 1,
    options: [
      Option(
        name: "--platform", value: "PLATFORM",
        help:
          "Which provider: ios is APNs, android is FCM, web is the push service that a browser's subscription names; fcm-ios and "
          + "fcm-web are FCM for tokens of iPhones and browsers, hms is Huawei's Push Kit.",
        choices: SendService.allCases.map(\.rawValue)),
      Option(
        name: "--token", value: "TOKEN", help: "The device token, for every message; may be repeated.",
        repeats: true),
      Option(name: "--message", value: "FILE", help: "The message of the lines that have none of their own."),
      .contract,
      Option(name: "--campaign", value: "ID", help: "The campaign id; sends with the same one replace each other."),
      .contractOption,
      Option(
        name: "--concurrency", value: "N",
        help: "How many sends may be without an answer at a time, 1 to 100000; 1000 unless given."),
      Option(name: "--ordered", help: "Prints the outcomes in the order of the input."),
      Option(name: "--topic", value: "BUNDLE", help: "APNs: the bundle id of the app."),
      Option(name: "--key", value: "FILE", help: "APNs: the .p8 key, with --key-id and --team."),
      Option(name: "--key-id", value: "ID", help: "APNs: the key's id, 10 characters."),
      Option(name: "--team", value: "ID", help: "APNs: the team's id, 10 characters."),
      Option(
        name: "--certificate", value: "FILE",
        help: "APNs: a certificate with its key, PKCS#12 or PEM, instead of a key."),
      Option(name: "--password-file", value: "FILE", help: "The first line is the password of the PKCS#12 file."),
      Option(name: "--sandbox", help: "APNs: the development environment."),
      Option(name: "--service-account", value: "FILE", help: "FCM: the service account's key file."),
      Option(
        name: "--hms-client", value: "FILE",
        help: "Huawei: the OAuth client as JSON: client_id, client_secret, and project_id for the project's address."),
      Option(name: "--gateway", value: "HOST:PORT", help: "Another gateway than the provider's, such as an emulator."),
    ] + webOptions + Option.connection,
    details: """
      FILE (“-” or nothing: standard input) holds one message in the contract (native unless given), or a stream with one
      JSON object a line:
        with --token      each line is a message; for web, --subscription does the same
        without --token   each line is {"token": "…", "message": {…}}; "id" (any value) comes back with the outcome,
                          "campaign" stands in for --campaign, and "message" may be left out with --message FILE; for
                          web, "subscription" (what the browser's toJSON() gives) replaces "token"
      A web push carries the message's JSON as it is, encrypted for the subscription; the service worker decides what it
      shows. docs/web-push.md describes keys and answers.
      One line of JSON for each send says how it ended, as soon as it is known; "line" is the line of the input. A
      stream of any length takes the same memory. Standard error gets a summary by reason, and on a terminal a bar
      meanwhile. Ctrl-C reads no further and waits for the answers under way; a second one ends at once.
      Exit status, the first that applies: 4, a send was refused or failed, or Ctrl-C came; 3, the input or a line of it could not be
      read; 1, a message is not legal and was not sent; 0, the provider took everything.
      """,
    examples: [
      "postrider emulate --out /tmp/emulator &",
      "echo '{\"title\":\"Hello\",\"body\":\"World\"}' | postrider send --platform ios --token "
        + String(repeating: "a1", count: 4)
        + "… --topic com.example.app --key /tmp/emulator/apns-key.p8 --key-id EMULATEKEY "
        + "--team EMULATETEA --gateway 127.0.0.1:2197 --ca /tmp/emulator/ca.pem",
      "postrider send --platform android --service-account account.json --message winback.json < tokens.ndjson",
      "echo '{\"title\":\"Hello\"}' | postrider send --platform web --subscription subscription.json --vapid-key vapid.pem "
        + "--vapid-subject mailto:ops@example.com",
    ],
    run: runSend)

  private static let webOptions: [Option] = [
    Option(
      name: "--subscription", value: "FILE",
      help: "Web: a browser's subscription as JSON, for every message; may be repeated.", repeats: true),
    Option(name: "--vapid-key", value: "FILE", help: "Web: the private key; “postrider vapid create” makes one."),
    Option(
      name: "--vapid-subject", value: "URI", help: "Web: whom push services can contact, mailto:NAME@HOST or https://…"),
    Option(
      name: "--ttl", value: "SECONDS",
      help: "Web: how long the push service keeps it for a browser that is away; 2419200 (four weeks) unless given."),
    Option(
      name: "--urgency", value: "URGENCY",
      help: "Web: what a device that saves power still takes; normal unless given.",
      choices: WebPushUrgency.known.map(\.rawValue)),
    Option(
      name: "--padding", value: "SIZE",
      help:
        "Web: hides the length: none (unless given), up to a multiple of 1 to \(WebPushMessage.payloadBytesMax) bytes, or full."
    ),
    Option(
      name: "--allow-private-endpoints",
      help: "Web: endpoints may have loopback and private addresses, such as an emulator's."),
  ]

  private static func runSend(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    guard let service = arguments.value("--platform").flatMap(SendService.init) else {
      throw .usage("--platform is missing: \(SendService.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    let foreign =
      service.takesSubscriptions ? ["--contract", "--option", "--topic", "--gateway"] : webOptions.map(\.name)
    if let option = foreign.first(where: { arguments.has($0) || arguments.value($0) != nil }) {
      throw .usage("\(option) does not go with --platform \(service.rawValue)")
    }
    let composer = try SendComposer(arguments, service)
    // Before any thread is started, so that none of them is interrupted.
    let interruption = Interruption()
    let concurrency = try arguments.integer("--concurrency", in: 1...100_000, default: 1000)
    let sender: DirectSender
    do {
      sender = try service.client(arguments, concurrency)
    } catch let error as Exit {
      throw error
    } catch {
      throw .unreadable("\(error)")
    }
    let input = try InputStream(arguments.operands.first)
    var loop = try SendLoop(
      input: input, composer: composer, sender: sender, concurrency: concurrency,
      isOrdered: arguments.has("--ordered"))
    return try loop.run(interruption)
  }
}
