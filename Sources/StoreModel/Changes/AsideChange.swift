/// Changes that a request makes besides what it asks for, such as counting a failed try: they are no part of what its
/// `Idempotency-Key` is stored with, and depend on nothing that it has read.
public enum AsideChange {
  /// Runs work that makes such changes.
  public static func run<Output: Sendable>(
    _ body: () async throws(StoreError) -> Output
  ) async throws(StoreError) -> Output {
    let result: Result<Output, StoreError> = await KeyedChange.$current.withValue(nil) {
      await ConditionalChange.$current.withValue(nil) {
        do throws(StoreError) { return .success(try await body()) } catch { return .failure(error) }
      }
    }
    return try result.get()
  }

  /// The same for work that only starts such changes, and waits for none.
  public static func note(_ body: () -> Void) {
    KeyedChange.$current.withValue(nil) { ConditionalChange.$current.withValue(nil) { body() } }
  }
}
