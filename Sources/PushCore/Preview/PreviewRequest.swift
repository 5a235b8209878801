internal import Basics
package import DevicePreview
package import DeviceText
package import PushPayload
package import WireJSON

/// `preview`: what a person will read.
package struct PreviewRequest: Sendable {
  /// Ten years.
  private static let ageMax: WholeNumber = 315_360_000
  /// The languages that it is shown in.
  package let locales: [String]
  /// The device, without its languages.
  package private(set) var device: PreviewDevice
  private let input: PreviewInput

  static let options = [
    OptionRow("platform", .choice(Platform.allCases.map { $0.rawValue })),
    OptionRow("contract", RenderRequest.contractKind), OptionRow("locales", .texts),
    OptionRow("strings", .object), OptionRow("development_locale", .text),
    OptionRow("ios_first", .choice(AppleTextChoices.First.allCases.map { $0.rawValue })),
    OptionRow("ios_missing_argument", .choice(AppleTextChoices.MissingArgument.allCases.map { $0.rawValue })),
    OptionRow("app", .text), OptionRow("topic", .text), OptionRow("campaign", .text), OptionRow("options", .texts),
    OptionRow("age", .integer(0...ageMax)), OptionRow("collapse_id", .text), OptionRow("push_type", .text),
    OptionRow("now", .integer(0...JSONOptions.nowMax)), OptionRow("format", .choice(["json", "text"])),
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
    _ bytes: [UInt8], _ json: JSONValue, _ duplicates: [JSONDuplicate]
  ) throws(CoreError) -> (pushes: [PreviewPush], report: Report) {
    var input = input
    let pushes = try input.pushes(bytes, json, duplicates)
    return (pushes, input.report)
  }

  /// Gives the device the app's string tables.
  package mutating func use(_ tables: AppTables?) { device.tables = tables }

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

/// What devices show.
package struct PreviewAnswer: Sendable {
  /// One for each push and language.
  package let previews: [Preview]
  private let platforms: [Platform]
  private let locales: [String]
  private let report: Report

  init(previews: [Preview], platforms: [Platform], locales: [String], report: Report) {
    self.previews = previews
    self.platforms = platforms
    self.locales = locales
    self.report = report
  }

  /// True when there is an error, of the message or of what a device does with it.
  package var hasErrors: Bool { report.hasErrors || previews.contains { $0.report.hasErrors } }

  /// `{"previews": […], "report": […]}`.
  package var json: JSONValue {
    ["previews": .array(previews.map { .object($0.json) }), "report": report.json]
  }

  /// The same for a terminal: one language as the surfaces show it, several as a table.
  package var text: String {
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
