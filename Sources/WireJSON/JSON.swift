/// Reading and writing whole values.
public enum JSON {
  /// Reads a document of RFC 8259 from UTF-8 bytes, strictly: one value, no byte order mark, no lone surrogates.
  ///
  /// When a name is repeated in an object, the last value wins and takes the position of the first, as in JavaScript;
  /// `parseReporting` reports such members.
  ///
  /// - Throws: `JSONError` with the offset and what was expected there.
  public static func parse(_ bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) -> JSONValue {
    var document = JSONDocument()
    try document.parse(bytes, limits: limits)
    return document.value(document.root)
  }

  /// Reads a document from a string; see `parse(_:limits:)` for bytes.
  public static func parse(_ text: String, limits: JSONLimits = .default) throws(JSONError) -> JSONValue {
    var document = JSONDocument()
    try document.parse(text, limits: limits)
    return document.value(document.root)
  }

  /// Reads a document and reports the repeated members of its objects, in the order of the text.
  public static func parseReporting(
    _ bytes: [UInt8], limits: JSONLimits = .default
  ) throws(JSONError) -> (value: JSONValue, duplicates: [JSONDuplicate]) {
    var document = JSONDocument()
    try document.parse(bytes, limits: limits)
    return (document.value(document.root), document.duplicates())
  }

  /// The shortest text of a value: no spaces, raw UTF-8, only the escapes that RFC 8259 requires.
  public static func minified(_ value: JSONValue) -> [UInt8] {
    var writer = JSONWriter()
    writer.value(value)
    return writer.bytes
  }

  /// The same as a string, for JSON that travels inside a JSON string.
  public static func minifiedText(_ value: JSONValue) -> String {
    var writer = JSONWriter()
    writer.value(value)
    return writer.text
  }
}
