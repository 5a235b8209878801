/// Upper case as languages have it.
enum UpperCase {
  /// A text in upper case; Turkish and Azeri keep the dot of `i`.
  static func text(_ text: String, locale: LocaleTag?) -> String {
    guard locale?.language == "tr" || locale?.language == "az" else { return text.uppercased() }
    var dotted = ""
    for scalar in text.unicodeScalars { dotted.unicodeScalars.append(scalar == "i" ? "\u{130}" : scalar) }
    return dotted.uppercased()
  }
}
