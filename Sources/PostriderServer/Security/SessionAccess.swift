internal import HTTPServer
internal import PushStore
internal import Signing

/// Requests that carry a session's cookie instead of a key.
enum SessionAccess {
  /// There is no session, or none any more.
  static let over = Problem(
    .unauthenticated, "the session is over; sign in again",
    headers: [("WWW-Authenticate", "Bearer realm=\"postrider\"")])

  /// The caller of a session cookie; nil when the request carries none, or carries a key of its own.
  static func caller(_ request: HTTPRequestHead, _ service: Service, now: Timestamp) throws(Problem) -> Caller? {
    guard request.headers.occurrences(of: "Authorization") == 0, let id = SessionCookie.read(request)
    else { return nil }
    guard let session = service.sessions.use(id, now: now) else { throw over }
    guard let caller = try service.keys.caller(hash: session.keyHash, now: now) else {
      service.sessions.end(id)
      throw over
    }
    if request.method != .get, request.method != .head { try checkWrite(id, request.headers) }
    return caller
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
