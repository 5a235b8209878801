import PushContracts
import PushCore
import PushPayload
import WireJSON

extension Command {
  /// The contracts and their mapping tables.
  static let contracts = Command(
    name: "contracts",
    summary: "Lists the payload contracts, shows where each field lands, and compares two of them.",
    operands: "[show NAME | diff OLD NEW [FILE]]", operandsMax: 4,
    options: [
      Option(name: "--format", value: "FORMAT", help: "How to print.", choices: ["text", "json", "markdown"]),
      Option(name: "--topic", value: "BUNDLE", help: "diff: the bundle id of the iOS app; it becomes apns-topic."),
      Option(name: "--campaign", value: "ID", help: "diff: the campaign id of the send."),
      Option(name: "--now", value: "SECONDS", help: "diff: the time since 1970, or none; absent, the clock's."),
      Option(name: "--language", value: "CODE", help: "diff: the readers' language; absent, English."),
      Option(name: "--option", value: "NAME", help: "diff: switches on an option of either contract.", repeats: true),
    ],
    details: """
      diff shows what changes for a message when its app moves from the contract OLD to NEW: each key of the iPhone's
      and of the Android phone's request that goes (-), comes (+) or has another value (~). FILE holds the message in
      the fields of OLD; “-” or nothing reads standard input. With --format json the result is one document:
      {"from": …, "to": …, "message": {…}, "apns": [{path, before, after}], "fcm": […], "report": […]}.
      Exit status 1 means that the report holds an error: one of the two cannot be sent.
      """,
    examples: [
      "postrider contracts", "postrider contracts show amba", "postrider contracts show amba --format json",
      #"echo '{"title":"Hello","body":"World"}' | postrider contracts diff amba native"#,
    ],
    run: runContracts)

  private static func runContracts(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let operands = arguments.operands
    let format = arguments.value("--format") ?? "text"
    switch operands.first {
    case nil: list(format: format)
    case "show":
      guard operands.count == 2 else { throw .usage("show needs the name of one contract") }
      try show(operands[1], format: format)
    case "diff": return try diff(arguments, format: format)
    case let other?: throw .usage("unknown word “\(other)”; say nothing to list, show NAME, or diff OLD NEW")
    }
    return .fine
  }

  private static func list(format: String) {
    if format == "json" {
      Terminal.print(JSON.minified(ContractsRequest.list) + [UInt8(ascii: "\n")])
    } else {
      let rows = ContractsRequest.rows
      let width = rows.map(\.name.count).max() ?? 0
      for row in rows {
        Terminal.print(row.name + String(repeating: " ", count: width - row.name.count + 2) + row.summary + "\n")
      }
    }
  }

  private static func show(_ name: String, format: String) throws(Exit) {
    let table = try Exit.reporting { () throws(CoreError) in try ContractsRequest.table(name) }
    switch format {
    case "json": Terminal.print(JSON.minified(table.json) + [UInt8(ascii: "\n")])
    case "markdown": Terminal.print(table.markdown)
    default: Terminal.print(table.text)
    }
  }
}

// MARK: diff

extension Command {
  private static func diff(_ arguments: Arguments, format: String) throws(Exit) -> ExitStatus {
    guard arguments.operands.count >= 3 else { throw .usage("diff needs the names of two contracts") }
    guard format != "markdown" else { throw .usage("diff prints text or json") }
    let names = Array(arguments.operands[1...2])
    for name in names { _ = try Exit.reporting { () throws(CoreError) in try ContractsRequest.table(name) } }
    let (message, duplicates) = try Input.reportingJSON(arguments.operands.count == 4 ? arguments.operands[3] : nil)
    let diff = try Exit.reporting { () throws(CoreError) in
      try ContractsRequest.diff(names, message, duplicates, arguments)
    }
    Terminal.print(format == "json" ? JSON.minified(diff.json) + [UInt8(ascii: "\n")] : Array(text(diff).utf8))
    return diff.report.hasErrors ? .invalid : .fine
  }

  private static func text(_ diff: ContractDiff) -> String {
    var text = "\(diff.from) → \(diff.to)\n\nthe message in \(diff.to): \(JSON.minifiedText(.object(diff.message)))\n"
    text += section("iOS", diff.apns) + section("Android", diff.fcm)
    guard !diff.report.isEmpty else { return text }
    text += "\nreport\n"
    for finding in diff.report.findings { text += "  \(finding)\n" }
    return text
  }

  private static func section(_ title: String, _ changes: [KeyChange]) -> String {
    var text = "\n\(title)\n"
    if changes.isEmpty { text += "  no change\n" }
    for change in changes {
      switch (change.before, change.after) {
      case (let before?, let after?): text += "  ~ \(change.path): \(before) → \(after)\n"
      case (let before?, nil): text += "  - \(change.path): \(before)\n"
      case (nil, let after?): text += "  + \(change.path): \(after)\n"
      case (nil, nil): break
      }
    }
    return text
  }
}
