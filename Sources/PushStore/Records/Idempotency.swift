public import StoreModel

extension KeyedChange {
  /// The change together with the key of the request it belongs to; later changes of the request are as they were.
  ///
  /// It fails with `conflict` when another request with the key was faster.
  static func joined<Output: Sendable>(
    _ change: @escaping @Sendable (inout WriterContext) throws(StoreError) -> Output
  ) -> @Sendable (inout WriterContext) throws(StoreError) -> Output {
    guard let keyed = current, keyed.take() else { return change }
    return { (context) throws(StoreError) in
      guard case .free(let id) = try context.db.idempotent(keyed.key, scope: keyed.scope) else {
        throw StoreError(
          .conflict, "a request with this Idempotency-Key was carried out", advice: "repeat it to get its answer")
      }
      let output = try change(&context)
      let created = (output as? any CreatedRecord).map { [$0.createdMark] + $0.createdID.utf8 }
      try context.insertKey(keyed.key, id: id, scope: keyed.scope, push: nil, response: created, keyed.now)
      return output
    }
  }

  /// Begins the `response` of a key whose request created a record and died before its answer was stored (`#`).
  fileprivate static let createdMark: UInt8 = 0x23
  /// The same for a record that the API knows by its name (`$`).
  fileprivate static let namedMark: UInt8 = 0x24
}

/// What a change returns that created a record, so that a repetition of its request names the record.
protocol CreatedRecord {
  /// The record's key or name, by which the API knows it.
  var createdID: String { get }
  /// Whether that is its name.
  var isNamed: Bool { get }
}

extension CreatedRecord {
  var isNamed: Bool { false }

  fileprivate var createdMark: UInt8 { isNamed ? KeyedChange.namedMark : KeyedChange.createdMark }
}

extension RowID: CreatedRecord {
  var createdID: String { description }
}

extension App: CreatedRecord {
  var createdID: String { name }
  var isNamed: Bool { true }
}

extension APIKey: CreatedRecord {
  var createdID: String { id.description }
}

extension Account: CreatedRecord {
  var createdID: String { id.description }
}

extension Webhook: CreatedRecord {
  var createdID: String { id.description }
}

extension IdentityKey: CreatedRecord {
  var createdID: String { name }
}

extension Segment: CreatedRecord {
  var createdID: String { name }
  var isNamed: Bool { true }
}

extension SQLStore {
  /// What the request with this key did, or nil when there was none.
  public func knownRequest(scope: Int64, key: IdempotencyKey) throws(StoreError) -> KnownRequest? {
    try readers.read { (db) throws(StoreError) in
      guard case .known(_, let push, let response) = try db.idempotent(key, scope: scope) else { return nil }
      if let push { return .push(push) }
      guard let response, let first = response.first else { return .done }
      let text = String(decoding: response.dropFirst(), as: UTF8.self)
      return switch first {
      case KeyedChange.createdMark: .created(text)
      case KeyedChange.namedMark: .createdNamed(text)
      default: .answer(response)
      }
    }
  }

  /// Remembers an answer.
  public func remember(
    answer: [UInt8], scope: Int64, key: IdempotencyKey, now: Timestamp,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    do throws(StoreError) {
      try Checks.text(key.key, "Idempotency-Key", max: StoreLimits.idempotencyKeyBytesMax)
      try Checks.blob(answer, "answer")
    } catch { return completion(.failure(error)) }
    write(
      { (context) throws(StoreError) in
        switch try context.db.idempotent(key, scope: scope) {
        case .free(let id): try context.insertKey(key, id: id, scope: scope, push: nil, response: answer, now)
        case .known(let id, _, _): try context.db.complete(key: id, answer)
        }
      }, completion: completion)
  }

  /// Deletes keys created before `instant`: examines up to `limit` keys, continuing where the last call ended, then from
  /// the start.
  public func forgetIdempotencyKeys(before instant: Timestamp, limit: Int) throws(StoreError) -> Int {
    try write { (context) throws(StoreError) in
      let from = context.idempotencySweep
      let end = try context.db.idempotencyKey(after: from, count: Checks.page(limit))
      context.idempotencySweep = end ?? .min
      let delete = try context.db.prepare(
        "DELETE FROM idempotency WHERE id > ?1 AND id <= ?2 AND created_at < ?3")
      delete.bindAll(from, end ?? .max, instant)
      try delete.run()
      return context.db.changes
    }
  }
}

