internal import Signing
internal import StoreModel
internal import WebAuthn

/// The challenges that authenticators answer: random, each for one purpose, host and short time, and good once.
///
/// A challenge carries what it is for under a code that only who has the sealing key can write, so that nothing is stored when one is
/// given, any node takes it back, and whoever asks for many takes no memory and makes nobody else's challenge invalid. Those that
/// were answered rightly are kept in the store until they expire.
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
  /// How long a challenge is remembered behind its end, in milliseconds: a node whose clock is behind takes it so long.
  static let skewMs: Int64 = 60_000
  private static let nonceBytes = 16
  private static let timeBytes = 8

  private let store: any Store
  private let key: [UInt8]
  private let usedMax: Int

  init(store: any Store, vault: Vault, usedMax: Int = ChallengeDesk.usedMax) {
    self.store = store
    key = HMACSHA256.authenticate(Array("challenges".utf8), key: vault.derivation)
    self.usedMax = usedMax
  }

  /// A new challenge.
  func make(for purpose: Purpose, _ party: RelyingParty, now: Timestamp) -> [UInt8] {
    let until = now.adding(milliseconds: Self.lifetimeMs)
    let head = SecureRandom.bytes(Self.nonceBytes) + Self.bytes(of: until)
    return head + code(head, purpose, party)
  }

  /// Whether a challenge was given for a purpose and is not too old; ``use(_:now:)`` tells whether it was answered.
  func isGood(_ challenge: [UInt8], for purpose: Purpose, _ party: RelyingParty, now: Timestamp) -> Bool {
    let headBytes = Self.nonceBytes + Self.timeBytes
    guard challenge.count == headBytes + SHA256.digestBytes else { return false }
    let head = Array(challenge[..<headBytes])
    guard constantTimeEqual(Array(challenge[headBytes...]), code(head, purpose, party)) else { return false }
    return now < Self.end(of: challenge)
  }

  /// Uses up a challenge that is good; of two at once, at whatever nodes, one fails, with `refusal`.
  func use(_ challenge: [UInt8], now: Timestamp, refusal: Problem) async throws(Problem) {
    let use: OnceUse
    do throws(StoreError) {
      use = try await AsideChange.run { [usedMax] () async throws(StoreError) in
        try await store.change { store throws(StoreError) in
          try store.useOnce(
            SHA256.digest(challenge), .challenge, until: Self.end(of: challenge).adding(milliseconds: Self.skewMs),
            max: usedMax, now: now)
        }
      }
    } catch { throw Problem(error) }
    switch use {
    case .first: return
    case .again: throw refusal
    case .full:
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
