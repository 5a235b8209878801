/// The start of an element.
struct XMLElement: Sendable, Hashable {
  /// The name without its prefix.
  let name: String
  /// The namespace that the prefix is bound to; empty for none.
  let namespace: String
  /// The attributes, in order.
  let attributes: [XMLAttribute]
  /// Where the element starts, in bytes.
  let offset: Int

  /// The value of an attribute without a namespace.
  func attribute(_ name: String) -> String? {
    attributes.first { $0.namespace.isEmpty && $0.name == name }?.value
  }
}

/// One attribute.
struct XMLAttribute: Sendable, Hashable {
  let name: String
  let namespace: String
  let value: String
}

/// A run of characters.
struct XMLText: Sendable, Hashable {
  /// UTF-8, entities replaced, line ends as LF.
  var bytes: [UInt8]
  /// Where it starts, in bytes.
  let offset: Int
  /// Whether the bytes are the same as in the file: then an error within them has an exact offset.
  var isVerbatim: Bool

  /// The offset of one of the bytes in the file.
  func offset(of index: Int) -> Int { isVerbatim ? offset + index : offset }
}

/// An event of the reader.
enum XMLEvent: Sendable, Hashable {
  case start(XMLElement)
  case text(XMLText)
  case end
  case finished
}

/// Why a text is no XML, and where.
struct XMLFault: Error, Sendable, Hashable {
  let rule: TextRule
  let message: String
  let offset: Int

  init(_ message: String, at offset: Int, rule: TextRule = .syntax) {
    self.rule = rule
    self.message = message
    self.offset = offset
  }
}
