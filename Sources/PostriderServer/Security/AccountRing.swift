internal import PushStore
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
  private let entries = Mutex<[AccountID: Entry]>([:])

  init(store: any Store) { self.store = store }

  /// Forgets what was remembered, after somebody's roles changed.
  func forgetAll() { entries.withLock { $0.removeAll() } }

  /// The account with a key; nil for somebody who was removed.
  func account(_ id: AccountID, now: Timestamp) throws(Problem) -> Account? {
    let known = entries.withLock { $0[id] }
    if let known, known.readAt <= now, now < known.readAt.adding(milliseconds: AccountRing.trustMs) {
      return known.account
    }
    let read: Account?
    do throws(StoreError) { read = try store.account(id) } catch { throw Problem(error) }
    guard let account = read, account.removedAt == nil else { return nil }
    entries.withLock { entries in
      if entries.count >= AccountRing.entriesMax { entries.removeAll() }
      entries[id] = Entry(account: account, readAt: now)
    }
    return account
  }
}
