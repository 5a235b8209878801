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
    ] + SendService.options + Option.connection,
    details: """
      FILE (“-” or nothing: standard input) holds one message in the contract (native unless given), or a stream with one
      JSON object a line:
        with --token      each line is a message; for web, --subscription does the same
        without --token   each line is {"token": "…", "message": {…}}; "id" (any value) comes back with the outcome,
                          "campaign" replaces --campaign, and "message" may be left out with --message FILE; for
                          web, "subscription" (what the browser's toJSON() gives) replaces "token"
      A web push carries the message's JSON as it is, encrypted for the subscription; the service worker decides what it
      shows. docs/web-push.md describes keys and answers.
      One line of JSON for each send says how it ended, as soon as it is known; "line" is the line of the input. A
      stream of any length takes the same memory. Standard error gets a summary by reason, and on a terminal a bar
      meanwhile. Ctrl-C reads no further and waits for the answers under way; a second one ends at once.
      Exit status, the first that applies: 4, a send was refused or failed, or Ctrl-C came; 3, the input or a line of it could not be
      read; 1, a message is invalid and was not sent; 0, the provider took everything.
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

  private static func runSend(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    guard let service = arguments.value("--platform").flatMap(SendService.init) else {
      throw .usage("--platform is missing: \(SendService.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    if let option = service.foreignOptions.first(where: arguments.has) {
      let recipients = ["--token", "--subscription"].contains(option) ? "; give \(service.recipientOption)" : ""
      throw .usage("\(option) does not go with --platform \(service.rawValue)\(recipients)")
    }
    return try service.run(arguments)
  }

  /// The same once the provider is known.
  static func send<Client: DirectClient>(
    _ arguments: Arguments, _ service: SendService, _ client: Client.Type, _ composer: SendComposer<Client.Message>
  ) throws(Exit) -> ExitStatus {
    // Before any thread is started, so that none of them is interrupted.
    let interruption = Interruption()
    let concurrency = try arguments.integer("--concurrency", in: 1...100_000, default: 1000)
    let sender: Client
    do {
      sender = try Client(arguments, concurrency)
    } catch let error as Exit {
      throw error
    } catch {
      throw .unreadable("\(error)")
    }
    let input = try InputStream(arguments.operands.first)
    var loop = try SendLoop(
      input: input, composer: composer, client: sender, concurrency: concurrency,
      isOrdered: arguments.has("--ordered"))
    return try loop.run(interruption)
  }
}
