internal import Basics
public import WireJSON

/// An RFC 3339 date and time, as proto3 JSON writes it: `2026-01-31T09:00:00.5Z` or with an offset.
public struct FCMTimestamp: PayloadValue {
  /// The text, as it was read or given.
  public let text: String

  /// Reads a text; nil when it is not an RFC 3339 date and time with a valid date.
  public init?(text: String) {
    guard let time = RFC3339Time(text), time.fractionDigits <= 9 else { return nil }
    self.text = text
  }

  /// Makes the UTC text of an instant in seconds since 1970, year 1 to 9999.
  public init?(epochSeconds: Int64) {
    guard (-62_135_596_800...253_402_300_799).contains(epochSeconds) else { return nil }
    text = RFC3339Time.text(seconds: epochSeconds)
  }

  /// Reads the JSON string.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text: text)
  }

  /// The JSON string.
  public var json: JSONValue { .string(text) }
}
