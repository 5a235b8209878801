internal import Signing
internal import StoreModel
internal import Synchronization

/// Finds the caller of a request in the store, and caches the result.
final class KeyRing: Sendable {
  private struct Entry: Sendable {
    let caller: Caller
    let readAt: Timestamp
  }

  /// How long a key is believed without asking the store again, in milliseconds.
  ///
  /// Bounds how long a key that another process revoked still works.
  private static let trustMs: Int64 = 10_000
  /// How often the use of a key is recorded in the store, in milliseconds.
  private static let touchMs: Int64 = 60_000
  /// Keys remembered at once.
  private static let entriesMax = 10_000

  private let store: any Store
  private let memory = Mutex(Memory())

  private struct Memory: Sendable {
    /// By the first bytes of the key's hash, so that nothing is hashed again.
    var entries: [UInt64: Entry] = [:]
    /// How often everything was forgotten: what was read before is not remembered after.
    var forgotten = 0
  }

  init(store: any Store) { self.store = store }

  /// Forgets what was remembered, after keys changed.
  func forgetAll() {
    memory.withLock { memory in
      memory.entries.removeAll()
      memory.forgotten += 1
    }
  }

  /// The caller of an `Authorization` header, or what is wrong with it.
  func authenticate(_ header: ArraySlice<UInt8>?, now: Timestamp) throws(Problem) -> Caller {
    try authenticate(header, schemes: ["bearer"], now: now)
  }

  /// The caller of an `Authorization` header with one of these schemes, in lower case; the key comes as it is in each.
  func authenticate(
    _ header: ArraySlice<UInt8>?, schemes: [String], now: Timestamp
  ) throws(Problem) -> Caller {
    guard let header else { throw KeyRing.refusal("send the key in the header \"Authorization: Bearer KEY\"") }
    for scheme in schemes {
      if let text = KeyRing.text(header, after: scheme) { return try caller(text: text, now: now) }
    }
    throw KeyRing.refusal("the Authorization header must read \"Bearer KEY\"")
  }

  /// The caller of a key's text, or what is wrong with it.
  func caller(text: ArraySlice<UInt8>, now: Timestamp) throws(Problem) -> Caller {
    guard APIKeyText.hasForm(text) else {
      throw KeyRing.refusal(
        "this is not an API key; keys begin with \(APIKeyText.leading) and have \(APIKeyText.length) characters")
    }
    let hash = SHA256.digest(Array(text))
    guard let caller = try caller(hash: hash, now: now), constantTimeEqual(caller.hash, hash) else {
      throw KeyRing.refusal("the API key is not known here; it may have been revoked or have expired")
    }
    return caller
  }

  /// The caller of a key with this hash; nil when it is not known, revoked or expired.
  func caller(hash: [UInt8], now: Timestamp) throws(Problem) -> Caller? {
    let (known, forgotten) = remembered(hash, now: now)
    if let known { return known }
    let record: APIKey?
    do throws(StoreError) { record = try store.key(hash: hash) } catch { throw Problem(error) }
    guard let record, let caller = Caller(record, hash: hash, now: now) else { return nil }
    // Losing a note of use is no reason to refuse a request, and writing it none to wait.
    if record.lastUsedAt.map({ now > $0.adding(milliseconds: KeyRing.touchMs) }) ?? true {
      AsideChange.note {
        store.change({ store throws(StoreError) in try store.touchKey(record.id, now: now) }, completion: { _ in })
      }
    }
    memory.withLock { memory in
      guard memory.forgotten == forgotten else { return }
      if memory.entries.count >= KeyRing.entriesMax { memory.entries.removeAll() }
      memory.entries[KeyRing.prefix(hash)] = Entry(caller: caller, readAt: now)
    }
    return caller
  }

  /// The caller of an `Authorization` header, also by what was last read of the key when the store cannot be read now.
  ///
  /// For what is said of the store itself. A key that was revoked here, or of whose revocation there were news, is not known.
  func lastKnown(_ header: ArraySlice<UInt8>?, now: Timestamp) -> Caller? {
    do throws(Problem) { return try authenticate(header, now: now) } catch {
      guard error.kind == .storeFailed, let header, let text = KeyRing.text(header, after: "bearer") else { return nil }
      let hash = SHA256.digest(Array(text))
      return memory.withLock { memory in
        guard let entry = memory.entries[KeyRing.prefix(hash)], constantTimeEqual(entry.caller.hash, hash),
          entry.caller.expiresAt.map({ now < $0 }) ?? true
        else { return nil }
        return entry.caller
      }
    }
  }

  private func remembered(_ hash: [UInt8], now: Timestamp) -> (caller: Caller?, forgotten: Int) {
    memory.withLock { memory in
      guard let entry = memory.entries[KeyRing.prefix(hash)], constantTimeEqual(entry.caller.hash, hash),
        entry.readAt.adding(milliseconds: KeyRing.trustMs) > now,
        entry.readAt <= now, entry.caller.expiresAt.map({ now < $0 }) ?? true
      else { return (nil, memory.forgotten) }
      return (entry.caller, memory.forgotten)
    }
  }

  private static func prefix(_ hash: [UInt8]) -> UInt64 { hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

  static func refusal(_ detail: String) -> Problem {
    Problem(.unauthenticated, detail, headers: [("WWW-Authenticate", "Bearer realm=\"postrider\"")])
  }

  /// What follows a scheme in a header; the scheme's name has no case (RFC 9110 section 11.1).
  static func text(_ header: ArraySlice<UInt8>, after scheme: String) -> ArraySlice<UInt8>? {
    guard header.count > scheme.utf8.count + 1 else { return nil }
    for (have, want) in zip(header, scheme.utf8) where have | 0x20 != want { return nil }
    guard header[header.startIndex + scheme.utf8.count] == UInt8(ascii: " ") else { return nil }
    return header.dropFirst(scheme.utf8.count + 1)
  }
}
