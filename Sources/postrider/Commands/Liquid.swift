import Liquid
import PushCore
import WireJSON

extension Command {
  /// A text in Liquid with values.
  static let liquid = Command(
    name: "liquid",
    summary: "Renders a text in Liquid with values, as a push would.",
    operands: "[FILE]", operandsMax: 1,
    options: [
      Option(name: "--values", value: "FILE", help: "A JSON object with the values; none without it."),
      Option(
        name: "--undefined", value: "MODE",
        help: "A value that is not there: an error (strict, the default), or nothing.",
        choices: ["strict", "lax"]),
      Option(name: "--now", value: "SECONDS", help: "The time that \"now\" means, since 1970; absent, the clock's."),
      Option(
        name: "--lines",
        help: #"FILE holds {"template": …, "values": {…}} on each line; prints one result on each line."#),
    ],
    details: """
      FILE holds the text; “-” or nothing reads standard input. The text with the values is printed as it is.
      docs/templates.md describes the language.

      Exit status: 0 it was rendered; 1 the text has an error, a value is missing, or {% abort %} was reached; 3 a file
      cannot be read or is not JSON. With --lines every line has a result, {"text": …}, {"aborted": true} or
      {"error": …, "line": …, "column": …, "fix": …}, and the exit status is 0.
      """,
    examples: [#"echo 'Hi {{ name | default: "there" }}' | postrider liquid --values ann.json"#],
    run: runLiquid)

  private static func runLiquid(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let run = LiquidRun(
      isStrict: arguments.value("--undefined") != "lax",
      now: try Exit.reporting { () throws(CoreError) in try arguments.now() } ?? WallClock.seconds)
    if arguments.has("--lines") {
      for line in try Input.bytes(arguments.operands.first).split(separator: UInt8(ascii: "\n")) {
        do throws(JSONError) {
          Terminal.print(JSON.minified(run.line(try JSON.parse(Array(line)))) + [UInt8(ascii: "\n")])
        } catch {
          throw .unreadable(Input.explain(error, in: arguments.operands.first))
        }
      }
      return .fine
    }
    var values: JSONValue = [:]
    if let file = arguments.value("--values") { values = try Input.reportingJSON(file).value }
    let source = try Input.bytes(arguments.operands.first)
    switch run.render(source, values) {
    case .text(let text):
      Terminal.print(text)
      return .fine
    case .aborted:
      Terminal.complain("liquid: {% abort %}: this recipient gets nothing")
      return .invalid
    case .error(let error):
      Terminal.complain("liquid: \(CheckText.printable(error.description))")
      return .invalid
    }
  }
}

/// Renders texts for `postrider liquid`.
struct LiquidRun {
  let isStrict: Bool
  let now: Int64

  enum Result {
    case text([UInt8])
    case aborted
    case error(LiquidError)
  }

  func render(_ source: [UInt8], _ values: JSONValue) -> Result {
    let template: LiquidTemplate
    do throws(LiquidError) { template = try LiquidTemplate(source) } catch { return .error(error) }
    var renderer = LiquidRenderer(template)
    renderer.isStrict = isStrict
    for (index, input) in template.inputs.enumerated() {
      if let value = input.value(in: values) { renderer.set(index, value) }
    }
    switch renderer.render(now: now) {
    case .rendered: return unsafe .text(renderer.withOutput { unsafe Array($0) })
    case .aborted: return .aborted
    case .undefined(let failure), .failed(let failure): return .error(failure.error(in: source))
    }
  }

  func line(_ value: JSONValue) -> JSONValue {
    switch render(Array((value["template"]?.string ?? "").utf8), value["values"] ?? [:]) {
    case .text(let text): return ["text": .string(String(decoding: text, as: UTF8.self))]
    case .aborted: return ["aborted": true]
    case .error(let error):
      return [
        "error": .string(error.message), "line": .number(JSONNumber(error.line)),
        "column": .number(JSONNumber(error.column)), "fix": .string(error.fix),
      ]
    }
  }
}
