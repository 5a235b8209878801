/// The rules for string resources and their use in a push; the raw value is the id that never changes.
public enum TextRule: String, Sendable, Hashable, CaseIterable {
  // Files
  case fileTooLarge = "text-file-too-large"
  case encoding = "text-encoding"
  case syntax = "text-syntax"
  case entity = "text-xml-entity"
  case tooDeep = "text-too-deep"
  case tooMany = "text-too-many"
  case duplicateKey = "text-duplicate-key"
  case structure = "text-structure"
  case emptyKey = "text-empty-key"
  case escape = "text-escape"
  case pluralOther = "text-plural-other"
  case pluralUnused = "text-plural-unused"
  // Android resources
  case androidName = "android-name"
  case androidApostrophe = "android-apostrophe"
  case androidQuote = "android-quote"
  case androidNonPositional = "android-non-positional"
  case androidBoolean = "android-boolean"
  case androidReference = "android-reference"
  case androidReferenceCycle = "android-reference-cycle"
  case androidNoDefault = "android-no-default"
  case androidQualifier = "android-qualifier"
  // What a push shows
  case keyMissing = "text-key-missing"
  case argumentMissing = "text-argument-missing"
  case argumentExtra = "text-argument-extra"
  case textTooLong = "text-too-long"
  case plainTextWins = "text-plain-wins"
  case keyWins = "text-key-wins"
  case otherLocale = "text-other-locale"
  case iosSpecifier = "ios-specifier"
  case iosPercent = "ios-percent"
  case iosPluralByText = "ios-plural-by-text"
  case iosVariable = "ios-variable"
  case androidFormatCrash = "android-format-crash"
  case androidFormatConversion = "android-format-conversion"
  case androidRawPercent = "android-raw-percent"
  case androidNotString = "android-not-a-string"

  /// How bad a break is, unless a problem says otherwise.
  public var severity: TextSeverity {
    switch self {
    case .argumentExtra, .otherLocale, .pluralUnused, .androidQualifier, .plainTextWins, .keyWins: .note
    case .tooMany, .emptyKey, .escape, .iosSpecifier, .iosPercent, .iosPluralByText, .androidFormatConversion,
      .androidRawPercent, .keyMissing, .duplicateKey, .argumentMissing, .androidQuote:
      .warning
    default: .error
    }
  }
}
