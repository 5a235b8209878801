import PushContracts
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
        name: "--platform", value: "PLATFORM", help: "Where the payload was received.",
        choices: Platform.allCases.map(\.rawValue)),
      Option(
        name: "--contract", value: "NAME", help: "The contract to read it by; absent, it is recognised.",
        choices: Contracts.names.map(\.rawValue)),
      Option(
        name: "--badge", value: "N",
        help: "The number on the app's icon before; the result then says in “behavior” what the app does."),
      .format,
    ],
    details: """
      FILE holds what the device received: for ios the APNs payload; for android the FCM message, or the flat map of
      strings that the app is handed. “-” or nothing reads standard input. The result is one JSON document:
      {"contract": …, "reason": …, "notification": {…}, "report": […]}.
      """,
    examples: [#"echo '{"aps":{"alert":"Hi"},"deep_link":"/home"}' | postrider parse --platform ios"#],
    run: runParse)

  private static func runParse(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    guard let platform = arguments.platform() else { throw .usage("--platform is missing: ios or android") }
    let contract = try arguments.contract(required: false)
    var state: DeviceState?
    if arguments.value("--badge") != nil {
      state = DeviceState(badge: try arguments.integer("--badge", in: 0...Int(Int32.max), default: 0))
    }
    let payload = try Input.bytes(arguments.operands.first)
    let parsed: Parsed
    do {
      parsed = try Contracts.parse(platform: platform, raw: payload, contract: contract, state: state)
    } catch {
      throw .unreadable(Input.explain(error, in: arguments.operands.first))
    }
    if arguments.value("--format") == "text" {
      Terminal.print(RenderedText.text(of: parsed))
    } else {
      Terminal.print(JSON.minified(parsed.json) + [UInt8(ascii: "\n")])
    }
    return parsed.report.hasErrors ? .notLegal : .fine
  }
}
