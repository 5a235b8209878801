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

  /// The most arrays and objects that may be open inside each other; Android's reader recurses without a limit.
  private static let depthMax = 128

  private init(_ text: String) {
    bytes = [UInt8](text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  /// The array that a text begins with.
  ///
  /// Throws a ``Fault`` when Android's reader throws, or when the text holds something else than an array.
  static func array(_ text: String) throws(Fault) -> Array {
    if let value = try? JSON.parse(text) {
      guard let elements = value.array else { throw Fault(description: "expected an array, found \(value.named)") }
      return Array(elements: elements, isStandard: true)
    }
    var reader = AndroidJSON(text)
    let value = try reader.value()
    guard let elements = value.array else { throw Fault(description: "expected an array, found \(value.named)") }
    return Array(elements: elements, isStandard: false)
  }

  /// The object that a text begins with.
  ///
  /// Throws a ``Fault`` when Android's reader throws, or when the text holds something else than an object.
  static func object(_ text: String) throws(Fault) -> JSONObject {
    let value: JSONValue
    if let standard = try? JSON.parse(text) {
      value = standard
    } else {
      var reader = AndroidJSON(text)
      value = try reader.value()
    }
    guard let members = value.object else { throw Fault(description: "expected an object, found \(value.named)") }
    return members
  }

  // MARK: Values

  private mutating func value() throws(Fault) -> JSONValue {
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
    return value
  }

  private mutating func object() throws(Fault) -> JSONValue {
    var object = JSONObject()
    let first = try nextClean()
    if first == UInt8(ascii: "}") { return .object(object) }
    if first != nil { index -= 1 }
    while true {
      guard case .string(let name) = try value() else { throw fault("a name that is not a string") }
      let separator = try nextClean()
      guard separator == UInt8(ascii: ":") || separator == UInt8(ascii: "=") else {
        throw fault("no : after the name \(name)")
      }
      if peek == UInt8(ascii: ">") { index += 1 }
      object[name] = try value()
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
    default: return Self.number(text).map { .number($0) } ?? .string(text)
    }
  }

  /// `{}[]/\:,=;#`, white space and line ends.
  private static func endsLiteral(_ byte: UInt8) -> Bool {
    "{}[]/\\:,=;# \t\u{0C}\r\n".utf8.contains(byte)
  }

  private static func number(_ text: String) -> JSONNumber? {
    if !text.utf8.contains(UInt8(ascii: ".")) {
      let digits = text.lowercased()
      if digits.hasPrefix("0x") { return Int64(digits.dropFirst(2), radix: 16).map { JSONNumber($0) } }
      if digits.utf8.count > 1, digits.hasPrefix("0"), let octal = Int64(digits.dropFirst(1), radix: 8) {
        return JSONNumber(octal)
      }
      if let decimal = Int64(digits) { return JSONNumber(decimal) }
    }
    return Double(text).flatMap { JSONNumber($0) }
  }

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

extension JSONValue {
  /// A value as Android's `getString` gives it: the text of any value, `null` included.
  var androidText: String { string ?? JSON.minifiedText(self) }
}

extension JSONObject {
  /// A member as Android's `getString` gives it; nil when there is none.
  func androidText(_ name: String) -> String? { self[name]?.androidText }
}
