import DeviceText
import WireJSON

/// What `strings` says about files, as JSON and as text.
struct StringsRun {
  private let keys: [String]
  private let pushArguments: [String]?
  private let locales: [LocaleTag]
  private var files: [JSONValue] = []
  private(set) var text = ""
  private(set) var hasErrors = false

  /// `pushArguments`: nil when no texts are to be made.
  init(keys: [String], pushArguments: [String]?, locales: [LocaleTag]) {
    self.keys = keys
    self.pushArguments = pushArguments
    self.locales = locales
  }

  /// The whole document.
  var json: JSONValue { ["files": .array(files)] }

  /// Reads a file.
  mutating func add(_ bytes: [UInt8], as file: TableFile) {
    let content = StringFile.read(bytes, as: file)
    var strings = AppStrings(platform: file.format.platform)
    if pushArguments != nil { strings.add(content) }
    note(content.problems)
    var object: JSONObject = ["path": .string(file.path), "format": .string(file.format.rawValue)]
    object["table"] = .string(file.table)
    if let locale = content.sourceLocale { object["source_locale"] = .string("\(locale)") }
    if !file.qualifiers.isEmpty { object["qualifiers"] = .array(file.qualifiers.map { .string($0) }) }
    object["tables"] = .array(content.tables.map { table($0, file, strings) })
    object["problems"] = .array(content.problems.map(problem))
    files.append(.object(object))
  }

  /// A line for people: what a terminal would not show, or would obey, is written by its number.
  private mutating func add(line: String) { text += CheckText.printable(line) + "\n" }

  private mutating func note(_ problems: [TextProblem]) {
    for problem in problems {
      if problem.severity == .error { hasErrors = true }
      add(line: "\(problem)")
    }
  }

  private mutating func table(_ table: StringTable, _ file: TableFile, _ strings: AppStrings) -> JSONValue {
    var entries: [JSONValue] = []
    for entry in table.entries where keys.isEmpty || keys.contains(entry.key) {
      entries.append(self.entry(entry, table, file, strings))
    }
    var object = JSONObject()
    if let locale = table.locale { object["locale"] = .string("\(locale)") }
    object["entries"] = .array(entries)
    return .object(object)
  }

  private mutating func entry(
    _ entry: StringEntry, _ table: StringTable, _ file: TableFile, _ strings: AppStrings
  ) -> JSONValue {
    var object: JSONObject = ["key": .string(entry.key)]
    object["value"] = value(entry.value)
    object["line"] = .number(JSONNumber(entry.position.line))
    object["column"] = .number(JSONNumber(entry.position.column))
    if !entry.isTranslatable { object["translatable"] = false }
    if let product = entry.product { object["product"] = .string(product) }
    let language = table.locale.map { "\($0): " } ?? ""
    guard let pushArguments else {
      let written = JSON.minifiedText(value(entry.value))
      add(line: "\(entry.position): \(language)\(JSON.minifiedText(.string(entry.key))) = \(written)")
      return .object(object)
    }
    let preferred = locales.isEmpty ? [table.locale].compactMap { $0 } : locales
    let resolved = strings.resolve(
      entry.key, pushArguments, preferred: preferred, table: file.table)
    object["push"] = push(resolved)
    let shown = resolved.text.map { JSON.minifiedText(.string($0)) } ?? "(\(resolved.source.rawValue))"
    add(line: "\(entry.position): \(language)\(JSON.minifiedText(.string(entry.key))) → \(shown)")
    note(resolved.problems)
    return .object(object)
  }

  private func push(_ resolved: ResolvedText) -> JSONValue {
    var object: JSONObject = ["source": .string(resolved.source.rawValue)]
    if let text = resolved.text { object["text"] = .string(text) }
    if let locale = resolved.locale { object["locale"] = .string("\(locale)") }
    if let exception = resolved.exception { object["exception"] = .string(exception) }
    object["problems"] = .array(resolved.problems.map(problem))
    return .object(object)
  }

  private func problem(_ problem: TextProblem) -> JSONValue {
    var object: JSONObject = [
      "rule": .string(problem.rule.rawValue), "severity": .string(problem.severity.rawValue),
    ]
    if let position = problem.position {
      object["line"] = .number(JSONNumber(position.line))
      object["column"] = .number(JSONNumber(position.column))
    }
    if let key = problem.key { object["key"] = .string(key) }
    object["message"] = .string(problem.message)
    return .object(object)
  }

  /// A value: a text is a string, everything else an object with one member that says what it is.
  private func value(_ value: StringValue) -> JSONValue {
    switch value {
    case .text(let text): return .string(text)
    case .plural(let forms): return ["plural": object(forms.map { ($0.category.rawValue, $0.value) })]
    case .device(let forms): return ["device": object(forms.map { ($0.name, $0.value) })]
    case .width(let forms): return ["width": object(forms.map { ("\($0.width)", $0.value) })]
    case .array(let values): return ["array": .array(values.map(self.value))]
    case .reference(let name): return ["reference": .string(name)]
    case .pattern(let format, let variables):
      var named = JSONObject()
      for variable in variables {
        var member: JSONObject = ["specifier": .string(variable.specifier), "value": self.value(variable.value)]
        if let argument = variable.argument { member["argument"] = .number(JSONNumber(argument)) }
        named.append(variable.name, .object(member))
      }
      return ["format": self.value(format), "variables": .object(named)]
    }
  }

  private func object(_ members: [(String, StringValue)]) -> JSONValue {
    .object(JSONObject(members.map { ($0.0, value($0.1)) }))
  }
}
