internal import HTTPServer
internal import PushStore
internal import Signing
internal import Synchronization

/// What was sent along with a browser to the provider, and must come back with the same browser.
///
/// All of it follows from a secret in the browser's cookie and one of the process, so that begun sign-ins take no memory,
/// and nobody's beginning ends another's.
struct OIDCStart: Sendable, Hashable {
  /// `SECRET.SECONDS`: random, and when it began.
  let cookie: String
  let state: String
  let nonce: String
  /// What only this server can show for the code (RFC 7636).
  let verifier: String

  var challenge: String { Base64URL.encode(SHA256.digest(verifier)) }
}

/// Begins sign-ins, and takes each back once.
final class OIDCStarts: Sendable {
  /// How long a person may take at the provider, in seconds.
  static let lifetimeSeconds: Int64 = 600
  /// States that came back and are remembered until they would be too old; beyond, more are refused.
  static let usedMax = 10_000

  /// Of this process: a restart makes what was begun before void, so that nothing that was used can come again.
  private let key = SecureRandom.bytes(32)
  private let used = Mutex<[String: Int64]>([:])

  func begin(now: Timestamp) -> OIDCStart {
    start("\(Base64URL.encode(SecureRandom.bytes(32))).\(now.seconds)")
  }

  private func start(_ cookie: String) -> OIDCStart {
    func derived(_ purpose: String) -> String {
      Base64URL.encode(HMACSHA256.authenticate(Array("\(purpose):\(cookie)".utf8), key: key))
    }
    return OIDCStart(
      cookie: cookie, state: derived("state"), nonce: derived("nonce"), verifier: derived("verifier"))
  }

  /// The sign-in that a browser has begun with this state; it cannot come back a second time.
  func finish(cookie: String?, state: String, now: Timestamp) throws(OIDCFault) -> OIDCStart {
    let again = OIDCFault.refused(
      "this sign-in was not begun in this browser, or another one was after it; sign in again")
    guard let cookie, cookie.utf8.count <= 80, let dot = cookie.firstIndex(of: "."),
      let began = Int64(cookie[cookie.index(after: dot)...])
    else { throw again }
    let start = start(cookie)
    guard constantTimeEqual(Array(start.state.utf8), Array(state.utf8)) else { throw again }
    // The state vouches for the time, too.
    let age = now.seconds - began
    guard (-OIDCToken.skewSeconds...OIDCStarts.lifetimeSeconds).contains(age) else {
      throw .refused("the sign-in took longer than \(OIDCStarts.lifetimeSeconds / 60) minutes; sign in again")
    }
    let isFirst = try used.withLock { used throws(OIDCFault) in
      if used.count >= OIDCStarts.usedMax {
        used = used.filter { now.seconds - $0.value <= OIDCStarts.lifetimeSeconds }
      }
      guard used.count < OIDCStarts.usedMax else {
        throw OIDCFault(kind: .busy, detail: "too many people sign in at once; try again in a minute")
      }
      return used.updateValue(began, forKey: start.state) == nil
    }
    guard isFirst else { throw .refused("this sign-in was used already; sign in again") }
    return start
  }
}

/// The cookie that binds a sign-in to its browser, until it is back.
enum OIDCCookie {
  private static let name = "postrider_oidc"

  static func read(_ request: HTTPRequestHead) -> String? { SessionCookie.value(name, request) }

  static func header(_ value: String?, _ request: HTTPRequest) -> (name: String, value: String) {
    SessionCookie.header(name, value, maxAge: OIDCStarts.lifetimeSeconds, request)
  }
}
