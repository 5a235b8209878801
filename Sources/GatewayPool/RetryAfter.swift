/// The `Retry-After` header, RFC 9110 section 10.2.3.
package enum RetryAfter {
  /// The longest wait that is believed, in seconds: a day.
  package static let secondsMax = 86_400

  /// Reads the form in seconds, brought down to ``secondsMax``; `nil` for a date, which neither provider sends, and for
  /// anything else.
  package static func seconds(in text: ArraySlice<UInt8>) -> Int? {
    guard !text.isEmpty else { return nil }
    var value = 0
    for byte in text {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      value = min(value * 10 + Int(byte - UInt8(ascii: "0")), secondsMax)
    }
    return value
  }
}
