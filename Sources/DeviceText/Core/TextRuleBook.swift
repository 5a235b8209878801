/// What a rule says, for those who meet its id in a report.
public struct RuleText: Sendable, Hashable {
  /// The id.
  public let id: String
  /// `note`, `warning`, `error`, or several where it depends.
  public let severity: String
  /// What holds, as a sentence.
  public let statement: String
  /// What to do about a break, as a sentence.
  public let fix: String
  /// Where the rule is stated.
  public let source: String

  /// A rule.
  public init(id: String, severity: String, statement: String, fix: String, source: String) {
    self.id = id
    self.severity = severity
    self.statement = statement
    self.fix = fix
    self.source = source
  }

  /// The rule as a section of a page, and as `--explain` shows it.
  public var markdown: String {
    "### `\(id)`\n\n\(severity). \(statement)\n\n- Fix: \(fix)\n- Source: \(source)\n"
  }
}

/// The rules of string tables and formats, in the order of ``TextRule``.
public enum TextRuleBook {
  /// A row of the table; the severity is that of the rule.
  private static func row(_ rule: TextRule, _ statement: String, fix: String, _ source: String) -> RuleText {
    RuleText(id: rule.rawValue, severity: rule.severity.rawValue, statement: statement, fix: fix, source: source)
  }

  private static let postrider = "Postrider, a limit of its own"
  private static let foundation = "swift-corelibs-foundation, the reader of property lists"
  private static let apple = "Apple, “Localizing and varying text with a string catalog” and “Stringsdict file format”"
  private static let aapt = "Android, “String resources”; aapt2, which builds them"
  private static let formatter = "Java, java.util.Formatter; Firebase's client for Android, which calls it"
  private static let firebase = "Firebase's client for Android"
  private static let appleAlert = "Apple, “Generating a remote notification”"
  private static let undocumented = "nowhere: Apple does not document it for pushes"

  /// Rules of files of string resources.
  public static let files: [RuleText] = [
    row(
      .fileTooLarge, "A file has at most 16 MiB.", fix: "Split the table, or leave out what is no text.", postrider),
    row(
      .encoding, "A file is UTF-8, or UTF-16 with or without a mark.", fix: "Save the file as UTF-8.", foundation),
    row(
      .syntax, "A file is what its name says: JSON, XML, or entries that end with a semicolon.",
      fix: "Correct the text at the line and column that the message names.", foundation),
    row(
      .entity, "XML here knows lt, gt, amp, quot, apos and characters by number; a DTD is never expanded.",
      fix: "Write the text itself, or &#x…; for a character.", "XML 1.0; Postrider expands nothing"),
    row(.tooDeep, "Elements lie at most 64 deep in each other.", fix: "Take the file apart.", postrider),
    row(
      .tooMany, "A file has at most 100 000 entries and 500 languages, and 1000 of its problems are listed.",
      fix: "Split the table.", postrider),
    row(
      .duplicateKey,
      "A key occurs once in its table. An Android build refuses a second one, which is an error; Apple takes the last.",
      fix: "Remove one of the entries.", aapt),
    row(
      .structure, "The parts of a table have the members and types that its format asks for.",
      fix: "Give the entry the form that the message names.", "\(apple); Android, “String resources”"),
    row(.emptyKey, "A key is not empty.", fix: "Name the entry, or remove it.", "Postrider: no push can name it"),
    row(
      .escape,
      "Escapes are those of the format: \\U and four digits in .strings, \\u and four digits in strings.xml, which "
        + "refuses others as an error.",
      fix: "Write four hexadecimal digits, or the character itself.", "\(foundation); aapt2"),
    row(
      .pluralOther, "A plural has the form “other”, which every language needs.", fix: "Add the form “other”.",
      "Unicode CLDR; Apple, “Stringsdict file format”; Android, “Quantity strings”"),
    row(
      .pluralUnused, "A plural has the forms that its language takes; Apple also takes “zero” for the number 0.",
      fix: "Remove the form; if a number should replace it, put the text into “other”.", "Unicode CLDR"),
  ]

