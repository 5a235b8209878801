import PushContracts
import PushPayload
import WireJSON

extension Command {
  /// Message → the exact requests.
  static let render = Command(
    name: "render",
    summary: "Writes a message in a contract: the exact APNs and FCM requests, and a report.",
    operands: "[FILE]", operandsMax: 1,
    options: [
      .contract, .platform,
      Option(name: "--topic", value: "BUNDLE", help: "The bundle id of the iOS app; it becomes apns-topic."),
      Option(name: "--token", value: "TOKEN", help: "The device's FCM token; a placeholder stands in when absent."),
      Option(name: "--campaign", value: "ID", help: "The campaign id; sends with the same one replace each other."),
      Option(name: "--option", value: "NAME", help: "Switches on an option of the contract.", repeats: true),
      .format,
    ],
    details: """
      FILE holds the message as JSON; “-” or nothing reads standard input. The result is one JSON document:
      {"apns": {"headers": {…}, "payload": {…}}, "fcm": {"message": {…}}, "report": […]}.
      Exit status 1 means that the report holds an error: nothing may be sent.
      """,
    examples: [#"echo '{"title":"Hello","body":"World"}' | postrider render --contract amba --topic com.example.app"#],
    run: runRender)

  private static func runRender(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let contract = try arguments.contract(required: true) ?? .native
    var context = WriteContext(topic: arguments.value("--topic"), campaign: arguments.value("--campaign"))
    if let token = arguments.value("--token") { context.target = .token(token) }
    context.options = arguments.all("--option")
    context.now = WallClock.seconds
    let platforms = arguments.platform().map { [$0] } ?? Platform.allCases
    var report = Report()
    let message = try Input.json(arguments.operands.first, report: &report)
    var rendering = Contracts.render(contract, message: message, context: context, platforms: platforms)
    rendering.report.findings.insert(contentsOf: report.findings, at: 0)
    rendering.report.append(ProviderRules.check(rendering, hasTopic: context.topic != nil))
    if arguments.value("--format") == "text" {
      Terminal.print(RenderedText.text(of: rendering))
    } else {
      Terminal.print(rendering.json + [UInt8(ascii: "\n")])
    }
    return rendering.report.hasErrors ? .notLegal : .fine
  }
}
