/// A colour of a notification.
public struct ShownColor: Sendable, Hashable {
  /// Red, 0 to 255.
  public var red: UInt8
  /// Green, 0 to 255.
  public var green: UInt8
  /// Blue, 0 to 255.
  public var blue: UInt8
  /// Opacity, 0 to 255.
  public var alpha: UInt8

  /// Makes a colour.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Reads six hex digits, or eight with the opacity first as Android has them, with or without `#`; nil for others.
  public init?(_ text: String) {
    var value: UInt32 = 0
    var digits = 0
    for (index, byte) in text.utf8.enumerated() {
      if index == 0, byte == 0x23 { continue }
      guard digits < 8, let digit = ShownColor.digit(byte) else { return nil }
      value = value << 4 | UInt32(digit)
      digits += 1
    }
    guard digits == 6 || digits == 8 else { return nil }
    self.init(
      red: UInt8(truncatingIfNeeded: value >> 16), green: UInt8(truncatingIfNeeded: value >> 8),
      blue: UInt8(truncatingIfNeeded: value), alpha: digits == 6 ? 255 : UInt8(truncatingIfNeeded: value >> 24))
  }

  /// `#RRGGBB`, the opacity left out.
  public var hex: String {
    var bytes: [UInt8] = [0x23]
    for part in [red, green, blue] {
      for nibble in [part >> 4, part & 15] { bytes.append(nibble < 10 ? nibble + 0x30 : nibble + 0x37) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// True when white letters on it can be read better than black ones.
  var isDark: Bool { Int(red) * 299 + Int(green) * 587 + Int(blue) * 114 < 140_000 }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
