internal import WireJSON

/// Reads `.xcstrings`: one JSON document with all languages of a table.
struct StringCatalog {
  /// The most languages of one catalog.
  private static let languagesMax = 500

  private let source: SourceText
  private let document: JSONDocument
  private let limits: TextLimits
  private(set) var tables: [StringTable] = []
  private(set) var sourceLocale: LocaleTag?
  private var indices: [String: Int] = [:]

  init(_ source: SourceText, limits: TextLimits) throws(JSONError) {
    self.source = source
    self.limits = limits
    var document = JSONDocument()
    try document.parse(
      source.bytes, limits: JSONLimits(maxBytes: limits.fileBytesMax * 3, maxDepth: limits.depthMax))
    self.document = document
  }

  /// Reads the document.
  mutating func read(_ problems: inout ProblemList) {
    let root = document.root
    guard document.kind(root) == .object else {
      return problems.add(.structure, "a string catalog is a JSON object", at: offset(root), in: source)
    }
    for duplicate in document.duplicates() {
      problems.add(
        .duplicateKey, "\(ShownText.short(duplicate.pointer)) occurs twice; the last one is taken",
        at: duplicate.offset, in: source)
    }
    let name = document.string(of: root, "sourceLanguage") ?? ""
    sourceLocale = LocaleTag(name)
    guard let sourceLocale else {
      return problems.add(
        .structure, "sourceLanguage is missing or no language; write \"en\" for example", at: offset(root), in: source)
    }
    addTable(sourceLocale, named: name)
    guard let strings = document.member(of: root, "strings"), document.kind(strings) == .object else {
      return problems.add(.structure, "strings is missing, the object of all keys", at: offset(root), in: source)
    }
    var count = 0
    for (key, entry) in document.members(of: strings) {
      count += 1
      guard count <= limits.entriesMax else {
        return problems.add(
          .tooMany, "only the first \(limits.entriesMax) keys are read", at: offset(entry), in: source)
      }
      read(document.string(key) ?? "", entry, name, &problems)
    }
  }

  private func offset(_ node: JSONNode) -> Int { document.sourceRange(of: node).lowerBound }

  private mutating func addTable(_ locale: LocaleTag, named name: String) {
    indices[name] = tables.count
    tables.append(StringTable(locale: locale))
  }

  private mutating func read(_ key: String, _ entry: JSONNode, _ sourceName: String, _ problems: inout ProblemList) {
    let isTranslatable = document.bool(of: entry, "shouldTranslate") ?? true
    var hasSource = false
    if let localizations = document.member(of: entry, "localizations") {
      for (language, node) in document.members(of: localizations) {
        let name = document.string(language) ?? ""
        guard let value = localization(node, key, &problems) else { continue }
        hasSource = hasSource || name == sourceName
        if indices[name] == nil {
          guard let locale = LocaleTag(name) else {
            problems.add(
              .structure, "“\(ShownText.short(name))” is no language", at: offset(language), in: source, key: key)
            continue
          }
          guard tables.count < Self.languagesMax else {
            problems.add(
              .tooMany, "only the first \(Self.languagesMax) languages are read", at: offset(language), in: source)
            return
          }
          addTable(locale, named: name)
        }
        add(key, value, offset(node), isTranslatable, to: name)
      }
    }
    // In the source language a key without a text is its own text.
    if !hasSource { add(key, .text(key), offset(entry), isTranslatable, to: sourceName) }
  }

  private mutating func add(
    _ key: String, _ value: StringValue, _ offset: Int, _ isTranslatable: Bool, to name: String
  ) {
    guard let index = indices[name] else { return }
    tables[index].entries.append(
      StringEntry(key: key, value: value, position: source.position(offset), isTranslatable: isTranslatable))
  }

  /// The value of a key in one language, with its substitutions.
  private func localization(_ node: JSONNode, _ key: String, _ problems: inout ProblemList) -> StringValue? {
    guard let value = value(node, key, &problems) else { return nil }
    guard let substitutions = document.member(of: node, "substitutions") else { return value }
    var variables: [PatternVariable] = []
    for (name, node) in document.members(of: substitutions) {
      guard let value = self.value(node, key, &problems) else { continue }
      let argument = document.int(of: node, "argNum")
      if let argument, !(1...1000).contains(argument) {
        problems.add(.structure, "argNum counts from 1", at: offset(node), in: source, key: key)
        continue
      }
      variables.append(
        PatternVariable(
          name: document.string(name) ?? "", argument: argument.map { Int($0) },
          specifier: document.string(of: node, "formatSpecifier") ?? "", value: value))
    }
    return .pattern(format: value, variables: variables)
  }

  /// A text, or its variations by plural or device; nil when there is none yet.
  private func value(_ node: JSONNode, _ key: String, _ problems: inout ProblemList) -> StringValue? {
    if let unit = document.member(of: node, "stringUnit") {
      guard let text = document.string(of: unit, "value") else {
        problems.add(.structure, "a stringUnit has a value", at: offset(unit), in: source, key: key)
        return nil
      }
      return .text(text)
    }
    guard let variations = document.member(of: node, "variations") else { return nil }
    if let plural = document.member(of: variations, "plural") { return self.plural(plural, key, &problems) }
    guard let device = document.member(of: variations, "device") else {
      problems.add(
        .structure, "variations are by plural or by device", at: offset(variations), in: source, key: key)
      return nil
    }
    var forms: [NamedForm] = []
    for (name, node) in document.members(of: device) {
      if let value = value(node, key, &problems) { forms.append(NamedForm(document.string(name) ?? "", value)) }
    }
    return .device(forms)
  }

  private func plural(_ node: JSONNode, _ key: String, _ problems: inout ProblemList) -> StringValue {
    var forms: [PluralForm] = []
    for (name, member) in document.members(of: node) {
      guard let category = document.string(name).flatMap({ PluralCategory(rawValue: $0) }) else {
        problems.add(
          .structure, "a plural category is zero, one, two, few, many or other", at: offset(name), in: source, key: key)
        continue
      }
      if let value = value(member, key, &problems) { forms.append(PluralForm(category, value)) }
    }
    if !forms.contains(where: { $0.category == .other }) {
      problems.add(
        .pluralOther, "the plural has no form “other”, which every language needs", at: offset(node), in: source,
        key: key)
    }
    return .plural(forms)
  }
}
