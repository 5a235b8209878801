internal import Synchronization

/// What a request with an idempotency key did when it first came.
public enum KnownRequest: Sendable, Hashable {
  /// It created this push.
  case push(PushID)
  /// It was answered so.
  case answer([UInt8])
  /// It created a record with this key, and its answer is not stored.
  case created(String)
  /// It created a record that the API knows by this name, and its answer is not stored.
  case createdNamed(String)
  /// It was carried out; its answer is not stored.
  case done
}

/// The idempotency key of the request that this thread works on: the first change it makes stores the key in the same
/// transaction, so that a repetition changes nothing, however the process ended.
public final class KeyedChange: Sendable {
  /// The key that the next change is made under, if any.
  @TaskLocal public static var current: KeyedChange?

  package let key: IdempotencyKey
  package let scope: Int64
  package let now: Timestamp
  private let isTaken = Atomic(false)

  /// A key for the changes of one request.
  public init(key: IdempotencyKey, scope: Int64, now: Timestamp) {
    self.key = key
    self.scope = scope
    self.now = now
  }

  /// Whether the change that asks is the one that stores the key: the first one is.
  package func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }

  /// The key that operations which are one change are made under: nil when a change of the request has stored it.
  public static var untaken: KeyedChange? {
    guard let current, !current.isTaken.load(ordering: .relaxed) else { return nil }
    return current
  }

  /// Has the next change store the key, because nothing of the one that took it was kept.
  public func giveBack() { isTaken.store(false, ordering: .relaxed) }

  /// Runs operations that are one change: the first of them that changes something stores the key.
  ///
  /// They may run twice, when the transaction was rolled back, and store it each time.
  package func joined<Output>(_ body: () throws(StoreError) -> Output) throws(StoreError) -> Output {
    let run = KeyedChange(key: key, scope: scope, now: now)
    let output = try KeyedChange.$current.withValue(run) { Result { () throws(StoreError) in try body() } }.get()
    if run.isTaken.load(ordering: .relaxed) { isTaken.store(true, ordering: .relaxed) }
    return output
  }
}
