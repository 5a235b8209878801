internal import Basics

/// A pull reader for the XML of string resources.
///
/// It supports elements, attributes, namespaces, CDATA, comments, processing instructions, the five predefined entities
/// and character references. A DTD is skipped and never expanded; entities that only a DTD could define are errors. It
/// is hand-written because floor 0 has no C library (it compiles as Embedded Swift); the fuzz target `strings` covers
/// it.
struct XMLReader {
  /// The most attributes of one element, and the most namespaces in scope.
  private static let attributesMax = 64

  let source: SourceText
  var index = 0
  private let depthMax: Int
  private var open: [OpenElement] = []
  private var namespaces: [(prefix: String, uri: String)] = []
  private var endsNext = false
  private var hasRoot = false

  private struct OpenElement {
    let name: String
    let namespaceCount: Int
  }

  init(_ source: SourceText, depthMax: Int) {
    self.source = source
    self.depthMax = depthMax
  }

  /// How many elements are open.
  var depth: Int { open.count }

  /// The next event; after `.finished` it stays so.
  mutating func next() throws(XMLFault) -> XMLEvent {
    if endsNext { return closeEmpty() }
    while index < source.bytes.count {
      guard source.bytes[index] == UInt8(ascii: "<") else {
        if let text = try characters() { return .text(text) }
        continue
      }
      if starts(with: "<!--") {
        try skip(past: "-->", from: 4, "the comment that starts here is not closed; add -->")
      } else if starts(with: "<![CDATA[") {
        if let text = try characterData() { return .text(text) }
      } else if starts(with: "<?") {
        try skip(past: "?>", from: 2, "the processing instruction that starts here is not closed; add ?>")
      } else if starts(with: "<!") {
        try skipDeclaration()
      } else if starts(with: "</") {
        return try endTag()
      } else {
        return try startTag()
      }
    }
    if let last = open.last {
      throw XMLFault("the file ends inside <\(ShownText.short(last.name))>; add its end tag", at: index)
    }
    guard hasRoot else { throw XMLFault("there is no element in the file", at: index) }
    return .finished
  }

  // MARK: Tags

  private mutating func startTag() throws(XMLFault) -> XMLEvent {
    let offset = index
    index += 1
    let name = try self.name("an element's name behind <")
    if open.isEmpty, hasRoot { throw XMLFault("a second root element; a file has one", at: offset) }
    guard open.count < depthMax else {
      throw XMLFault("elements lie deeper than \(depthMax) in each other", at: offset, rule: .tooDeep)
    }
    var written: [(name: String, value: String, offset: Int)] = []
    while true {
      let hadSpace = skipSpace()
      if starts(with: "/>") {
        index += 2
        endsNext = true
        break
      }
      if byte == UInt8(ascii: ">") {
        index += 1
        break
      }
      guard hadSpace else { throw XMLFault("expected > or an attribute, found \(found)", at: index) }
      guard written.count < Self.attributesMax else {
        throw XMLFault("an element with more than \(Self.attributesMax) attributes", at: index, rule: .tooMany)
      }
      let attribute = try self.attribute()
      if written.contains(where: { $0.name.hasSameBytes(as: attribute.name) }) {
        throw XMLFault("the attribute \(ShownText.short(attribute.name)) occurs twice", at: attribute.offset)
      }
      written.append(attribute)
    }
    hasRoot = true
    return .start(try element(name, written, at: offset))
  }

