internal import Basics

/// Reads `"key" = "value";` files, the oldest form of `.strings`.
///
/// The grammar is that of Apple's property list reader: keys and values in `"…"`, `'…'` or bare, an entry without `=
/// value` has its key as its value, comments `/* … */` and `//`, and escapes with a backslash.
struct OldStyleStrings {
  private let source: SourceText
  private var index = 0
  private let limits: TextLimits
  private(set) var entries: [StringEntry] = []

  init(_ source: SourceText, limits: TextLimits) {
    self.source = source
    self.limits = limits
  }

  /// Reads the whole file; after a fault it goes on behind the next `;`.
  mutating func read(_ problems: inout ProblemList) {
    var depth = 0
    while skipBlanks(&problems) {
      let start = index
      // A file may also be one dictionary: `{ key = value; }`.
      if byte == UInt8(ascii: "{"), entries.isEmpty, depth == 0 {
        depth = 1
        index += 1
      } else if byte == UInt8(ascii: "}"), depth == 1 {
        depth = 0
        index += 1
      } else if !entry(&problems) {
        recover(from: start)
      }
      if entries.count >= limits.entriesMax {
        problems.add(.tooMany, "only the first \(limits.entriesMax) entries are read", at: index, in: source)
        return
      }
    }
    if depth == 1 { problems.add(.syntax, "the { that opens the file is not closed; add }", at: index, in: source) }
  }

  private var byte: UInt8? { index < source.bytes.count ? source.bytes[index] : nil }

  private func byte(after offset: Int) -> UInt8? {
    index + offset < source.bytes.count ? source.bytes[index + offset] : nil
  }

  private mutating func entry(_ problems: inout ProblemList) -> Bool {
    let start = index
    guard let key = string(&problems) else { return false }
    if key.isEmpty { problems.add(.emptyKey, "the key is empty", at: start, in: source) }
    _ = skipBlanks(&problems)
    var value = key
    if byte == UInt8(ascii: "=") {
      index += 1
      _ = skipBlanks(&problems)
      guard let text = string(&problems) else { return false }
      value = text
      _ = skipBlanks(&problems)
    }
    entries.append(StringEntry(key: key, value: .text(value), position: source.position(start)))
    guard byte == UInt8(ascii: ";") else {
      problems.add(
        .syntax, "expected ; after the value, found \(found)", at: index, in: source, key: key)
      return false
    }
    index += 1
    return true
  }

  /// A description of the current byte, for a message.
  private var found: String {
    guard let byte else { return "the end of the file" }
    return byte == 0x0A || byte == 0x0D ? "the end of the line" : "“\(source.scalar(at: index))”"
  }

  /// Goes on behind the next `;` outside of strings, or at the next line that starts with a quote.
  private mutating func recover(from start: Int) {
    if index == start { index += 1 }
    while let byte {
      if byte == UInt8(ascii: ";") {
        index += 1
        return
      }
      if byte == UInt8(ascii: "\""), index > 0, source.bytes[index - 1] == 0x0A { return }
      index += 1
    }
  }

  private mutating func string(_ problems: inout ProblemList) -> String? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return quoted(&problems)
    default:
      let start = index
      while let byte, Self.isBare(byte) { index += 1 }
      if index > start { return source.text(start..<index) }
      problems.add(.syntax, "expected a string, found \(found); put it in quotes", at: index, in: source)
      return nil
    }
  }

  private mutating func quoted(_ problems: inout ProblemList) -> String? {
    let start = index
    let quote = source.bytes[index]
    index += 1
    var bytes: [UInt8] = []
    while let byte {
      index += 1
      if byte == quote { return String(decoding: bytes, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") {
        escape(into: &bytes, &problems)
      } else {
        bytes.append(byte)
      }
    }
    let mark = quote == UInt8(ascii: "'") ? "'" : "\""
    problems.add(.syntax, "the string that starts here is not closed; add \(mark)", at: start, in: source)
    return nil
  }

  /// Reads the escape sequence after a backslash.
  private mutating func escape(into bytes: inout [UInt8], _ problems: inout ProblemList) {
    guard let byte else { return }
    index += 1
    switch byte {
    case UInt8(ascii: "a"): bytes.append(0x07)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "v"): bytes.append(0x0B)
    case UInt8(ascii: "U"): unicode(into: &bytes, &problems)
    case UInt8(ascii: "0")...UInt8(ascii: "7"): octal(byte, into: &bytes)
    case UInt8(ascii: "u"):
      problems.add(
        .escape, "\\u is no escape here and means u; write \\U and four digits", at: index - 2, in: source)
      bytes.append(byte)
    default: bytes.append(byte)
    }
  }

  /// `\U` and up to four hexadecimal digits: a unit of UTF-16; two in a row may form one character.
  private mutating func unicode(into bytes: inout [UInt8], _ problems: inout ProblemList) {
    let start = index - 2
    let first = hexadecimal()
    var units = [first]
    if UTF16.isLeadSurrogate(first), byte == UInt8(ascii: "\\"), byte(after: 1) == UInt8(ascii: "U") {
      let kept = index
      index += 2
      let second = hexadecimal()
      if UTF16.isTrailSurrogate(second) { units.append(second) } else { index = kept }
    }
    if String(validating: units, as: UTF16.self) == nil {
      problems.add(
        .escape, "half of a surrogate pair is no character; write \\U twice, one per half", at: start, in: source)
    }
    bytes += String(decoding: units, as: UTF16.self).utf8
  }

  private mutating func hexadecimal() -> UInt16 {
    var value: UInt16 = 0
    var digits = 0
    while digits < 4, let byte, let digit = Hex.value(byte) {
      value = value << 4 | UInt16(digit)
      digits += 1
      index += 1
    }
    return value
  }

  /// Up to three octal digits: a character of NeXTSTEP's own set.
  private mutating func octal(_ first: UInt8, into bytes: inout [UInt8]) {
    var value = Int(first - UInt8(ascii: "0"))
    var digits = 1
    while digits < 3, let byte, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) {
      value = value * 8 + Int(byte - UInt8(ascii: "0"))
      digits += 1
      index += 1
    }
    bytes += String(NextStepLatin.scalar(UInt8(truncatingIfNeeded: value))).utf8
  }

  /// Skips white space and comments; false at the end of the file.
  private mutating func skipBlanks(_ problems: inout ProblemList) -> Bool {
    while let byte {
      if (0x09...0x0D).contains(byte) || byte == 0x20 {
        index += 1
      } else if byte == 0xE2, self.byte(after: 1) == 0x80, let last = self.byte(after: 2), last == 0xA8 || last == 0xA9
      {
        index += 3  // U+2028, U+2029
      } else if byte == UInt8(ascii: "/"), self.byte(after: 1) == UInt8(ascii: "/") {
        while let next = self.byte, next != 0x0A, next != 0x0D { index += 1 }
      } else if byte == UInt8(ascii: "/"), self.byte(after: 1) == UInt8(ascii: "*") {
        skipComment(&problems)
      } else {
        return true
      }
    }
    return false
  }

  private mutating func skipComment(_ problems: inout ProblemList) {
    let start = index
    index += 2
    while let byte {
      if byte == UInt8(ascii: "*"), self.byte(after: 1) == UInt8(ascii: "/") {
        index += 2
        return
      }
      index += 1
    }
    problems.add(.syntax, "the comment that starts here is not closed; add */", at: start, in: source)
  }

  private static func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"),
      UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
