import DevicePreview
import DeviceText
import PushContracts
import PushCore
import PushPayload
import WireJSON

extension Command {
  /// What a person will read.
  static let preview = Command(
    name: "preview",
    summary: "Shows what a device makes of a push: the text of each surface in each language, and a picture.",
    operands: "[FILE]", operandsMax: 1,
    options: [
      Option(
        name: "--platform", value: "PLATFORM",
        help: "Where a raw payload was received; of a message, one platform only.",
        choices: PreviewRequest.platforms,
        pointers: [
          "fcm-ios": "what FCM hands to an iPhone is shown as ios",
          "fcm-web": "what FCM hands to a browser is shown as web",
          "hms": "a phone of Huawei's is shown as android",
        ]),
      Option(
        name: "--contract", value: "NAME", help: "The contract of the message, or the one to read a payload by.",
        choices: Contracts.names.map(\.rawValue)),
      Option(
        name: "--locale", value: "TAG", help: "The device's language, such as zh-Hant; en unless given.",
        repeats: true),
      Option(name: "--all-locales", help: "Checks every language of the tables; exit status 1 when one is wrong."),
      Option(name: "--strict", help: "With --all-locales, a text that does not fit is wrong too."),
      Option(name: "--strings", value: "DIR", help: "An Xcode or Android project; its string tables are found."),
      Option(name: "--development-locale", value: "TAG", help: "The language the app is written in."),
      Option(
        name: "--ios-first", value: "WHAT",
        help:
          "Which text iOS shows of two, where Apple's pages leave it open: the key's (so unless given), or the plain one.",
        choices: AppleTextChoices.First.allCases.map(\.rawValue)),
      Option(
        name: "--ios-missing-argument", value: "WHAT",
        help: "What iOS shows for an argument that is missing: the specifier (so unless given), nothing, or (null).",
        choices: AppleTextChoices.MissingArgument.allCases.map(\.rawValue)),
      Option(name: "--app", value: "NAME", help: "The name under the app's icon."),
      Option(name: "--topic", value: "BUNDLE", help: "The bundle id of the iOS app, for a message."),
      Option(name: "--campaign", value: "ID", help: "The campaign id, for a message."),
      .contractOption,
      Option(
        name: "--age", value: "SECONDS", help: "How long ago the push arrived: the timer of a template may have ended."),
      Option(name: "--collapse-id", value: "ID", help: "The apns-collapse-id of a raw payload."),
      Option(name: "--push-type", value: "TYPE", help: "The apns-push-type of a raw payload."),
      Option(name: "--svg", value: "FILE", help: "Writes the picture of one platform and language as SVG."),
      Option(
        name: "--png", value: "FILE",
        help: "The same as PNG; needs rsvg-convert, and pdftocairo for colored emoji (librsvg2-bin, poppler-utils)."),
      Option(
        name: "--appearance", value: "NAME", help: "Of the picture; light unless given.",
        choices: Appearance.allCases.map(\.rawValue)),
      Option(
        name: "--surface", value: "NAME", help: "A surface of the picture; absent, all.",
        choices: Surface.allCases.map(\.rawValue), repeats: true),
      .format,
    ] + RecipientOptions.all,
    details: """
      FILE holds a raw payload as the device receives it, or a request to a provider; or, with --contract, a message in
      the contract's form, as render takes it. With --contract too, a document with aps, with the objects headers and
      payload, or with FCM's own members in message is a payload. --platform says which device when the payload does not
      show it. “-” or nothing reads standard input. Several --locale give a table. docs/preview.md describes what is
      shown and where it comes from.
      --platform web shows what browsers make of a message with --contract, and otherwise of the content that a push
      service delivers.
      With --values placeholders and Liquid are rendered for one recipient (docs/templates.md).
      The report has what render and check report. Problems of the string tables are on standard error. Exit status 1:
      render and check find an error, an app would crash, or --all-locales found a language wrong or a file that does
      not build. A silent push shows nothing and is no error.
      """,
    examples: [
      #"echo '{"aps":{"alert":"Hi"}}' | postrider preview --platform ios --format text"#,
      "postrider preview --platform ios --strings MyApp --all-locales --format text payload.json",
    ],
    run: runPreview)

  private static func runPreview(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    if BrowserPreviewRequest.isMeant(by: arguments) { return try BrowserPreviewRun(arguments).show() }
    let run = try PreviewRun(arguments)
    if arguments.has("--all-locales") { return try run.checkAll() }
    return try run.show()
  }
}

/// One run of `postrider preview`.
struct PreviewRun {
  /// The most problems of tables that are reported.
  private static let faultsMax = 50
  private let arguments: Arguments
  private let request: PreviewRequest
  private let pushes: [PreviewPush]
  private let report: Report

