import DeviceText
import Testing

/// References and variables that lead to themselves, or to more than anyone can read.
@Suite struct CycleTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let path: String
    let file: String
    /// What is shown; nil for nothing.
    let text: String?
    let rules: [TextRule]
    var testDescription: String { name }
  }

  private static let android = "app/src/main/res/values/strings.xml"
  private static let dictionary = "App/en.lproj/Localizable.stringsdict"
  private static let catalog = "App/Localizable.xcstrings"

  private static func resources(_ texts: [(String, String)]) -> String {
    "<resources>" + texts.map { "<string name=\"\($0)\">\($1)</string>" }.joined() + "</resources>"
  }

  /// A `.stringsdict` whose key `k` has the format, and variables with one text each.
  private static func plist(_ format: String, _ variables: [(String, String)]) -> String {
    var text = "<plist><dict><key>k</key><dict><key>NSStringLocalizedFormatKey</key><string>\(format)</string>"
    for (name, value) in variables {
      text += "<key>\(name)</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>"
      text += "<key>NSStringFormatValueTypeKey</key><string>d</string><key>other</key><string>\(value)</string></dict>"
    }
    return text + "</dict></dict></plist>"
  }

  private static func strings(_ variables: [(String, String)]) -> String {
    let substitutions = variables.map {
      #""\#($0)":{"argNum":1,"formatSpecifier":"lld","variations":{"plural":{"other":{"stringUnit":{"value":"\#($1)"}}}}}"#
    }
    return #"{"sourceLanguage":"en","strings":{"k":{"localizations":{"en":{"stringUnit":{"value":"%#@a@"},"#
      + #""substitutions":{\#(substitutions.joined(separator: ","))}}}}}}"#
  }

  private static let chain = (0..<30).map { ($0 == 0 ? "k" : "k\($0)", "@string/k\($0 + 1)") } + [("k30", "end")]
  private static let ten = (0..<10).map { ($0 == 0 ? "k" : "k\($0)", "@string/k\($0 + 1)") } + [("k10", "end")]
  /// Each variable writes the next one four times: 4 to the power of 15 texts, if anyone wrote them.
  private static let bomb = (0..<16).map {
    ("v\($0)", $0 == 15 ? "x" : String(repeating: "%1$#@v\($0 + 1)@", count: 4))
  }

  static let rows = [
    Row(
      name: "a string that refers to itself", path: android, file: resources([("k", "@string/k")]), text: nil,
      rules: [.androidReferenceCycle]),
    Row(
      name: "two strings that refer to each other", path: android,
      file: resources([("k", "@string/b"), ("b", "@string/k")]), text: nil, rules: [.androidReferenceCycle]),
    Row(name: "a chain of ten", path: android, file: resources(ten), text: "end", rules: [.argumentExtra]),
    Row(name: "a chain of thirty", path: android, file: resources(chain), text: nil, rules: [.androidReferenceCycle]),
    Row(
      name: "a reference to nothing", path: android, file: resources([("k", "@string/none")]), text: nil,
      rules: [.keyMissing]),
    Row(
      name: "a reference to another type", path: android, file: resources([("k", "@color/k")]), text: nil,
      rules: [.androidReference]),
    Row(
      name: "an escaped reference is a text", path: android, file: resources([("k", "\\@string/k")]),
      text: "@string/k", rules: [.argumentExtra]),
    Row(
      name: "a variable within itself", path: dictionary, file: plist("%#@a@", [("a", "[%#@a@]")]),
      text: "[%#@a@]", rules: [.iosPluralByText, .iosVariable]),
    Row(
      name: "two variables within each other", path: dictionary,
      file: plist("%#@a@", [("a", "(%1$#@b@)"), ("b", "[%1$#@a@]")]), text: "([%1$#@a@])",
      rules: [.iosPluralByText, .iosVariable]),
    Row(
      name: "a variable that is not there", path: dictionary, file: plist("%#@b@", [("a", "x")]), text: "%#@b@",
      rules: [.iosVariable, .argumentExtra]),
    Row(
      name: "substitutions within each other", path: catalog, file: strings([("a", "(%#@b@)"), ("b", "[%#@a@]")]),
      text: "([%#@a@])", rules: [.iosPluralByText, .iosVariable]),
  ]

  @Test("end, and say so", arguments: rows)
  func cycles(row: Row) throws {
    let file = try #require(TableFile(path: row.path))
    var strings = AppStrings(platform: file.format.platform, developmentLocale: LocaleTag("en"))
    strings.add(Array(row.file.utf8), path: row.path)
    #expect(strings.problems == [])
    let shown = strings.resolve("k", ["3"], preferred: [try #require(LocaleTag("en"))])
    #expect(shown.text == row.text)
    #expect(shown.problems.map(\.rule) == row.rules)
  }

  @Test("variables that multiply are cut short")
  func multiplying() throws {
    var strings = AppStrings(platform: .ios, developmentLocale: LocaleTag("en"))
    strings.add(Array(Self.plist("%1$#@v0@", Self.bomb).utf8), path: Self.dictionary)
    let shown = strings.resolve("k", ["3"], preferred: [try #require(LocaleTag("en"))])
    #expect((shown.text ?? "").utf8.count <= TextLimits.default.textBytesMax)
    #expect(Set(shown.problems.map(\.rule)) == [.iosPluralByText, .iosVariable])
  }

  @Test(
    "formats that are broken in every way are shown or refused, and never more than is legal",
    arguments: [
      "%", "%%", "%%%", "%1$", "%0$@", "%1$@%", "%99999999999$@", "%2147483648$s", "%-", "%*@", "%.*@", "%n", "%1$n",
      "%#@", "%#@@", "%#@a", "%@%@%@%@%@%@%@%@%@%@%@%@", "%s%n%x", "%<s", "%-2147483647@", "%1$#@a@", "%\u{301}@", "%é",
    ])
  func formats(format: String) throws {
    let quoted = format.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
    let tables = [
      ("App/en.lproj/Localizable.strings", "\"k\" = \"\(quoted)\";"),
      (Self.android, "<resources><string name=\"k\" formatted=\"false\">\"z" + xml(format) + "\"</string></resources>"),
    ]
    for (path, text) in tables {
      for arguments in [nil, [], ["A"], ["<b>", "%@", "\u{202E}"]] as [[String]?] {
        var strings = AppStrings(platform: try #require(TableFile(path: path)).format.platform)
        strings.add(Array(text.utf8), path: path)
        let shown = strings.resolve("k", arguments, preferred: [try #require(LocaleTag("en"))])
        #expect((shown.text ?? "").utf8.count <= TextLimits.default.textBytesMax)
        let isEmpty = shown.text == nil
        #expect(isEmpty == (shown.source == .crash || shown.source == .nothing))
        if isEmpty { #expect(shown.problems.contains { $0.severity >= .warning }) }
      }
    }
  }

  private func xml(_ text: String) -> String {
    text.map { $0 == "<" ? "&lt;" : $0 == "&" ? "&amp;" : String($0) }.joined()
  }
}
