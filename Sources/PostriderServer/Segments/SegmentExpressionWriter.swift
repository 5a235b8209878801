internal import StoreModel

extension SegmentFilter {
  /// The filter as an expression that means the same (``SegmentExpression``).
  var expression: String { plain.text(within: nil) }

  /// Without groups of one part, and “none of (a or b)” as “none of a, b”.
  var plain: SegmentFilter {
    switch self {
    case .condition: return self
    case .and(let parts) where parts.count == 1, .or(let parts) where parts.count == 1: return parts[0].plain
    case .and(let parts): return .and(parts.map(\.plain))
    case .or(let parts): return .or(parts.map(\.plain))
    case .none(let parts):
      let parts = parts.map(\.plain)
      if parts.count == 1, case .or(let inner) = parts[0] { return .none(inner) }
      return .none(parts)
    }
  }

  private func text(within outer: String?) -> String {
    switch self {
    case .condition(let condition): return condition.expression
    // Without parts they are everyone and nobody, for which the grammar has no words of their own.
    case .and(let parts) where parts.isEmpty, .none(let parts) where parts.isEmpty: return "registered_at exists"
    case .or(let parts) where parts.isEmpty: return "registered_at not exists"
    case .and(let parts): return Self.join(parts, "and", within: outer)
    case .or(let parts): return Self.join(parts, "or", within: outer)
    case .none(let parts):
      return "not " + (parts.count == 1 ? parts[0].text(within: "not") : Self.join(parts, "or", within: "not"))
    }
  }

  private static func join(_ parts: [SegmentFilter], _ word: String, within outer: String?) -> String {
    let text = parts.map { $0.text(within: word) }.joined(separator: " \(word) ")
    // “and” binds closer than “or”; everything else needs brackets.
    return outer == nil || outer == "or" && word == "and" ? text : "(\(text))"
  }
}

extension SegmentCondition {
  fileprivate var expression: String {
    let name = field.expression
    return switch comparison {
    case .equal(let value): "\(name) = \(value.expression)"
    case .notEqual(let value): "\(name) != \(value.expression)"
    case .greater(let value): "\(name) > \(value.expression)"
    case .greaterOrEqual(let value): "\(name) >= \(value.expression)"
    case .less(let value): "\(name) < \(value.expression)"
    case .lessOrEqual(let value): "\(name) <= \(value.expression)"
    case .contains(let part): "\(name) contains \(Self.quoted(part))"
    case .notContains(let part): "\(name) not contains \(Self.quoted(part))"
    case .exists: "\(name) exists"
    case .notExists: "\(name) not exists"
    case .within(let span): "\(name) < \(Self.span(span))"
    case .notWithin(let span): "\(name) > \(Self.span(span))"
    }
  }

  fileprivate static func quoted(_ text: String) -> String {
    // Scalar by scalar: a mark with an accent is another character, but still a mark.
    var quoted = String.UnicodeScalarView("\"".unicodeScalars)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "\"": quoted.append(contentsOf: ["\\", scalar])
      case "\n": quoted.append(contentsOf: ["\\", "n"])
      default: quoted.append(scalar)
      }
    }
    quoted.append("\"")
    return String(quoted)
  }

  /// The largest unit that leaves a whole number.
  private static func span(_ milliseconds: Int64) -> String {
    let units: [(Int64, String)] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m")]
    let unit = units.first { milliseconds % $0.0 == 0 } ?? (1_000, "s")
    return "\(milliseconds / unit.0)\(unit.1)"
  }
}

extension SegmentField {
  /// The name as short as it can be read.
  fileprivate var expression: String {
    switch self {
    case .column(let column): return column.rawValue
    case .entitlements: return "entitlements"
    case .alias(let label): return SegmentField.aliases + label
    case .attribute(let name):
      for prefix in SegmentLanguage.families where name.utf8.starts(with: prefix.utf8) {
        let rest = String(Substring(name.utf8.dropFirst(prefix.utf8.count)))
        return Self.isPlain(rest) ? name : prefix + SegmentCondition.quoted(rest)
      }
      return name
    }
  }

  private static func isPlain(_ name: String) -> Bool {
    name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }
}

extension AttributeValue {
  fileprivate var expression: String {
    switch self {
    case .text(let text): SegmentCondition.quoted(text)
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .bool(let bool): "\(bool)"
    case .time(let time): TimeText.text(time)
    }
  }
}
