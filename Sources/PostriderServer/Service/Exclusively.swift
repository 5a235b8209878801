internal import Signing
internal import StoreModel

extension Service {
  /// How often work begins anew because another node was faster.
  private static let attemptsMax = 8

  /// Work that reads something and then changes it, one after the other for each name.
  ///
  /// Here the turns of ``conditional`` see to it, and over all nodes ``ConditionalChange``: work whose first change comes after
  /// another node's has changed nothing, and runs again with what there is now. What it changes beyond its first change is not
  /// checked again.
  func exclusively<Output>(
    _ names: [String], now: Timestamp, _ body: () async throws(Problem) -> Output
  ) async throws(Problem) -> Output {
    try await conditional.all(names.sorted()[...]) { () async throws(Problem) in
      let keyed = KeyedChange.untaken
      for _ in 0..<Self.attemptsMax {
        let seen = try ask { store throws(StoreError) in
          try names.map { name throws(StoreError) in
            let digest = SHA256.digest(name)
            return (name: digest, version: try store.conditionVersion(of: digest))
          }
        }
        let condition = ConditionalChange(seen, now: now)
        let result: Result<Output, Problem> = await ConditionalChange.$current.withValue(condition) {
          do throws(Problem) { return .success(try await body()) } catch { return .failure(error) }
        }
        guard condition.wasOvertaken else { return try result.get() }
        keyed?.giveBack()
      }
      throw Problem(
        .busy, "others keep changing the same; try again in a second", headers: [("Retry-After", "1")])
    }
  }
}
