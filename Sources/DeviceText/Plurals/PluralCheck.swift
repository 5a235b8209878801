/// Looks for plural forms that a language never takes.
enum PluralCheck {
  /// Reports the plural forms of each entry that no number selects.
  ///
  /// Apple's devices use `zero` for the number 0 in every language, so it is never unused there.
  static func check(_ table: StringTable, platform: DevicePlatform, _ problems: inout ProblemList) {
    guard let locale = table.locale else { return }
    let used = PluralRules.categories(in: locale)
    for entry in table.entries {
      var unused: [PluralCategory] = []
      collect(entry.value, besides: used, platform, &unused)
      guard let first = unused.first else { continue }
      problems.add(
        TextProblem(
          .pluralUnused,
          "no number takes the form “\(first.rawValue)” in \(locale): its forms are "
            + used.map { $0.rawValue }.joined(separator: ", "),
          position: entry.position, key: entry.key))
    }
  }

  private static func collect(
    _ value: StringValue, besides used: [PluralCategory], _ platform: DevicePlatform, _ unused: inout [PluralCategory]
  ) {
    switch value {
    case .text, .array, .reference: return
    case .plural(let forms):
      for form in forms {
        let isOwnZero = platform.row.zeroIsOwn && form.category == .zero
        if !used.contains(form.category), !isOwnZero { unused.append(form.category) }
        collect(form.value, besides: used, platform, &unused)
      }
    case .device(let forms): for form in forms { collect(form.value, besides: used, platform, &unused) }
    case .width(let forms): for form in forms { collect(form.value, besides: used, platform, &unused) }
    case .pattern(let format, let variables):
      collect(format, besides: used, platform, &unused)
      for variable in variables { collect(variable.value, besides: used, platform, &unused) }
    }
  }
}
