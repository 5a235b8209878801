internal import Basics

/// Reads the XML form of property lists.
struct XMLPropertyList {
  private var reader: XMLReader
  private let limits: TextLimits
  private var valuesCount = 0

  init(_ source: SourceText, limits: TextLimits) {
    reader = XMLReader(source, depthMax: limits.depthMax)
    self.limits = limits
  }

  /// Reads the whole list; duplicate keys in a dictionary are reported, and the last value is used.
  mutating func read(_ problems: inout ProblemList) throws(XMLFault) -> PropertyList {
    guard case .start(let root) = try next(), root.name == "plist" else {
      throw XMLFault("the root element of a property list is <plist>", at: 0, rule: .structure)
    }
    guard case .start(let first) = try next() else {
      throw XMLFault("<plist> is empty; put a <dict> into it", at: root.offset, rule: .structure)
    }
    let list = try value(first, &problems)
    guard case .end = try next() else {
      throw XMLFault("<plist> holds one value; a second one follows", at: reader.index, rule: .structure)
    }
    _ = try next()
    return list
  }

  private mutating func value(_ element: XMLElement, _ problems: inout ProblemList) throws(XMLFault) -> PropertyList {
    valuesCount += 1
    // A table needs a few values per entry; more than this is no table.
    guard valuesCount <= limits.entriesMax * 16 else {
      throw XMLFault("more than \(limits.entriesMax * 16) values in one file", at: element.offset, rule: .tooMany)
    }
    switch element.name {
    case "dict": return PropertyList(value: .dictionary(try dictionary(&problems)), offset: element.offset)
    case "array": return PropertyList(value: .array(try array(&problems)), offset: element.offset)
    case "string": return PropertyList(value: .text(try text(of: element)), offset: element.offset)
    case "integer":
      let digits = try text(of: element)
      return PropertyList(value: Int(digits).map { .integer($0) } ?? .other, offset: element.offset)
    case "real", "date", "data", "true", "false":
      _ = try text(of: element)
      return PropertyList(value: .other, offset: element.offset)
    default:
      throw XMLFault(
        "<\(ShownText.short(element.name))> is no value of a property list", at: element.offset, rule: .structure)
    }
  }

  private mutating func dictionary(
    _ problems: inout ProblemList
  ) throws(XMLFault) -> [(key: String, value: PropertyList)] {
    var members: [(key: String, value: PropertyList)] = []
    var indices: [ByteKey: Int] = [:]
    while case .start(let element) = try next() {
      guard element.name == "key" else {
        throw XMLFault(
          "expected <key>, found <\(ShownText.short(element.name))>", at: element.offset, rule: .structure)
      }
      let key = try text(of: element)
      guard case .start(let start) = try next() else {
        throw XMLFault(
          "the key “\(ShownText.short(key))” has no value", at: element.offset, rule: .structure)
      }
      let value = try value(start, &problems)
      if let first = indices[ByteKey(key)] {
        problems.add(
          .duplicateKey, "“\(ShownText.short(key))” occurs twice; the last one is taken", at: element.offset,
          in: reader.source, key: key)
        members[first].value = value
      } else {
        indices[ByteKey(key)] = members.count
        members.append((key: key, value: PropertyList(value: value.value, offset: element.offset)))
      }
    }
    return members
  }

  private mutating func array(_ problems: inout ProblemList) throws(XMLFault) -> [PropertyList] {
    var values: [PropertyList] = []
    while case .start(let element) = try next() { values.append(try value(element, &problems)) }
    return values
  }

  /// The text of an element that holds nothing else.
  private mutating func text(of element: XMLElement) throws(XMLFault) -> String {
    var bytes: [UInt8] = []
    while true {
      switch try reader.next() {
      case .text(let text): bytes += text.bytes
      case .end: return String(decoding: bytes, as: UTF8.self)
      case .start(let inner):
        throw XMLFault(
          "<\(ShownText.short(inner.name))> is not allowed in <\(ShownText.short(element.name))>", at: inner.offset,
          rule: .structure)
      case .finished: return ""
      }
    }
  }

  /// The next start or end of an element.
  private mutating func next() throws(XMLFault) -> XMLEvent {
    while true {
      let event = try reader.next()
      guard case .text(let text) = event else { return event }
      if let index = text.bytes.firstIndex(where: { !XMLReader.isSpace($0) }) {
        throw XMLFault("there is text between the elements", at: text.offset(of: index), rule: .structure)
      }
    }
  }
}
