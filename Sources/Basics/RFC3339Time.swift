/// A time as RFC 3339 writes it: a date, a time of day and the offset from UTC, such as `2030-01-02T03:04:05.25+01:00`.
public struct RFC3339Time: Sendable, Hashable {
  /// Whole seconds since 1970-01-01 UTC; a leap second is the first second of the next minute.
  public let seconds: Int64
  /// The first three digits of the fraction, 0 to 999.
  public let milliseconds: Int64
  /// How many digits the fraction has; 0 without one.
  public let fractionDigits: Int

  /// Forms beyond RFC 3339 that ISO 8601 or common practice has.
  public struct Extensions: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: Int
    /// Makes a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// A space between date and time.
    public static let space = Extensions(rawValue: 1)
    /// An offset without a colon: `+0100`.
    public static let compactOffset = Extensions(rawValue: 2)
  }

  /// Reads a text; nil for anything else, also for days that no calendar has.
  public init?(_ text: String, accepting extensions: Extensions = []) {
    var text = text
    guard let time = text.withUTF8({ unsafe RFC3339Time.read($0, extensions) }) else { return nil }
    self = time
  }

  private static func read(_ text: UnsafeBufferPointer<UInt8>, _ extensions: Extensions) -> RFC3339Time? {
    var reader = unsafe Reader(text: text)
    guard let days = reader.date(),
      reader.take("T") || reader.take("t") || extensions.contains(.space) && reader.take(" "),
      let second = reader.timeOfDay(), let fraction = reader.fraction(),
      let offset = reader.offset(colonNeeded: !extensions.contains(.compactOffset)), reader.index == text.count
    else { return nil }
    return RFC3339Time(
      seconds: Int64(days * 86_400 + second - offset), milliseconds: fraction.milliseconds,
      fractionDigits: fraction.digits)
  }

  private init(seconds: Int64, milliseconds: Int64, fractionDigits: Int) {
    (self.seconds, self.milliseconds, self.fractionDigits) = (seconds, milliseconds, fractionDigits)
  }

  /// `@safe`: it is made and used within the call that lends the text, and reads below the text's count only.
  @safe private struct Reader {
    let text: UnsafeBufferPointer<UInt8>
    var index = 0

    mutating func take(_ mark: Unicode.Scalar) -> Bool {
      guard unsafe index < text.count, unsafe text[index] == UInt8(ascii: mark) else { return false }
      index += 1
      return true
    }

    mutating func number(_ digits: Int) -> WholeNumber? {
      guard unsafe index + digits <= text.count else { return nil }
      var value: WholeNumber = 0
      // The formatter would join `unsafe` and the name.
      // swift-format-ignore
      for unsafe byte in unsafe text[index..<index + digits] {
        guard byte &- 0x30 < 10 else { return nil }
        value = value * 10 + WholeNumber(byte &- 0x30)
      }
      index += digits
      return value
    }

    /// Days since 1970-01-01.
    mutating func date() -> WholeNumber? {
      guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
        (1...12).contains(month), day >= 1, day <= CivilDay.count(inMonth: month, of: year)
      else { return nil }
      return CivilDay.days(year, month, day)
    }

    /// Seconds since midnight; second 60 is a leap second.
    mutating func timeOfDay() -> WholeNumber? {
      guard let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2), hour < 24,
        minute < 60, second <= 60
      else { return nil }
      return hour * 3_600 + minute * 60 + second
    }

    mutating func fraction() -> (milliseconds: Int64, digits: Int)? {
      guard take(".") else { return (0, 0) }
      let start = index
      var (milliseconds, weight) = (Int64(0), Int64(100))
      while let digit = number(1) {
        milliseconds += Int64(digit) * weight
        weight /= 10
      }
      return index > start ? (milliseconds, index - start) : nil
    }

    /// Seconds east of UTC.
    mutating func offset(colonNeeded: Bool) -> WholeNumber? {
      if take("Z") || take("z") { return 0 }
      let isWest = take("-")
      guard isWest || take("+"), let hours = number(2), take(":") || !colonNeeded, let minutes = number(2), hours < 24,
        minutes < 60
      else { return nil }
      return (hours * 3_600 + minutes * 60) * (isWest ? -1 : 1)
    }
  }
}

extension RFC3339Time {
  /// The text of a time in UTC with whole seconds: `2030-01-02T03:04:05Z`.
  public static func text(seconds: Int64) -> String { text(seconds: WholeNumber(seconds), milliseconds: nil) }

  /// The text of a time in UTC with milliseconds: `2030-01-02T03:04:05.678Z`.
  public static func text(milliseconds: Int64) -> String {
    let (seconds, rest) = WholeNumber(milliseconds).floored(by: 1_000)
    return text(seconds: seconds, milliseconds: rest)
  }

  private static func text(seconds: WholeNumber, milliseconds: WholeNumber?) -> String {
    let (days, second) = seconds.floored(by: 86_400)
    let date = CivilDay.date(days)
    // 12 digits of the largest year, its sign, and 20 characters.
    return unsafe String(unsafeUninitializedCapacity: 40) { buffer in
      var writer = unsafe Writer(buffer: buffer)
      writer.number(date.year, width: 4)
      writer.number(date.month, width: 2, after: "-")
      writer.number(date.day, width: 2, after: "-")
      writer.number(second / 3_600, width: 2, after: "T")
      writer.number(second / 60 % 60, width: 2, after: ":")
      writer.number(second % 60, width: 2, after: ":")
      if let milliseconds { writer.number(milliseconds, width: 3, after: ".") }
      writer.append(UInt8(ascii: "Z"))
      return writer.count
    }
  }

  /// `@safe`: it is used within the call that lends the buffer, whose capacity is that of the longest time.
  @safe private struct Writer {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    var count = 0

    mutating func append(_ byte: UInt8) {
      unsafe buffer[count] = byte
      count += 1
    }

    mutating func number(_ value: WholeNumber, width: Int, after mark: Unicode.Scalar) {
      append(UInt8(ascii: mark))
      number(value, width: width)
    }

    /// A sign before the digits; the year alone can be negative.
    mutating func number(_ value: WholeNumber, width: Int) {
      if value < 0 { append(UInt8(ascii: "-")) }
      var (weight, rest): (UInt64, UInt64) = (1, UInt64(value.magnitude))
      for _ in 1..<width { weight *= 10 }
      while rest / weight > 9 { weight *= 10 }
      while weight > 0 {
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / weight))
        rest %= weight
        weight /= 10
      }
    }
  }
}
