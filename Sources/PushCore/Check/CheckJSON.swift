internal import PushPayload
internal import PushRules
internal import WireJSON

/// Findings as one JSON document.
package enum CheckJSON {
  /// `{"files": 2, "errors": 1, …, "findings": [{"file": …, "line": …, …}], "unreadable": [{"file", "message"}]}`.
  package static func document(_ files: [CheckedFile], _ totals: CheckTotals) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    for (name, count) in [
      ("files", totals.files), ("errors", totals.errors), ("warnings", totals.warnings), ("notes", totals.notes),
    ] {
      writer.key(name)
      writer.int(count)
    }
    writer.key("findings")
    writer.beginArray()
    for file in files {
      for located in file.findings { writer.value(.object(json(located, of: file))) }
    }
    writer.endArray()
    writer.key("unreadable")
    writer.beginArray()
    for file in files {
      guard let failure = file.failure else { continue }
      writer.value(["file": .string(file.name), "message": .string(failure)])
    }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }

  private static func json(_ located: LocatedFinding, of file: CheckedFile) -> JSONObject {
    var object: JSONObject = [
      "file": .string(file.name), "line": .number(JSONNumber(located.location.line)),
      "column": .number(JSONNumber(located.location.column)), "byte": .number(JSONNumber(located.location.offset)),
    ]
    for (key, value) in located.finding.json { object.append(key, value) }
    object.append("pointer", .string(located.finding.pointer))
    if let fix = located.fix { object.append("fix", .string(fix)) }
    return object
  }
}
