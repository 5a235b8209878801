internal import HTTPServer
internal import PushStore
internal import Signing
internal import Synchronization

/// The dashboard's sessions: random ids in a cookie, each of a person or an API key.
///
/// Stored by the ids' hashes, so that they survive a restart and no file holds a credential; memory has them all, so that no
/// request reads them. Each request looks up the key or the person again: a session ends with its holder.
final class SessionRing: Sendable {
  /// How long a session lives unused: two hours, in milliseconds.
  static let idleMs: Int64 = 2 * 3_600_000
  /// How long a session lives at most: twelve hours, in milliseconds.
  static let lifetimeMs: Int64 = 12 * 3_600_000
  /// Sessions at once; the one that was unused longest makes room.
  static let sessionsMax = 1_000
  /// Sessions of one holder at once, so that nobody's sign-ins end those of others.
  static let sessionsOfOneMax = 20
  /// How often the use of a session is stored, in milliseconds.
  private static let touchMs: Int64 = 60_000

  private struct Entry: Sendable {
    var record: SessionRecord
    /// Until when its use is stored.
    var storedAt: Timestamp
  }

  private let store: any Store
  private let sessions: Mutex<[[UInt8]: Entry]>
  /// How often sessions were dropped: one that begins meanwhile may have been ended before it was here.
  private let drops = Atomic<UInt64>(0)

  /// The sessions that are stored; ones that cannot be read have to sign in again.
  init(store: any Store) {
    self.store = store
    let stored = ((try? store.sessions()) ?? []).prefix(SessionRing.sessionsMax)
    sessions = Mutex(
      Dictionary(stored.map { ($0.hash, Entry(record: $0, storedAt: $0.usedAt)) }) { first, _ in first })
  }

  /// Where a session begins.
  struct Origin: Sendable {
    let peer: String
    let agent: String

    init(_ head: HTTPRequestHead) {
      peer = head.peer.text
      let visible = (head.headers.valueBytes("User-Agent") ?? []).prefix(200).filter { (0x20...0x7E).contains($0) }
      agent = String(decoding: visible, as: UTF8.self)
    }
  }

  /// Begins a session, and returns its id, which is not kept.
  ///
  /// - Parameter proof: what a person has proven.
  func begin(
    _ holder: SessionRecord.Holder, proof: SignInProof?, from origin: Origin, now: Timestamp
  ) async throws(Problem) -> String {
    let id = Base64URL.encode(SecureRandom.bytes(32))
    let new = SessionRecord(
      hash: SHA256.digest(id), holder: holder, startedAt: now, usedAt: now, peer: origin.peer, agent: origin.agent)
    let before = drops.load(ordering: .sequentiallyConsistent)
    let record: SessionRecord
    do throws(StoreError) {
      record = try await store.change { store throws(StoreError) in
        try store.beginSession(
          new, proof: proof, usedBefore: now.adding(milliseconds: -SessionRing.idleMs),
          startedBefore: now.adding(milliseconds: -SessionRing.lifetimeMs))
      }
    } catch { throw Problem(error) }
    let evicted = sessions.withLock { sessions -> SessionID? in
      sessions = sessions.filter { SessionRing.lives($0.value.record, now) }
      var evicted: SessionID?
      let own = sessions.filter { $0.value.record.holder == holder }
      let crowded =
        own.count >= SessionRing.sessionsOfOneMax ? own : sessions.count >= SessionRing.sessionsMax ? sessions : [:]
      if let oldest = crowded.min(by: {
        ($0.value.record.usedAt, $0.value.record.id) < ($1.value.record.usedAt, $1.value.record.id)
      }) {
        evicted = oldest.value.record.id
        sessions[oldest.key] = nil
      }
      sessions[record.hash] = Entry(record: record, storedAt: now)
      return evicted
    }
    if let evicted { forget([evicted]) }
    if drops.load(ordering: .sequentiallyConsistent) != before, !isStored(record) {
      drop { $0.hash == record.hash }
      throw Problem(.conflict, "the password or the roles were changed while you signed in; sign in again")
    }
    return id
  }

  private func isStored(_ record: SessionRecord) -> Bool {
    (try? store.sessions())?.contains { $0.hash == record.hash } ?? false
  }

  /// The session with an id, which counts as used now; nil when there is none or it is over.
  func use(_ id: String, now: Timestamp) -> SessionRecord? {
    let hash = SHA256.digest(id)
    let (record, isDue) = sessions.withLock { sessions -> (SessionRecord?, Bool) in
      guard var entry = sessions[hash] else { return (nil, false) }
      guard SessionRing.lives(entry.record, now) else {
        sessions[hash] = nil
        return (nil, false)
      }
      entry.record.usedAt = max(entry.record.usedAt, now)
      let isDue = now > entry.storedAt.adding(milliseconds: SessionRing.touchMs)
      if isDue { entry.storedAt = now }
      sessions[hash] = entry
      return (entry.record, isDue)
    }
    // No request waits for this note: without it the session ends a minute earlier after a restart.
    if let record, isDue {
      store.change(
        { store throws(StoreError) in try store.touchSession(record.id, now: now) }, completion: { _ in })
    }
    return record
  }

  /// The sessions that live, the one used last first.
  func list(now: Timestamp) -> [SessionRecord] {
    sessions.withLock { $0.values.map(\.record) }.filter { SessionRing.lives($0, now) }
      .sorted { ($0.usedAt, $0.id) > ($1.usedAt, $1.id) }
  }

  /// Ends the sessions that a condition names, durably; returns how many.
  @discardableResult
  func end(where isMeant: @Sendable (SessionRecord) -> Bool) async throws(Problem) -> Int {
    let ended = drop(where: isMeant)
    guard !ended.isEmpty else { return 0 }
    do throws(StoreError) {
      try await store.change { store throws(StoreError) in try store.endSessions(ended) }
    } catch { throw Problem(error) }
    return ended.count
  }

  /// Ends a session, durably.
  func end(_ id: String) async throws(Problem) {
    let hash = SHA256.digest(id)
    try await end { $0.hash == hash }
  }

  /// Forgets sessions that the store has ended, or whose holder is gone: what is stored of the latter is deleted with all
  /// that is over.
  @discardableResult
  func drop(where isMeant: (SessionRecord) -> Bool) -> [SessionID] {
    drops.add(1, ordering: .sequentiallyConsistent)
    return sessions.withLock { sessions in
      let ended = sessions.filter { isMeant($0.value.record) }
      for hash in ended.keys { sessions[hash] = nil }
      return ended.values.map(\.record.id)
    }
  }

  private func forget(_ ids: [SessionID]) {
    store.change({ store throws(StoreError) in try store.endSessions(ids) }, completion: { _ in })
  }

  /// When a session expires unless it is used.
  static func end(of session: SessionRecord) -> Timestamp {
    min(session.usedAt.adding(milliseconds: idleMs), session.startedAt.adding(milliseconds: lifetimeMs))
  }

  private static func lives(_ session: SessionRecord, _ now: Timestamp) -> Bool {
    session.startedAt <= now && now < end(of: session)
  }

  /// What a write of a session has to carry in `X-CSRF-Token`: a page of another origin cannot read it.
  ///
  /// It follows from the id and does not lead back to it.
  static func writeToken(of id: String) -> String { Base64URL.encode(SHA256.digest("write token:" + id)) }
}
