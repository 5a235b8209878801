public import WireJSON

/// The colour of a notification icon: `#rrggbb`.
public struct FCMHexColor: PayloadValue {
  /// Red, 0 to 255.
  public let red: UInt8
  /// Green, 0 to 255.
  public let green: UInt8
  /// Blue, 0 to 255.
  public let blue: UInt8

  /// Makes a colour.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Reads `#` and six hexadecimal digits of either case.
  public init?(text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 7, bytes[0] == UInt8(ascii: "#") else { return nil }
    var value: UInt32 = 0
    for byte in bytes[1...] {
      guard let digit = Hex.digit(byte, upperCaseAllowed: true) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    self.init(
      red: UInt8(truncatingIfNeeded: value >> 16), green: UInt8(truncatingIfNeeded: value >> 8),
      blue: UInt8(truncatingIfNeeded: value))
  }

  /// `#rrggbb` in lower case.
  public var text: String {
    let digits = String(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue), radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.utf8.count) + digits
  }

  /// Reads the JSON string.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text: text)
  }

  /// The JSON string.
  public var json: JSONValue { .string(text) }
}
