import PushCore
import PushPayload
import PushRules
import WireJSON

/// `--values` and `--undefined`: the texts of a message for one recipient.
struct RecipientOptions {
  static let all = [
    Option(
      name: "--values", value: "FILE",
      help:
        "A JSON object with what is known of one recipient, for placeholders and Liquid; absent, texts are as they are."
    ),
    Option(
      name: "--undefined", value: "MODE",
      help:
        "A value that is not there: reported (strict, the default), nothing (lax), or the recipient gets nothing (skip).",
      choices: UndefinedValues.allCases.map(\.rawValue)),
  ]

  private let values: JSONValue?
  private let undefined: UndefinedValues
  private let now: Int64

  init(_ arguments: Arguments) throws(Exit) {
    values = try arguments.value("--values").map { (file) throws(Exit) in
      let json = try Input.reportingJSON(file).value
      guard json.object != nil else { throw .unreadable("\(file): expected a JSON object, found \(json.kind)") }
      return json
    }
    guard values != nil || !arguments.has("--undefined") else {
      throw .usage("--undefined says what missing values mean; give --values too, which may hold {}")
    }
    undefined = arguments.value("--undefined").flatMap(UndefinedValues.init(rawValue:)) ?? .strict
    now = try Exit.reporting { () throws(CoreError) in try arguments.now() } ?? WallClock.seconds
  }

  /// Whether there are values.
  var hasValues: Bool { values != nil }

  /// A message for the recipient, and what there is to say; nil when the recipient gets nothing or a text has an error.
  func filled(_ message: JSONValue) -> (message: JSONValue?, report: Report) {
    guard let values else { return (message, Report(FilledMessage.findingWithoutValues(message).map { [$0] } ?? [])) }
    let filled = FilledMessage(message, values: values, undefined: undefined, now: now)
    return (filled.message, filled.report)
  }
}