  /// Rules of Android's resources.
  public static let android: [RuleText] = [
    row(
      .androidName, "The name of a resource has letters, digits, “_”, “.” and “-”, and no digit at its start.",
      fix: "Rename it; a push names it just so, with its dots, though the class R writes “_” for them.", aapt),
    row(
      .androidApostrophe, "An apostrophe outside of quotes is escaped; the build fails otherwise.",
      fix: "Write \\' or put the text in double quotes.", aapt),
    row(
      .androidQuote, "Double quotes that are not escaped are not shown: they keep the white space between them.",
      fix: "Write \\\" to show a quote.", aapt),
    row(
      .androidNonPositional, "Several specifiers have positions, so that translators can turn them; the build fails.",
      fix: "Write %1$s and %2$s, or add formatted=\"false\".", aapt),
    row(.androidBoolean, "formatted and translatable are true or false.", fix: "Write true or false.", aapt),
    row(
      .androidReference, "What begins with @ refers to a string of the app; a push finds nothing else.",
      fix: "Refer to @string/name, or write \\@ for a text that begins so.", aapt),
    row(
      .androidReferenceCycle, "References end at a text within 20 steps.", fix: "Let one of them be a text.",
      "Android, which follows 20"),
    row(
      .androidNoDefault,
      "A string has a value in values/: a device whose language has none would crash the app, since Firebase's client "
        + "finds the name, asks for the value and does not catch that there is none.",
      fix: "Add the string to values/.", "Android, “Localize your app”: always provide a default; \(firebase)"),
    row(
      .androidQualifier, "Resources of folders such as values-land are for some devices; previews leave them out.",
      fix: "Nothing, unless it is the text of a push.", "Postrider"),
  ]

  /// Rules of the text that a device makes.
  public static let texts: [RuleText] = [
    row(
      .keyMissing,
      "The app has a text for the key in the language that the device uses. Otherwise iOS shows the key, and Android "
        + "leaves the field empty; both are errors.",
      fix: "Add the key to the table of that language.", "\(appleAlert); \(firebase)"),
    row(
      .argumentMissing,
      "There is an argument for each specifier. Otherwise Android leaves the field empty; what iOS shows is not "
        + "documented, and a preview leaves the specifier visible unless --ios-missing-argument says otherwise.",
      fix: "Send as many arguments as the format takes.", "\(formatter); \(undocumented)"),
    row(
      .argumentExtra, "A format uses every argument.", fix: "Nothing, if the language does not need it.", "Postrider"),
    row(.textTooLong, "A text has at most 64 KiB.", fix: "Make widths in the format smaller.", postrider),
    row(
      .plainTextWins,
      "Android shows the plain text when there is one, and does not look at the key; a setting of previews says so of "
        + "iOS.",
      fix: "Send only one of them to Android.", firebase),
    row(
      .keyWins,
      "iOS shows the text of the key, and does not look at the plain text. Apple's pages leave it open: preview "
        + "--ios-first text shows the other.",
      fix: "Nothing: the plain text is for apps and platforms that lack the key.", appleAlert),
    row(
      .otherLocale, "The app has one of the device's languages; otherwise it shows its development language.",
      fix: "Translate the app, or let it be.", "Apple, “How iOS determines the language for your app”"),
    row(
      .iosSpecifier, "%@ and %1$@ take the arguments of a push, which are texts; %d and %s take none.",
      fix: "Write %@ or %1$@.", undocumented),
    row(.iosPercent, "A percent sign that starts no specifier is doubled.", fix: "Write %%.", undocumented),
    row(
      .iosPluralByText, "A plural needs a number, and the arguments of a push are texts.",
      fix: "Let the sender choose between two keys.", undocumented),
    row(
      .iosVariable, "A variable (%#@name@) is defined beside its format, and none contains itself.",
      fix: "Define it in .stringsdict or in the string catalog.", apple),
    row(
      .androidFormatCrash,
      "A format has only what java.util.Formatter takes for texts: %s, %S, %% and %n. Anything else throws, Firebase's "
        + "client does not catch it, and the app crashes: nothing is shown.",
      fix: "Write %s or %1$s, and %% for a percent sign.", formatter),
    row(
      .androidFormatConversion, "%b and %h are valid and show something else than the argument.", fix: "Write %s.",
      formatter),
    row(
      .androidRawPercent, "Without a list of arguments a text is not formatted: %% is shown as %%.",
      fix: "Send an empty list of arguments, or write one percent sign.", firebase),
    row(
      .androidNotString, "A push reaches <string>, and neither <plurals> nor <string-array>.",
      fix: "Add a <string>.", firebase),
  ]

  /// All rules.
  public static var all: [RuleText] { files + android + texts }
}
