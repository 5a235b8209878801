/// When a provider token is made, used and dropped: the decisions alone.
///
/// The signature is the caller's work.
///
/// Apple takes a token whose `iat` is at most an hour old and refuses a provider that changes it more than once in
/// 20 minutes. So one token serves every request until it is ``refreshAge`` old.
///
/// Ages are measured on the monotonic clock, because the wall clock may step; `iat` is wall time, because Apple compares
/// it with its own.
///
/// Invariants:
/// 1. Two mints are at least ``ageMin`` apart, except the one forced mint that answers `ExpiredProviderToken`.
/// 2. Forced mints are at least ``ageMin`` apart as well: a credential that is always refused causes no loop.
/// 3. A token older than ``refreshAge`` is not used for new requests, except while a refusal to take newer ones holds.
public struct APNsProviderToken: Sendable {
  /// The least time between two tokens, from Apple's rule.
  public static let ageMin: Duration = .seconds(20 * 60)
  /// The age at which a token is replaced: well before the hour, well after the 20 minutes.
  public static let refreshAge: Duration = .seconds(50 * 60)
  /// The age beyond which APNs refuses a token, less a minute for the way there.
  public static let ageMax: Duration = .seconds(59 * 60)
  /// A wall clock that differs by more than this from what the monotonic clock foretells has stepped.
  static let stepMin: Duration = .seconds(60)

  /// One minted token.
  public struct Token: Sendable, Hashable {
    /// Counts mints; names the token in ``expired(generation:now:)`` and its kin.
    public let generation: Int
    /// The value of the `authorization` header: `bearer` and the JWT.
    public let authorization: String
    let issuedAt: Int64
    let mintedAt: Duration
  }

  /// What has to be done before a request can go out.
  public enum Need: Sendable, Hashable {
    /// Use this token.
    case use(Token)
    /// Make a token with this `iat`, in seconds since 1970, and hand it to ``minted(authorization:issuedAt:now:)``.
    case mint(issuedAt: Int64)
  }

  /// What becomes of a request whose token was refused.
  public enum Verdict: Sendable, Hashable {
    /// It goes out once more, with the token that ``need(now:wall:)`` then names.
    case resend
    /// The refusal is final: it is the caller's outcome.
    case giveUp
  }

  private var current: Token?
  private var previous: Token?
  private var generations = 0
  private var forcedAt: Duration?
  private var heldUntil: Duration?

  /// Starts without a token.
  public init() {}

  /// Which token a request uses now.
  ///
  /// - Parameters:
  ///   - now: the monotonic clock.
  ///   - wall: seconds since 1970.
  public mutating func need(now: Duration, wall: Int64) -> Need {
    guard let current else { return .mint(issuedAt: wall) }
    let age = now - current.mintedAt
    if let heldUntil, now < heldUntil, age < Self.ageMax { return .use(current) }
    if age >= Self.refreshAge { return .mint(issuedAt: wall) }
    if age >= Self.ageMin && hasStepped(current, age: age, wall: wall) { return .mint(issuedAt: wall) }
    return .use(current)
  }

  /// The wall clock was set: by the new time, `iat` lies in the future or is close to an hour old.
  private func hasStepped(_ token: Token, age: Duration, wall: Int64) -> Bool {
    let wallAge: Duration = .seconds(wall - token.issuedAt)
    return age - wallAge > Self.stepMin || wallAge - age > Self.stepMin && wallAge >= Self.refreshAge
  }

  /// Stores a token that was minted as ``need(now:wall:)`` requested.
  public mutating func minted(authorization: String, issuedAt: Int64, now: Duration) -> Token {
    generations += 1
    let token = Token(generation: generations, authorization: authorization, issuedAt: issuedAt, mintedAt: now)
    previous = current
    current = token
    heldUntil = nil
    return token
  }

  /// APNs answered `ExpiredProviderToken` to a request that carried this token.
  ///
  /// Many requests carry the same token; the first such answer drops it, the rest find a newer one.
  public mutating func expired(generation: Int, now: Duration) -> Verdict {
    guard let token = current, token.generation == generation else { return .resend }
    if let forcedAt, now - forcedAt < Self.ageMin { return .giveUp }
    forcedAt = now
    current = nil
    previous = nil
    return .resend
  }

  /// APNs answered `TooManyProviderTokenUpdates` to a request that carried this token: the older one is used again and
  /// the next mint waits for 20 minutes.
  public mutating func tooManyUpdates(generation: Int, now: Duration) -> Verdict {
    guard let token = current, token.generation == generation else { return .resend }
    heldUntil = now + Self.ageMin
    guard let older = previous, now - older.mintedAt < Self.ageMax else { return .giveUp }
    current = older
    previous = nil
    return .resend
  }
}
