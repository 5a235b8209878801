public import WireJSON

/// A proto3 duration: `3s`, `3.5s`, `-0.000000001s`.
public struct FCMDuration: PayloadValue, Comparable {
  /// Whole seconds, towards zero.
  public let seconds: Int64
  /// The fraction in nanoseconds, −999 999 999 to 999 999 999, with the sign of ``seconds``.
  public let nanoseconds: Int32

  /// The longest time to live that FCM keeps a message: four weeks, in seconds.
  public static let timeToLiveMax: Int64 = 2_419_200

  /// The largest magnitude of `google.protobuf.Duration`, in seconds (10 000 years).
  public static let secondsMax: Int64 = 315_576_000_000

  /// Makes a duration of whole seconds and a fraction of the same sign.
  public init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Makes a duration of milliseconds.
  public init(milliseconds: Int64) {
    self.init(seconds: milliseconds / 1000, nanoseconds: Int32(milliseconds % 1000) * 1_000_000)
  }

  /// Reads the JSON text: an optional sign, digits, up to nine decimals, `s`.
  public init?(text: String) {
    var bytes = Array(text.utf8)[...]
    guard bytes.popLast() == UInt8(ascii: "s") else { return nil }
    let isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative { bytes.removeFirst() }
    let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first.flatMap({ DecimalText.integer(String(decoding: $0, as: UTF8.self)) }),
      whole <= FCMDuration.secondsMax
    else { return nil }
    var fraction: Int32 = 0
    if parts.count == 2 {
      guard (1...9).contains(parts[1].count),
        let digits = DecimalText.integer(String(decoding: parts[1], as: UTF8.self))
      else { return nil }
      fraction = Int32(digits)
      for _ in parts[1].count..<9 { fraction *= 10 }
    }
    self.init(seconds: isNegative ? -whole : whole, nanoseconds: isNegative ? -fraction : fraction)
  }

  /// The JSON text as proto3 writes it: no decimals, or 3, 6 or 9 of them.
  public var text: String {
    let sign = seconds < 0 || nanoseconds < 0 ? "-" : ""
    let whole = "\(sign)\(seconds.magnitude)"
    guard nanoseconds != 0 else { return whole + "s" }
    var digits = "\(nanoseconds.magnitude)"
    digits = String(repeating: "0", count: 9 - digits.utf8.count) + digits
    while digits.hasSuffix("000") { digits.removeLast(3) }
    return whole + "." + digits + "s"
  }

  /// Reads the JSON string.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text: text)
  }

  /// The JSON string.
  public var json: JSONValue { .string(text) }

  /// Orders by length, negative ones first.
  public static func < (left: FCMDuration, right: FCMDuration) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}
