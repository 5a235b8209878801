/// How a pool of connections to one gateway may grow, wait and give up.
///
/// All durations are on the monotonic clock.
public struct PoolLimits: Sendable, Hashable {
  /// The most connections at one time.
  public var connectionsMax = 4
  /// How many connections are kept when there is nothing to send.
  ///
  /// None are opened before the first send.
  public var connectionsMin = 1
  /// The most streams used on one connection, however many the peer allows.
  public var streamsPerConnectionMax = 1000
  /// How many streams a connection gets before the peer's SETTINGS have arrived.
  public var streamsBeforeSettings = 1
  /// How many streams a connection gets before its first request was accepted; `nil` for no such rule.
  ///
  /// APNs allows one with a provider token.
  public var streamsBeforeFirstAcceptance: Int?
  /// How long a connection may take from the name look-up to the end of the TLS handshake, and again from there to the
  /// peer's SETTINGS.
  public var connectTimeout: Duration = .seconds(10)
  /// The first wait after a failed connection; doubles with each further failure.
  public var backoffBase: Duration = .milliseconds(100)
  /// The longest wait between failed connections.
  public var backoffMax: Duration = .seconds(30)
  /// Connection attempts that may follow each other without pause, so that a peer that accepts and drops is not stormed.
  public var connectBurst = 8
  /// One more attempt is allowed each time this has passed.
  public var connectInterval: Duration = .seconds(1)
  /// After so many connections in a row have failed, and none is open, what waits is not kept waiting any longer: it
  /// fails with the cause of the last one.
  public var connectFailuresMax = 5
  /// An idle connection beyond ``connectionsMin`` is closed after this.
  public var idleClose: Duration = .seconds(60)
  /// A connection that has received nothing for this long is pinged; `nil` when the peer does not tolerate it.
  ///
  /// Apple suggests an hour; FCM closes idle connections itself.
  public var idlePing: Duration?
  /// A busy connection that has received nothing for this long is pinged.
  public var busySilence: Duration = .seconds(10)
  /// How long a PING may go unanswered before the connection is treated as dead.
  public var pingTimeout: Duration = .seconds(5)

  /// The defaults above.
  public init() {}
}
