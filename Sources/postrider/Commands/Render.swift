import PushContracts
import PushCore
import PushPayload
import WebPush
import WireJSON

extension Command {
  /// Message → the exact requests.
  static let render = Command(
    name: "render",
    summary: "Writes a message in a contract: the exact requests to the push services, and a report.",
    operands: "[FILE]", operandsMax: 1,
    options: [
      .contract,
      Option(
        name: "--platform", value: "PLATFORM",
        help:
          "ios or android; both unless given. fcm-ios or fcm-web: what FCM hands on to an iPhone or a browser; web: "
          + "what a browser's push service is sent; hms: what Huawei's Push Kit is sent; all: each of them.",
        choices: RenderSet.names + [RenderSet.all]),
      Option(name: "--topic", value: "BUNDLE", help: "The bundle id of the iOS app; it becomes apns-topic."),
      Option(
        name: "--token", value: "TOKEN",
        help: "The device's token at FCM or Push Kit; a placeholder is used when absent."),
      Option(name: "--fid", value: "ID", help: "The Firebase installation id, instead of a token."),
      Option(name: "--fcm-topic", value: "TOPIC", help: "The FCM topic, instead of a token."),
      Option(name: "--condition", value: "TEXT", help: "The condition over FCM topics, instead of a token."),
      Option(name: "--apns-id", value: "UUID", help: "The id of the notification; it becomes apns-id."),
      Option(name: "--now", value: "SECONDS", help: "The time since 1970, or none; absent, the clock's."),
      Option(name: "--language", value: "CODE", help: "The language of the people it goes to; absent, English."),
      Option(name: "--campaign", value: "ID", help: "The campaign id; sends with the same one replace each other."),
      .contractOption,
      Option(name: "--lines", help: "FILE holds one message on each line; prints one result on each line."),
      Option(name: "--no-provider-rules", help: "Reports what the contract says, and not what Apple and Google would."),
      .format,
    ] + RecipientOptions.all,
    details: """
      FILE holds the message as JSON; “-” or nothing reads standard input. The result is one JSON document:
      {"apns": {"headers": {…}, "payload": {…}}, "fcm": {"message": {…}}, "report": […]}.
      Exit status 1 means that the report holds an error: nothing may be sent. With --lines the worst line decides, and
      3 means that one is not JSON; it has a result with a report all the same, so that lines stay side by side.
      With --values the texts are rendered for one recipient (docs/templates.md); one who gets nothing has only a report.
      """,
    examples: [#"echo '{"title":"Hello","body":"World"}' | postrider render --contract amba --topic com.example.app"#],
    run: runRender)

  private static func runRender(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    if arguments.value("--platform") == RenderSet.all { return try renderAll(arguments) }
    let target = arguments.value("--platform").flatMap { name in
      RenderRequest.Target(name) { WebPushTopic(campaign: $0).text }
    }
    let request = try Exit.reporting { () throws(CoreError) in try RenderRequest(arguments, for: target) }
    let isText = arguments.value("--format") == "text"
    if arguments.has("--lines") {
      guard !isText else { throw .usage("--lines prints json, not text") }
      var lines = RenderLines(request, try RecipientOptions(arguments))
      return try lines.run(arguments.operands.first)
    }
    let recipient = try RecipientOptions(arguments)
    let file = arguments.operands.first
    let text = try Input.bytes(file)
    do throws(JSONError) {
      // What there is to say of placeholders without values is not known from the bytes.
      if !isText, !recipient.hasValues, !RenderRequest.mayHavePlaceholders(text) {
        var desk = RenderRequest.Desk()
        let answer = try request.answer(text, at: &desk)
        Terminal.print(answer.bytes + [UInt8(ascii: "\n")])
        return answer.hasErrors ? .invalid : .fine
      }
      return try render(text, request, recipient, isText: isText)
    } catch { throw .unreadable(Input.explain(error, in: file)) }
  }

  private static func render(
    _ text: [UInt8], _ request: RenderRequest, _ recipient: RecipientOptions, isText: Bool
  ) throws(JSONError) -> ExitStatus {
    let (message, duplicates) = try JSON.parseReporting(text)
    return show(request.rendering(message, duplicates, for: recipient), isText: isText)
  }
}

extension Command {
  /// Writes a message for every kind of device.
  private static func renderAll(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    guard !arguments.has("--lines") else { throw .usage("--lines prints one platform or both, not all") }
    let requests = try Exit.reporting { () throws(CoreError) in
      try RenderSet(arguments, for: RenderSet.names) { WebPushTopic(campaign: $0).text }
    }
    let recipient = try RecipientOptions(arguments)
    let file = arguments.operands.first
    let text = try Input.bytes(file)
    do throws(JSONError) {
      let (message, duplicates) = try JSON.parseReporting(text)
      return show(
        recipient.rendering(message, requests.contract) { requests.rendering($0, duplicates) },
        isText: arguments.value("--format") == "text")
    } catch { throw .unreadable(Input.explain(error, in: file)) }
  }

  private static func show(_ rendering: Rendering, isText: Bool) -> ExitStatus {
    Terminal.print(isText ? Array(RenderedText.text(of: rendering).utf8) : rendering.json + [UInt8(ascii: "\n")])
    return rendering.report.hasErrors ? .invalid : .fine
  }
}

extension RenderRequest {
  /// Writes a message as one recipient gets it.
  func rendering(_ message: JSONValue, _ duplicates: [JSONDuplicate], for recipient: RecipientOptions) -> Rendering {
    recipient.rendering(message, contract) { rendering($0, duplicates) }
  }
}

extension RecipientOptions {
  /// A message as the recipient gets it, with what there is to say of its texts.
  fileprivate func rendering(
    _ message: JSONValue, _ contract: ContractName, _ write: (JSONValue) -> Rendering
  ) -> Rendering {
    let (filled, report) = filled(message)
    guard let filled else { return Rendering(contract: contract, report: report) }
    var rendering = write(filled)
    rendering.report.findings.insert(contentsOf: report.findings, at: 0)
    return rendering
  }
}

extension WriteContext {
  /// Takes what the options say of the readers and of the time: `--language`, `--option` and `--now`.
  mutating func take(_ arguments: Arguments) throws(Exit) {
    language = arguments.value("--language")
    options = arguments.all("--option")
    now = try Exit.reporting { () throws(CoreError) in try arguments.now() }
  }
}
