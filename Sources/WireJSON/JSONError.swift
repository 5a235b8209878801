/// Why a text is not the expected JSON, and at which offset.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The offset of the fault in bytes from the start, from 0; the length of the text when the text ends too early.
  public let offset: Int
  /// The line of the fault, from 1; a line ends after U+000A.
  public let line: Int
  /// The column of the fault, from 1, counted in Unicode scalars since the start of the line.
  public let column: Int
  /// The JSON pointer (RFC 6901) of the value that is at fault; empty for the whole document.
  ///
  /// Names longer than 128 bytes are cut and end in `…`.
  public let pointer: String
  /// What is valid at this offset.
  public let expected: String
  /// What was found instead.
  public let found: String

  /// An error with all its facts.
  public init(offset: Int, line: Int, column: Int, pointer: String, expected: String, found: String) {
    self.offset = offset
    self.line = line
    self.column = column
    self.pointer = pointer
    self.expected = expected
    self.found = found
  }

  /// True when the text was not read, as it is longer than the limits allow; `offset` is then the limit.
  ///
  /// No other fault is in the first column of the first line and not at byte 0.
  public var isTooLarge: Bool { line == 1 && column == 1 && offset > 0 }

  /// One sentence on one line: `expected X, found Y at line L, column C (byte N, at /aps/alert)`.
  public var description: String {
    if isTooLarge { return "too large: expected \(expected), found \(found)" }
    let location = pointer.isEmpty ? "byte \(offset)" : "byte \(offset), at \(FoundText.onOneLine(pointer))"
    return "expected \(expected), found \(found) at line \(line), column \(column) (\(location))"
  }
}

/// A member name that occurs more than once in one object: the last value won.
public struct JSONDuplicate: Sendable, Hashable {
  /// The JSON pointer (RFC 6901) of the member; names longer than 128 bytes are cut and end in `…`.
  public let pointer: String
  /// The offset of the repeated name in bytes from the start of the document, at its opening quote.
  public let offset: Int

  /// A repeated name at `pointer`, found at byte `offset`.
  public init(pointer: String, offset: Int) {
    self.pointer = pointer
    self.offset = offset
  }
}
