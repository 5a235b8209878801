/// What is wrong with a template, and where.
public struct LiquidError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  /// The column, from 1, in characters (Unicode scalars).
  public let column: Int
  /// What was found and what was expected.
  public let message: String
  /// What to write instead.
  public let fix: String

  /// The whole as one line, such as `line 1, column 8: …; …`.
  public var description: String { "line \(line), column \(column): \(message); \(fix)" }

  /// An error at an offset of the source.
  init(_ source: [UInt8], at offset: Int, _ message: String, fix: String) {
    var (line, column) = (1, 1)
    for byte in source.prefix(max(offset, 0)) {
      if byte == 0x0A {
        (line, column) = (line + 1, 1)
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    self.line = line
    self.column = column
    self.message = message
    self.fix = fix
  }
}

/// How large a template may be, and how much one rendering may do.
public struct LiquidLimits: Sendable, Hashable {
  /// Bytes of a template.
  public var sourceBytesMax = 32_768
  /// Blocks in blocks, and operators in an expression.
  public var nestingMax = 32
  /// Different objects that a template reads; at most 64.
  public var inputsMax = 64
  /// Steps of one rendering: instructions, elements of lists, and 64 bytes of text each.
  public var stepsMax = 100_000
  /// Bytes of one rendering's output.
  public var outputBytesMax = 16_384
  /// Bytes of texts that one rendering holds in variables and between filters.
  public var heldBytesMax = 262_144
  /// Values of lists and objects that one rendering holds.
  public var heldValuesMax = 65_536

  /// The limits of a push.
  public init() {}
}

/// How a rendering ended.
public enum LiquidOutcome: Sendable, Hashable {
  /// The output is complete.
  case rendered
  /// `{% abort %}`: this recipient is to get nothing.
  case aborted
  /// The template used a value that is not there, and `LiquidRenderer.isStrict` is on.
  case undefined(LiquidFailure)
  /// A filter cannot do what it should, or a limit is reached.
  case failed(LiquidFailure)
}

/// Why a rendering failed.
public struct LiquidFailure: Sendable, Hashable {
  /// What went wrong.
  public enum Reason: Sendable, Hashable {
    /// A value is not there.
    case undefined
    /// More steps than the limit.
    case steps
    /// More output than the limit.
    case output
    /// More texts or values in variables than the limit.
    case held
    /// A division by zero.
    case zero
    /// A filter or comparison of values of a type it has no meaning for.
    case type
    /// A filter's argument is not a whole number.
    case argument
    /// A number is too large.
    case range
    /// A text is not what a filter decodes.
    case encoding
  }

  /// What went wrong.
  public let reason: Reason
  /// Where in the source, in bytes.
  public let offset: Int
}

extension LiquidFailure {
  /// The failure as an error with line and column.
  public func error(in source: [UInt8]) -> LiquidError {
    let (message, fix) =
      switch reason {
      case .undefined:
        ("the value is not there for this recipient", "give a default, | default: \"…\", or test it with {% if %}")
      case .steps: ("the template does more than the limit of steps", "loop over fewer elements, with limit:")
      case .output: ("the text is longer than the limit", "write less, or cut it with | truncate:")
      case .held: ("variables hold more than the limit", "keep less in variables and lists")
      case .zero: ("the division is by zero", "test the divisor with {% if %}")
      case .type:
        ("values of these types cannot be used together", "compare or sort numbers with numbers, texts with texts")
      case .argument: ("the filter's argument is not a number", "give a number")
      case .range: ("the number is too large", "calculate with smaller numbers")
      case .encoding: ("the text cannot be decoded", "decode only what was encoded")
      }
    return LiquidError(source, at: offset, message, fix: fix)
  }
}
