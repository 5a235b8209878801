internal import HTTPServer
internal import Signing
internal import StoreModel

/// What was sent along with a browser to the provider, and must come back with the same browser.
///
/// All of it follows from a secret in the browser's cookie and the sealing key, so that begun sign-ins take no memory, nobody's
/// beginning ends another's, and any node takes them back.
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

  private let store: any Store
  private let key: [UInt8]
  private let usedMax: Int

  init(store: any Store, vault: Vault, usedMax: Int = OIDCStarts.usedMax) {
    self.store = store
    key = HMACSHA256.authenticate(Array("identity provider".utf8), key: vault.derivation)
    self.usedMax = usedMax
  }

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
  func finish(cookie: String?, state: String, now: Timestamp) async throws(OIDCFault) -> OIDCStart {
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
    let use: OnceUse
    do throws(StoreError) {
      // Kept until its age is refused whatever clock it is looked at with.
      let end = Timestamp(seconds: began + Self.lifetimeSeconds + OIDCToken.skewSeconds)
      use = try await AsideChange.run { [usedMax] () async throws(StoreError) in
        try await store.change { store throws(StoreError) in
          try store.useOnce(SHA256.digest(start.state), .signIn, until: end, max: usedMax, now: now)
        }
      }
    } catch {
      // Whoever signs in does not learn of hosts and paths.
      throw OIDCFault(kind: .busy, detail: Problem(error).outward.detail)
    }
    switch use {
    case .first: break
    case .again: throw .refused("this sign-in was used already; sign in again")
    case .full: throw OIDCFault(kind: .busy, detail: "too many people sign in at once; try again in a minute")
    }
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
