internal import HTTPServer
internal import PushStore
internal import Synchronization

/// Bounds failed attempts to sign in, by network: whoever guesses waits.
final class SignInLimit: Sendable {
  private struct Window: Sendable {
    var failures: Int
    let endsAt: Timestamp
  }

  /// Failures of one network within a window.
  static let failuresMax = 10
  /// The length of a window, in milliseconds.
  static let windowMs: Int64 = 60_000
  /// Networks remembered at once.
  private static let networksMax = 10_000

  private let windows = Mutex<[[UInt8]: Window]>([:])

  /// The seconds to wait when the network has failed too often; nil when it may try.
  func wait(_ peer: HTTPPeer, now: Timestamp) -> Int64? {
    windows.withLock { windows in
      guard let window = windows[peer.network], window.failures >= SignInLimit.failuresMax, now < window.endsAt
      else { return nil }
      return max(1, (window.endsAt.milliseconds - now.milliseconds + 999) / 1_000)
    }
  }

  /// Notes a failure.
  func failed(_ peer: HTTPPeer, now: Timestamp) {
    windows.withLock { windows in
      if windows.count >= SignInLimit.networksMax {
        windows = windows.filter { now < $0.value.endsAt }
        if windows.count >= SignInLimit.networksMax { windows.removeAll() }
      }
      if var window = windows[peer.network], now < window.endsAt {
        window.failures += 1
        windows[peer.network] = window
      } else {
        windows[peer.network] = Window(failures: 1, endsAt: now.adding(milliseconds: SignInLimit.windowMs))
      }
    }
  }
}
