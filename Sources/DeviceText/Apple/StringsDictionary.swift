/// Makes entries of a property list: that of a `.strings` file, or of a `.stringsdict`.
struct StringsDictionary {
  private let source: SourceText?
  private let path: String
  private let limits: TextLimits
  private(set) var entries: [StringEntry] = []

  /// `source` is nil for a binary list, which has no lines.
  init(source: SourceText?, path: String, limits: TextLimits) {
    self.source = source
    self.path = path
    self.limits = limits
  }

  /// Reads the root of the list.
  mutating func read(_ root: PropertyList, _ problems: inout ProblemList) {
    guard let members = root.members else {
      problems.add(TextProblem(.structure, "the root of a string table is a dictionary", position: position(root)))
      return
    }
    for (key, value) in members {
      guard entries.count < limits.entriesMax else {
        problems.add(
          TextProblem(.tooMany, "only the first \(limits.entriesMax) entries are read", position: position(value)))
        return
      }
      if key.isEmpty { problems.add(TextProblem(.emptyKey, "the key is empty", position: position(value))) }
      if let value = entry(key, value, &problems) { entries.append(value) }
    }
  }

  private func position(_ list: PropertyList) -> TextPosition {
    source?.position(list.offset) ?? TextPosition(path: path, line: 1, column: list.offset + 1)
  }

  private func entry(_ key: String, _ list: PropertyList, _ problems: inout ProblemList) -> StringEntry? {
    if let text = list.text { return StringEntry(key: key, value: .text(text), position: position(list)) }
    guard list.members != nil else {
      problems.add(
        TextProblem(.structure, "the value is neither a text nor a dictionary", position: position(list), key: key))
      return nil
    }
    guard let value = value(list, key, &problems) else { return nil }
    return StringEntry(key: key, value: value, position: position(list))
  }

  /// The value of a key: a format with variables, or variants by width or device.
  private func value(_ list: PropertyList, _ key: String, _ problems: inout ProblemList) -> StringValue? {
    if let variants = list.member("NSStringVariableWidthRuleType") { return widths(variants, key, &problems) }
    if let variants = list.member("NSStringDeviceSpecificRuleType") {
      return .device((variants.members ?? []).map { NamedForm($0.key, form($0.value, key, &problems)) })
    }
    guard let format = list.member("NSStringLocalizedFormatKey")?.text else {
      problems.add(
        TextProblem(
          .structure, "NSStringLocalizedFormatKey is missing; it holds the format, such as %#@items@",
          position: position(list), key: key))
      return nil
    }
    var variables: [PatternVariable] = []
    for (name, member) in list.members ?? [] where member.members != nil {
      if let variable = variable(name, member, key, &problems) { variables.append(variable) }
    }
    return .pattern(format: .text(format), variables: variables)
  }

  private func variable(
    _ name: String, _ list: PropertyList, _ key: String, _ problems: inout ProblemList
  ) -> PatternVariable? {
    let kind = list.member("NSStringFormatSpecTypeKey")?.text ?? ""
    guard kind == "NSStringPluralRuleType" else {
      problems.add(
        TextProblem(
          .structure,
          "the variable “\(ShownText.short(name))” needs NSStringFormatSpecTypeKey with the text "
            + "NSStringPluralRuleType",
          position: position(list), key: key))
      return nil
    }
    let specifier = list.member("NSStringFormatValueTypeKey")?.text ?? ""
    var forms: [PluralForm] = []
    for category in PluralCategory.allCases {
      guard let member = list.member(category.rawValue) else { continue }
      forms.append(PluralForm(category, form(member, key, &problems)))
    }
    if !forms.contains(where: { $0.category == .other }) {
      problems.add(
        TextProblem(
          .pluralOther, "the variable “\(ShownText.short(name))” has no form “other”, which every language needs",
          position: position(list), key: key))
    }
    return PatternVariable(name: name, argument: nil, specifier: specifier, value: .plural(forms))
  }

  /// A text, or a value with variants of its own.
  private func form(_ list: PropertyList, _ key: String, _ problems: inout ProblemList) -> StringValue {
    if let text = list.text { return .text(text) }
    if list.members != nil, let value = value(list, key, &problems) { return value }
    problems.add(TextProblem(.structure, "a text is expected here", position: position(list), key: key))
    return .text("")
  }

  private func widths(_ list: PropertyList, _ key: String, _ problems: inout ProblemList) -> StringValue {
    var forms: [WidthForm] = []
    for (width, member) in list.members ?? [] {
      guard let number = Int(width) else {
        problems.add(
          TextProblem(
            .structure, "the width “\(ShownText.short(width))” is no whole number", position: position(member), key: key
          ))
        continue
      }
      forms.append(WidthForm(number, form(member, key, &problems)))
    }
    return .width(forms.sorted { $0.width < $1.width })
  }
}
