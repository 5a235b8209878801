/// What a format and its arguments make.
public struct FormattedText: Sendable, Hashable {
  /// The text; nil when there is none, since the device gave up.
  public let text: String?
  /// The exception that ended the formatting, Android only: its class, such as `UnknownFormatConversionException`.
  public let exception: String?
  /// What is wrong.
  public let problems: [TextProblem]

  /// A result.
  public init(text: String?, exception: String? = nil, problems: [TextProblem] = []) {
    self.text = text
    self.exception = exception
    self.problems = problems
  }
}
