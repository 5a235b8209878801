/// What a reader accepts at most, so that hostile input ends in an error and not in exhausted memory or stack.
public struct JSONLimits: Sendable, Hashable {
  /// The most bytes a document may have.
  public let maxBytes: Int
  /// The most arrays and objects that may be open inside each other; a bare number has depth 0, `[]` has depth 1.
  public let maxDepth: Int
  /// The most names and values a document may have, arrays and objects counted twice; what is read takes memory by these.
  public let maxTokens: Int

  /// The largest permitted `maxBytes`: offsets take 28 bits in the reader's tape.
  public static let maxBytesCeiling = 268_435_455
  /// The largest permitted `maxDepth`: values of this depth are written and freed safely by recursion.
  public static let maxDepthCeiling = 1024
  /// 16 MiB and 128 levels.
  public static let `default` = JSONLimits()

  /// Limits of `maxBytes` (0 to `maxBytesCeiling`), `maxDepth` (0 to `maxDepthCeiling`) and `maxTokens` (none unless given);
  /// values outside are moved to the nearest end of the range.
  public init(maxBytes: Int = 16 * 1024 * 1024, maxDepth: Int = 128, maxTokens: Int = .max) {
    self.maxBytes = min(max(maxBytes, 0), JSONLimits.maxBytesCeiling)
    self.maxDepth = min(max(maxDepth, 0), JSONLimits.maxDepthCeiling)
    self.maxTokens = max(maxTokens, 1)
  }
}
