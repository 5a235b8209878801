/// Writes the pieces of a Java format with arguments that are all `String`.
struct JavaFormatWriter {
  private let arguments: [String]
  private let locale: LocaleTag?
  private let textBytesMax: Int
  private(set) var problems: [TextProblem] = []
  private var text = ""
  private var ordinary = -1
  private var last = -1
  private var used: [Bool]

  init(arguments: [String], locale: LocaleTag?, textBytesMax: Int) {
    self.arguments = arguments
    self.locale = locale
    self.textBytesMax = textBytesMax
    used = Array(repeating: false, count: arguments.count)
  }

  mutating func write(_ pieces: [JavaFormatPiece]) throws(JavaFormatException) -> String {
    for piece in pieces {
      switch piece {
      case .fixed(let fixed): text += fixed
      case .specifier(let specifier): try write(specifier)
      }
      if text.utf8.count > textBytesMax {
        throw JavaFormatException(
          "OutOfMemoryError", "the text grows over \(textBytesMax) bytes; make the width smaller", rule: .textTooLong)
      }
    }
    if let extra = used.firstIndex(of: false) {
      problems.append(
        TextProblem(.argumentExtra, "argument \(extra + 1) is not used by the format"))
    }
    return text
  }

  private mutating func write(_ specifier: JavaFormatSpecifier) throws(JavaFormatException) {
    guard specifier.index != .none else {
      append(specifier.conversion == UInt8(ascii: "n") ? "\n" : "%", specifier)
      return
    }
    let argument = try argument(specifier)
    guard !specifier.isDate else { throw conversion(specifier) }
    switch specifier.conversion {
    case UInt8(ascii: "s"):
      if specifier.has("#") {
        throw JavaFormatException(
          "FormatFlagsConversionMismatchException",
          "\(ShownText.short(specifier.text)) does not take the flag “#”, and ends the app; leave it out")
      }
      append(argument, specifier)
    case UInt8(ascii: "b"):
      warn(specifier, "writes “true” for every text")
      append("true", specifier)
    case UInt8(ascii: "h"):
      warn(specifier, "writes a number instead of the text, not the text")
      append(String(Self.hash(argument), radix: 16), specifier)
    default: throw conversion(specifier)
    }
  }

  private mutating func argument(_ specifier: JavaFormatSpecifier) throws(JavaFormatException) -> String {
    switch specifier.index {
    case .next:
      ordinary += 1
      last = ordinary
    case .at(let index): last = index
    case .previous, .none: break
    }
    guard last >= 0, last < arguments.count else {
      let count = arguments.count == 1 ? "1 argument" : "\(arguments.count) arguments"
      throw JavaFormatException(
        JavaFormat.caughtException,
        "\(ShownText.short(specifier.text)) has no argument: there are \(count); the field stays empty",
        rule: .argumentMissing)
    }
    used[last] = true
    return arguments[last]
  }

  private func conversion(_ specifier: JavaFormatSpecifier) -> JavaFormatException {
    JavaFormatException(
      "IllegalFormatConversionException",
      "\(ShownText.short(specifier.text)) cannot take a text, and the arguments of a push are texts: the app ends; "
        + "write %s")
  }

  private mutating func warn(_ specifier: JavaFormatSpecifier, _ message: String) {
    problems.append(
      TextProblem(.androidFormatConversion, "\(ShownText.short(specifier.text)) \(message); write %s"))
  }

  /// Cuts to the precision, fills up to the width, both in units of UTF-16.
  private mutating func append(_ value: String, _ specifier: JavaFormatSpecifier) {
    var value = value
    if let precision = specifier.precision, precision < value.utf16.count {
      value = String(decoding: Array(value.utf16.prefix(precision)), as: UTF16.self)
    }
    if specifier.isUpperCase { value = UpperCase.text(value, locale: locale) }
    let missing = max(0, (specifier.width ?? 0) - value.utf16.count)
    // More than the limit is never kept, so no more than that is made.
    let padding = String(repeating: " ", count: min(missing, textBytesMax + 1))
    text += specifier.has("-") ? value + padding : padding + value
  }

  /// `String.hashCode` of Java.
  private static func hash(_ text: String) -> UInt32 {
    text.utf16.reduce(0) { $0 &* 31 &+ UInt32($1) }
  }
}
