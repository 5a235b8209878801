import PushPayload
import PushRules
import WireJSON

extension FuzzTarget {
  /// The first byte chooses CSV or NDJSON and the size of the pieces, the rest is the file.
  static let audience = FuzzTarget(
    name: "audience", about: "the audience reader and the audit of a template: pieces do not matter, sizes are exact"
  ) { (bytes) throws(FuzzFailure) in
    guard let first = bytes.first else { return }
    let format: AudienceReader.Format = first & 1 == 0 ? .csv : .ndjson
    let file = Array(bytes.dropFirst())
    let whole = rows(file, format, piece: max(1, file.count))
    let pieces = rows(file, format, piece: Int(first >> 1) % 7 + 1)
    let isSame = whole.lines == pieces.lines && whole.error == pieces.error
    try expect(isSame, "the size of the pieces changes what is read")
    guard let template = try? PushTemplate(document) else { throw FuzzFailure("the template is not read") }
    var failure: FuzzFailure?
    var audit = TemplateAudit(template)
    var reader = AudienceReader(format)
    let visit = { (row: AudienceRow) in
      audit.add(row)
      do throws(FuzzFailure) { try check(row, template) } catch { failure = failure ?? error }
    }
    do throws(AudienceError) {
      try reader.feed(file, visit)
      try reader.finish(visit)
    } catch { try expect(error.line >= 1, "an error without a line") }
    if let failure { throw failure }
    try expect(audit.rows == whole.lines.count, "the audit counts \(audit.rows) rows of \(whole.lines.count)")
  }

  private static let document = Array(
    (#"{"apns":{"headers":{"apns-push-type":"alert"},"payload":"#
      + #"{"aps":{"alert":{"title":"Hi {{ name }}","body":"{{a.b}}"}}}},"#
      + #""fcm":{"message":{"token":"t","notification":{"title":"Hi {{name}}"},"data":{"k":"{{a.b}} {{id}}"}}}}"#).utf8)

  private static func rows(
    _ file: [UInt8], _ format: AudienceReader.Format, piece: Int
  ) -> (lines: [String], error: AudienceError?) {
    var reader = AudienceReader(format)
    var lines: [String] = []
    let visit = { (row: AudienceRow) in lines.append("\(row.number) \(row.recipient) \(row.value("name") ?? "–")") }
    do throws(AudienceError) {
      var start = 0
      while start < file.count {
        try reader.feed(file[start..<min(file.count, start + piece)], visit)
        start += piece
      }
      try reader.finish(visit)
      return (lines, nil)
    } catch {
      return (lines, error)
    }
  }

  /// The computed size is that of the message with its placeholders replaced.
  private static func check(_ row: AudienceRow, _ template: PushTemplate) throws(FuzzFailure) {
    guard let value = read(document) else { throw FuzzFailure("the template is no JSON") }
    let message = filled(value, row)
    for budget in template.budgets {
      let bytes = budget.bytes { row.value($0) }
      let actual: Int
      switch budget.name {
      case "ios": actual = JSON.minified(message["apns"]?["payload"] ?? .null).count
      default: actual = FCMBudget.bytes(ofRequest: JSON.minified(message["fcm"] ?? .null))
      }
      try expect(bytes == actual, "row \(row.number) on \(budget.name): computed \(bytes), written \(actual)")
    }
  }

  private static func filled(_ value: JSONValue, _ row: AudienceRow) -> JSONValue {
    switch value {
    case .object(let object): return .object(JSONObject(object.map { ($0.key, filled($0.value, row)) }))
    case .string(let text):
      return .string(filled(text, row))
    default: return value
    }
  }

  /// Replaces each mark of the template once: a value may look like a mark and stays what it is.
  private static func filled(_ text: String, _ row: AudienceRow) -> String {
    var result = ""
    var rest = text.utf8[...]
    while !rest.isEmpty {
      if let (mark, name) = marks.first(where: { rest.starts(with: $0.mark.utf8) }) {
        result += row.value(name) ?? ""
        rest = rest.dropFirst(mark.utf8.count)
      } else {
        result.unicodeScalars.append(Unicode.Scalar(rest.removeFirst()))
      }
    }
    return result
  }

  private static let marks = [
    (mark: "{{ name }}", name: "name"), (mark: "{{name}}", name: "name"), (mark: "{{a.b}}", name: "a.b"),
    (mark: "{{id}}", name: "id"),
  ]
}
