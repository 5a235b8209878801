internal import HTTPServer
internal import Signing
internal import StoreModel
internal import Synchronization

/// The dashboard's sessions: random ids in a cookie, each of a person or an API key.
///
/// Stored by the ids' hashes, so that they survive a restart and no file holds a credential, and remembered, so that few
/// requests read them. Where other nodes begin and end sessions as well, what is remembered is believed for a while, and an id that
/// is not known is looked up. Each request looks up the key or the person again: a session ends with its holder.
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
  /// How long a session is believed without asking the store again, in milliseconds, where other nodes may have ended it and their
  /// news was lost.
  private static let trustMs: Int64 = 10_000

  private struct Entry: Sendable {
    var record: SessionRecord
    /// Until when its use is stored.
    var storedAt: Timestamp
    /// When it was read.
    var readAt: Timestamp
  }

  private let store: any Store
  /// Whether other nodes begin and end sessions as well.
  private let isShared: Bool
  private let sessions: Mutex<[[UInt8]: Entry]>
  /// How often sessions were dropped: one that begins or is read meanwhile may have been ended before it was here.
  private let drops = Atomic<UInt64>(0)

  /// The sessions that are stored; ones that cannot be read have to sign in again.
  init(store: any Store) {
    self.store = store
    isShared = store.nodeStatus.isShared
    // Where there are other nodes, each is read when it is used.
    let stored = isShared ? [] : ((try? store.sessions()) ?? []).prefix(SessionRing.sessionsMax)
    sessions = Mutex(
      Dictionary(stored.map { ($0.hash, Entry(record: $0, storedAt: $0.usedAt, readAt: $0.usedAt)) }) { first, _ in
        first
      })
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
    let bounds = SessionBounds(
      usedBefore: now.adding(milliseconds: -SessionRing.idleMs),
      startedBefore: now.adding(milliseconds: -SessionRing.lifetimeMs),
      ofOneMax: SessionRing.sessionsOfOneMax, max: SessionRing.sessionsMax)
    // Which of the holder's was unused longest is known to the second, not to the minute.
    let uses = sessions.withLock { sessions in
      sessions.values.filter { $0.record.holder == holder && $0.record.usedAt > $0.storedAt }.map(\.record)
    }
    let (record, stored): (SessionRecord, Set<SessionID>)
    do throws(StoreError) {
      (record, stored) = try await store.change { store throws(StoreError) in
        for used in uses { try store.touchSession(used.id, now: used.usedAt) }
        let record = try store.beginSession(new, proof: proof, over: bounds)
        return (record, Set(try store.sessions().map(\.id)))
      }
    } catch { throw Problem(error) }
    sessions.withLock { sessions in
      sessions = sessions.filter { stored.contains($0.value.record.id) || $0.value.record.id > record.id }
      sessions[record.hash] = Entry(record: record, storedAt: now, readAt: now)
    }
    if drops.load(ordering: .sequentiallyConsistent) != before, !isStored(record) {
      drop { $0.hash == record.hash }
      throw Problem(.conflict, "the password or the roles were changed while you signed in; sign in again")
    }
    return id
  }

  private func isStored(_ record: SessionRecord) -> Bool {
    (try? store.session(hash: record.hash)) != nil
  }

  /// The session with an id, which counts as used now; nil when there is none or it is over.
  func use(_ id: String, now: Timestamp) throws(Problem) -> SessionRecord? {
    let hash = SHA256.digest(id)
    if isShared { try look(hash, now: now) }
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
      AsideChange.note {
        store.change(
          { store throws(StoreError) in try store.touchSession(record.id, now: now) }, completion: { _ in })
      }
    }
    return record
  }

  /// Reads a session that is not remembered, or was read long ago.
  private func look(_ hash: [UInt8], now: Timestamp) throws(Problem) {
    let before = drops.load(ordering: .sequentiallyConsistent)
    let isFresh = sessions.withLock { sessions in
      guard let entry = sessions[hash] else { return false }
      return entry.readAt <= now && now < entry.readAt.adding(milliseconds: SessionRing.trustMs)
    }
    guard !isFresh else { return }
    let stored: SessionRecord?
    do throws(StoreError) { stored = try store.session(hash: hash) } catch { throw Problem(error) }
    sessions.withLock { sessions in
      guard let stored else { return sessions[hash] = nil }
      // What was ended or doubted meanwhile is read once more with the next request.
      let isCertain = drops.load(ordering: .sequentiallyConsistent) == before
      if sessions.count >= SessionRing.sessionsMax { sessions.removeAll() }
      var record = stored
      record.usedAt = max(stored.usedAt, sessions[hash]?.record.usedAt ?? stored.usedAt)
      sessions[hash] = Entry(
        record: record, storedAt: stored.usedAt, readAt: isCertain ? now : Timestamp(milliseconds: 0))
    }
  }

  /// Has each session read again before it is used: another node may have ended some.
  func doubtAll() {
    drops.add(1, ordering: .sequentiallyConsistent)
    sessions.withLock { sessions in
      for hash in sessions.keys { sessions[hash]?.readAt = Timestamp(milliseconds: 0) }
    }
  }

  /// The sessions that live, the one used last first.
  func list(now: Timestamp) throws(Problem) -> [SessionRecord] {
    var stored: [SessionRecord]
    do throws(StoreError) { stored = try store.sessions() } catch { throw Problem(error) }
    let known = sessions.withLock { $0 }
    for index in stored.indices {
      stored[index].usedAt = max(stored[index].usedAt, known[stored[index].hash]?.record.usedAt ?? stored[index].usedAt)
    }
    return stored.filter { SessionRing.lives($0, now) }.sorted { ($0.usedAt, $0.id) > ($1.usedAt, $1.id) }
  }

  /// Ends the sessions that a condition names, durably; returns how many.
  @discardableResult
  func end(now: Timestamp, where isMeant: @escaping @Sendable (SessionRecord) -> Bool) async throws(Problem) -> Int {
    drop(where: isMeant)
    do throws(StoreError) {
      return try await store.change { store throws(StoreError) in
        let ended = try store.sessions().filter(isMeant)
        // Nothing that other nodes remember has changed then.
        if !ended.isEmpty { try store.endSessions(ended.map(\.id)) }
        return ended.count { SessionRing.lives($0, now) }
      }
    } catch { throw Problem(error) }
  }

  /// Ends a session, durably; whoever sends an id that nobody has writes nothing.
  func end(_ id: String, now: Timestamp) async throws(Problem) {
    let hash = SHA256.digest(id)
    let stored: SessionRecord?
    do throws(StoreError) { stored = try store.session(hash: hash) } catch { throw Problem(error) }
    guard stored != nil else { return drop { $0.hash == hash } }
    try await end(now: now) { $0.hash == hash }
  }

  /// Forgets sessions that the store has ended, or whose holder is gone: what is stored of the latter is deleted with all
  /// that is over.
  func drop(where isMeant: (SessionRecord) -> Bool) {
    drops.add(1, ordering: .sequentiallyConsistent)
    sessions.withLock { sessions in sessions = sessions.filter { !isMeant($0.value.record) } }
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
