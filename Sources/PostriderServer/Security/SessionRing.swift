internal import HTTPServer
internal import PushStore
internal import Signing
internal import Synchronization

/// The dashboard's sessions: random ids in a cookie, each mapped to an API key.
///
/// Held in memory only, by the ids' hashes: a restart signs everybody out, and no file holds a credential. Each request
/// looks up the key again, so that a revoked or expired key ends its sessions.
final class SessionRing: Sendable {
  /// A signed-in browser.
  struct Session: Sendable {
    /// SHA-256 of the key's text.
    let keyHash: [UInt8]
    let startedAt: Timestamp
    var usedAt: Timestamp
  }

  /// How long a session lives unused: two hours, in milliseconds.
  static let idleMs: Int64 = 2 * 3_600_000
  /// How long a session lives at most: twelve hours, in milliseconds.
  static let lifetimeMs: Int64 = 12 * 3_600_000
  /// Sessions at once; the one that was unused longest makes room.
  static let sessionsMax = 1_000

  private let sessions = Mutex<[[UInt8]: Session]>([:])

  /// Begins a session and returns its id, which is not kept.
  func begin(keyHash: [UInt8], now: Timestamp) -> String {
    let id = Base64URL.encode(SecureRandom.bytes(32))
    sessions.withLock { sessions in
      sessions = sessions.filter { SessionRing.lives($0.value, now) }
      if sessions.count >= SessionRing.sessionsMax, let oldest = sessions.min(by: { $0.value.usedAt < $1.value.usedAt })
      {
        sessions[oldest.key] = nil
      }
      sessions[SHA256.digest(id)] = Session(keyHash: keyHash, startedAt: now, usedAt: now)
    }
    return id
  }

  /// The session with an id, which counts as used now; nil when there is none or it is over.
  func use(_ id: String, now: Timestamp) -> Session? {
    let hash = SHA256.digest(id)
    return sessions.withLock { sessions in
      guard var session = sessions[hash] else { return nil }
      guard SessionRing.lives(session, now) else {
        sessions[hash] = nil
        return nil
      }
      session.usedAt = max(session.usedAt, now)
      sessions[hash] = session
      return session
    }
  }

  /// Ends a session.
  func end(_ id: String) { sessions.withLock { _ = $0.removeValue(forKey: SHA256.digest(id)) } }

  /// When a session expires unless it is used.
  static func end(of session: Session) -> Timestamp {
    min(session.usedAt.adding(milliseconds: idleMs), session.startedAt.adding(milliseconds: lifetimeMs))
  }

  private static func lives(_ session: Session, _ now: Timestamp) -> Bool {
    session.startedAt <= now && now < end(of: session)
  }

  /// What a write of a session has to carry in `X-CSRF-Token`: a page of another origin cannot read it.
  ///
  /// It follows from the id and does not lead back to it.
  static func writeToken(of id: String) -> String { Base64URL.encode(SHA256.digest("write token:" + id)) }
}

/// The cookie that carries a session's id.
///
/// Behind TLS its name has the prefix `__Host-` (RFC 6265bis section 4.1.3.2): the browser then accepts it only with `Secure`, for
/// this host and the path `/`, so that no neighboring host can put a session into it. Browsers refuse that prefix over plain
/// HTTP, where the name has none.
enum SessionCookie {
  static let name = "postrider_session"
  static let secureName = "__Host-" + name

  /// Whether the browser came by TLS: to this server, or as the proxy in front says.
  ///
  /// A lie there touches the liar's own cookie only.
  private static func isSecure(_ request: HTTPRequestHead) -> Bool {
    request.isSecure || request.headers.first("X-Forwarded-Proto") == "https"
  }

  /// The id in a request's cookies; nil when there is none.
  static func read(_ request: HTTPRequestHead) -> String? {
    guard let line = request.headers.first("Cookie") else { return nil }
    let name = isSecure(request) ? secureName : name
    for part in line.split(separator: ";") {
      let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      if pair.count == 2, pair[0] == name { return String(pair[1]) }
    }
    return nil
  }

  /// Puts an id into the browser; nil takes it out.
  static func header(_ id: String?, _ request: HTTPRequest) -> (name: String, value: String) {
    let isSecure = isSecure(request.head)
    var text = "\(isSecure ? secureName : name)=\(id ?? ""); Path=/; HttpOnly; SameSite=Strict"
    text += id == nil ? "; Max-Age=0" : "; Max-Age=\(SessionRing.lifetimeMs / 1_000)"
    if isSecure { text += "; Secure" }
    return ("Set-Cookie", text)
  }
}
