internal import Basics

/// Times as vendors and databases write them; without an offset they are UTC.
enum VendorTime {
  /// Numbers below are seconds since 1970, others milliseconds; as seconds this is the year 5138.
  private static let secondsMax: Int64 = 100_000_000_000

  /// Milliseconds since 1970; nil for a text that is no time.
  static func milliseconds(_ text: String) -> Int64? {
    if let number = Int64(text) {
      guard number > 0 else { return nil }
      return number < secondsMax ? number * 1_000 : number
    }
    var text = text
    if text.hasSuffix(" UTC") { text.removeLast(4) }
    // As it is; without an offset; with the hours of one; a day alone.
    for ending in ["", "Z", ":00", "T00:00:00Z"] {
      if let time = RFC3339Time(ending.isEmpty ? text : text + ending, accepting: [.space, .compactOffset]) {
        return time.seconds * 1_000 + time.milliseconds
      }
    }
    return nil
  }
}
