internal import Basics

/// A color of a notification.
public struct ShownColor: Sendable, Hashable {
  /// Red, 0 to 255.
  public var red: UInt8
  /// Green, 0 to 255.
  public var green: UInt8
  /// Blue, 0 to 255.
  public var blue: UInt8
  /// Opacity, 0 to 255.
  public var alpha: UInt8

  /// Makes a color.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// A color as a number, the opacity first.
  init(argb: UInt32) {
    self.init(
      red: UInt8(truncatingIfNeeded: argb >> 16), green: UInt8(truncatingIfNeeded: argb >> 8),
      blue: UInt8(truncatingIfNeeded: argb), alpha: UInt8(truncatingIfNeeded: argb >> 24))
  }

  /// Reads six hex digits, or eight with the opacity first as Android has them, with or without `#`; nil for others.
  public init?(_ text: String) {
    guard let bytes = Hex.decode(text.utf8.first == 0x23 ? text.dropFirst() : text[...]) else { return nil }
    switch bytes.count {
    case 3: self.init(red: bytes[0], green: bytes[1], blue: bytes[2])
    case 4: self.init(red: bytes[1], green: bytes[2], blue: bytes[3], alpha: bytes[0])
    default: return nil
    }
  }

  /// `#RRGGBB`, the opacity left out.
  public var hex: String { "#" + Hex.encode([red, green, blue], uppercase: true) }

  /// True when white letters on it can be read better than black ones.
  var isDark: Bool { Int(red) * 299 + Int(green) * 587 + Int(blue) * 114 < 140_000 }
}