  /// Opens an element: declares its namespaces, then resolves the prefixes.
  private mutating func element(
    _ name: String, _ written: [(name: String, value: String, offset: Int)], at offset: Int
  ) throws(XMLFault) -> XMLElement {
    open.append(OpenElement(name: name, namespaceCount: namespaces.count))
    for attribute in written {
      if attribute.name == "xmlns" {
        namespaces.append((prefix: "", uri: attribute.value))
      } else if attribute.name.hasPrefix("xmlns:") {
        namespaces.append((prefix: String(attribute.name.dropFirst(6)), uri: attribute.value))
      }
    }
    guard namespaces.count <= Self.attributesMax else {
      throw XMLFault("more than \(Self.attributesMax) namespaces at one element", at: offset, rule: .tooMany)
    }
    var attributes: [XMLAttribute] = []
    for attribute in written where attribute.name != "xmlns" && !attribute.name.hasPrefix("xmlns:") {
      let (local, uri) = try resolve(attribute.name, isAttribute: true, at: attribute.offset)
      attributes.append(XMLAttribute(name: local, namespace: uri, value: attribute.value))
    }
    let (local, uri) = try resolve(name, isAttribute: false, at: offset)
    return XMLElement(name: local, namespace: uri, attributes: attributes, offset: offset)
  }

  private func resolve(_ name: String, isAttribute: Bool, at offset: Int) throws(XMLFault) -> (String, String) {
    guard let colon = name.firstIndex(of: ":") else {
      if isAttribute { return (name, "") }
      return (name, namespaces.last { $0.prefix.isEmpty }?.uri ?? "")
    }
    let prefix = String(name[..<colon])
    let local = String(name[name.index(after: colon)...])
    if prefix == "xml" { return (local, "http://www.w3.org/XML/1998/namespace") }
    guard let declared = namespaces.last(where: { $0.prefix.hasSameBytes(as: prefix) }) else {
      throw XMLFault(
        "the prefix \(ShownText.short(prefix)): is not declared; add xmlns:\(ShownText.short(prefix))=\"…\"", at: offset
      )
    }
    return (local, declared.uri)
  }

  private mutating func endTag() throws(XMLFault) -> XMLEvent {
    let offset = index
    index += 2
    let name = try self.name("an element's name behind </")
    _ = skipSpace()
    guard byte == UInt8(ascii: ">") else { throw XMLFault("expected >, found \(found)", at: index) }
    index += 1
    guard let last = open.last else { throw XMLFault("</\(ShownText.short(name))> closes nothing", at: offset) }
    guard last.name.hasSameBytes(as: name) else {
      throw XMLFault(
        "</\(ShownText.short(name))> is where </\(ShownText.short(last.name))> is expected", at: offset)
    }
    close()
    return .end
  }

  private mutating func closeEmpty() -> XMLEvent {
    endsNext = false
    close()
    return .end
  }

  private mutating func close() {
    let last = open.removeLast()
    namespaces.removeLast(namespaces.count - last.namespaceCount)
  }

