/// The rules that `java.util.Formatter` holds a specifier against before it formats anything.
enum JavaFormatCheck {
  /// Finds out what kind of conversion the last letter is.
  static func classify(_ specifier: inout JavaFormatSpecifier) throws(JavaFormatException) {
    guard !specifier.isDate else { return }
    let letter = specifier.conversion
    guard "bBhHsScCdoxXeEfgGaAn%".utf8.contains(letter) else {
      throw JavaFormatException(
        "UnknownFormatConversionException",
        "\(ShownText.short(specifier.text)) is no specifier of Android, and ends the app; write %s, or %% for a percent "
          + "sign")
    }
    if (0x41...0x5A).contains(letter) {
      specifier.isUpperCase = true
      specifier.conversion = letter | 0x20
    }
    if letter == UInt8(ascii: "n") || letter == UInt8(ascii: "%") { specifier.index = .none }
  }

  /// Throws what Java throws.
  static func check(_ specifier: JavaFormatSpecifier) throws(JavaFormatException) {
    if specifier.isDate { return try checkDate(specifier) }
    switch specifier.conversion {
    case UInt8(ascii: "s"), UInt8(ascii: "b"), UInt8(ascii: "h"): try checkGeneral(specifier)
    case UInt8(ascii: "c"): try checkCharacter(specifier)
    case UInt8(ascii: "d"), UInt8(ascii: "o"), UInt8(ascii: "x"): try checkInteger(specifier)
    case UInt8(ascii: "%"), UInt8(ascii: "n"): try checkText(specifier)
    default: try checkFloat(specifier)
    }
  }

  private static func checkDate(_ specifier: JavaFormatSpecifier) throws(JavaFormatException) {
    try refusePrecision(specifier)
    guard "HIklMNLQpsSTzZaAbBCdehjmyYrRcDF".utf8.contains(specifier.conversion) else {
      throw JavaFormatException(
        "UnknownFormatConversionException",
        "\(ShownText.short(specifier.text)) is no specifier of Android, and ends the app; write %s")
    }
    try refuse("#+ 0,(", specifier)
    try needWidth("-", specifier)
  }

  private static func checkGeneral(_ specifier: JavaFormatSpecifier) throws(JavaFormatException) {
    if specifier.conversion != UInt8(ascii: "s") { try refuse("#", specifier) }
    try needWidth("-", specifier)
    try refuse("+ 0,(", specifier)
  }

  private static func checkCharacter(_ specifier: JavaFormatSpecifier) throws(JavaFormatException) {
    try refusePrecision(specifier)
    try refuse("#+ 0,(", specifier)
    try needWidth("-", specifier)
  }

  private static func checkInteger(_ specifier: JavaFormatSpecifier) throws(JavaFormatException) {
    try checkNumeric(specifier)
    try refusePrecision(specifier)
    try refuse(specifier.conversion == UInt8(ascii: "d") ? "#" : ",", specifier)
  }

  private static func checkFloat(_ specifier: JavaFormatSpecifier) throws(JavaFormatException) {
    try checkNumeric(specifier)
    switch specifier.conversion {
    case UInt8(ascii: "a"): try refuse("(,", specifier)
    case UInt8(ascii: "e"): try refuse(",", specifier)
    case UInt8(ascii: "g"): try refuse("#", specifier)
    default: return
    }
  }

  private static func checkNumeric(_ specifier: JavaFormatSpecifier) throws(JavaFormatException) {
    try needWidth("-0", specifier)
    if specifier.has("+") && specifier.has(" ") || specifier.has("-") && specifier.has("0") {
      throw flags(specifier)
    }
  }

  private static func checkText(_ specifier: JavaFormatSpecifier) throws(JavaFormatException) {
    try refusePrecision(specifier)
    if specifier.conversion == UInt8(ascii: "%") {
      if !specifier.flags.isEmpty, specifier.flags != [UInt8(ascii: "-")] { throw flags(specifier) }
      try needWidth("-", specifier)
    } else {
      if specifier.width != nil {
        throw JavaFormatException(
          "IllegalFormatWidthException", "\(ShownText.short(specifier.text)) has a width, and ends the app; write %n")
      }
      if !specifier.flags.isEmpty { throw flags(specifier) }
    }
  }

  private static func refuse(_ flags: String, _ specifier: JavaFormatSpecifier) throws(JavaFormatException) {
    guard let flag = flags.utf8.first(where: { specifier.flags.contains($0) }) else { return }
    throw JavaFormatException(
      "FormatFlagsConversionMismatchException",
      "\(ShownText.short(specifier.text)) does not take the flag “\(String(Character(Unicode.Scalar(flag))))”, and ends "
        + "the app; leave the flag out")
  }

  private static func needWidth(_ flags: String, _ specifier: JavaFormatSpecifier) throws(JavaFormatException) {
    guard specifier.width == nil, flags.utf8.contains(where: { specifier.flags.contains($0) }) else { return }
    throw JavaFormatException(
      "MissingFormatWidthException",
      "\(ShownText.short(specifier.text)) has a flag that needs a width, and ends the app; write %-10s for example")
  }

  private static func refusePrecision(_ specifier: JavaFormatSpecifier) throws(JavaFormatException) {
    guard specifier.precision != nil else { return }
    throw JavaFormatException(
      "IllegalFormatPrecisionException",
      "\(ShownText.short(specifier.text)) takes no precision, and ends the app; leave it out")
  }

  private static func flags(_ specifier: JavaFormatSpecifier) -> JavaFormatException {
    JavaFormatException(
      "IllegalFormatFlagsException",
      "\(ShownText.short(specifier.text)) has flags that do not go together, and ends the app; leave them out")
  }
}
