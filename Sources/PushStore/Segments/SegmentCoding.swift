internal import StoreModel

/// How a push keeps the segment it is for, frozen at its creation: tagged values, texts with their length before them.
enum SegmentCoding {
  static func encode(_ filter: SegmentFilter) -> [UInt8] {
    var bytes: [UInt8] = []
    put(filter, &bytes)
    return bytes
  }

  static func decode(_ bytes: [UInt8]) -> SegmentFilter? {
    var reader = Reader(bytes: bytes[...])
    return reader.filter(depth: 0)
  }

  private static func put(_ filter: SegmentFilter, _ bytes: inout [UInt8]) {
    switch filter {
    case .and(let parts): put(1, parts, &bytes)
    case .or(let parts): put(2, parts, &bytes)
    case .none(let parts): put(4, parts, &bytes)
    case .condition(let condition):
      bytes.append(3)
      switch condition.field {
      case .column(let column): put(1, column.rawValue, &bytes)
      case .attribute(let name): put(2, name, &bytes)
      case .entitlements: put(3, "", &bytes)
      case .alias(let label): put(4, label, &bytes)
      }
      put(condition.comparison, &bytes)
    }
  }

  private static func put(_ tag: UInt8, _ parts: [SegmentFilter], _ bytes: inout [UInt8]) {
    bytes.append(tag)
    put(Int64(parts.count), &bytes)
    for part in parts { put(part, &bytes) }
  }

  private static func put(_ comparison: SegmentComparison, _ bytes: inout [UInt8]) {
    switch comparison {
    case .equal(let value): put(1, value, &bytes)
    case .notEqual(let value): put(2, value, &bytes)
    case .greater(let value): put(3, value, &bytes)
    case .greaterOrEqual(let value): put(4, value, &bytes)
    case .less(let value): put(5, value, &bytes)
    case .lessOrEqual(let value): put(6, value, &bytes)
    case .contains(let part): put(7, part, &bytes)
    case .notContains(let part): put(8, part, &bytes)
    case .exists: bytes.append(9)
    case .notExists: bytes.append(10)
    case .within(let span):
      bytes.append(11)
      put(span, &bytes)
    case .notWithin(let span):
      bytes.append(12)
      put(span, &bytes)
    }
  }

  private static func put(_ tag: UInt8, _ value: AttributeValue, _ bytes: inout [UInt8]) {
    bytes.append(tag)
    switch value {
    case .text(let text): put(1, text, &bytes)
    case .integer(let number): put(2, number, &bytes)
    case .real(let number): put(3, Int64(bitPattern: number.bitPattern), &bytes)
    case .bool(let bool): put(4, bool ? 1 : 0, &bytes)
    case .time(let instant): put(5, instant.milliseconds, &bytes)
    }
  }

  private static func put(_ tag: UInt8, _ number: Int64, _ bytes: inout [UInt8]) {
    bytes.append(tag)
    put(number, &bytes)
  }

  private static func put(_ tag: UInt8, _ text: String, _ bytes: inout [UInt8]) {
    bytes.append(tag)
    put(Int64(text.utf8.count), &bytes)
    bytes.append(contentsOf: text.utf8)
  }

  private static func put(_ number: Int64, _ bytes: inout [UInt8]) {
    for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift * 8))) }
  }

  private struct Reader {
    var bytes: ArraySlice<UInt8>

    mutating func byte() -> UInt8? { bytes.popFirst() }

    mutating func number() -> Int64? {
      guard bytes.count >= 8 else { return nil }
      defer { bytes.removeFirst(8) }
      return bytes.prefix(8).reversed().reduce(0) { $0 << 8 | Int64($1) }
    }

    mutating func text() -> String? {
      guard let count = number(), count >= 0, bytes.count >= count else { return nil }
      defer { bytes.removeFirst(Int(count)) }
      return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
    }

    mutating func filter(depth: Int) -> SegmentFilter? {
      guard depth <= SegmentLimits.depthMax, let tag = byte() else { return nil }
      if tag == 3 {
        guard let field = field(), let comparison = comparison() else { return nil }
        return .condition(SegmentCondition(field, comparison))
      }
      guard let count = number(), count <= Int64(bytes.count) else { return nil }
      var parts: [SegmentFilter] = []
      for _ in 0..<max(count, 0) {
        guard let part = filter(depth: depth + 1) else { return nil }
        parts.append(part)
      }
      return tag == 1 ? .and(parts) : tag == 2 ? .or(parts) : .none(parts)
    }

    private mutating func field() -> SegmentField? {
      guard let tag = byte(), let text = text() else { return nil }
      switch tag {
      case 1: return SegmentColumn(rawValue: text).map { .column($0) }
      case 2: return .attribute(text)
      case 4: return .alias(text)
      default: return .entitlements
      }
    }

    private mutating func comparison() -> SegmentComparison? {
      guard let tag = byte() else { return nil }
      switch tag {
      case 7: return untagged().map { .contains($0) }
      case 8: return untagged().map { .notContains($0) }
      case 9: return .exists
      case 10: return .notExists
      case 11: return number().map { .within(milliseconds: $0) }
      case 12: return number().map { .notWithin(milliseconds: $0) }
      default: return value().flatMap { Self.compared(tag, $0) }
      }
    }

    private mutating func untagged() -> String? { text() }

    private static func compared(_ tag: UInt8, _ value: AttributeValue) -> SegmentComparison? {
      switch tag {
      case 1: .equal(value)
      case 2: .notEqual(value)
      case 3: .greater(value)
      case 4: .greaterOrEqual(value)
      case 5: .less(value)
      case 6: .lessOrEqual(value)
      default: nil
      }
    }

    private mutating func value() -> AttributeValue? {
      guard let tag = byte() else { return nil }
      if tag == 1 { return text().map { .text($0) } }
      guard let number = number() else { return nil }
      switch tag {
      case 2: return .integer(number)
      case 3: return .real(Double(bitPattern: UInt64(bitPattern: number)))
      case 4: return .bool(number == 1)
      default: return .time(Timestamp(milliseconds: number))
      }
    }
  }
}
