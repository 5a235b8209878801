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
    let reason: String
    var found: [Explanation]
    var details: [String] = []
    if let word = arguments.operands.first, !word.hasPrefix("{") {
      reason = word
      found = Explanations.find(word)
    } else {
      let body: [UInt8]
      if let word = arguments.operands.first { body = Array(word.utf8) } else { body = try Input.bytes(nil) }
      guard let answer = ExplainedAnswer(body: body), let named = answer.reason else {
        let source = arguments.operands.isEmpty ? "standard input" : "the text"
        throw .unreadable("\(source) is not the body of an answer of APNs or FCM")
      }
      (reason, found, details) = (named, answer.explanations, answer.details)
    }
    guard !found.isEmpty else {
      let near = Nearest.match(reason, among: Explanations.all.map(\.reason)).map { "; did you mean \($0)?" } ?? ""
      Terminal.complain(
        "explain: no provider is known to answer “\(CheckText.printable(reason))”\(near)"
          + "; give a reason (BadDeviceToken), a status (410), or the body of an answer on standard input")
      return .notLegal
    }
    if arguments.value("--format") == "json" {
      Terminal.print(JSON.minified(.array(found.map { .object($0.json) })) + [UInt8(ascii: "\n")])
    } else {
      let said = details.map { "the answer also says: \(CheckText.printable($0))\n" }.joined()
      Terminal.print(found.map(text).joined(separator: "\n") + said)
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
