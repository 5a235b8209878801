internal import HTTPServer
internal import Signing
internal import StoreModel

/// Bounds failed attempts to sign in, by network and by account: whoever guesses waits.
///
/// They are counted in the store, so that a guess at one node counts at all of them, and after a restart.
final class SignInLimit: Sendable {
  /// Failures of one network, or for one account, within a window.
  static let failuresMax = 10
  /// The length of a window, in milliseconds.
  static let windowMs: Int64 = 60_000
  /// Networks and accounts remembered at once.
  static let subjectsMax = 10_000

  /// Failures of one IPv6 /48 within a window.
  ///
  /// Of one network no more than ``failuresMax`` are counted, so that it takes ten to lock out the others of their /48.
  static let siteFailuresMax = 10 * failuresMax

  /// What failures are counted by.
  struct Subjects: Sendable {
    /// The network and the account.
    let own: [[UInt8]]
    /// The /48 that the network is in, if any.
    let sites: [[UInt8]]

    init(own: [[UInt8]], sites: [[UInt8]] = []) { (self.own, self.sites) = (own, sites) }

    fileprivate init(_ kind: String, _ peer: HTTPPeer, account: [UInt8]? = nil) {
      own = [SHA256.digest(Array("\(kind):".utf8) + peer.network)] + (account.map { [$0] } ?? [])
      sites = peer.site.map { [SHA256.digest(Array("\(kind) site:".utf8) + $0)] } ?? []
    }

    fileprivate var all: [[UInt8]] { own + sites }
  }

  private let store: any Store
  private let bound: TryBound
  private let siteBound: TryBound

  init(store: any Store, subjectsMax: Int = SignInLimit.subjectsMax) {
    self.store = store
    bound = TryBound(failures: Self.failuresMax, windowMs: Self.windowMs, subjects: subjectsMax)
    siteBound = TryBound(failures: Self.siteFailuresMax, windowMs: Self.windowMs, subjects: subjectsMax)
  }

  /// What failures are counted by: the network, and the account that an attempt names, whether or not there is one.
  static func subjects(_ peer: HTTPPeer, email: String? = nil) -> Subjects {
    Subjects("network", peer, account: email.map { SHA256.digest("account:" + $0) })
  }

  /// What failed exchanges with an identity provider are counted by.
  static func exchanges(_ peer: HTTPPeer) -> Subjects { Subjects("exchange", peer) }

  /// Counts an attempt as failed before it is looked at, so that many at once are not more than the bound; throws when there
  /// were too many.
  func begin(_ subjects: Subjects, now: Timestamp) async throws(Problem) {
    var end: Timestamp?
    do throws(StoreError) {
      end = try store.triesBlocked(subjects.own, by: bound, now: now)
      if end == nil { end = try store.triesBlocked(subjects.sites, by: siteBound, now: now) }
      // Whoever goes on guessing writes nothing.
      if end == nil {
        end = try await AsideChange.run { [bound, siteBound] () async throws(StoreError) in
          try await store.change { store throws(StoreError) in
            if let end = try store.triesBlocked(subjects.sites, by: siteBound, now: now) { return end }
            // What is refused for its network does not count against the /48.
            if let end = try store.countTry(subjects.own, by: bound, now: now) { return end }
            return subjects.sites.isEmpty ? nil : try store.countTry(subjects.sites, by: siteBound, now: now)
          }
        }
      }
    } catch { throw Problem(error) }
    if let end { throw Self.refusal(end, now) }
  }

  private static func refusal(_ end: Timestamp, _ now: Timestamp) -> Problem {
    let wait = max(1, (end.milliseconds - now.milliseconds + 999) / 1_000)
    return Problem(
      .tooMany, "too many failed attempts to sign in; try again in \(wait) s", headers: [("Retry-After", String(wait))])
  }

  /// An attempt that was counted has not failed; nobody waits for this note.
  func succeeded(_ subjects: Subjects) {
    AsideChange.note {
      store.change({ store throws(StoreError) in try store.takeBackTry(subjects.all) }, completion: { _ in })
    }
  }
}
