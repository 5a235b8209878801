/// How much is read from files of string resources; whatever is over a limit is reported, never a crash.
public struct TextLimits: Sendable, Hashable {
  /// The largest file, in bytes.
  public var fileBytesMax: Int
  /// The most entries that are kept of one file.
  public var entriesMax: Int
  /// How deep XML elements, property lists and variations may lie in each other.
  public var depthMax: Int
  /// The most problems that are kept of one file; a last one says that there are more.
  public var problemsMax: Int
  /// The longest text that formatting may make, in bytes of UTF-8.
  public var textBytesMax: Int

  /// What is read unless a caller asks for something else.
  public static let `default` = TextLimits()

  /// Limits.
  public init(
    fileBytesMax: Int = 16 * 1024 * 1024, entriesMax: Int = 100_000, depthMax: Int = 64, problemsMax: Int = 1000,
    textBytesMax: Int = 64 * 1024
  ) {
    self.fileBytesMax = fileBytesMax
    self.entriesMax = entriesMax
    self.depthMax = depthMax
    self.problemsMax = problemsMax
    self.textBytesMax = textBytesMax
  }
}
