internal import Basics
import WireJSON

/// JSON text as Android's `org.json` reads it, which accepts more than RFC 8259 does.
///
/// Single quotes, unquoted words, comments, `=` and `=>` for `:`, `;` for `,`, a missing element of an array and anything
/// after the value are accepted; numbers may be hexadecimal or octal.
/// Source: Android, `org.json.JSONTokener`.
struct AndroidJSON {
  /// The elements of an array, and whether the text is JSON by the standard.
  struct Array: Equatable {
    var elements: [JSONValue]
    var isStandard: Bool
  }

  /// Why a text is not read: a sentence that completes "the text is not JSON: ".
  struct Fault: Error, Equatable {
    let description: String
  }

  private let bytes: [UInt8]
  private var index = 0
  private var depth = 0
  /// True when the last value is a number that is not finite.
  private var isInfinite = false

  /// The most arrays and objects that may be open inside each other; Android's reader recurses without a limit.
  private static let depthMax = 128

  private init(_ text: String) {
    bytes = [UInt8](text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  /// The value that a text begins with, and whether the text is JSON by the standard.
  ///
  /// Throws a ``Fault`` when Android's reader throws.
  static func read(_ text: String) throws(Fault) -> (value: JSONValue, isStandard: Bool) {
    if let value = try? JSON.parse(text), !hasInfiniteMember(value) { return (value, true) }
    var reader = AndroidJSON(text)
    return (try reader.value(), false)
  }

  /// The array that a text begins with.
  ///
  /// Throws a ``Fault`` when Android's reader throws, or when the text holds something else than an array.
  static func array(_ text: String) throws(Fault) -> Array {
    let (value, isStandard) = try read(text)
    guard let elements = value.array else { throw Fault(description: "expected an array, found \(value.named)") }
    return Array(elements: elements, isStandard: isStandard)
  }

  /// The object that a text begins with.
  ///
  /// Throws a ``Fault`` when Android's reader throws, or when the text holds something else than an object.
  static func object(_ text: String) throws(Fault) -> JSONObject {
    try object(read(text).value)
  }

  /// The members of a value that must be an object.
  static func object(_ value: JSONValue) throws(Fault) -> JSONObject {
    guard let members = value.object else { throw Fault(description: "expected an object, found \(value.named)") }
    return members
  }

  /// True when a member of an object is a number that no `double` holds, which Android's objects refuse.
  private static func hasInfiniteMember(_ value: JSONValue) -> Bool {
    switch value {
    case .array(let elements): elements.contains { hasInfiniteMember($0) }
    case .object(let members): members.contains { isInfinite($0.value) || hasInfiniteMember($0.value) }
    default: false
    }
  }

  private static func isInfinite(_ value: JSONValue) -> Bool {
    // The largest double has 309 digits; shorter than that only an exponent reaches beyond it.
    guard case .number(let number) = value else { return false }
    guard number.text.utf8.count > 308 || number.text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) else {
      return false
    }
    return number.double == nil
  }

  // MARK: Values

  private mutating func value() throws(Fault) -> JSONValue {
    isInfinite = false
    switch try nextClean() {
    case nil: throw fault("the end of the text")
    case UInt8(ascii: "{"): return try nested { reader throws(Fault) in try reader.object() }
    case UInt8(ascii: "["): return try nested { reader throws(Fault) in try reader.array() }
    case let quote? where quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"): return .string(try string(quote))
    default:
      index -= 1
      return try literal()
    }
  }

  private mutating func nested(
    _ read: (inout AndroidJSON) throws(Fault) -> JSONValue
  ) throws(Fault) -> JSONValue {
    guard depth < Self.depthMax else { throw Fault(description: "more than \(Self.depthMax) levels at byte \(index)") }
    depth += 1
    let value = try read(&self)
    depth -= 1
    isInfinite = false
    return value
  }

  private mutating func object() throws(Fault) -> JSONValue {
    var object = JSONObject()
    let first = try nextClean()
    if first == UInt8(ascii: "}") { return .object(object) }
    if first != nil { index -= 1 }
    while true {
      guard case .string(let name) = try value(), !isInfinite else { throw fault("a name that is not a string") }
      let separator = try nextClean()
      guard separator == UInt8(ascii: ":") || separator == UInt8(ascii: "=") else {
        throw fault("no : after the name \(name)")
      }
      if peek == UInt8(ascii: ">") { index += 1 }
      let member = try value()
      guard !isInfinite else { throw fault("no finite number for the name \(name)") }
      object[name] = member
      switch try nextClean() {
      case UInt8(ascii: "}"): return .object(object)
      case UInt8(ascii: ","), UInt8(ascii: ";"): continue
      default: throw fault("an object without its end")
      }
    }
  }

  /// A separator without a value before or after it means null.
  private mutating func array() throws(Fault) -> JSONValue {
    var elements: [JSONValue] = []
    var isAfterSeparator = false
    while true {
      switch try nextClean() {
      case nil: throw fault("an array without its end")
      case UInt8(ascii: "]"):
        if isAfterSeparator { elements.append(.null) }
        return .array(elements)
      case UInt8(ascii: ","), UInt8(ascii: ";"):
        elements.append(.null)
        isAfterSeparator = true
        continue
      default: index -= 1
      }
      elements.append(try value())
      switch try nextClean() {
      case UInt8(ascii: "]"): return .array(elements)
      case UInt8(ascii: ","), UInt8(ascii: ";"): isAfterSeparator = true
      default: throw fault("an array without its end")
      }
    }
  }

  private mutating func string(_ quote: UInt8) throws(Fault) -> String {
    var text: [UInt8] = []
    while let byte = next() {
      if byte == quote { return String(decoding: text, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") { try escape(into: &text) } else { text.append(byte) }
    }
    throw fault("a string without its end")
  }

  private mutating func escape(into text: inout [UInt8]) throws(Fault) {
    guard let byte = next() else { throw fault("an escape without its end") }
    switch byte {
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "u"): try unicode(into: &text)
    default: text.append(byte)
    }
  }

  /// Four hex digits, or a surrogate pair; half a pair is replaced, since no `String` of ours holds one.
  private mutating func unicode(into text: inout [UInt8]) throws(Fault) {
    let first = try hexUnit()
    var code = UInt32(first)
    if (0xD800...0xDBFF).contains(first), bytes[index...].starts(with: [0x5C, 0x75]) {
      let mark = index
      index += 2
      let second = try hexUnit()
      if (0xDC00...0xDFFF).contains(second) {
        code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
      } else {
        index = mark
      }
    }
    text.append(contentsOf: String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8)
  }

  private mutating func hexUnit() throws(Fault) -> UInt16 {
    guard index + 4 <= bytes.count,
      let unit = UInt16(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
    else { throw fault("\\u without four hex digits") }
    index += 4
    return unit
  }

  /// A word without quotes: `null`, a boolean, a number, or a string.
  private mutating func literal() throws(Fault) -> JSONValue {
    let start = index
    while let byte = peek, !Self.endsLiteral(byte) { index += 1 }
    guard index > start else { throw fault("no value") }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    switch text.lowercased() {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: return number(text)
    }
  }

  /// `{}[]/\:,=;#`, white space and line ends.
  private static func endsLiteral(_ byte: UInt8) -> Bool {
    "{}[]/\\:,=;# \t\u{0C}\r\n".utf8.contains(byte)
  }

  /// A `long` in decimal, hexadecimal or octal digits, else a `double`, else a string.
  private mutating func number(_ text: String) -> JSONValue {
    if let integer = Self.long(text) { return .number(JSONNumber(integer)) }
    guard let value = Self.double(text) else { return .string(text) }
    guard let number = JSONNumber(value) else {
      isInfinite = true
      return .string(value.javaText)
    }
    return .number(number)
  }

  private static func long(_ text: String) -> Int64? {
    guard !text.utf8.contains(UInt8(ascii: ".")) else { return nil }
    let lower = text.lowercased()
    if lower.hasPrefix("0x") { return Int64(lower.dropFirst(2), radix: 16) }
    return lower.utf8.count > 1 && lower.hasPrefix("0") ? Int64(lower.dropFirst(1), radix: 8) : Int64(lower)
  }

  /// What `Double.valueOf` reads in Java: a suffix `f` or `d` is accepted, `inf` and a hexadecimal number without an
  /// exponent are not.
  private static func double(_ text: String) -> Double? {
    var rest = text.utf8[...]
    let isSigned = rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+")
    let sign = isSigned && rest.removeFirst() == UInt8(ascii: "-") ? -1.0 : 1.0
    if rest.elementsEqual("NaN".utf8) { return .nan }
    if rest.elementsEqual("Infinity".utf8) { return sign * .infinity }
    guard let first = rest.first, let last = rest.last, first == UInt8(ascii: ".") || isDigit(first) else { return nil }
    let isHexadecimal = rest.starts(with: "0x".utf8) || rest.starts(with: "0X".utf8)
    if isHexadecimal, !rest.contains(where: { $0 | 0x20 == UInt8(ascii: "p") }) { return nil }
    if last | 0x20 == UInt8(ascii: "f") || last | 0x20 == UInt8(ascii: "d") { rest.removeLast() }
    return Double(Substring(rest)).map { sign * $0 }
  }

  /// A whole number as `optInt` and `optLong` read it: that of a number or of its text, without the fraction.
  ///
  /// Source: Android, `org.json.JSON.toInteger`, which has Java's `Double.parseDouble` read the text.
  static func integer(_ value: JSONValue) -> WholeNumber? {
    guard let number = value.string.flatMap({ double(OneSignal.trimmed($0)) }) ?? value.double else {
      return Optional.none
    }
    if number.isNaN { return 0 }
    return number.magnitude < 0x1p63 ? WholeNumber(number) : number < 0 ? .min : .max
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  // MARK: Bytes

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func next() -> UInt8? {
    guard index < bytes.count else { return nil }
    index += 1
    return bytes[index - 1]
  }

  /// The next byte that is neither white space nor in a comment: `/* */`, `//` or `#`.
  private mutating func nextClean() throws(Fault) -> UInt8? {
    while let byte = next() {
      switch byte {
      case 0x09, 0x0A, 0x0D, 0x20: continue
      case UInt8(ascii: "#"): skipLine()
      case UInt8(ascii: "/") where peek == UInt8(ascii: "/"): skipLine()
      case UInt8(ascii: "/") where peek == UInt8(ascii: "*"): try skipComment()
      default: return byte
      }
    }
    return nil
  }

  private mutating func skipLine() {
    while let byte = next(), byte != 0x0A, byte != 0x0D {}
  }

  private mutating func skipComment() throws(Fault) {
    index += 1
    while let byte = next() {
      guard byte == UInt8(ascii: "*"), peek == UInt8(ascii: "/") else { continue }
      index += 1
      return
    }
    throw fault("a comment without its end")
  }

  private func fault(_ what: String) -> Fault { Fault(description: "\(what) at byte \(index)") }
}
