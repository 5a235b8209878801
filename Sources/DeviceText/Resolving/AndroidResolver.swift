internal import Basics

/// Makes texts as Firebase's client for Android does.
struct AndroidResolver {
  /// How many references to other resources are followed.
  private static let referencesMax = 20
  /// What Android throws for a resource without a value for the device.
  private static let noValueException = "Resources.NotFoundException"

  let strings: AppStrings
  let preferred: [LocaleTag]

  func resolve(_ text: PushText) -> ResolvedText {
    let plain = text.plain ?? ""
    guard let key = text.key, !key.isEmpty else {
      return ResolvedText(text: plain.isEmpty ? nil : plain, source: plain.isEmpty ? .nothing : .plain)
    }
    if !plain.isEmpty, text.missingKey == .platform {
      return ResolvedText(
        text: plain, source: .plain, key: key,
        problems: [
          TextProblem(.plainTextWins, "Android shows the plain text; the key is used only without one", key: key)
        ])
    }
    var problems: [TextProblem] = []
    guard let found = string(key, &problems) else {
      if problems.contains(where: { $0.rule == .androidNoDefault }) {
        return ResolvedText(
          text: nil, source: .crash, key: key, exception: Self.noValueException, problems: problems)
      }
      if text.missingKey == .plainText {
        return plain.isEmpty
          ? ResolvedText(text: key, source: .key, key: key, problems: problems)
          : ResolvedText(text: plain, source: .plain, key: key, problems: problems)
      }
      return ResolvedText(text: nil, source: .nothing, key: key, problems: problems)
    }
    return format(found, key, text.arguments, problems)
  }

  private struct Found {
    let text: String
    let entry: StringEntry
    let locale: LocaleTag?
  }

  // MARK: Looking up

  private var request: LocaleTag? { AndroidLocales.request(preferred: preferred, available: strings.locales) }

  /// The text of a key, through references.
  private func string(_ key: String, _ problems: inout [TextProblem]) -> Found? {
    var name = key
    var visited: [String] = []
    while true {
      guard let (entry, locale) = entry(name) else {
        if let other = anyEntry(name) {
          problems.append(noDefault(name, key, other))
          return nil
        }
        problems.append(
          TextProblem(
            .keyMissing,
            visited.isEmpty
              ? "the app has no string “\(ShownText.short(key))”; the field stays empty"
              : "“\(ShownText.short(name))”, which “\(ShownText.short(key))” refers to, does not exist",
            severity: .error, key: key))
        return nil
      }
      switch entry.value {
      case .text(let text): return Found(text: text, entry: entry, locale: locale)
      case .reference(let reference):
        visited.append(name)
        guard let next = target(reference, entry, visited, &problems) else { return nil }
        name = next
      default:
        problems.append(
          TextProblem(
            .androidNotString,
            "<\(entry.value.androidType == "plurals" ? "plurals" : "string-array")> cannot be reached by a push; only "
              + "<string> is looked up",
            position: entry.position, key: key))
        return nil
      }
    }
  }

  /// The name that a reference leads to.
  private func target(
    _ reference: String, _ entry: StringEntry, _ visited: [String], _ problems: inout [TextProblem]
  ) -> String? {
    guard case .resource("", "string", let name)? = AndroidReference(reference) else {
      problems.append(
        TextProblem(
          .androidReference, "\(ShownText.short(reference)) is no string of the app", position: entry.position,
          key: entry.key))
      return nil
    }
    guard !visited.contains(where: { $0.hasSameBytes(as: name) }), visited.count < Self.referencesMax else {
      problems.append(
        TextProblem(
          .androidReferenceCycle,
          "\(ShownText.short(reference)) leads in a circle, or through more than "
            + "\(Self.referencesMax) references",
          position: entry.position, key: entry.key))
      return nil
    }
    return name
  }

  /// The value of a key in any language: the app has the resource, if not for this device.
  private func anyEntry(_ key: String) -> StringEntry? {
    for locale in strings.locales {
      if let entry = strings.entry(key, locale: locale), entry.value.androidType == "string" { return entry }
    }
    return nil
  }

  /// The client finds the resource by its name, asks for its value, and does not catch that there is none.
  private func noDefault(_ name: String, _ key: String, _ other: StringEntry) -> TextProblem {
    TextProblem(
      .androidNoDefault,
      "“\(ShownText.short(name))” has no value in values/ and none for the device's languages, so the app crashes; add "
        + "one to values/",
      position: other.position, key: key)
  }

  private func entry(_ key: String) -> (StringEntry, LocaleTag?)? {
    var entries: [(StringEntry, LocaleTag?)] = []
    if let entry = strings.entry(key, locale: nil) { entries.append((entry, nil)) }
    let request = request
    if let request {
      let language = LikelySubtags.presentLanguage(request.language)
      for (locale, own) in zip(strings.locales, strings.languages) where own == language {
        if let entry = strings.entry(key, locale: locale) { entries.append((entry, locale)) }
      }
    }
    return AndroidLocales.best(of: entries.map { $0.1 }, for: request).map { entries[$0] }
  }

  // MARK: Formatting

  private func format(
    _ found: Found, _ key: String, _ arguments: [String]?, _ problems: [TextProblem]
  ) -> ResolvedText {
    var problems = problems
    guard let arguments else {
      if found.text.utf8.contains(UInt8(ascii: "%")) {
        problems.append(
          TextProblem(
            .androidRawPercent, "without arguments the text is shown as it is, with its % signs", key: key
          ).about(found.entry))
      }
      return ResolvedText(
        text: found.text, source: .table, key: key, locale: found.locale, position: found.entry.position,
        problems: problems)
    }
    let result = JavaFormat.format(
      found.text, arguments: arguments, locale: request ?? found.locale, limits: strings.limits)
    problems += result.problems.map { $0.about(found.entry) }
    let source: ResolvedText.Source =
      switch result.exception {
      case nil: .table
      case JavaFormat.caughtException: .nothing
      default: .crash
      }
    return ResolvedText(
      text: result.text, source: source, key: key, locale: found.locale, position: found.entry.position,
      exception: result.exception, problems: problems)
  }
}
