internal import GatewayPool
internal import Signing
internal import Synchronization

/// The VAPID token for one push service, shared by all connections to it.
///
/// A token is used for six hours and expires after twelve: well within the day that RFC 8292 section 2 allows, also where
/// the clocks differ.
final class VAPIDTokenSource: PoolCredential {
  static let refreshAge: Duration = .seconds(6 * 3600)
  static let lifetimeSeconds: Int64 = 12 * 3600

  private struct Token {
    let authorization: PoolAuthorization
    let madeAt: Duration
    let issuedAt: Int64
  }

  private let key: VAPIDKey
  private let subject: VAPIDSubject
  private let audience: String
  private let current = Mutex<Token?>(nil)

  init(key: VAPIDKey, subject: VAPIDSubject, audience: String) {
    (self.key, self.subject, self.audience) = (key, subject, audience)
  }

  func gate(now: Duration, wall: Int64) -> CredentialGate {
    current.withLock { token in
      // A wall clock that was set makes a token too old, or one of the future.
      if let token, now - token.madeAt < Self.refreshAge, abs(wall - token.issuedAt) < Self.lifetimeSeconds / 2 {
        return .open(token.authorization)
      }
      do {
        let header = try key.authorization(
          audience: audience, subject: subject, expires: wall + Self.lifetimeSeconds)
        let authorization = PoolAuthorization(
          generation: (token?.authorization.generation ?? 0) + 1, header: header)
        token = Token(authorization: authorization, madeAt: now, issuedAt: wall)
        return .open(authorization)
      } catch {
        return .refuse(SendFailure(.notProcessed, .tokenUnavailable, "cannot sign a VAPID token: \(error)"))
      }
    }
  }
}
