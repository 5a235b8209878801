internal import StoreModel
internal import Synchronization

/// Finds people in the store, and remembers them for a while.
final class AccountRing: Sendable {
  private struct Entry: Sendable {
    let account: Account
    let readAt: Timestamp
  }

  /// How long an account is believed without reading it again, in milliseconds.
  ///
  /// Changes by this process are seen at once.
  private static let trustMs: Int64 = 10_000
  private static let entriesMax = 10_000

  private let store: any Store
  private let memory = Mutex(Memory())

  private struct Memory: Sendable {
    var entries: [AccountID: Entry] = [:]
    /// How often everything was forgotten: what was read before is not remembered after.
    var forgotten = 0
  }

  init(store: any Store) { self.store = store }

  /// Forgets what was remembered, after somebody's roles changed.
  func forgetAll() {
    memory.withLock { memory in
      memory.entries.removeAll()
      memory.forgotten += 1
    }
  }

  /// The account with a key; nil for somebody who was removed.
  func account(_ id: AccountID, now: Timestamp) throws(Problem) -> Account? {
    let (known, forgotten) = memory.withLock { ($0.entries[id], $0.forgotten) }
    if let known, known.readAt <= now, now < known.readAt.adding(milliseconds: AccountRing.trustMs) {
      return known.account
    }
    let read: Account?
    do throws(StoreError) { read = try store.account(id) } catch { throw Problem(error) }
    guard let account = read, account.removedAt == nil else { return nil }
    memory.withLock { memory in
      guard memory.forgotten == forgotten else { return }
      if memory.entries.count >= AccountRing.entriesMax { memory.entries.removeAll() }
      memory.entries[id] = Entry(account: account, readAt: now)
    }
    return account
  }
}
