/// A fault as the scanner throws it: two words, so that the way of good documents stays short.
struct ScanFault: Error {
  let expected: Expected
  let offset: Int

  init(_ expected: Expected, _ offset: Int) {
    self.expected = expected
    self.offset = offset
  }

  enum Expected: UInt8 {
    case value, firstName, name, colon, memberEnd, elementEnd, end
    case stringEnd, escape, hex, surrogate, utf8
    case digit, afterZero
    case depth
  }
}

extension JSONError {
  /// A document that is longer than allowed.
  static func tooLong(_ count: Int, limit: Int) -> JSONError {
    JSONError(
      offset: limit, line: 1, column: 1, pointer: "",
      expected: "at most \(limit) bytes", found: "\(count) bytes")
  }

  /// The error for a scan that ended at `fault`, with everything that only a bad document has to pay for.
  @inline(never)
  init(_ fault: ScanFault, _ end: TapeScanner.End, _ memory: TapeMemory, count: Int, maxDepth: Int) {
    let source = UnsafeBufferPointer(start: memory.source, count: count)
    let path = OpenPath(source: memory.source, words: memory.words, used: end.used)
    let isBetweenElements = fault.expected == .elementEnd
    self.init(
      fault, in: source, pointer: path.pointer(to: end.container, countsNext: !isBetweenElements), maxDepth: maxDepth)
  }

  private init(_ fault: ScanFault, in source: UnsafeBufferPointer<UInt8>, pointer: String, maxDepth: Int) {
    var line = 1
    var column = 1
    for byte in source[..<fault.offset] {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    self.init(
      offset: fault.offset, line: line, column: column, pointer: pointer,
      expected: fault.expected.text(maxDepth: maxDepth),
      found: FoundText.describe(fault, in: source, maxDepth: maxDepth))
  }
}

extension ScanFault.Expected {
  /// The words behind "expected".
  func text(maxDepth: Int) -> String {
    switch self {
    case .value: "a value"
    case .firstName: "a member name in double quotes or \"}\""
    case .name: "a member name in double quotes"
    case .colon: "\":\" after the member name"
    case .memberEnd: "\",\" or \"}\""
    case .elementEnd: "\",\" or \"]\""
    case .end: "the end of the text after the value"
    case .stringEnd: "the end of the string (\")"
    case .escape: "one of \" \\ / b f n r t u after the backslash"
    case .hex: "four hexadecimal digits after \\u"
    case .surrogate: "a surrogate pair (\\ud83d\\ude00 for example)"
    case .utf8: "valid UTF-8"
    case .digit: "a digit"
    case .afterZero: "no more digits after a leading zero"
    case .depth: "at most \(maxDepth) levels of nesting"
    }
  }
}

/// The words behind "found".
enum FoundText {
  static func describe(_ fault: ScanFault, in source: UnsafeBufferPointer<UInt8>, maxDepth: Int) -> String {
    let rest = source[fault.offset...]
    switch fault.expected {
    case .utf8: return rest.first.map { "the byte \(hex($0))" } ?? endOfText
    case .surrogate: return "a lone surrogate \(String(decoding: rest.prefix(6), as: UTF8.self))"
    case .depth: return "one more"
    case .value: return byteOrderMark(rest) ?? word(rest) ?? character(rest)
    default: return character(rest)
    }
  }

  private static let endOfText = "the end of the text"

  /// The longest word shown in full.
  private static let maxWordBytes = 20

  /// A bare word such as `None` or `NaN`.
  private static func word(_ rest: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
    let letters = rest.prefix { ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x5F }
    guard letters.count > 1 else { return nil }
    let shown = String(decoding: letters.prefix(maxWordBytes), as: UTF8.self)
    return letters.count > maxWordBytes ? "\"\(shown)…\"" : "\"\(shown)\""
  }

  private static func byteOrderMark(_ rest: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
    guard rest.startIndex == 0 else { return nil }
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) {
      return "a byte order mark (EF BB BF; save the text as UTF-8 without it)"
    }
    if rest.starts(with: [0xFE, 0xFF]) || rest.starts(with: [0xFF, 0xFE]) {
      return "a UTF-16 byte order mark (save the text as UTF-8)"
    }
    return nil
  }

  private static func character(_ rest: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    guard let first = rest.first else { return endOfText }
    if first == 0x22 { return "a quote (\")" }
    if first < 0x20 || first == 0x7F { return "the control character U+00\(hex(first))" }
    if first < 0x80 { return "\"\(Character(Unicode.Scalar(first)))\"" }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard let text = String(validating: rest.prefix(length), as: UTF8.self) else { return "the byte \(hex(first))" }
    return "\"\(text)\""
  }

  private static func hex(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16, uppercase: true)
    return byte < 16 ? "0" + text : text
  }
}
