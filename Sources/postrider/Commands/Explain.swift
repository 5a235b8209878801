import PushCore
import PushRules
import WireJSON

extension Command {
  /// What a provider's answer means.
  static let explain = Command(
    name: "explain",
    summary: "Explains an APNs reason, an FCM error code or a provider's whole answer.",
    operands: "[REASON]", operandsMax: 1,
    options: [Option(name: "--format", value: "FORMAT", help: "How to print.", choices: ["text", "json"])],
    details: """
      REASON is a reason such as BadDeviceToken or UNREGISTERED, an HTTP status such as 410, or the whole body of a
      provider's answer. Without it, such a body is read from standard input. Exit status 1: the reason is not known.
      """,
    examples: ["postrider explain BadDeviceToken", #"echo '{"reason":"Unregistered"}' | postrider explain"#],
    run: runExplain)

  private static func runExplain(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let word = arguments.operands.first
    var body: [UInt8]?
    if let word { body = word.hasPrefix("{") ? Array(word.utf8) : nil } else { body = try Input.bytes(nil) }
    let request: ExplainRequest
    do throws(CoreError) {
      if let body {
        request = try ExplainRequest(body: body, name: word == nil ? "standard input" : "the text")
      } else {
        request = try ExplainRequest(reason: word ?? "")
      }
    } catch {
      guard error.kind == .unknown else { throw .unreadable(error.what) }
      Terminal.complain("explain: \(CheckText.printable(error.what)); \(error.fix) on standard input")
      return .invalid
    }
    if arguments.value("--format") == "json" {
      Terminal.print(JSON.minified(request.json) + [UInt8(ascii: "\n")])
    } else {
      let said = request.details.map { "the answer also says: \(CheckText.printable($0))\n" }.joined()
      Terminal.print(request.explanations.map(text).joined(separator: "\n") + said)
    }
    return .fine
  }

  private static func text(_ explanation: Explanation) -> String {
    let status = explanation.status.map { ", status \($0)" } ?? ""
    return """
      \(explanation.reason) (\(explanation.service.rawValue)\(status))
        means:      \(explanation.meaning)
        Postrider:  \(explanation.action)
        check next: \(explanation.next)

      """
  }
}
