import PushContracts
import PushCore
import PushPayload
import WireJSON

extension Command {
  /// Raw payload → typed properties.
  static let parse = Command(
    name: "parse",
    summary: "Reads a raw payload back into typed properties, and names its contract.",
    operands: "[FILE]", operandsMax: 1,
    options: [
      Option(
        name: "--platform", value: "PLATFORM",
        help: "Where the payload was received; absent, its members say it where they can.",
        choices: Platform.allCases.map(\.rawValue)),
      Option(
        name: "--contract", value: "NAME", help: "The contract to read it by; absent, it is recognized.",
        choices: Contracts.names.map(\.rawValue)),
      Option(
        name: "--push-type", value: "TYPE",
        help: "The apns-push-type it was received with; absent, its members say what it is."),
      Option(
        name: "--badge", value: "N",
        help: "The number on the app's icon before; the result then says in “behavior” what the app does."),
      .format,
    ],
    details: """
      FILE holds what the device received: for ios the APNs payload; for android the FCM message, or the flat map of
      strings that the app is handed. “-” or nothing reads standard input. The result is one JSON document:
      {"contract": …, "reason": …, "notification": {…}, "report": […]}. Without --platform its members say whose payload it
      is, where only one platform has them, and “platform” names it; a document that is no payload is named. A push type is
      one of APNs, so it says --platform ios, too.
      """,
    examples: [#"echo '{"aps":{"alert":"Hi"},"deep_link":"/home"}' | postrider parse --platform ios"#],
    run: runParse)

  private static func runParse(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let request = try Exit.reporting { () throws(CoreError) in try ParseRequest(arguments) }
    let file = arguments.operands.first
    guard arguments.value("--format") == "text" else {
      let text = try Input.bytes(file)
      var parser = PayloadParser()
      let answer = try Exit.reporting { () throws(CoreError) in
        try request.answer(text, &parser, named: Input.name(file))
      }
      Terminal.print(answer.bytes + [UInt8(ascii: "\n")])
      return answer.hasErrors ? .invalid : .fine
    }
    let (payload, duplicates) = try Input.reportingJSON(file)
    let parsed = try Exit.reporting { () throws(CoreError) in try request.parsed(payload, duplicates) }
    Terminal.print(RenderedText.text(of: parsed))
    return parsed.report.hasErrors ? .invalid : .fine
  }
}
