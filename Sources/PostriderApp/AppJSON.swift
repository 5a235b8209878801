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
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let text): text
    case .string(let text): Self.quoted(text)
    case .array(let values): "[\(values.map(\.text).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(Self.quoted($0.name)):\($0.value.text)" }.joined(separator: ","))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": out += "\\\(scalar)"
      case _ where scalar.value < 0x20: out += "\\u\(padded(scalar.value, 4, radix: 16))"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
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

  private mutating func skip(word: String) -> Bool {
    guard bytes[index...].starts(with: word.utf8) else { return false }
    index += word.utf8.count
    return true
  }

  mutating func value(depth: Int) -> AppJSON? {
    guard depth < Self.depthMax else { return nil }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return list(UInt8(ascii: "}")) { $0.member(depth + 1) }.map { .object($0) }
    case UInt8(ascii: "["): return list(UInt8(ascii: "]")) { $0.value(depth: depth + 1) }.map { .array($0) }
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "t"): return skip(word: "true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return skip(word: "false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return skip(word: "null") ? .null : nil
    default: return number()
    }
  }

  private mutating func member(_ depth: Int) -> AppJSON.Member? {
    skipSpace()
    guard next == UInt8(ascii: "\""), let name = string(), skip(UInt8(ascii: ":")) else { return nil }
    return value(depth: depth).map { AppJSON.Member(name: name, value: $0) }
  }

  /// Elements between commas, up to `end`.
  private mutating func list<Element>(_ end: UInt8, _ element: (inout Reader) -> Element?) -> [Element]? {
    var elements: [Element] = []
    index += 1
    if skip(end) { return elements }
    repeat {
      guard let found = element(&self) else { return nil }
      elements.append(found)
    } while skip(UInt8(ascii: ","))
    return skip(end) ? elements : nil
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

  private static let escapes: [UInt8: Unicode.Scalar] = [
    0x22: "\"", 0x5c: "\\", 0x2f: "/", 0x62: "\u{8}", 0x66: "\u{c}", 0x6e: "\n", 0x72: "\r", 0x74: "\t",
  ]

  private mutating func escape() -> Unicode.Scalar? {
    guard let byte = next else { return nil }
    index += 1
    return byte == UInt8(ascii: "u") ? unicode() : Self.escapes[byte]
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
