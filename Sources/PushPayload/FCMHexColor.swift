internal import Basics
public import WireJSON

/// The color of a notification icon: `#rrggbb`.
public struct FCMHexColor: PayloadValue {
  /// Red, 0 to 255.
  public let red: UInt8
  /// Green, 0 to 255.
  public let green: UInt8
  /// Blue, 0 to 255.
  public let blue: UInt8

  /// Makes a color.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Reads `#` and six hexadecimal digits of either case.
  public init?(text: String) {
    guard text.utf8.first == UInt8(ascii: "#"), let bytes = Hex.decode(text.dropFirst()), bytes.count == 3 else {
      return nil
    }
    self.init(red: bytes[0], green: bytes[1], blue: bytes[2])
  }

  /// `#rrggbb` in lower case.
  public var text: String { "#" + Hex.encode([red, green, blue]) }

  /// Reads the JSON string.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text: text)
  }

  /// The JSON string.
  public var json: JSONValue { .string(text) }
}
