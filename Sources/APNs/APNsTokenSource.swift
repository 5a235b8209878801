internal import GatewayPool
internal import Signing
internal import Synchronization

/// The provider token of one client, shared by all its connections and threads: a change of token on one connection is a
/// change on all of them.
final class APNsTokenSource: PoolCredential {
  private let key: APNsSigningKey
  private let machine = Mutex(APNsProviderToken())

  init(_ key: APNsSigningKey) { self.key = key }

  func gate(now: Duration, wall: Int64) -> CredentialGate {
    machine.withLock { machine in
      switch machine.need(now: now, wall: wall) {
      case .use(let token): return CredentialGate.open(token)
      case .mint(let issuedAt): return mint(&machine, issuedAt: issuedAt, now: now)
      }
    }
  }

  /// Signs under the lock: it takes tens of microseconds, once in 50 minutes.
  private func mint(_ machine: inout APNsProviderToken, issuedAt: Int64, now: Duration) -> CredentialGate {
    do {
      let authorization = try key.authorization(issuedAt: issuedAt)
      return .open(machine.minted(authorization: authorization, issuedAt: issuedAt, now: now))
    } catch {
      return .refuse(SendFailure(.notProcessed, .tokenUnavailable, "cannot sign a provider token: \(error.message)"))
    }
  }

  /// Lets the machine judge an answer.
  func judge<Verdict>(_ body: (inout APNsProviderToken) -> Verdict) -> Verdict {
    var verdict: Verdict?
    machine.withLock { verdict = body(&$0) }
    // `withLock` runs its closure exactly once.
    guard let verdict else { preconditionFailure("the lock did not run its closure") }
    return verdict
  }
}

/// The gate of a client that authenticates with a certificate: always open, and without a header.
final class APNsCertificateGate: PoolCredential {
  func gate(now: Duration, wall: Int64) -> CredentialGate { .open(PoolAuthorization(generation: 0, header: nil)) }
}

extension CredentialGate {
  fileprivate static func open(_ token: APNsProviderToken.Token) -> CredentialGate {
    .open(PoolAuthorization(generation: token.generation, header: token.authorization))
  }
}
