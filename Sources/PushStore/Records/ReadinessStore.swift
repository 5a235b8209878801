/// Whether the store can be used now.
public protocol ReadinessStore: Sendable {
  /// Throws why what is written now would not be there after a restart: the file `fileGone`, or a read that fails.
  func checkReadiness() throws(StoreError)
}

extension SQLiteStore {
  /// Looks for the file and reads from it.
  public func checkReadiness() throws(StoreError) {
    try place.check()
    _ = try openWork(limit: 1)
  }
}
