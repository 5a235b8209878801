/// Decides when an OAuth access token is fetched, used and dropped, without I/O.
///
/// The caller performs the exchange.
///
/// Invariants:
/// 1. At most one fetch is in progress.
/// 2. A token is used until it expires; a fetch for its successor starts ``refreshLead`` earlier.
/// 3. After a failed fetch the next one waits: a second at first, doubling to ``retryMax``; a refusal of the credential
///    itself waits ``refusalPause``.
/// 4. A token that FCM refuses is dropped once; when the next one is refused as well within ``forcedPause``, the
///    refusal is final.
package struct FCMAccessToken: Sendable {
  /// How long before its end a token is replaced.
  static let refreshLead: Duration = .seconds(5 * 60)
  /// The minimum lifetime of a token; a shorter one that the endpoint reports is raised to this.
  static let lifetimeMin: Duration = .seconds(10)
  /// The longest wait between fetches that failed for a passing reason.
  static let retryMax: Duration = .seconds(60)
  /// The wait after the token endpoint refused the credential.
  static let refusalPause: Duration = .seconds(30)
  /// The least time between two fetches that a refusal by FCM forced.
  static let forcedPause: Duration = .seconds(60)

  /// One access token.
  struct Token: Sendable, Hashable {
    let generation: Int
    /// The value of the `authorization` header.
    let authorization: String
    let refreshAt: Duration
    let expiresAt: Duration
  }

  /// Why there is no token.
  package struct Failure: Error, Sendable, Hashable {
    /// Whether the endpoint judged the credential; otherwise it is tried again soon.
    package let isRefusal: Bool
    package let detail: String

    /// Creates a value from its parts.
    package init(isRefusal: Bool, detail: String) {
      self.isRefusal = isRefusal
      self.detail = detail
    }
  }

  /// What has to be done before a request can go out.
  enum Need: Sendable, Hashable {
    /// Use this token.
    case use(Token)
    /// There is none yet; requests wait.
    case wait
    /// There is none, and the credential was refused: requests fail with this.
    case refuse(Failure)
  }

  /// What becomes of a request whose token was refused.
  enum Verdict: Sendable, Hashable {
    case resend
    case giveUp
  }

  private var token: Token?
  private var generations = 0
  private var isFetching = false
  private var failure: Failure?
  private var failures = 0
  private var fetchNotBefore: Duration?
  private var forcedAt: Duration?

  /// Which token a request uses now.
  func need(now: Duration) -> Need {
    if let token, now < token.expiresAt { return .use(token) }
    if let failure, failure.isRefusal, !isFetching, let fetchNotBefore, now < fetchNotBefore { return .refuse(failure) }
    return .wait
  }

  /// Whether a fetch has to start now; says so once, until ``fetched(_:lifetime:now:)`` or ``failed(_:now:)``.
  mutating func shouldFetch(now: Duration) -> Bool {
    guard !isFetching else { return false }
    if let token, now < token.refreshAt { return false }
    if let fetchNotBefore, now < fetchNotBefore { return false }
    isFetching = true
    return true
  }

  /// When ``shouldFetch(now:)`` must be called again although no event has occurred.
  var nextFetch: Duration? { isFetching ? nil : fetchNotBefore }

  /// Why the last fetch failed, while there is no token.
  var lastFailure: Failure? { failure }

  /// The endpoint gave a token.
  mutating func fetched(_ accessToken: String, lifetime: Duration, now: Duration) {
    generations += 1
    let lifetime = max(lifetime, Self.lifetimeMin)
    // Half the life for tokens that live shorter than twice the lead, so that they are not fetched all the time.
    let lead = min(Self.refreshLead, lifetime / 2)
    token = Token(
      generation: generations, authorization: "Bearer \(accessToken)", refreshAt: now + lifetime - lead,
      expiresAt: now + lifetime)
    isFetching = false
    failure = nil
    failures = 0
    fetchNotBefore = nil
  }

  /// The fetch failed.
  mutating func failed(_ failure: Failure, now: Duration) {
    isFetching = false
    self.failure = failure
    failures += 1
    let wait = min(.seconds(1 << min(failures - 1, 6)), Self.retryMax)
    fetchNotBefore = now + (failure.isRefusal ? Self.refusalPause : wait)
  }

  /// FCM answered 401 without an error of its own to a request that carried this token.
  mutating func refused(generation: Int, now: Duration) -> Verdict {
    guard let token, token.generation == generation else { return .resend }
    if let forcedAt, now - forcedAt < Self.forcedPause { return .giveUp }
    forcedAt = now
    self.token = nil
    return .resend
  }
}
