internal import Basics

/// Tells by its first bytes what form a file has.
enum ImportForm {
  static func find(_ start: [UInt8], _ vendor: ImportVendor) throws(Exit) -> ImportVendor.Form {
    if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
      throw .unreadable("is UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE")
    }
    guard !start.contains(0) else { throw .unreadable("is not text") }
    guard let first = start.first(where: { !" \t\r\n".utf8.contains($0) }) else { throw .unreadable("is empty") }
    let line = String(
      decoding: start.drop { " \t\r\n".utf8.contains($0) }.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    switch first {
    case UInt8(ascii: "{"):
      guard vendor.forms.contains(.ndjson) else { throw .unreadable("is JSON; \(vendor.title)'s file is CSV") }
      // The first object goes on in the next line.
      if line[...].trimmed == "{" {
        throw .unreadable("has JSON objects of several lines; put each of them in one: jq -c . FILE")
      }
      return .ndjson
    case UInt8(ascii: "["):
      throw .unreadable("is a JSON array; put each of its elements in a line: jq -c '.[]' FILE")
    default: break
    }
    if let table = vendor.tableName, isDump(line) { return .copy(table: table) }
    if vendor.forms.contains(.lines), !isHeader(line, vendor) { return .lines }
    return .csv
  }

  /// Whether a line is how dumps of databases begin.
  private static func isDump(_ line: String) -> Bool {
    ["--", "COPY ", "SET ", "\\restrict ", "INSERT INTO ", "CREATE ", "/*"].contains { line.hasPrefix($0) }
  }

  /// Whether a line has the name of the column of tokens, or several cells.
  private static func isHeader(_ line: String, _ vendor: ImportVendor) -> Bool {
    let names = vendor.columns.filter(\.isRequired).flatMap(\.names).map { $0.lowercased() }
    let cells = line.lowercased().split { ",;\t\"\r ".contains($0) }.map(String.init)
    return cells.count > 1 || cells.contains { names.contains($0) }
  }
}
