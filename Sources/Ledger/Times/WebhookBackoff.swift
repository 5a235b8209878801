package import StoreModel

/// When a batch of webhook notices is sent again after a failed attempt.
package enum WebhookBackoff {
  /// The pause after each failed attempt, in seconds: ten attempts over sixteen hours.
  package static let pausesSeconds: [Int64] = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800]

  /// What becomes of a batch whose attempt failed; it is given up after the last pause.
  ///
  /// - Parameter attempts: those that failed before.
  package static func change(
    afterFailure failure: String, attempts: Int, now: Timestamp, using random: inout some RandomNumberGenerator
  ) -> WebhookResult.Change {
    guard pausesSeconds.indices.contains(attempts) else { return .dead(failure: failure) }
    let pause = pausesSeconds[attempts] * 1_000
    // Receivers that failed together are not retried together.
    return .again(now.adding(milliseconds: pause + Int64.random(in: 0...pause / 5, using: &random)), failure: failure)
  }
}