  init(_ arguments: Arguments) throws(Exit) {
    self.arguments = arguments
    if arguments.has("--all-locales"), arguments.value("--strings") == nil {
      throw .usage("--all-locales looks at the languages of --strings DIR, which is missing")
    }
    var request = try Exit.reporting { () throws(CoreError) in try PreviewRequest(arguments) }
    let bytes = try Input.bytes(arguments.operands.first)
    let parsed: (value: JSONValue, duplicates: [JSONDuplicate])
    do throws(JSONError) { parsed = try JSON.parseReporting(bytes) } catch {
      throw .unreadable(Input.explain(error, in: arguments.operands.first))
    }
    let recipient = try RecipientOptions(arguments)
    let (filled, found) = recipient.filled(parsed.value)
    var (pushes, report): ([PreviewPush], Report) = ([], found)
    if let filled {
      let shown = try Exit.reporting { () throws(CoreError) in
        try request.pushes(recipient.hasValues ? JSON.minified(filled) : bytes, filled, parsed.duplicates)
      }
      pushes = shown.pushes
      report.append(shown.report)
    }
    (self.pushes, self.report) = (pushes, report)
    request.use(try Self.tables(arguments))
    Self.tell(about: request.device.tables, pushes)
    self.request = request
  }

  private static func tables(_ arguments: Arguments) throws(Exit) -> AppTables? {
    guard let folder = arguments.value("--strings") else { return nil }
    let development = try Exit.reporting { () throws(CoreError) in try PreviewRequest.developmentLocale(arguments) }
    return try StringsFolder(folder).tables(developmentLocale: development)
  }

  /// Tells on standard error what is wrong with the files, and that a platform has none.
  private static func tell(about tables: AppTables?, _ pushes: [PreviewPush]) {
    guard let tables else { return }
    for push in pushes where tables[push.platform] == nil {
      Terminal.complain("preview: --strings: there are no tables of an \(push.platform.title) app")
    }
    let faults = faults(of: tables, pushes)
    for fault in faults.prefix(faultsMax) { Terminal.status(InertText(fault.description).text + "\n") }
    if faults.count > faultsMax { Terminal.complain("preview: \(faults.count - faultsMax) more problems of tables") }
  }

  /// What is wrong with the files of the platforms that are looked at.
  private static func faults(of tables: AppTables?, _ pushes: [PreviewPush]) -> [TextProblem] {
    let platforms = Platform.allCases.filter { platform in pushes.contains { $0.platform == platform } }
    return platforms.flatMap { tables?[$0]?.problems ?? [] }.filter { $0.severity != .note }
  }

  // MARK: Previews

  func show() throws(Exit) -> ExitStatus {
    let answer = request.answer(pushes, report)
    try writePictures(answer.previews)
    if arguments.value("--format") == "text" {
      Terminal.print(answer.text)
    } else {
      Terminal.print(JSON.minified(answer.json) + [UInt8(ascii: "\n")])
    }
    return answer.hasErrors ? .invalid : .fine
  }

  // MARK: Pictures

  private func writePictures(_ previews: [Preview]) throws(Exit) {
    guard arguments.value("--svg") != nil || arguments.value("--png") != nil else { return }
    // There is nothing to draw of a message that is not legal; the report says why.
    if previews.isEmpty && report.hasErrors { return }
    guard previews.count == 1, let preview = previews.first else {
      throw .usage("a picture shows one platform in one language; give --platform and one --locale")
    }
    let surfaces = arguments.all("--surface").compactMap(Surface.init(rawValue:))
    let options = PictureOptions(
      appearance: arguments.value("--appearance").flatMap(Appearance.init(rawValue:)) ?? .light,
      surfaces: surfaces.isEmpty ? nil : surfaces)
    let svg = preview.svg(options)
    if let file = arguments.value("--svg") { try Terminal.write(svg, toFile: file, mode: 0o644) }
    if let file = arguments.value("--png") { try PNGWriter.write(svg, to: file) }
  }

  // MARK: All languages

  func checkAll() throws(Exit) -> ExitStatus {
    var rows: [(platform: Platform, checks: [LocaleCheck])] = []
    for push in pushes {
      guard request.device.tables?[push.platform] != nil else {
        if pushes.count > 1 { continue }
        throw .unreadable("--strings: there are no tables of an \(push.platform.title) app")
      }
      rows.append((push.platform, LocaleCheck.all(push, on: request.device)))
    }
    if arguments.value("--format") == "text" {
      let tables = rows.map { PreviewTable.text(of: $0.checks, on: $0.platform) }
      Terminal.print(tables.joined(separator: "\n") + report.lines)
    } else {
      var json = JSONObject()
      var report = report
      for fault in Self.faults(of: request.device.tables, pushes).prefix(Self.faultsMax) {
        report.add(fault, field: "strings")
      }
      for (platform, checks) in rows { json.append(platform.rawValue, .array(checks.map { .object($0.json) })) }
      json.append("report", report.json)
      Terminal.print(JSON.minified(.object(json)) + [UInt8(ascii: "\n")])
    }
    let isStrict = arguments.has("--strict")
    let isWrong = rows.contains { row in row.checks.contains { isStrict ? !$0.isFine : $0.isWrong } }
    let isBroken = Self.faults(of: request.device.tables, pushes).contains { $0.severity == .error }
    return isWrong || isBroken || report.hasErrors ? .invalid : .fine
  }
}
