internal import HTTPServer
internal import Signing
internal import StoreModel

/// Requests that carry a session's cookie instead of a key.
enum SessionAccess {
  /// There is no session, or none any more.
  static let over = Problem(
    .unauthenticated, "the session has expired; sign in again",
    headers: [("WWW-Authenticate", "Bearer realm=\"postrider\"")])

  /// The caller of a session cookie; nil when the request carries none, or carries a key of its own.
  static func caller(
    _ request: HTTPRequestHead, at target: AccessTarget, _ service: Service, now: Timestamp
  ) throws(Problem) -> Caller? {
    guard request.headers.occurrences(of: "Authorization") == 0, let id = SessionCookie.read(request)
    else { return nil }
    guard let session = try service.sessions.use(id, now: now) else { throw over }
    let holder = try holder(of: session, service, now: now)
    if request.method != .get, request.method != .head { try checkWrite(id, request.headers) }
    switch holder {
    case .key(let caller): return caller
    case .person(let account):
      let app = try target.app.flatMap { name throws(Problem) in try service.apps.id(named: name, now: now) }
      return try account.caller(at: target, app: app)
    }
  }

  /// Whose a session is.
  enum Holder: Sendable {
    case key(Caller)
    case person(Account)
  }

  /// Whose a session is, as of now: it ends when its key is revoked or the person removed.
  static func holder(
    of session: SessionRecord, _ service: Service, now: Timestamp
  ) throws(Problem) -> Holder {
    switch session.holder {
    case .key(let hash): if let caller = try service.keys.caller(hash: hash, now: now) { return .key(caller) }
    case .account(let id):
      if let account = try service.accounts.account(id, now: now) { return .person(account) }
    }
    service.sessions.drop { $0.id == session.id }
    throw over
  }

  /// The session of a request's cookie; a request that changes something must come from the dashboard's own page.
  static func session(_ call: Call, _ service: Service) throws(Problem) -> SessionRecord {
    guard let id = SessionCookie.read(call.http.head), let session = try service.sessions.use(id, now: call.now) else {
      throw over
    }
    if call.http.method != .get { try checkWrite(id, call.http.headers) }
    return session
  }

  /// Refuses a write that the dashboard's own page did not send.
  static func checkWrite(_ id: String, _ headers: HTTPHeaders) throws(Problem) {
    let wanted = Array(SessionRing.writeToken(of: id).utf8)
    guard Origin.isOwn(headers), let given = headers.valueBytes("X-CSRF-Token"), given.count == wanted.count,
      constantTimeEqual(Array(given), wanted)
    else {
      throw Problem(
        .forbidden, "a write of a session must carry its write_token in the header X-CSRF-Token, from the same origin")
    }
  }
}
