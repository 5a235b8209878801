/// Why deliveries of a push were rejected, in numbers.
public protocol RefusalStore: Sendable {
  /// The outcomes with which deliveries of a push were rejected, the most frequent first; at most `limit`.
  ///
  /// Their sum is the push's count of rejected deliveries.
  func refusals(of push: PushID, limit: Int) throws(StoreError) -> [RefusalCount]
}

/// How many deliveries of a push were rejected with one outcome.
public struct RefusalCount: Sendable, Hashable {
  /// Who refused, or nil for a delivery that was never sent.
  public let provider: Provider?
  /// The HTTP status of the answer; 0 when there was none.
  public let status: Int
  /// The reason in the provider's words, or one of Postrider's own.
  public let reason: String
  /// Deliveries.
  public let count: Int

  /// Creates a value from its parts.
  public init(provider: Provider?, status: Int, reason: String, count: Int) {
    self.provider = provider
    self.status = status
    self.reason = reason
    self.count = count
  }
}
