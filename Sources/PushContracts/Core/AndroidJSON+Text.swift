import WireJSON

extension JSONValue {
  /// A value as `getString` and `optString` of Android's `org.json` give it: the text of any value, `null` included.
  ///
  /// Source: Android, `org.json.JSON.toString`, `JSONObject.numberToString`, `JSONStringer`.
  var androidText: String {
    switch self {
    case .string(let text): return text
    case .number(let number): return number.androidText(inside: false)
    default:
      var bytes: [UInt8] = []
      appendAndroidText(to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private func appendAndroidText(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let flag): bytes += (flag ? "true" : "false").utf8
    case .number(let number): bytes += number.androidText(inside: true).utf8
    case .string(let text): JSONValue.quote(text, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.appendAndroidText(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONValue.quote(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.appendAndroidText(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// Android also escapes the solidus, and writes control characters in lower-case hexadecimal digits.
  private static func quote(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x09: bytes += "\\t".utf8
      case 0x08: bytes += "\\b".utf8
      case 0x0A: bytes += "\\n".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0x0C: bytes += "\\f".utf8
      case 0..<0x20: bytes += ("\\u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension JSONObject {
  /// A member as Android's `getString` gives it; nil when there is none.
  func androidText(_ name: String) -> String? { self[name]?.androidText }
}

extension JSONNumber {
  /// The number as Android reads and writes it: a `long`, or else a `double`.
  ///
  /// - Parameter inside: whether it is inside of an array or object, where a `double` without a fraction is written as
  ///   an integer.
  fileprivate func androidText(inside: Bool) -> String {
    if isInteger, let integer = Int64(text) { return integer.description }
    guard let value = Double(text) else { return text }
    if inside {
      if value == 0, value.sign == .minus { return "-0" }
      if let integer = Int64(exactly: value) { return integer.description }
    }
    return value.javaText
  }
}

extension Double {
  /// The text of `Double.toString` in Java: digits with a fraction from 0.001 to below 10000000, else with an exponent.
  var javaText: String {
    guard isFinite else { return isNaN ? "NaN" : self < 0 ? "-Infinity" : "Infinity" }
    let sign = self.sign == .minus ? "-" : ""
    if self == 0 { return sign + "0.0" }
    let (digits, exponent) = magnitude.shortestDigits
    if magnitude >= 1e-3, magnitude < 1e7 { return sign + Double.plain(digits, exponent) }
    let fraction = digits.dropFirst()
    return sign + Double.text(digits.prefix(1)) + "." + (fraction.isEmpty ? "0" : Double.text(fraction))
      + "E\(exponent)"
  }

  /// The digits without zeros at their ends, and the power of ten of the first; the value is positive.
  private var shortestDigits: (digits: [UInt8], exponent: Int) {
    let parts = description.split(separator: "e")
    var exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    var digits: [UInt8] = []
    var isFraction = false
    for byte in parts[0].utf8 {
      if byte == UInt8(ascii: ".") {
        isFraction = true
        continue
      }
      if isFraction { exponent -= 1 }
      digits.append(byte)
    }
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    while digits.first == UInt8(ascii: "0") { digits.removeFirst() }
    return (digits, exponent + digits.count - 1)
  }

  private static func plain(_ digits: [UInt8], _ exponent: Int) -> String {
    let zero = UInt8(ascii: "0")
    if exponent < 0 { return "0." + text([UInt8](repeating: zero, count: -exponent - 1) + digits) }
    let whole = exponent + 1
    let padded = digits + [UInt8](repeating: zero, count: max(0, whole + 1 - digits.count))
    return text(padded.prefix(whole)) + "." + text(padded.dropFirst(whole))
  }

  private static func text(_ digits: some Sequence<UInt8>) -> String {
    String(decoding: [UInt8](digits), as: UTF8.self)
  }
}
