internal import Basics

/// The filter `date`: the directives of `strftime`, in English.
extension LiquidRenderer {
  mutating func date(_ text: Range<Int>, _ format: Range<Int>) -> Value {
    let read = String(decoding: bytes[text], as: UTF8.self)
    guard !format.isEmpty, let time = LiquidTime(reading: read, now: now) else { return .text(text) }
    let start = bytes.count
    var at = format.lowerBound
    while at < format.upperBound {
      guard bytes[at] == UInt8(ascii: "%"), at + 1 < format.upperBound else {
        bytes.append(bytes[at])
        at += 1
        continue
      }
      let directive = at
      at += 1
      var flags = TimeFlags()
      while at + 1 < format.upperBound, flags.take(bytes[at]) { at += 1 }
      let letter = bytes[at]
      at += 1
      if !append(letter, time, flags) { for index in directive..<at { bytes.append(bytes[index]) } }
    }
    return held(from: start)
  }

  private mutating func append(_ letter: UInt8, _ time: LiquidTime, _ flags: TimeFlags) -> Bool {
    switch letter {
    case UInt8(ascii: "A"): append(name: TimeNames.weekdays[Int(time.weekday)], flags)
    case UInt8(ascii: "a"): append(name: String(TimeNames.weekdays[Int(time.weekday)].prefix(3)), flags)
    case UInt8(ascii: "B"): append(name: TimeNames.months[Int(time.month) - 1], flags)
    case UInt8(ascii: "b"), UInt8(ascii: "h"):
      append(name: String(TimeNames.months[Int(time.month) - 1].prefix(3)), flags)
    case UInt8(ascii: "p"): append(name: time.hour < 12 ? "AM" : "PM", flags)
    case UInt8(ascii: "P"): append(name: time.hour < 12 ? "am" : "pm", flags)
    case UInt8(ascii: "Z"): append(name: time.offset == 0 ? "UTC" : "", flags)
    case UInt8(ascii: "z"): append(offset: time.offset)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "%"): bytes.append(letter)
    default:
      if let parts = Self.composed(letter) {
        for (letter, mark) in parts {
          _ = append(letter, time, TimeFlags())
          if mark != 0 { bytes.append(mark) }
        }
        return true
      }
      guard let (value, width, padding) = Self.number(letter, time) else { return false }
      append(value, width, flags.padding ?? padding)
    }
    return true
  }

  /// Directives made of others, each with the character behind it.
  private static func composed(_ letter: UInt8) -> [(UInt8, UInt8)]? {
    func parts(_ text: StaticString) -> [(UInt8, UInt8)] {
      text.withUTF8Buffer { text in
        stride(from: 0, to: text.count, by: 2).map { unsafe (text[$0], $0 + 1 < text.count ? text[$0 + 1] : 0) }
      }
    }
    switch letter {
    case UInt8(ascii: "D"), UInt8(ascii: "x"): return parts("m/d/y")
    case UInt8(ascii: "F"): return parts("Y-m-d")
    case UInt8(ascii: "T"), UInt8(ascii: "X"): return parts("H:M:S")
    case UInt8(ascii: "R"): return parts("H:M")
    case UInt8(ascii: "r"): return parts("I:M:S p")
    case UInt8(ascii: "c"): return parts("a b e H:M:S Y")
    default: return nil
    }
  }

  /// A number with its width and what fills it.
  private static func number(_ letter: UInt8, _ time: LiquidTime) -> (WholeNumber, Int, UInt8)? {
    let hour12 = (time.hour + 11) % 12 + 1
    let zero = UInt8(ascii: "0")
    switch letter {
    case UInt8(ascii: "d"): return (time.day, 2, zero)
    case UInt8(ascii: "e"): return (time.day, 2, 0x20)
    case UInt8(ascii: "m"): return (time.month, 2, zero)
    case UInt8(ascii: "Y"): return (time.year, 1, zero)
    case UInt8(ascii: "y"): return (time.year % 100, 2, zero)
    case UInt8(ascii: "C"): return (time.year / 100, 2, zero)
    case UInt8(ascii: "H"): return (time.hour, 2, zero)
    case UInt8(ascii: "k"): return (time.hour, 2, 0x20)
    case UInt8(ascii: "I"): return (hour12, 2, zero)
    case UInt8(ascii: "l"): return (hour12, 2, 0x20)
    case UInt8(ascii: "M"): return (time.minute, 2, zero)
    case UInt8(ascii: "S"): return (time.second, 2, zero)
    case UInt8(ascii: "j"): return (time.dayOfYear, 3, zero)
    case UInt8(ascii: "s"): return (time.seconds, 1, zero)
    case UInt8(ascii: "u"): return ((time.weekday + 6) % 7 + 1, 1, zero)
    case UInt8(ascii: "w"): return (time.weekday, 1, zero)
    case UInt8(ascii: "U"): return ((time.dayOfYear + 6 - time.weekday) / 7, 2, zero)
    case UInt8(ascii: "W"): return ((time.dayOfYear + 6 - (time.weekday + 6) % 7) / 7, 2, zero)
    case UInt8(ascii: "V"): return (time.isoWeek.week, 2, zero)
    case UInt8(ascii: "G"): return (time.isoWeek.year, 1, zero)
    case UInt8(ascii: "g"): return (time.isoWeek.year % 100, 2, zero)
    default: return nil
    }
  }

  private mutating func append(name: String, _ flags: TimeFlags) {
    bytes.append(contentsOf: (flags.isUpper ? name.uppercased() : name).utf8)
  }

  private mutating func append(offset: WholeNumber) {
    bytes.append(offset < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
    append(Swift.abs(offset) / 3_600, 2, UInt8(ascii: "0"))
    append(Swift.abs(offset) / 60 % 60, 2, UInt8(ascii: "0"))
  }

  /// A number; without filling when `padding` is zero.
  private mutating func append(_ number: WholeNumber, _ width: Int, _ padding: UInt8) {
    let text = String(number)
    if padding != 0 { for _ in 0..<max(0, width - text.utf8.count) { bytes.append(padding) } }
    bytes.append(contentsOf: text.utf8)
  }
}

/// What is between the percent sign and the letter: `-` for no filling, `_` for spaces, `0` for zeros, `^` for capitals.
struct TimeFlags {
  private(set) var padding: UInt8?
  private(set) var isUpper = false

  mutating func take(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"): padding = 0
    case UInt8(ascii: "_"): padding = 0x20
    case UInt8(ascii: "0"): padding = UInt8(ascii: "0")
    case UInt8(ascii: "^"): isUpper = true
    default: return false
    }
    return true
  }
}
