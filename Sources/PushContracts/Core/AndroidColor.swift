/// Colors as Android reads them from texts.
///
/// Source: Android, `Color.parseColor`.
package enum AndroidColor {
  /// A color as a number, the opacity first; nil for a text that is neither a name nor six or eight digits behind “#”.
  ///
  /// The first of them may be a sign, as `Long.parseLong` reads them.
  package static func parse(_ text: String) -> UInt32? {
    guard text.utf8.first == UInt8(ascii: "#") else {
      let name = text.lowercased()
      return names.first { $0.name == name }.map { $0.rgb | black }
    }
    let count = text.utf16.count
    guard count == 7 || count == 9, let number = KotlinNumber.long(String(text.dropFirst()), radix: 16) else {
      return nil
    }
    return UInt32(truncatingIfNeeded: number) | (count == 7 ? black : 0)
  }

  /// Opaque black.
  package static let black: UInt32 = 0xFF00_0000

  private static let names: [(name: String, rgb: UInt32)] = [
    ("black", 0), ("darkgray", 0x444444), ("gray", 0x888888), ("lightgray", 0xCCCCCC), ("white", 0xFFFFFF),
    ("red", 0xFF0000), ("green", 0x00FF00), ("blue", 0x0000FF), ("yellow", 0xFFFF00), ("cyan", 0x00FFFF),
    ("magenta", 0xFF00FF), ("aqua", 0x00FFFF), ("fuchsia", 0xFF00FF), ("darkgrey", 0x444444), ("grey", 0x888888),
    ("lightgrey", 0xCCCCCC), ("lime", 0x00FF00), ("maroon", 0x800000), ("navy", 0x000080), ("olive", 0x808000),
    ("purple", 0x800080), ("silver", 0xC0C0C0), ("teal", 0x008080),
  ]
}
