package import Basics
package import DevicePreview
package import DeviceText
package import PushPayload
package import WireJSON

/// `preview`: what a person will read.
package struct PreviewRequest: Sendable {
  /// Ten years.
  package static let ageMax: WholeNumber = 315_360_000
  /// The languages that it is shown in.
  package let locales: [String]
  /// The device, without its languages.
  package private(set) var device: PreviewDevice
  private let input: PreviewInput

  /// What the option `platform` takes: browsers too, except in the module for browsers.
  package static let platforms: [String] = {
    var names = Platform.allCases.map { $0.rawValue }
    #if !(_pointerBitWidth(_32))
      names.append(BrowserPreviewRequest.platform)
    #endif
    return names
  }()

  static let options = [
    OptionRow("platform", .choice(platforms)),
    OptionRow("contract", RenderRequest.contractKind), OptionRow("locales", .texts),
    OptionRow("strings", .object), OptionRow("development_locale", .text),
    OptionRow("ios_first", .choice(AppleTextChoices.First.allCases.map { $0.rawValue })),
    OptionRow("ios_missing_argument", .choice(AppleTextChoices.MissingArgument.allCases.map { $0.rawValue })),
    OptionRow("app", .text), OptionRow("topic", .text), OptionRow("campaign", .text), OptionRow("options", .texts),
    OptionRow("age", .integer(0...ageMax)), OptionRow("collapse_id", .text), OptionRow("push_type", .text),
    OptionRow("now", .integer(0...JSONOptions.nowMax)), OptionRow("format", .choice(["json", "text"])),
    OptionRow("svg", .flag), OptionRow("appearance", .choice(Appearance.allCases.map { $0.rawValue })),
    OptionRow("surfaces", .choices(Surface.allCases.map { $0.rawValue })), OptionRow("captions", .flag),
    OptionRow("form", .choice(PreviewInput.Form.allCases.map { $0.rawValue })),
  ]

  /// Reads the options.
  package init(_ options: some OptionSource) throws(CoreError) {
    let given = options.texts("locales")
    locales = given.isEmpty ? ["en"] : given
    let name = options.spelled("locales")
    for locale in locales where LocaleTag(locale) == nil {
      throw .usage(
        "\(name) takes a language tag such as de, pt-BR or zh-Hant, not “\(locale)”", option: name,
        fix: "give tags of BCP 47")
    }
    input = try PreviewInput(options)
    var device = PreviewDevice(locales: locales, appName: options.text("app") ?? "App")
    device.age = try options.integer("age", in: 0...Self.ageMax) ?? 0
    device.now = try options.now().map { WholeNumber($0) - device.age }
    device.appleTexts.first = options.text("ios_first").flatMap { AppleTextChoices.First(rawValue: $0) } ?? .key
    device.appleTexts.missingArgument =
      options.text("ios_missing_argument").flatMap { AppleTextChoices.MissingArgument(rawValue: $0) } ?? .specifier
    self.device = device
  }

  /// Reads the language that an app is written in.
  package static func developmentLocale(_ options: some OptionSource) throws(CoreError) -> LocaleTag? {
    guard let text = options.text("development_locale") else { return Optional.none }
    guard let tag = LocaleTag(text) else {
      let name = options.spelled("development_locale")
      throw .usage("\(name) takes a language tag, not “\(text)”", option: name, fix: "give a tag of BCP 47")
    }
    return tag
  }

  /// The pushes as they reach devices, and what `render` and `check` report about them.
  package func pushes(
    _ bytes: [UInt8], _ json: JSONValue, _ duplicates: [JSONDuplicate], as form: PreviewInput.Form = .recognized
  ) throws(CoreError) -> (pushes: [PreviewPush], report: Report) {
    var input = input
    let pushes = try input.pushes(bytes, json, duplicates, as: form)
    return (pushes, input.report)
  }

  /// Gives the device the app's string tables.
  package mutating func use(_ tables: AppTables?) { device.tables = tables }

  /// Gives the device the string tables of the option `strings`.
  mutating func useTables(_ options: JSONOptions) throws(CoreError) {
    guard let files = options.object("strings") else { return }
    var tables = AppTables(developmentLocale: try Self.developmentLocale(options))
    if let problem = tables.add(files: files) {
      throw .usage("strings: \(problem)", option: "strings", fix: "give paths of string tables and their texts")
    }
    device.tables = tables
  }

  /// What each device shows, push by push and language by language.
  package func answer(_ pushes: [PreviewPush], _ report: Report) -> PreviewAnswer {
    var previews: [Preview] = []
    for push in pushes {
      for locale in locales {
        var device = device
        device.locales = [locale]
        previews.append(Preview(push, on: device))
      }
    }
    return PreviewAnswer(previews: previews, platforms: pushes.map { $0.platform }, locales: locales, report: report)
  }
}

