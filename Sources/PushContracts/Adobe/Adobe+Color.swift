internal import Basics
import PushPayload

extension Adobe {
  /// A color of a template key; Android and iOS order the digits of eight differently.
  public struct Color: Sendable, Hashable {
    /// Red, 0 to 255.
    public var red: UInt8
    /// Green, 0 to 255.
    public var green: UInt8
    /// Blue, 0 to 255.
    public var blue: UInt8
    /// Opacity, 0 to 255; 255 with six digits.
    public var alpha: UInt8

    /// Makes a color.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }

    /// A color as Android has it, the opacity first.
    init(_ number: UInt32) {
      self.init(
        red: UInt8(truncatingIfNeeded: number >> 16), green: UInt8(truncatingIfNeeded: number >> 8),
        blue: UInt8(truncatingIfNeeded: number), alpha: UInt8(truncatingIfNeeded: number >> 24))
    }

    /// Reads `RRGGBB` or, in Android's order, `AARRGGBB`; nil for anything else.
    public init?(argb text: String) {
      guard let bytes = Color.bytes(text) else { return nil }
      if bytes.count == 3 {
        self.init(red: bytes[0], green: bytes[1], blue: bytes[2])
      } else {
        self.init(red: bytes[1], green: bytes[2], blue: bytes[3], alpha: bytes[0])
      }
    }

    /// Reads `RRGGBB` or, in the order of iOS, `RRGGBBAA`; nil for anything else.
    public init?(rgba text: String) {
      guard let bytes = Color.bytes(text) else { return nil }
      self.init(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes.count == 4 ? bytes[3] : 255)
    }

    /// `RRGGBB`, or `AARRGGBB` unless the color is opaque.
    public var argb: String { Color.text(alpha == 255 ? [red, green, blue] : [alpha, red, green, blue]) }
    /// `RRGGBB`, or `RRGGBBAA` unless the color is opaque.
    public var rgba: String { Color.text(alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]) }

    /// The three or four bytes of six or eight hex digits.
    private static func bytes(_ text: String) -> [UInt8]? {
      text.utf8.count == 6 || text.utf8.count == 8 ? Hex.decode(text) : nil
    }

    private static func text(_ bytes: [UInt8]) -> String { Hex.encode(bytes, uppercase: true) }

    /// The digits of a color as a sender may give it: a `#` before them is taken off.
    static func digits(_ text: String) -> String { text.utf8.first == 0x23 ? String(text.dropFirst()) : text }

    /// The digits of a color as the iOS extension reads it: white space around them and every `#` are taken off.
    static func trimmedDigits(_ text: String) -> String {
      String(decoding: AppleText.trimmed(text, lines: true).utf8.filter { $0 != 0x23 }, as: UTF8.self)
    }

    /// What goes on the wire for a color of a message; six plain digits stay as they are.
    static func wire(_ text: String?, _ platform: Platform) -> String? {
      guard let text else { return nil }
      if text.utf8.count == 6 { return text }
      guard let color = Color(argb: digits(text)) else { return text }
      return platform == .ios ? color.rgba : color.argb
    }
  }
}

extension Adobe {
  /// Says of each color how it is written, or that it is none.
  static func checkColors(_ message: Lent<Message>, _ report: inout Report) {
    // Nearly always there is none.
    if message.pointee.titleColor == nil, message.pointee.bodyColor == nil, message.pointee.backgroundColor == nil,
      message.pointee.iconColor == nil, message.pointee.timerColor == nil, message.pointee.callToActionColor == nil,
      message.pointee.callToActionTextColor == nil
    {
      return
    }
    checkColor("adb_clr_title", message.pointee.titleColor, &report)
    checkColor("adb_clr_body", message.pointee.bodyColor, &report)
    checkColor("adb_clr_bg", message.pointee.backgroundColor, &report)
    checkColor("adb_clr_icon", message.pointee.iconColor, &report)
    checkColor("adb_clr_tmr", message.pointee.timerColor, &report)
    checkColor("adb_cta_clr", message.pointee.callToActionColor, &report)
    checkColor("adb_cta_txt_clr", message.pointee.callToActionTextColor, &report)
  }

  private static func checkColor(_ field: String, _ text: String?, _ report: inout Report) {
    guard let text else { return }
    guard let color = Color(argb: Color.digits(text)) else {
      return report.add(
        rule: "adobe-color", severity: .warning, field: field,
        message:
          "a color is six hex digits such as 00FF00, or eight, alpha first; the device draws its own color instead")
    }
    if text.utf8.count == 6 { return }
    report.add(
      rule: "adobe-color-converted", severity: .note, field: field,
      message: color.alpha == 255
        ? "written as \(color.argb)" : "written as \(color.argb) on Android and \(color.rgba) on iOS")
  }
}
