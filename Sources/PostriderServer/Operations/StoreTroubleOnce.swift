internal import StoreModel
internal import Synchronization

/// Whether a look at the store fails otherwise than the one before: what looks several times a second says it once.
final class StoreTroubleOnce: Sendable {
  private let last = Mutex<StoreError.Code?>(nil)

  /// Notes that a look failed; false when the one before failed in the same way.
  func isNew(_ error: StoreError) -> Bool {
    last.withLock { last in
      defer { last = error.code }
      return last != error.code
    }
  }

  /// Notes that a look succeeded.
  func clear() { last.withLock { $0 = nil } }
}