extension PreviewRequest {
  /// The most problems of string tables that are reported.
  private static let problemsMax = 100

  /// What devices show of a document, with everything that the options name.
  ///
  /// - Parameter report: what there was to say before.
  package static func answer(
    _ bytes: [UInt8], _ json: JSONValue, _ options: JSONOptions, duplicates: [JSONDuplicate] = [],
    after report: Report = Report()
  ) throws(CoreError) -> PreviewAnswer {
    let form = options.text("form").flatMap { PreviewInput.Form(rawValue: $0) } ?? .recognized
    #if !(_pointerBitWidth(_32))
      if BrowserPreviewRequest.isMeant(by: options) {
        var report = report
        let (preview, found) = try BrowserPreviewRequest(options).preview(json, duplicates, as: form)
        report.append(found)
        var answer = PreviewAnswer(browsers: preview.map { [$0] } ?? [], report: report)
        if options.isOn("svg") { answer.pictures = PictureOptions(options) }
        return answer
      }
    #endif
    var request = try PreviewRequest(options)
    try request.useTables(options)
    let (pushes, found) = try request.pushes(bytes, json, duplicates, as: form)
    var report = report
    report.append(found)
    for problem in request.device.tables?.problems.prefix(problemsMax) ?? [] { report.add(problem, field: "strings") }
    var answer = request.answer(pushes, report)
    if options.isOn("svg") { answer.pictures = PictureOptions(options) }
    return answer
  }
}

extension PictureOptions {
  fileprivate init(_ options: JSONOptions) {
    let surfaces = options.texts("surfaces").compactMap { Surface(rawValue: $0) }
    self.init(
      appearance: options.text("appearance").flatMap { Appearance(rawValue: $0) } ?? .light,
      surfaces: surfaces.isEmpty ? Optional.none : surfaces, hasCaptions: options.flag("captions") ?? true)
  }
}

/// What devices show.
package struct PreviewAnswer: Sendable {
  /// One for each push and language.
  package let previews: [Preview]
  private let platforms: [Platform]
  private let locales: [String]
  /// What `render` and `check` report, and what is wrong with string tables.
  package let report: Report
  /// How the member `svg` of each preview is drawn; nil for none.
  fileprivate(set) var pictures: PictureOptions?

  init(previews: [Preview], platforms: [Platform], locales: [String], report: Report) {
    self.previews = previews
    self.platforms = platforms
    self.locales = locales
    self.report = report
  }

  #if !(_pointerBitWidth(_32))
    /// What browsers show; empty unless they were asked for.
    package private(set) var browsers: [BrowserPreview] = []

    /// What browsers show.
    package init(browsers: [BrowserPreview], report: Report) {
      self.init(previews: [], platforms: [], locales: [], report: report)
      self.browsers = browsers
    }
  #endif

  /// True when there is nothing that a device would get.
  package var isEmpty: Bool {
    #if !(_pointerBitWidth(_32))
      if !browsers.isEmpty { return false }
    #endif
    return previews.isEmpty
  }

  /// True when there is an error, of the message or of what a device does with it.
  package var hasErrors: Bool { report.hasErrors || previews.contains { $0.report.hasErrors } }

  /// `{"previews": […], "report": […]}`.
  package var json: JSONValue {
    var all: [JSONValue] = []
    for preview in previews {
      var json = preview.json
      if let pictures { json.append("svg", .string(preview.svg(pictures))) }
      all.append(.object(json))
    }
    #if !(_pointerBitWidth(_32))
      for preview in browsers {
        var json = preview.json
        if let pictures { json.append("svg", .string(preview.svg(pictures))) }
        all.append(.object(json))
      }
    #endif
    return ["previews": .array(all), "report": report.json]
  }

  /// The same for a terminal: one language as the surfaces show it, several as a table.
  package var text: String {
    #if !(_pointerBitWidth(_32))
      if !browsers.isEmpty { return browsers.map { $0.text }.joined(separator: "\n") + report.lines }
    #endif
    guard locales.count > 1 else { return previews.map { $0.text }.joined(separator: "\n") + report.lines }
    return platforms.map { platform in
      PreviewTable.text(of: previews.filter { $0.notification.platform == platform })
    }.joined(separator: "\n") + report.lines
  }
}

extension Report {
  /// One line for each finding, with nothing in it that a terminal would obey.
  package var lines: String { findings.map { InertText($0.description).text + "\n" }.joined() }
}
