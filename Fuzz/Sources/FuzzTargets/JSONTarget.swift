import WireJSON

extension FuzzTarget {
  static let json = FuzzTarget(
    name: "json", about: "JSON.parse and JSONDocument: read → write → read is equal, minified text is a fixpoint"
  ) { (bytes) throws(FuzzFailure) in
    var document = JSONDocument()
    let value: JSONValue
    do throws(JSONError) {
      try document.parse(bytes)
      value = try JSON.parse(bytes)
    } catch {
      return try checkRefusal(error, bytes)
    }
    try expect(document.value(document.root) == value, "the document and the value differ")
    let minified = JSON.minified(value)
    try expect(minified.count <= bytes.count, "the minified text is longer than its source")
    try expect(read(minified) == value, "minified and read again, the value is another")
    try expect(read(minified).map { JSON.minified($0) } == minified, "minified text is no fixpoint")
    try expect(read(Array(JSON.pretty(value).utf8)) == value, "indented and read again, the value is another")
    try walk(document, document.root, bytes)
    for duplicate in document.duplicates() {
      try expect(bytes.indices.contains(duplicate.offset), "a repeated name stands outside of the text")
    }
  }

  private static func checkRefusal(_ error: JSONError, _ bytes: [UInt8]) throws(FuzzFailure) {
    try expect((0...bytes.count).contains(error.offset), "the fault stands outside of the text: \(error.offset)")
    try expect(error.line >= 1 && error.column >= 1, "the fault stands at \(error.line):\(error.column)")
    try expect(!error.expected.isEmpty, "the refusal does not say what was expected")
    var again: JSONError?
    do throws(JSONError) { _ = try JSON.parse(bytes) } catch { again = error }
    try expect(again == error, "the document and the value are refused differently")
  }

  /// Every node's text lies inside the source and reads to the node's value.
  private static func walk(_ document: JSONDocument, _ node: JSONNode, _ bytes: [UInt8]) throws(FuzzFailure) {
    let range = document.sourceRange(of: node)
    try expect(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a node lies outside of the text: \(range)")
    switch document.kind(node) {
    case .array:
      for element in document.elements(of: node) { try walk(document, element, bytes) }
    case .object:
      for (name, value) in document.members(of: node) {
        try walk(document, name, bytes)
        try walk(document, value, bytes)
      }
    case .null, .bool, .number, .string:
      try expect(
        read(Array(bytes[range])) == document.value(node), "the text of a scalar reads to another value: \(range)")
    }
  }

  /// Reads what we wrote; nil when it is not JSON, which equals no value.
  static func read(_ bytes: [UInt8]) -> JSONValue? { try? JSON.parse(bytes) }

}
