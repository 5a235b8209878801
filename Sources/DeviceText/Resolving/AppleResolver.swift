/// Makes texts as iOS does.
struct AppleResolver {
  let strings: AppStrings
  let preferred: [LocaleTag]
  var table = AppStrings.pushTable

  func resolve(_ text: PushText) -> ResolvedText {
    guard let key = text.key, !key.isEmpty else {
      return ResolvedText(text: text.plain, source: text.plain == nil ? .nothing : .plain)
    }
    if text.apple.first == .text, let plain = text.plain, !plain.isEmpty {
      let problem = TextProblem(.plainTextWins, "the payload has a text as well, and it is taken to win", key: key)
      return ResolvedText(text: plain, source: .plain, key: key, problems: [problem])
    }
    var problems: [TextProblem] = []
    guard let found = entry(key, &problems) else { return missing(key, text, problems) }
    if text.plain != nil, text.missingKey == .platform {
      problems.append(
        TextProblem(.keyWins, "the payload has a text as well; iOS shows the text of the key", key: key))
    }
    var writer = AppleFormatWriter(
      arguments: text.arguments ?? [], locale: found.locale ?? strings.developmentLocale, device: strings.device,
      limits: strings.limits, missingArgument: text.apple.missingArgument)
    writer.write(found.entry.value)
    let result = writer.result
    problems += result.problems.map { $0.about(found.entry) }
    return ResolvedText(
      text: result.text, source: .table, key: key, locale: found.locale, position: found.entry.position,
      problems: problems)
  }

  /// The entry in the localization that the device has chosen for the app.
  private func entry(_ key: String, _ problems: inout [TextProblem]) -> (entry: StringEntry, locale: LocaleTag?)? {
    let match = AppleLocales.match(
      preferred: preferred, available: strings.locales, development: strings.developmentLocale)
    guard let match else { return strings.entry(key, locale: nil, table: table).map { ($0, nil) } }
    if !match.isPreferred {
      problems.append(
        TextProblem(
          .otherLocale,
          "the app has none of the languages \(ShownText.short(preferred.map { $0.description }.joined(separator: ", ")));"
            + " \(match.locale) is used"))
    }
    if let entry = strings.entry(key, locale: match.locale, table: table) { return (entry, match.locale) }
    if let entry = strings.entry(key, locale: nil, table: table) { return (entry, nil) }
    if strings.knows(key, table: table) {
      problems.append(
        TextProblem(
          .keyMissing,
          "“\(ShownText.short(key))” is missing in \(match.locale), and other languages are not asked; add it",
          severity: .error, key: key))
    }
    return nil
  }

  private func missing(_ key: String, _ text: PushText, _ problems: [TextProblem]) -> ResolvedText {
    var problems = problems
    if !problems.contains(where: { $0.rule == .keyMissing }) {
      problems.append(
        TextProblem(
          .keyMissing, "the app has no text for “\(ShownText.short(key))” in \(ShownText.short(table))",
          severity: .error, key: key))
    }
    if text.missingKey == .plainText, let plain = text.plain {
      return ResolvedText(text: plain, source: .plain, key: key, problems: problems)
    }
    return ResolvedText(text: key, source: .key, key: key, problems: problems)
  }
}
