internal import HTTPServer
internal import PushStore
internal import Signing
internal import Synchronization

/// Bounds failed attempts to sign in, by network and by account: whoever guesses waits.
final class SignInLimit: Sendable {
  private struct Window: Sendable {
    var failures: Int
    let endsAt: Timestamp
  }

  /// Failures of one network, or for one account, within a window.
  static let failuresMax = 10
  /// The length of a window, in milliseconds.
  static let windowMs: Int64 = 60_000
  /// Networks and accounts remembered at once.
  private static let subjectsMax = 10_000

  private let windows = Mutex<[[UInt8]: Window]>([:])

  /// What failures are counted by: the network, and the account that an attempt names, whether or not there is one.
  static func subjects(_ peer: HTTPPeer, email: String? = nil) -> [[UInt8]] {
    [peer.network] + (email.map { [SHA256.digest("account:" + $0)] } ?? [])
  }

  /// What failed exchanges with an identity provider are counted by.
  static func exchanges(_ peer: HTTPPeer) -> [[UInt8]] {
    [SHA256.digest(Array("exchange:".utf8) + peer.network)]
  }

  /// Counts an attempt as failed before it is looked at, so that many at once are not more than the bound; throws when there
  /// were too many.
  func begin(_ subjects: [[UInt8]], now: Timestamp) throws(Problem) {
    let wait = windows.withLock { windows -> Int64? in
      let waits = subjects.compactMap { subject -> Int64? in
        guard let window = windows[subject], window.failures >= SignInLimit.failuresMax, now < window.endsAt
        else { return nil }
        return max(1, (window.endsAt.milliseconds - now.milliseconds + 999) / 1_000)
      }
      if let longest = waits.max() { return longest }
      for subject in subjects { SignInLimit.count(subject, &windows, now) }
      return nil
    }
    guard let wait else { return }
    throw Problem(
      .tooMany, "too many failed attempts to sign in; try again in \(wait) s", headers: [("Retry-After", String(wait))])
  }

  /// An attempt that was counted has not failed.
  func succeeded(_ subjects: [[UInt8]]) {
    windows.withLock { windows in
      for subject in subjects { windows[subject]?.failures -= 1 }
    }
  }

  private static func count(_ subject: [UInt8], _ windows: inout [[UInt8]: Window], _ now: Timestamp) {
    if windows.count >= subjectsMax {
      windows = windows.filter { now < $0.value.endsAt }
      // Whoever invents accounts to push others out makes room among their own: those with the fewest failures go first.
      if windows.count >= subjectsMax {
        let fewest = windows.sorted { $0.value.failures < $1.value.failures }.prefix(subjectsMax / 10)
        for (subject, _) in fewest { windows[subject] = nil }
      }
    }
    if var window = windows[subject], now < window.endsAt {
      window.failures += 1
      windows[subject] = window
    } else {
      windows[subject] = Window(failures: 1, endsAt: now.adding(milliseconds: windowMs))
    }
  }
}