/// What the table says of an idempotency key.
enum IdempotencyState {
  /// It was used, for this push or with this response; a request without either has no answer yet.
  case known(id: Int64, push: PushID?, response: [UInt8]?)
  /// It is unused; `id` is free for it.
  case free(id: Int64)
}

/// The row id of a key is a hash of it, so that storing a key writes one entry in one B-tree.
enum IdempotencyHash {
  /// Row ids tried for one key; more keys with one hash are an attack, not an accident.
  static let probes: Int64 = 16

  /// FNV-1a over scope and key, 63 bits.
  static func firstRow(scope: Int64, key: String) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: scope >> Int64(shift)), &hash) }
    for byte in key.utf8 { mix(byte, &hash) }
    // FNV mixes its last bytes little; one round of a finalizer spreads them.
    hash = (hash ^ (hash >> 32)) &* 0x9e37_79b9_7f4a_7c15
    return Int64(hash >> 1) & ~(probes - 1)
  }

  private static func mix(_ byte: UInt8, _ hash: inout UInt64) {
    hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }
}

extension IdempotencyKey {
  /// Whether a row is this key's: by its digest, or in the words in which earlier versions kept it.
  fileprivate func isKept(as text: String) -> Bool { text == digest || text == key }
}

enum IdempotencyMismatch {
  static let error = StoreError(
    .idempotencyMismatch, "the Idempotency-Key was used before with another request",
    advice: "repeat the first request unchanged, or choose a new key")
}

extension Connection {
  /// The state of a key; throws when it was used for another request.
  func idempotent(_ key: IdempotencyKey, scope: Int64) throws(StoreError) -> IdempotencyState {
    let first = IdempotencyHash.firstRow(scope: scope, key: key.key)
    let select = try prepare(
      "SELECT id, scope, key, fingerprint, push, response FROM idempotency WHERE id >= ?1 AND id < ?2 ORDER BY id")
    select.bindAll(first, first + IdempotencyHash.probes)
    var free = first
    while try select.step() {
      if select.int64(1) == scope && key.isKept(as: select.text(2)) {
        guard select.blob(3) == key.fingerprint else { throw IdempotencyMismatch.error }
        return .known(id: select.int64(0), push: select.optionalID(4), response: select.optionalBlob(5))
      }
      if select.int64(0) == free { free += 1 }
    }
    guard free < first + IdempotencyHash.probes else {
      throw StoreError(.invalid, "the Idempotency-Key cannot be stored", advice: "use random keys, such as UUIDs")
    }
    return .free(id: free)
  }

  /// Adds the answer to a key that was stored with a change; the first answer stays.
  fileprivate func complete(key id: Int64, _ answer: [UInt8]) throws(StoreError) {
    let update = try prepare(
      """
      UPDATE idempotency SET response = ?2
      WHERE id = ?1 AND push IS NULL AND (response IS NULL OR substr(response, 1, 1) IN (x'23', x'24'))
      """)
    update.bindAll(id, answer)
    try update.run()
  }

  /// The key `count` rows after another one, or nil when there are fewer.
  fileprivate func idempotencyKey(after id: Int64, count: Int) throws(StoreError) -> Int64? {
    let select = try prepare("SELECT id FROM idempotency WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2")
    select.bindAll(id, count - 1)
    guard try select.step() else { return nil }
    return select.int64(0)
  }
}

extension WriterContext {
  func insertKey(
    _ key: IdempotencyKey, id: Int64, scope: Int64, push: PushID?, response: [UInt8]?, _ now: Timestamp
  ) throws(StoreError) {
    let insert = try db.prepare(
      """
      INSERT INTO idempotency(id, scope, key, fingerprint, push, response, created_at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    insert.bindAll(id, scope, key.digest ?? key.key, key.fingerprint, push, response, now)
    try insert.run()
  }
}
