/// JSON, as far as the client needs it: its own files, the server's short answers, and payloads.
package enum AppJSON: Equatable, Sendable {
  case null
  case bool(Bool)
  /// A number by its text.
  case number(String)
  case string(String)
  case array([AppJSON])
  /// Members in their order; of two with one name the last is read.
  case object([Member])

  /// A name and its value.
  package struct Member: Equatable, Sendable {
    package let name: String
    package let value: AppJSON
  }

  package subscript(_ name: String) -> AppJSON? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  package var string: String? { if case .string(let text) = self { text } else { nil } }
  package var array: [AppJSON]? { if case .array(let values) = self { values } else { nil } }
  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  package var integer: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }

  /// An object without the members that have no value.
  static func members(_ members: [(String, AppJSON?)]) -> AppJSON {
    .object(members.compactMap { member in member.1.map { Member(name: member.0, value: $0) } })
  }

  /// The minified text.
  package var text: String {
    var out = ""
    write(to: &out)
    return out
  }

  private func write(to out: inout String) {
    switch self {
    case .null: out += "null"
    case .bool(let value): out += value ? "true" : "false"
    case .number(let text): out += text
    case .string(let text): Self.write(text, to: &out)
    case .array(let values):
      out += "["
      for (index, value) in values.enumerated() {
        if index > 0 { out += "," }
        value.write(to: &out)
      }
      out += "]"
    case .object(let members):
      out += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { out += "," }
        Self.write(member.name, to: &out)
        out += ":"
        member.value.write(to: &out)
      }
      out += "}"
    }
  }

  private static func write(_ text: String, to out: inout String) {
    let digits = Array("0123456789abcdef")
    out += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case _ where scalar.value < 0x20:
        out += "\\u00"
        out.append(digits[Int(scalar.value >> 4)])
        out.append(digits[Int(scalar.value & 15)])
      default: out.unicodeScalars.append(scalar)
      }
    }
    out += "\""
  }

  /// The value of a text; nil when it is not JSON, or nested deeper than 64.
  package static func parse(_ text: String) -> AppJSON? {
    var reader = Reader(bytes: Array(text.utf8))
    guard let value = reader.value(depth: 0) else { return nil }
    reader.skipSpace()
    return reader.isAtEnd ? value : nil
  }
}

/// Reads one JSON text.
private struct Reader {
  private static let depthMax = 64
  let bytes: [UInt8]
  private var index = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { index == bytes.count }
  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  mutating func skipSpace() {
    while let byte = next, [0x20, 0x0a, 0x0d, 0x09].contains(byte) { index += 1 }
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    skipSpace()
    guard next == byte else { return false }
    index += 1
    return true
  }

  private mutating func skip(word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    let same = word.withUTF8Buffer { bytes[index...].prefix(count).elementsEqual($0) }
    if same { index += count }
    return same
  }

  mutating func value(depth: Int) -> AppJSON? {
    guard depth < Self.depthMax else { return nil }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return object(depth)
    case UInt8(ascii: "["): return array(depth)
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "t"): return skip(word: "true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return skip(word: "false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return skip(word: "null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(_ depth: Int) -> AppJSON? {
    var members: [AppJSON.Member] = []
    index += 1
    if skip(UInt8(ascii: "}")) { return .object([]) }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\""), let name = string(), skip(UInt8(ascii: ":")),
        let value = value(depth: depth + 1)
      else { return nil }
      members.append(AppJSON.Member(name: name, value: value))
    } while skip(UInt8(ascii: ","))
    return skip(UInt8(ascii: "}")) ? .object(members) : nil
  }

  private mutating func array(_ depth: Int) -> AppJSON? {
    var values: [AppJSON] = []
    index += 1
    if skip(UInt8(ascii: "]")) { return .array([]) }
    repeat {
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
    } while skip(UInt8(ascii: ","))
    return skip(UInt8(ascii: "]")) ? .array(values) : nil
  }

  private mutating func number() -> AppJSON? {
    let start = index
    while let byte = next, (0x30...0x39).contains(byte) || [0x2b, 0x2d, 0x2e, 0x45, 0x65].contains(byte) { index += 1 }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    return Double(text) == nil ? nil : .number(text)
  }

  private mutating func string() -> String? {
    index += 1
    var units: [UInt8] = []
    while let byte = next {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: units, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escape() else { return nil }
        units.append(contentsOf: Array(String(scalar).utf8))
      case 0..<0x20: return nil
      default: units.append(byte)
      }
    }
    return nil
  }

  private mutating func escape() -> Unicode.Scalar? {
    guard let byte = next else { return nil }
    index += 1
    switch byte {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "u"): return unicode()
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    default: return nil
    }
  }

  /// A code unit, or the pair that a scalar beyond the first plane is written as.
  private mutating func unicode() -> Unicode.Scalar? {
    guard let high = hex() else { return nil }
    guard (0xd800..<0xdc00).contains(high) else { return Unicode.Scalar(high) ?? "\u{fffd}" }
    let before = index
    guard skip(word: "\\u"), let low = hex(), (0xdc00..<0xe000).contains(low) else {
      index = before
      return "\u{fffd}"
    }
    return Unicode.Scalar(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))
  }

  private mutating func hex() -> UInt32? {
    guard index + 4 <= bytes.count else { return nil }
    defer { index += 4 }
    return UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
  }
}
