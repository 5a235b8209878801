internal import PushPayload
internal import WireJSON

/// Bodies of requests.
enum RequestBody {
  /// The deepest nesting read in a body.
  static let jsonDepthMax = 64

  /// Reads a body and checks its shape; what the shape does not know is noted and ignored.
  static func read(_ bytes: [UInt8], _ schema: Schema, into report: inout Report) throws(Problem) -> JSONValue {
    guard !bytes.isEmpty else { throw Problem(.badJSON, "the body is empty; send a JSON object") }
    let value: JSONValue
    do throws(JSONError) {
      let (parsed, duplicates) = try JSON.parseReporting(bytes, limits: JSONLimits(maxDepth: jsonDepthMax))
      for duplicate in duplicates { report.add(duplicate) }
      value = parsed
    } catch { throw Problem(.badJSON, error.description) }
    if schema.matches(value, schemas: SchemaTable.byName) { return value }
    schema.check(value, schemas: SchemaTable.byName, into: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    return value
  }
}
