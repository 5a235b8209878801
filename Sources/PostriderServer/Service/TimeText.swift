internal import Basics
internal import StoreModel

/// Times in the API: RFC 3339 text.
enum TimeText {
  /// The most bytes of a property's text that are read as a time.
  private static let propertyBytesMax = 40

  /// `2026-11-20T12:00:00.000Z`: UTC with milliseconds.
  static func text(_ time: Timestamp) -> String { text(ms: time.milliseconds) }

  static func text(ms: Int64) -> String { RFC3339Time.text(milliseconds: ms) }

  /// Reads a date and time with any offset, to the millisecond; nil for anything else.
  static func instant(_ text: String) -> Timestamp? {
    guard let time = RFC3339Time(text), time.fractionDigits <= 9 else { return nil }
    return timestamp(time)
  }

  /// Reads a property's text as a time, also with a space between date and time; nil when it is another text.
  static func property(_ text: String) -> Timestamp? {
    guard text.utf8.count <= propertyBytesMax else { return nil }
    return RFC3339Time(text, accepting: .space).map(timestamp)
  }

  private static func timestamp(_ time: RFC3339Time) -> Timestamp {
    Timestamp(milliseconds: time.seconds * 1_000 + time.milliseconds)
  }
}
