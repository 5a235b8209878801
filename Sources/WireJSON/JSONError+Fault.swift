extension JSONError {
  /// A document that is longer than allowed.
  static func tooLong(_ count: Int, limit: Int) -> JSONError {
    JSONError(
      offset: limit, line: 1, column: 1, pointer: "",
      expected: "at most \(limit) bytes", found: "\(count) bytes")
  }

  /// A document with more names and values than allowed.
  static func tooMany(limit: Int) -> JSONError {
    JSONError(
      offset: 0, line: 1, column: 1, pointer: "",
      expected: "at most \(limit) names and values", found: "more of them")
  }

  /// The error for a scan that ended at `fault`, with everything that only a bad document has to pay for.
  @inline(never)
  init(_ fault: ScanFault, _ end: TapeScanner.End, _ memory: TapeMemory, count: Int, maxDepth: Int) {
    let source = unsafe UnsafeBufferPointer(start: memory.source, count: count)
    let rest = unsafe source[fault.offset...]
    let path = unsafe OpenPath(source: memory.source, words: memory.words, used: end.used)
    let location = unsafe JSONError.lineAndColumn(source[..<fault.offset])
    let isFirst = path.isEmptyArray(end.container)
    unsafe self.init(
      offset: fault.offset, line: location.line, column: location.column,
      pointer: path.pointer(to: end.container, countsNext: fault.expected != .elementEnd),
      expected: fault.expected == .value && isFirst
        ? "a value or \"]\"" : fault.expected.text(before: rest.first, maxDepth: maxDepth),
      found: FoundText.describe(fault, rest))
  }

  private static func lineAndColumn(_ before: Slice<UnsafeBufferPointer<UInt8>>) -> (line: Int, column: Int) {
    var line = 1
    var column = 1
    // The formatter would join `unsafe` and the name.
    // swift-format-ignore
    for unsafe byte in unsafe before {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return (line, column)
  }
}

extension ScanFault.Expected {
  /// The text after "expected", when `found` is the byte at the offset.
  func text(before found: UInt8?, maxDepth: Int) -> String {
    switch self {
    case .value: "a value"
    case .firstName: "a member name in double quotes or \"}\""
    case .name: "a member name in double quotes"
    case .colon: "\":\" after the member name"
    case .memberEnd: "\",\" or \"}\""
    case .elementEnd: "\",\" or \"]\""
    case .end: "the end of the text after the value"
    case .stringEnd: found.map { "the escape \(FoundText.escape($0))" } ?? "a quote (\") at the end of the string"
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
