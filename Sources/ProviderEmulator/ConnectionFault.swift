internal import HTTP2

/// What is done to connections as they come in.
public struct ConnectionFault: Sendable {
  /// How a connection begins.
  public enum Opening: Sendable, Hashable {
    /// As always.
    case normal
    /// The TCP connection is reset before TLS.
    case reset
    /// TCP is accepted and nothing is ever read or written.
    case silence
    /// After the TLS handshake nothing is ever read or written.
    case silenceAfterTLS
    /// The first TLS message is answered with bytes that are not TLS.
    case garbage
    /// GOAWAY is the first frame, before SETTINGS.
    case goAway(GoAwayEffect)
    /// The server's certificate has expired.
    case expiredCertificate
    /// The server's certificate is for another name.
    case wrongName
    /// No authority that the client trusts has issued the server's certificate.
    case untrustedCertificate
    /// The server chooses no HTTP/2 by ALPN.
    case noALPN
  }

  /// The affected service; nil for both gateways.
  public var provider: EmulatedProvider?
  /// So many connections are spared first.
  public var after = 0
  /// It strikes at most so many connections; nil for no end.
  public var times: Int?
  /// It strikes each so-manieth connection only; nil for each.
  public var every: Int?
  /// How the connection begins.
  public var opening: Opening
  /// How long SETTINGS, and all that follows, are held back, in milliseconds.
  public var settingsDelayMs = 0
  /// SETTINGS_MAX_CONCURRENT_STREAMS of the connection; nil for the gateway's.
  public var streams: Int?

  private var seen = 0
  private var struck = 0

  /// A fault of every connection.
  public init(opening: Opening) { self.opening = opening }

  /// Counts a connection and says whether it is struck.
  mutating func strikes(_ provider: EmulatedProvider) -> Bool {
    if let only = self.provider, only != provider { return false }
    seen += 1
    guard seen > after else { return false }
    if let every, seen.saturatingSubtracting(after) % max(1, every) != 0 { return false }
    if let times, struck >= times { return false }
    struck += 1
    return true
  }

  /// Changes the plan of a connection that is struck.
  func behavior(_ ordinary: HTTP2ConnectionBehavior, certificates: FaultyCertificates) -> HTTP2ConnectionBehavior {
    var behavior = ordinary
    if let streams { behavior.settings?.maxConcurrentStreams = UInt32(clamping: streams) }
    if settingsDelayMs > 0 { behavior.settingsDelay = .milliseconds(settingsDelayMs) }
    switch opening {
    case .normal: break
    case .reset: behavior.opening = .reset
    case .silence: behavior.opening = .silence
    case .silenceAfterTLS: behavior.opening = .silenceAfterTLS
    case .garbage: behavior.opening = .garbage
    case .goAway(let goAway):
      behavior.opening = .goAway(code: HTTP2ErrorCode(rawValue: goAway.code), debugData: goAway.debugData)
    case .expiredCertificate: behavior.tls = certificates.expired
    case .wrongName: behavior.tls = certificates.wrongName
    case .untrustedCertificate: behavior.tls = certificates.untrusted
    case .noALPN:
      behavior.tls = certificates.noALPN
      behavior.acceptsNoALPN = false
    }
    return behavior
  }
}
