internal import HTTPServer
internal import Synchronization

/// Uses a renewed certificate without a restart, and says when one cannot be used or is about to expire.
final class CertificateWatch: Sendable {
  private let certificate: ServerCertificate
  private let clock: WallClock
  private let log: Log
  /// When a certificate that is about to expire was last reported, in seconds since 1970.
  private let warnedAt = Mutex<Int64?>(nil)
  private let thread = Mutex<PeriodicThread?>(nil)

  private static let periodMs: Int32 = 1_000
  /// How long before its end a certificate is reported, once a day: certificates for 90 days are renewed a month before.
  private static let warnedSeconds: Int64 = 14 * 86_400

  init(_ certificate: ServerCertificate, clock: WallClock, log: Log) throws(HTTPServerError) {
    self.certificate = certificate
    self.clock = clock
    self.log = log
    let ticker = try PeriodicThread(periodMs: Self.periodMs) { [weak self] in self?.look() }
    thread.withLock { $0 = ticker }
    warn()
  }

  func stop() { thread.withLock { $0.take() }?.stop() }

  private func look() {
    switch certificate.refresh() {
    case .none: break
    case .loaded:
      log(.info, "certificate loaded", ["expires_at": .text(expiry)])
      // What was said of the one before says nothing of this one.
      warnedAt.withLock { $0 = nil }
    case .failed(let reason):
      log(.error, "certificate not loaded: the one before stays in use", ["detail": .text(reason)])
    }
    warn()
  }

  private func warn() {
    guard let end = certificate.expiresAt else { return }
    let now = clock.nowMs() / 1_000
    let isDue = warnedAt.withLock { latest in
      guard end - now < Self.warnedSeconds, latest.map({ now - $0 >= 86_400 || now < $0 }) ?? true else { return false }
      latest = now
      return true
    }
    guard isDue else { return }
    log(
      now < end ? .warning : .error, now < end ? "certificate expires soon" : "certificate has expired",
      ["expires_at": .text(expiry)])
  }

  private var expiry: String { certificate.expiresAt.map { TimeText.text(ms: $0 * 1_000) } ?? "" }
}
