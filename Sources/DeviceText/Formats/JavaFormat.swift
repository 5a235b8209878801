/// Formats as `java.util.Formatter` does when every argument is a `String`, which is how Firebase's client for Android
/// calls it.
public enum JavaFormat {
  /// The exception that Firebase's client catches; every other one ends the app's handling of the message.
  public static let caughtException = "MissingFormatArgumentException"

  /// Formats; `locale` decides how `%S` turns letters to upper case.
  ///
  /// The whole format is read before anything is written, so that a bad specifier at the end beats a missing argument
  /// at the start. Nothing is caught here: `exception` names what Java throws.
  public static func format(
    _ format: String, arguments: [String], locale: LocaleTag? = nil, limits: TextLimits = .default
  ) -> FormattedText {
    var parser = JavaFormatParser(format)
    do throws(JavaFormatException) {
      let pieces = try parser.parse()
      var writer = JavaFormatWriter(arguments: arguments, locale: locale, textBytesMax: limits.textBytesMax)
      let text = try writer.write(pieces)
      return FormattedText(text: text, problems: writer.problems)
    } catch {
      return FormattedText(text: nil, exception: error.name, problems: [error.problem])
    }
  }

  /// Whether a translator may change the order of the specifiers; the resource compiler refuses formats for which not.
  ///
  /// Two or more specifiers need positions. Letters that only a date has end the question.
  static func isRearrangeable(_ format: String) -> Bool {
    let bytes = Array(format.utf8)
    var index = 0
    var specifiers = 0
    var hasNonPositional = false
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "%"), index + 1 < bytes.count else {
        index += 1
        continue
      }
      index += 1
      if bytes[index] == UInt8(ascii: "%") || bytes[index] == UInt8(ascii: "n") {
        index += 1
        continue
      }
      specifiers += 1
      if !skipPosition(bytes, &index) { hasNonPositional = true }
      while index < bytes.count, isFlagOrDigit(bytes[index]) { index += 1 }
      if index < bytes.count, "DFKMWZ".utf8.contains(bytes[index]) { return true }
      index += 1
    }
    return specifiers <= 1 || !hasNonPositional
  }

  /// Skips `1$`; false when a width, `<` or neither follows.
  private static func skipPosition(_ bytes: [UInt8], _ index: inout Int) -> Bool {
    let start = index
    while index < bytes.count, (0x30...0x39).contains(bytes[index]) { index += 1 }
    if index > start { return index == bytes.count || bytes[index] == UInt8(ascii: "$") }
    if index < bytes.count, bytes[index] == UInt8(ascii: "<") {
      index += 1
      if index < bytes.count, bytes[index] == UInt8(ascii: "$") { index += 1 }
    }
    return false
  }

  private static func isFlagOrDigit(_ byte: UInt8) -> Bool {
    "-#+ ,(".utf8.contains(byte) || (0x30...0x39).contains(byte)
  }
}

/// What `java.util.Formatter` throws.
struct JavaFormatException: Error, Sendable, Hashable {
  /// The class.
  let name: String
  /// What to say about it.
  let problem: TextProblem

  init(_ name: String, _ message: String, rule: TextRule = .androidFormatCrash) {
    self.name = name
    problem = TextProblem(rule, message)
  }
}

/// A part of a format.
enum JavaFormatPiece: Sendable, Hashable {
  case fixed(String)
  case specifier(JavaFormatSpecifier)
}

/// A specifier such as `%1$-10s`.
struct JavaFormatSpecifier: Sendable, Hashable {
  /// Which argument it takes.
  enum Index: Sendable, Hashable {
    case next
    case previous
    /// From 0.
    case at(Int)
    /// `%%` and `%n` take none.
    case none
  }

  let text: String
  var index = Index.next
  var flags: [UInt8] = []
  var width: Int?
  var precision: Int?
  var isDate = false
  var isUpperCase = false
  /// In lower case.
  var conversion: UInt8

  func has(_ flag: Character) -> Bool { flags.contains { $0 == flag.asciiValue } }
}
