internal import PushPayload
internal import WireJSON

/// Bodies of requests.
enum RequestBody {
  /// The deepest nesting read in a body.
  static let jsonDepthMax = 64
  /// The most names and values read in a body: each takes about 40 bytes while its request is served.
  static let jsonTokensMax = 1 << 19
  /// What is read of a body.
  static let limits = JSONLimits(maxDepth: jsonDepthMax, maxTokens: jsonTokensMax)

  /// Reads a body and checks its shape; what the shape does not know is noted and ignored.
  static func read(_ bytes: [UInt8], _ schema: Schema, into report: inout Report) throws(Problem) -> JSONValue {
    guard !bytes.isEmpty else { throw notJSON("the body is empty; send a JSON object", at: FieldPath()) }
    let value: JSONValue
    do throws(JSONError) {
      let (parsed, duplicates) = try JSON.parseReporting(bytes, limits: limits)
      for duplicate in duplicates { report.add(duplicate) }
      value = parsed
    } catch { throw notJSON(error.description, at: FieldPath(pointer: error.pointer)) }
    if schema.matches(value, schemas: SchemaTable.byName) { return value }
    schema.check(value, schemas: SchemaTable.byName, into: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    return value
  }

  private static func notJSON(_ detail: String, at path: FieldPath) -> Problem {
    Problem(
      .badJSON, detail,
      report: Report([Finding(rule: "json-invalid", severity: .error, field: path.text, message: detail)]))
  }
}
