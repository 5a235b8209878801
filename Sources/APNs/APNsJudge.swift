internal import GatewayPool

/// What the pool does with a request after its answer; one judge for device pushes, broadcasts and channel management.
struct APNsJudge {
  /// The source of the provider token; nil when a client certificate authenticates the sender.
  let credential: APNsTokenSource?

  /// Judges a rejection.
  func verdict(on rejection: APNsRejection, _ attempt: PoolAttempt) -> AnswerVerdict {
    switch rejection.reason {
    case .expiredProviderToken: return retry(attempt) { $0.expired(generation: $1, now: $2) }
    case .tooManyProviderTokenUpdates: return retry(attempt) { $0.tooManyUpdates(generation: $1, now: $2) }
    case .idleTimeout, .unrelatedKeyID, .shutdown: return attempt.wasResent ? .doneAndReconnect : .reconnect
    case .badCertificate, .badCertificateEnvironment: return .doneAndReconnect
    // Any other refusal below 500 has passed the check of the token, or says nothing about it: only 403 is no proof.
    default: return .done(isProof: rejection.status != 403 && rejection.status < 500)
    }
  }

  private func retry(
    _ attempt: PoolAttempt, _ judge: (inout APNsProviderToken, Int, Duration) -> APNsProviderToken.Verdict
  ) -> AnswerVerdict {
    guard let credential, !attempt.wasReauthorized else { return .done(isProof: false) }
    let verdict = credential.judge { judge(&$0, attempt.generation, attempt.now) }
    return verdict == .resend ? .reauthorize : .done(isProof: false)
  }
}
