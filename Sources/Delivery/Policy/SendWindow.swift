/// How many deliveries of one lane may be leased at once: few at first, as many more as are answered, and few again when
/// nothing arrives (the slow start of TCP, RFC 5681 section 3.1).
///
/// So a gateway that takes connections and never answers holds a small part of what all lanes share.
public struct SendWindow: Sendable, Hashable {
  /// What a lane may have before anything of it is answered.
  public static let first = 1_000
  /// More than any option allows.
  private static let largest = 1 << 20

  /// Deliveries that may be leased and unanswered.
  public private(set) var size = Self.first

  /// Starts small.
  public init() {}

  /// So many sends were answered, whatever the answer.
  public mutating func answered(_ count: Int) { size = min(size + count, Self.largest) }

  /// The gateway is out of reach.
  public mutating func failed() { size = Self.first }
}
