import Liquid
import PushContracts
import PushCore
import PushPayload
import PushRules
import WireJSON

/// `check --template FILE --audience FILE`: the worst case of a template over everyone who will get it.
struct CheckAudience {
  private let checker: FileChecker
  private let template: String
  private let audience: String
  private let format: AudienceReader.Format
  private let printsJSON: Bool

  /// Makes an audit from the command line.
  init(_ arguments: Arguments, _ checker: FileChecker) throws(Exit) {
    self.checker = checker
    template = try arguments.required("--template")
    audience = try arguments.required("--audience")
    let output = arguments.value("--format") ?? "text"
    guard output == "text" || output == "json" else { throw .usage("--audience prints text or json, not \(output)") }
    printsJSON = output == "json"
    guard arguments.operands.isEmpty else {
      throw .usage("unexpected “\(arguments.operands[0])”: the files are those of --template and --audience")
    }
    guard let ending = audience.split(separator: ".").last, let format = AudienceReader.Format(rawValue: String(ending))
    else { throw .usage("--audience takes a file whose name ends in .csv or .ndjson, not “\(audience)”") }
    self.format = format
  }

  /// Streams the audience by and prints what was found.
  func run() throws(Exit) -> ExitStatus {
    let found = try readTemplate()
    guard found.errors.isEmpty else {
      for error in found.errors {
        Terminal.complain(
          "check: \(template): \"\(CheckText.printable(error.text))\": \(CheckText.printable(error.error.description))")
      }
      throw Exit(status: .invalid, message: "\(template): a text in Liquid has an error")
    }
    var audit = TemplateAudit(found)
    guard audit.worst.contains(where: { isWanted($0.budget) }) else { throw nothing(audit.worst) }
    var reader = AudienceReader(format)
    try Terminal.stream(audience) { (piece) throws(Exit) in
      do throws(AudienceError) { try reader.feed(piece) { audit.add($0) } } catch { throw explain(error) }
    }
    do throws(AudienceError) { try reader.finish { audit.add($0) } } catch { throw explain(error) }
    let worst = audit.worst.filter { isWanted($0.budget) }
    if audit.template.placeholders.isEmpty, audit.template.programs.isEmpty {
      Terminal.complain("check: \(template): there is no {{placeholder}} in it, so everyone gets the same")
    }
    Terminal.print(printsJSON ? json(audit, worst) : text(audit, worst))
    // Over nobody nothing is proved.
    if audit.rows == 0 { throw .unreadable("\(audience): there are no recipients in it") }
    return worst.allSatisfy(\.fits) && audit.failedCount == 0 ? .fine : .invalid
  }

  /// Whose limit counts; nil for that of everyone whom the template has a message for.
  private var wanted: String? { checker.options.target?.name ?? checker.options.platform?.rawValue }

  private func isWanted(_ budget: PushTemplate.Budget) -> Bool { wanted.map { $0 == budget.name } ?? true }

  /// Nothing is proved by a template without a message for whom the limit is asked.
  private func nothing(_ found: [TemplateAudit.Worst]) -> Exit {
    guard let wanted, !found.isEmpty else {
      return Exit(
        status: .invalid, message: "\(template): there is no message in the template; give it the shape of one")
    }
    let others = found.map(\.budget.name).joined(separator: ", ")
    return Exit(
      status: .invalid,
      message:
        "\(template): there is no message for \(wanted) in the template, only for \(others); give it one, or leave"
        + " out --platform")
  }

  private func explain(_ error: AudienceError) -> Exit { .unreadable("\(audience): \(error)") }

  private func readTemplate() throws(Exit) -> PushTemplate {
    let bytes = try Terminal.read(template)
    let settings = checker.options.settings
    guard let contract = checker.options.contract else {
      return try reading { () throws(JSONError) in
        var document = JSONDocument()
        try document.parse(bytes)
        let kind = checker.options.kind(of: document)
        return try PushTemplate(bytes, kind: kind, settings: settings)
      }
    }
    let rendering = checker.render(try reading { () throws(JSONError) in try JSON.parse(bytes) }, contract)
    let errors = rendering.report.findings.filter { $0.severity == .error }
    guard errors.isEmpty else {
      for finding in errors { Terminal.complain("check: \(template): \(CheckText.printable(finding.description))") }
      throw Exit(status: .invalid, message: "\(template): \(contract) cannot write the template")
    }
    return try reading { () throws(JSONError) in
      try PushTemplate(rendering.json, kind: .rendering, settings: settings)
    }
  }

  private func reading<Result>(_ body: () throws(JSONError) -> Result) throws(Exit) -> Result {
    do throws(JSONError) { return try body() } catch { throw .unreadable(Input.explain(error, in: template)) }
  }

  private func text(_ audit: TemplateAudit, _ worst: [TemplateAudit.Worst]) -> [UInt8] {
    var text = ""
    for worst in worst {
      let who = worst.row == 0 ? "" : ", for \(CheckText.printable(worst.recipient)) (row \(worst.row))"
      let verdict = "\(worst.overCount) of \(CheckTotals.counted(audit.rows, "message")) too large"
      text +=
        "\(worst.budget.name): at most \(worst.bytes) of \(worst.budget.bytesMax) bytes\(who); \(verdict)\n"
    }
    for (name, count) in zip(audit.template.placeholders, audit.missing) where count > 0 {
      text += "{{\(name)}} has no value for \(CheckTotals.counted(count, "recipient"))\n"
    }
    if audit.abortedCount > 0 { text += "{% abort %} skips \(CheckTotals.counted(audit.abortedCount, "recipient"))\n" }
    if let (row, error) = audit.firstFailure {
      text += "the template fails for \(CheckTotals.counted(audit.failedCount, "recipient")), first in row \(row): "
      text += "\(CheckText.printable(error.description))\n"
    }
    return Array(text.utf8)
  }

  private func json(_ audit: TemplateAudit, _ worst: [TemplateAudit.Worst]) -> [UInt8] {
    let platforms = worst.map { worst -> JSONValue in
      [
        "platform": .string(worst.budget.name), "bytes": .number(JSONNumber(worst.bytes)),
        "bytes_max": .number(JSONNumber(worst.budget.bytesMax)), "recipient": .string(worst.recipient),
        "row": .number(JSONNumber(worst.row)), "too_large": .number(JSONNumber(worst.overCount)),
      ]
    }
    let missing = zip(audit.template.placeholders, audit.missing).map { name, count -> JSONValue in
      ["placeholder": .string(name), "recipients": .number(JSONNumber(count))]
    }
    var document: JSONObject = [
      "recipients": .number(JSONNumber(audit.rows)), "worst": .array(platforms), "missing": .array(missing),
    ]
    if !audit.template.programs.isEmpty {
      document["aborted"] = .number(JSONNumber(audit.abortedCount))
      document["failed"] = .number(JSONNumber(audit.failedCount))
    }
    return JSON.minified(.object(document)) + [UInt8(ascii: "\n")]
  }
}
