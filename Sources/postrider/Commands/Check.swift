import DevicePreview
import DeviceText
import Glibc
import PushContracts
import PushCore
import PushPayload
import PushRules

extension Command {
  /// The linter.
  static let check = Command(
    name: "check",
    summary: "Checks messages, payloads and whole requests against the providers' rules.",
    operands: "[FILE…]", operandsMax: Int.max,
    options: [
      Option(
        name: "--contract", value: "NAME", help: "The files hold messages of this contract; absent, raw documents.",
        choices: Contracts.names.map(\.rawValue)),
      Option(
        name: "--platform", value: "PLATFORM",
        help: "One platform only; absent, ios and android. fcm-ios or fcm-web: what FCM hands on; web: messages for "
          + "browsers; hms: for Huawei's phones.",
        choices: Platform.allCases.map(\.rawValue) + RenderRequest.Target.names),
      .contractOption,
      Option(name: "--push-type", value: "TYPE", help: "The push type that APNs payloads without headers are sent as."),
      Option(name: "--topic", value: "TOPIC", help: "The topic they are sent with; with --contract, the bundle id."),
      Option(
        name: "--rule", value: "ID=LEVEL", help: "Applies a rule differently: off, note, warning or error.",
        repeats: true, offers: .words(ruleIDs.map { "\($0)=off" })),
    ] + CheckOptions.surroundings + [
      Option(
        name: "--format", value: "FORMAT", help: "How to print; text unless given.",
        choices: CheckFormat.allCases.map(\.rawValue)),
      Option(name: "--fit", help: "Shortens the texts of one document to its limit and prints it."),
      Option(
        name: "--template", value: "FILE", help: "A document or message with {{placeholders}} or Liquid in its texts."),
      Option(
        name: "--audience", value: "FILE", help: "Who will get the template, as .csv or .ndjson: finds the worst case."),
      Option(name: "--explain", value: "ID", help: "Explains a rule and checks nothing.", offers: .words(ruleIDs)),
    ],
    details: """
      FILE holds an APNs payload, an APNs request {"headers": {…}, "payload": {…}}, an FCM request {"message": {…}}, a
      request to Push Kit or what render writes; with --contract, a message. A directory means every *.json below it, in order of names;
      hidden files and links to directories are passed over. “-” or nothing reads standard input.

      --fit shortens bodies first, then subtitles, then titles, at the boundaries of characters and with an ellipsis;
      the document is printed minified, and what was done goes to standard error.

      --template with --audience computes the size of the message for every row, in constant memory, and names the
      recipient of the largest one. Columns and members fill the placeholders of their names.

      Exit status: 0 nothing worse than a warning; 1 an error; 3 a file that cannot be read or is not JSON (the other
      files are checked all the same).
      """,
    examples: [
      "postrider check --contract powerauth --option fcm-data-only message.json",
      "postrider check --push-type alert --topic com.example.app payload.json",
      "postrider check --contract amba --format sarif messages/ > postrider.sarif",
      "postrider check --rule apns-unknown-key=off --rule json-duplicate-key=error payloads/",
      "postrider check --template winback.json --audience users.csv",
      "postrider check --explain apns-topic-suffix",
    ],
    run: runCheck)

  private static func runCheck(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    if let id = arguments.value("--explain") { return try explainRule(id) }
    let checker = FileChecker(try Exit.reporting { () throws(CoreError) in try CheckOptions(arguments) })
    if arguments.has("--template") || arguments.has("--audience") {
      guard !arguments.has("--fit") else { throw .usage("--fit is for one document; leave out --template") }
      return try CheckAudience(arguments, checker).run()
    }
    if arguments.has("--fit") { return try runFit(arguments, checker) }
    var run = CheckRun(checker, format: arguments.value("--format").flatMap(CheckFormat.init(rawValue:)) ?? .text)
    for operand in arguments.operands.isEmpty ? ["-"] : arguments.operands { run.check(operand: operand) }
    return run.finish()
  }

  /// The ids of every rule: the shared ones and those of single contracts.
  private static let ruleIDs = Rules.all.map { $0.text } + Contracts.rules.map { $0.id }

  private static func explainRule(_ id: String) throws(Exit) -> ExitStatus {
    let text =
      Rules.rule(id).map(RuleBook.markdown) ?? Contracts.rule(id)?.markdown ?? PreviewRuleBook.rule(id)?.markdown
    guard let text else {
      throw .usage("--explain: \(CheckOptions.unknownRule(id))")
    }
    Terminal.print(text)
    return .fine
  }

  private static func runFit(_ arguments: Arguments, _ checker: FileChecker) throws(Exit) -> ExitStatus {
    guard arguments.value("--format") == nil else { throw .usage("--fit prints a document; it takes no --format") }
    guard arguments.operands.count <= 1 else { throw .usage("--fit takes one file, not \(arguments.operands.count)") }
    var fitting = CheckFitting(checker)
    return try fitting.run(arguments.operands.first ?? "-")
  }
}
