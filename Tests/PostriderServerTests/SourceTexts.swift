import TestSupport

/// The texts that Swift sources hold, joined where they are written in pieces, with `{0}` for their interpolations.
enum SourceTexts {
  struct Literal {
    let file: String
    let text: String
    /// The kind of problem that has it as its detail.
    let kind: String?
    /// Whether it is the title of a kind of problem.
    let isTitle: Bool
  }

  static func literals(in modules: [String]) throws -> [Literal] {
    try modules.flatMap { try literals(under: "Sources/\($0)") }
  }

  private static func literals(under folder: String) throws -> [Literal] {
    try Files.list("\(Files.packageRoot)/\(folder)").flatMap { name in
      let path = "\(folder)/\(name)"
      guard name.hasSuffix(".swift") else { return name.contains(".") ? [] : try literals(under: path) }
      return literals(of: String(decoding: try Files.read("\(Files.packageRoot)/\(path)"), as: UTF8.self), file: path)
    }
  }

  static func literals(of source: String, file: String) -> [Literal] {
    var reader = Reader(Array(source.utf8))
    var found: [Literal] = []
    while let (text, before) = reader.next() {
      let head = before.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
      found.append(
        Literal(file: file, text: text, kind: kind(head), isTitle: hasEnd(head, ",title:") && isKind(before)))
    }
    return found
  }

  /// The name in `Problem(.name,` in front of a text.
  private static func kind(_ head: [UInt8]) -> String? {
    guard head.last == UInt8(ascii: ",") else { return nil }
    let name = head.dropLast().reversed().prefix { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") }
    guard hasEnd(Array(head.dropLast(name.count + 1)), "Problem(.") else { return nil }
    return String(decoding: name.reversed(), as: UTF8.self)
  }

  private static func isKind(_ before: [UInt8]) -> Bool {
    String(decoding: before, as: UTF8.self).contains("status:")
  }

  private static func hasEnd(_ bytes: [UInt8], _ end: String) -> Bool {
    bytes.suffix(end.utf8.count).elementsEqual(end.utf8)
  }

  /// The keys that a catalog may have for a text.
  ///
  /// A part of a sentence is looked up without the marks and spaces at its ends, or with what follows it.
  static func keys(_ text: String) -> [String] {
    var bare = text[...]
    while let last = bare.last, " ;:".contains(last) { bare.removeLast() }
    return [text, String(bare.drop { " ;:".contains($0) })] + (text.last == " " ? [text + "{0}"] : [])
  }

  /// The numbers of the placeholders.
  static func placeholders(_ text: String) -> Set<Character> {
    Set(
      text.indices.filter { text[$0] == "{" && text[$0...].dropFirst(2).first == "}" }
        .map { text[text.index(after: $0)] }.filter(\.isNumber))
  }
}

/// Finds string literals of a source.
private struct Reader {
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private func at(_ offset: Int) -> UInt8? { bytes.indices.contains(index + offset) ? bytes[index + offset] : nil }

  private func begins(_ text: String, at index: Int) -> Bool { bytes[index...].starts(with: text.utf8) }

  /// The next text, and what is in front of it.
  mutating func next() -> (text: String, before: [UInt8])? {
    while let byte = at(0) {
      if byte == UInt8(ascii: "/"), at(1) == byte {
        while let next = at(0), next != UInt8(ascii: "\n") { index += 1 }
      } else if isQuote() {
        let before = Array(bytes[max(0, index - 160)..<index])
        var placeholders = 0
        var text = literal(&placeholders)
        while let rest = continued(&placeholders) { text += rest }
        return (String(decoding: text, as: UTF8.self), before)
      } else {
        index += 1
      }
    }
    return nil
  }

  private func isQuote() -> Bool {
    let hashes = bytes[index...].prefix { $0 == UInt8(ascii: "#") }.count
    return at(hashes) == UInt8(ascii: "\"")
  }

  /// What `+` appends to a text.
  private mutating func continued(_ placeholders: inout Int) -> [UInt8]? {
    let start = index
    skipSpace()
    guard at(0) == UInt8(ascii: "+") else { index = start; return nil }
    index += 1
    skipSpace()
    guard at(0) != nil, isQuote() else { index = start; return nil }
    return literal(&placeholders)
  }

  private mutating func skipSpace() {
    while let byte = at(0), byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") { index += 1 }
  }

  private mutating func literal(_ placeholders: inout Int) -> [UInt8] {
    let hashes = bytes[index...].prefix { $0 == UInt8(ascii: "#") }.count
    index += hashes
    let quote = begins("\"\"\"", at: index) ? "\"\"\"" : "\""
    index += quote.utf8.count
    let end = quote + String(repeating: "#", count: hashes)
    let escape = "\\" + String(repeating: "#", count: hashes)
    var text: [UInt8] = []
    while let byte = at(0) {
      if begins(end, at: index) { index += end.utf8.count; break }
      if begins(escape, at: index) {
        index += escape.utf8.count
        text += escaped(&placeholders)
      } else {
        text.append(byte)
        index += 1
      }
    }
    return text
  }

  private mutating func escaped(_ placeholders: inout Int) -> [UInt8] {
    let byte = at(0)
    index += 1
    switch byte {
    case UInt8(ascii: "("):
      interpolation()
      placeholders += 1
      return Array("{\(placeholders - 1)}".utf8)
    case UInt8(ascii: "u"):
      let digits = bytes[(index + 1)...].prefix { $0 != UInt8(ascii: "}") }
      index += digits.count + 2
      let scalar = UInt32(String(decoding: digits, as: UTF8.self), radix: 16).flatMap(Unicode.Scalar.init)
      return Array(String(scalar.map(Character.init) ?? "?").utf8)
    case UInt8(ascii: "n"): return [UInt8(ascii: "\n")]
    default: return byte.map { [$0] } ?? []
    }
  }

  /// Up to the parenthesis that closes it; texts in it are not looked at.
  private mutating func interpolation() {
    var depth = 1
    while depth > 0, let byte = at(0) {
      if isQuote() {
        var ignored = 0
        _ = literal(&ignored)
        continue
      }
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      index += 1
    }
  }
}