  private mutating func attribute() throws(XMLFault) -> (name: String, value: String, offset: Int) {
    let offset = index
    let name = try self.name("an attribute's name")
    _ = skipSpace()
    guard byte == UInt8(ascii: "=") else {
      throw XMLFault("expected = behind the attribute \(ShownText.short(name)), found \(found)", at: index)
    }
    index += 1
    _ = skipSpace()
    guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw XMLFault("expected the value of \(ShownText.short(name)) in quotes, found \(found)", at: index)
    }
    let start = index
    index += 1
    var value: [UInt8] = []
    while let byte, byte != quote {
      if byte == UInt8(ascii: "<") { throw XMLFault("< must be written &lt; in an attribute", at: index) }
      if byte == UInt8(ascii: "&") {
        value += try reference()
      } else {
        value.append(byte == 0x09 || byte == 0x0A || byte == 0x0D ? 0x20 : byte)
        index += 1
      }
    }
    guard byte == quote else { throw XMLFault("the value that starts here is not closed; add a quote", at: start) }
    index += 1
    return (name, String(decoding: value, as: UTF8.self), offset)
  }

  // MARK: Characters

  /// A run of text up to the next tag; nil outside of the root, where only white space is valid.
  private mutating func characters() throws(XMLFault) -> XMLText? {
    let offset = index
    var bytes: [UInt8] = []
    var isVerbatim = true
    while let byte, byte != UInt8(ascii: "<") {
      if open.isEmpty, !Self.isSpace(byte) { throw XMLFault("text outside of the root element: \(found)", at: index) }
      if byte == UInt8(ascii: "&") {
        bytes += try reference()
        isVerbatim = false
      } else if byte == 0x0D {
        bytes.append(0x0A)
        index += 1
        if self.byte == 0x0A { index += 1 }
        isVerbatim = false
      } else {
        if byte < 0x20, !Self.isSpace(byte) {
          throw XMLFault("the control character \(found) is not allowed in XML", at: index)
        }
        bytes.append(byte)
        index += 1
      }
    }
    return open.isEmpty ? nil : XMLText(bytes: bytes, offset: offset, isVerbatim: isVerbatim)
  }

  private mutating func characterData() throws(XMLFault) -> XMLText? {
    guard !open.isEmpty else { throw XMLFault("text outside of the root element", at: index) }
    let start = index + 9
    try skip(past: "]]>", from: 9, "the CDATA section that starts here is not closed; add ]]>")
    let bytes = Array(source.bytes[start..<(index - 3)])
    if let control = bytes.firstIndex(where: { $0 < 0x20 && !Self.isSpace($0) }) {
      throw XMLFault("a control character is not allowed in XML", at: start + control)
    }
    if bytes.contains(0x0D) {
      let lines = String(decoding: bytes, as: UTF8.self).unicodeScalars
      return XMLText(bytes: Array(Self.unixLines(lines).utf8), offset: start, isVerbatim: false)
    }
    return bytes.isEmpty ? nil : XMLText(bytes: bytes, offset: start, isVerbatim: true)
  }

  private static func unixLines(_ scalars: String.UnicodeScalarView) -> String {
    var text = ""
    var wasReturn = false
    for scalar in scalars {
      if !(scalar == "\n" && wasReturn) { text.unicodeScalars.append(scalar == "\r" ? "\n" : scalar) }
      wasReturn = scalar == "\r"
    }
    return text
  }

  // MARK: Words

  private mutating func name(_ what: String) throws(XMLFault) -> String {
    let start = index
    while let byte, Self.isName(byte) { index += 1 }
    let name = source.text(start..<index)
    guard let first = name.utf8.first, !(first == 0x2D || first == 0x2E || (0x30...0x39).contains(first)) else {
      index = start
      throw XMLFault("expected \(what), found \(found)", at: start)
    }
    return name
  }

  private mutating func skipSpace() -> Bool {
    let start = index
    while let byte, Self.isSpace(byte) { index += 1 }
    return index > start
  }

  private mutating func skip(past end: StaticString, from head: Int, _ message: String) throws(XMLFault) {
    let start = index
    index += head
    while index < source.bytes.count {
      if starts(with: end) {
        index += end.utf8CodeUnitCount
        return
      }
      index += 1
    }
    throw XMLFault(message, at: start)
  }

  /// Skips `<!DOCTYPE …>` with whatever it declares.
  private mutating func skipDeclaration() throws(XMLFault) {
    let start = index
    var brackets = 0
    var quote: UInt8?
    index += 2
    while let byte {
      if let mark = quote {
        if byte == mark { quote = nil }
      } else if starts(with: "<!--") {
        try skip(past: "-->", from: 4, "the comment that starts here is not closed; add -->")
        continue
      } else {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
        case UInt8(ascii: "["): brackets += 1
        case UInt8(ascii: "]"): brackets -= 1
        case UInt8(ascii: ">") where brackets <= 0:
          index += 1
          return
        default: break
        }
      }
      index += 1
    }
    throw XMLFault("the declaration that starts here is not closed; add >", at: start)
  }

  // MARK: Bytes

  var byte: UInt8? { index < source.bytes.count ? source.bytes[index] : nil }

  /// A description of the current byte, for a message.
  var found: String { byte == nil ? "the end of the file" : "“\(source.scalar(at: index))”" }

  func starts(with text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard index + count <= source.bytes.count else { return false }
    return text.withUTF8Buffer { wanted in unsafe source.bytes[index..<(index + count)].elementsEqual(wanted) }
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "."),
      UInt8(ascii: "-"), 0x80...0xFF:
      true
    default: false
    }
  }
}
