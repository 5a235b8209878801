internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Segments as people write them: `plan = "pro" and (last_seen < 7d or tags contains "vip")`.
///
/// It is another form of the JSON that ``SegmentLanguage`` reads, which stays the one that is stored: an expression is
/// turned into JSON and read like any other, and what is wrong with it is reported at its column. docs/api.md,
/// “Segments”, has the grammar.
struct SegmentExpression: Sendable {
  /// Bytes of an expression.
  static let bytesMax = SegmentLimits.definitionBytesMax
  /// Names that people use for timestamps and for the user.
  static let synonyms = [
    "user": "id", "last_seen": "last_seen_at", "first_seen": "first_seen_at", "created": "created_at",
    "registered": "registered_at",
  ]

  /// The same in JSON.
  let filter: JSONValue
  /// Where the groups and conditions begin: paths in the JSON, and columns in the text, from 1.
  private let columns: [(path: String, column: Int)]
  /// Properties that look like a field with a typing error.
  private let doubts: [SegmentExpressionError]

  /// Translates an expression.
  ///
  /// - Throws: ``SegmentExpressionError`` when it is not of the grammar. Whether fields and values fit is not looked at.
  init(_ text: String) throws(SegmentExpressionError) {
    var parser = try SegmentExpressionParser(text)
    let root = try parser.whole()
    var columns: [(String, Int)] = []
    filter = root.json(at: FieldPath(), &columns)
    self.columns = columns
    doubts = parser.doubts
  }

  /// Reads an expression; nil when the report has an error.
  static func read(
    _ text: String, at field: FieldPath, into report: inout Report
  ) -> (filter: SegmentFilter, json: JSONValue)? {
    let expression: SegmentExpression
    do throws(SegmentExpressionError) { expression = try SegmentExpression(text) } catch {
      report.add(rule: "segment", severity: .error, field: field, message: error.description)
      return nil
    }
    var own = Report()
    let filter = SegmentLanguage.read(expression.filter, at: FieldPath(), into: &own)
    for finding in own.findings {
      let column = expression.column(of: finding.field)
      report.add(
        rule: finding.rule, severity: finding.severity, field: field, message: "column \(column): \(finding.message)")
    }
    for doubt in expression.doubts {
      report.add(rule: "segment", severity: .warning, field: field, message: doubt.description)
    }
    return filter.map { ($0, expression.filter) }
  }

  /// The column of the smallest part that a path is in.
  private func column(of path: String) -> Int {
    columns.filter { path.hasPrefix($0.path) }.max { $0.path.utf8.count < $1.path.utf8.count }?.column ?? 1
  }
}

/// What is wrong with an expression, and where.
struct SegmentExpressionError: Error, Sendable, CustomStringConvertible {
  /// The character, from 1.
  let column: Int
  let message: String

  var description: String { "column \(column): \(message)" }
}

/// A part of an expression.
indirect enum SegmentExpressionPart {
  case group(String, [SegmentExpressionPart], column: Int)
  case condition(field: String, operation: String, JSONValue?, column: Int)

  /// The part in JSON; notes where it and its own parts begin.
  func json(at path: FieldPath, _ columns: inout [(String, Int)]) -> JSONValue {
    switch self {
    case .group(let word, let parts, let column):
      columns.append((path.text, column))
      var conditions: [JSONValue] = []
      for (index, part) in parts.enumerated() {
        conditions.append(part.json(at: path.member("conditions").element(index), &columns))
      }
      return ["operator": .string(word), "conditions": .array(conditions)]
    case .condition(let field, let operation, let value, let column):
      columns.append((path.text, column))
      var object: JSONObject = ["field": .string(field), "op": .string(operation)]
      if let value { object.append("value", value) }
      return .object(object)
    }
  }
}
