/// Whether the store can be used now.
public protocol ReadinessStore: Sendable {
  /// Fails with why what is written now would not be there after a restart: the file `fileGone`, found damaged by
  /// ``examine(isCancelled:)`` (`corrupted`), or refusing a write (`diskFull`, `readOnly`, `ioFailure`). A node among others fails
  /// with why it sends nothing (``NodeStatus/trouble``).
  ///
  /// It writes at most once a second, however often it is called, and not at all beside other writes.
  func checkReadiness(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)
  /// As above, for callers that may wait.
  func checkReadiness() throws(StoreError)
}
