/// The header fields of a request: bytes as received, in order, looked up without regard to case (RFC 9110 section 5.1).
///
/// All fields share one buffer; a field is converted to a `String` only on request.
public struct HTTPHeaders: Sendable {
  private struct Field: Sendable {
    let name: Range<Int>
    let value: Range<Int>
  }

  private var bytes: [UInt8] = []
  private var fields: [Field] = []

  /// No fields.
  public init() {}

  /// Fields from text, in order.
  public init(_ pairs: [(name: String, value: String)]) {
    for pair in pairs { append(name: pair.name, value: pair.value) }
  }

  /// The number of fields.
  public var count: Int { fields.count }

  /// The value of the first field with this name; ill-formed UTF-8 is repaired.
  public func first(_ name: StaticString) -> String? {
    valueBytes(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of the first field with this name.
  public func valueBytes(_ name: StaticString) -> ArraySlice<UInt8>? {
    for field in fields where matches(field.name, name) { return bytes[field.value] }
    return nil
  }

  /// How many fields carry this name.
  public func occurrences(of name: StaticString) -> Int {
    fields.count { matches($0.name, name) }
  }

  /// All fields as text, in the order received.
  public var all: [(name: String, value: String)] {
    fields.map { field in
      (String(decoding: bytes[field.name], as: UTF8.self), String(decoding: bytes[field.value], as: UTF8.self))
    }
  }

  /// Fields of a block of bytes that are named by ``append(name:value:)``.
  init(block: Span<UInt8>) {
    bytes = unsafe [UInt8](unsafeUninitializedCapacity: block.count) { buffer, count in
      unsafe block.withUnsafeBytes { unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
      count = block.count
    }
    fields.reserveCapacity(12)
  }

  /// Names a field by the ranges of its name and value in the block.
  mutating func append(name: Range<Int>, value: Range<Int>) { fields.append(Field(name: name, value: value)) }

  private mutating func append(name: String, value: String) {
    let start = bytes.count
    bytes += name.utf8
    let middle = bytes.count
    bytes += value.utf8
    fields.append(Field(name: start..<middle, value: middle..<bytes.count))
  }

  /// Whether a comma-separated value of any field with this name has the element, without regard to case.
  func lists(_ element: StaticString, in name: StaticString) -> Bool {
    fields.contains { field in
      guard matches(field.name, name) else { return false }
      return bytes[field.value].split(separator: UInt8(ascii: ",")).contains { part in
        var part = part
        while let first = part.first, ASCII.isBlank(first) { part.removeFirst() }
        while let last = part.last, ASCII.isBlank(last) { part.removeLast() }
        return matches(part.startIndex..<part.endIndex, element)
      }
    }
  }

  /// The values of all fields with this name, in the order received.
  func values(_ name: StaticString) -> [String] {
    fields.compactMap { field in
      matches(field.name, name) ? String(decoding: bytes[field.value], as: UTF8.self) : nil
    }
  }

  private func matches(_ range: Range<Int>, _ name: StaticString) -> Bool {
    guard range.count == name.utf8CodeUnitCount else { return false }
    return name.withUTF8Buffer { wanted in
      for index in 0..<range.count where unsafe !equalIgnoringCase(bytes[range.lowerBound + index], wanted[index]) {
        return false
      }
      return true
    }
  }
}

/// ASCII comparison without regard to case; other bytes compare exactly.
private func equalIgnoringCase(_ a: UInt8, _ b: UInt8) -> Bool {
  if a == b { return true }
  let lowered = a | 0x20
  return lowered == b | 0x20 && lowered >= 0x61 && lowered <= 0x7A
}
