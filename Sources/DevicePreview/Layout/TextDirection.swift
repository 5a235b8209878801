/// The direction a text or a whole interface runs in.
public enum TextDirection: String, Sendable, Hashable, CaseIterable {
  /// From left to right.
  case leftToRight = "ltr"
  /// From right to left.
  case rightToLeft = "rtl"

  /// The languages that are written from right to left.
  private static let languages = [
    "ar", "arc", "ckb", "dv", "fa", "he", "iw", "ji", "ks", "ku", "ps", "sd", "ug", "ur", "yi",
  ]

  /// The direction of the interface in a locale.
  public static func of(locale: String) -> TextDirection {
    var parts: [String] = []
    for part in locale.split(whereSeparator: { $0 == "-" || $0 == "_" }) { parts.append(part.lowercased()) }
    if parts.contains("arab") || parts.contains("hebr") { return .rightToLeft }
    if parts.contains("latn") || parts.contains("cyrl") { return .leftToRight }
    return languages.contains(parts.first ?? "") ? .rightToLeft : .leftToRight
  }

  /// The direction of a text by its first letter that has one; nil for a text without such a letter.
  static func of(_ scalars: ArraySlice<Unicode.Scalar>) -> TextDirection? {
    for scalar in scalars {
      switch scalar.value {
      case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF:
        return .rightToLeft
      case 0x41...0x5A, 0x61...0x7A, 0xC0...0x02B8, 0x0370...0x0589, 0x0900...0x1FFF, 0x2E80...0xD7FF,
        0x10000...0x107FF, 0x20000...0x3FFFF:
        return .leftToRight
      default: continue
      }
    }
    return nil
  }
}
