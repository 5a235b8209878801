import DeviceText
import WireJSON

extension Command {
  /// String tables of apps.
  static let strings = Command(
    name: "strings",
    summary: "Reads an app's string tables: entries, problems with line and column, and what a push makes of them.",
    operands: "FILE…", operandsMax: Int.max,
    options: [
      Option(
        name: "--as", value: "FORMAT", help: "How the files are written; absent, their paths tell.",
        choices: TableFile.Format.allCases.map(\.rawValue)),
      Option(name: "--key", value: "KEY", help: "Only the entries of this key.", repeats: true),
      Option(
        name: "--format-with", value: "ARG", help: "Also shows the text that a push with this argument makes.",
        repeats: true),
      Option(name: "--format-with-nothing", help: "The same for a push with an empty list of arguments."),
      Option(
        name: "--locale", value: "TAG", help: "With --format-with, the device's language; with --plural, the language.",
        repeats: true),
      Option(name: "--plural", help: "The operands are numbers: says which plural form they take in each --locale."),
      .format,
    ],
    details: """
      FILE is a .strings, .stringsdict, .xcstrings or Android res/values…/*.xml file; the folder in its path names the
      language. Apple's files may be UTF-8, UTF-16, XML or binary property lists. The result is one JSON document:
      {"files": [{"path": …, "format": …, "tables": [{"locale": …, "entries": […]}], "problems": […]}]}.

      With --format-with each entry has the member "push": what a device shows for it when a push brings these
      arguments (in order, the option once for each), in the entry's own language unless --locale says otherwise.

      Exit status: 0 nothing worse than a warning; 1 an error in a file or in a text that was made; 3 a file that cannot
      be read.
      """,
    examples: [
      "postrider strings --format text App/de.lproj/Localizable.strings",
      "postrider strings --key im_loc_text --format-with Alice --format-with Hello app/src/main/res/values-de/strings.xml",
      "postrider strings --plural --locale ru 1 2 5 1.5",
    ],
    run: runStrings)

  private static func runStrings(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    var locales: [LocaleTag] = []
    for text in arguments.all("--locale") {
      guard let locale = LocaleTag(text) else {
        throw .usage("--locale takes a language such as de or zh-Hant-TW, not “\(text)”")
      }
      locales.append(locale)
    }
    guard !arguments.operands.isEmpty else {
      throw .usage(arguments.has("--plural") ? "there is no number to say the form of" : "there is no file to read")
    }
    if arguments.has("--plural") { return try printPlurals(arguments, locales) }
    let makesTexts = arguments.has("--format-with") || arguments.has("--format-with-nothing")
    var run = StringsRun(
      keys: arguments.all("--key"), pushArguments: makesTexts ? arguments.all("--format-with") : nil, locales: locales)
    let format = arguments.value("--as").flatMap(TableFile.Format.init(rawValue:))
    let files = try arguments.operands.map { (path) throws(Exit) in try tableFile(path, format) }
    for file in files { run.add(try Terminal.read(file.path), as: file) }
    if arguments.value("--format") == "text" {
      Terminal.print(run.text)
    } else {
      Terminal.print(JSON.minified(run.json) + [UInt8(ascii: "\n")])
    }
    return run.hasErrors ? .invalid : .fine
  }

  private static func tableFile(_ path: String, _ format: TableFile.Format?) throws(Exit) -> TableFile {
    let known = TableFile(path: path)
    if let format, known?.format != format { return TableFile(path: path, format: format, locale: known?.locale) }
    guard let known else {
      throw .usage(
        "\(path) is no string table by its path: Name.strings, Name.stringsdict, Name.xcstrings or res/values…/name.xml;"
          + " --as says how it is written")
    }
    return known
  }

  private static func printPlurals(_ arguments: Arguments, _ locales: [LocaleTag]) throws(Exit) -> ExitStatus {
    guard !locales.isEmpty else { throw .usage("--plural needs --locale: the language") }
    var numbers: [(text: String, operands: PluralOperands)] = []
    for text in arguments.operands {
      guard let operands = PluralOperands(text) else {
        throw .usage("“\(text)” is no number such as 5, 1.50 or 1.2c6 (at most 18 digits on a side)")
      }
      numbers.append((text, operands))
    }
    var rows = JSONObject()
    var lines = ""
    for locale in locales {
      let forms = numbers.map { ($0.text, PluralRules.category(of: $0.operands, in: locale).rawValue) }
      rows.append("\(locale)", .object(JSONObject(forms.map { ($0.0, JSONValue.string($0.1)) })))
      for (number, form) in forms { lines += "\(locale)\t\(number)\t\(form)\n" }
    }
    let document: JSONValue = ["cldr": .string(PluralRules.cldrVersion), "plurals": .object(rows)]
    Terminal.print(
      arguments.value("--format") == "text" ? Array(lines.utf8) : JSON.minified(document) + [UInt8(ascii: "\n")])
    return .fine
  }
}
