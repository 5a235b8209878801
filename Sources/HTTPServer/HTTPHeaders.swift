/// The header fields of a request: bytes as received, in order, looked up without regard to case (RFC 9110 section 5.1).
///
/// All fields share one buffer; a field becomes a `String` only when it is asked for.
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
    for pair in pairs { append(name: Array(pair.name.utf8).span, value: Array(pair.value.utf8).span) }
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

  mutating func reserve(fields count: Int, bytes size: Int) {
    fields.reserveCapacity(count)
    bytes.reserveCapacity(size)
  }

  mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
    let start = bytes.count
    for index in name.indices { bytes.append(name[index]) }
    let middle = bytes.count
    for index in value.indices { bytes.append(value[index]) }
    fields.append(Field(name: start..<middle, value: middle..<bytes.count))
  }

  private func matches(_ range: Range<Int>, _ name: StaticString) -> Bool {
    guard range.count == name.utf8CodeUnitCount else { return false }
    return name.withUTF8Buffer { wanted in
      for index in 0..<range.count where !equalIgnoringCase(bytes[range.lowerBound + index], wanted[index]) {
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
