internal import PushStore
internal import Signing
internal import Synchronization
internal import WebAuthn

/// The challenges that authenticators answer: random, each for one purpose, host and short time, and good once.
///
/// A challenge carries what it is for under a code that only this process can write, so that nothing is stored when one is given:
/// whoever asks for many takes no memory, and makes nobody else's challenge invalid. Those that were answered rightly are
/// remembered until they expire.
final class ChallengeDesk: Sendable {
  /// What a challenge is for.
  enum Purpose: Sendable {
    case signIn
    /// Adding a passkey in a session, by the hash of its id.
    case session([UInt8])
    /// Joining by an invitation, by the hash of its token.
    case invitation([UInt8])

    fileprivate var bytes: [UInt8] {
      switch self {
      case .signIn: [1]
      case .session(let hash): [2] + hash
      case .invitation(let hash): [3] + hash
      }
    }
  }

  /// How long a challenge can be answered, in milliseconds.
  static let lifetimeMs: Int64 = 300_000
  /// Answered challenges that are remembered at once.
  static let usedMax = 10_000
  private static let nonceBytes = 16
  private static let timeBytes = 8

  /// Of this process only: what was given before a restart cannot be answered after it, when nobody remembers whether it was.
  private let key = SecureRandom.bytes(32)
  /// The challenges that were answered, and until when they are good.
  private let used = Mutex<[[UInt8]: Timestamp]>([:])

  /// A new challenge.
  func make(for purpose: Purpose, _ party: RelyingParty, now: Timestamp) -> [UInt8] {
    let until = now.adding(milliseconds: Self.lifetimeMs)
    let head = SecureRandom.bytes(Self.nonceBytes) + Self.bytes(of: until)
    return head + code(head, purpose, party)
  }

  /// Whether a challenge was given for a purpose and can be answered.
  func isGood(_ challenge: [UInt8], for purpose: Purpose, _ party: RelyingParty, now: Timestamp) -> Bool {
    let headBytes = Self.nonceBytes + Self.timeBytes
    guard challenge.count == headBytes + SHA256.digestBytes else { return false }
    let head = Array(challenge[..<headBytes])
    guard constantTimeEqual(Array(challenge[headBytes...]), code(head, purpose, party)) else { return false }
    return now < Self.end(of: challenge) && used.withLock { $0[challenge] == nil }
  }

  /// Uses up a challenge that is good; of two at once one fails.
  func use(_ challenge: [UInt8], now: Timestamp) throws(Problem) {
    let isFirst = used.withLock { used -> Bool? in
      if used[challenge] != nil { return false }
      if used.count >= Self.usedMax {
        used = used.filter { now < $0.value }
        // To forget one that is good would let its answer sign in twice.
        if used.count >= Self.usedMax { return nil }
      }
      used[challenge] = Self.end(of: challenge)
      return true
    }
    switch isFirst {
    case true: return
    case false: throw Problem(.signInRefused, "the challenge was used; begin again")
    case nil:
      throw Problem(
        .busy, "too many passkeys were used within the last minutes; try again in a minute",
        headers: [("Retry-After", "60")])
    }
  }

  private func code(_ head: [UInt8], _ purpose: Purpose, _ party: RelyingParty) -> [UInt8] {
    // The purpose's length says where the origin begins.
    let purpose = purpose.bytes
    return HMACSHA256.authenticate(head + [UInt8(purpose.count)] + purpose + Array(party.origin.utf8), key: key)
  }

  private static func bytes(of time: Timestamp) -> [UInt8] {
    let number = UInt64(bitPattern: time.milliseconds)
    return (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
  }

  private static func end(of challenge: [UInt8]) -> Timestamp {
    let number = challenge[nonceBytes..<(nonceBytes + timeBytes)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Timestamp(milliseconds: Int64(bitPattern: number))
  }
}
