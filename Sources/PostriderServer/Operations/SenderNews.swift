internal import Glibc
internal import StoreModel
internal import Synchronization
internal import System

/// Follows what other nodes change of apps and credentials: reads it, on a thread of its own, and exchanges the clients.
final class SenderNews: Sendable {
  private let store: any Store
  private let senders: AppSenders
  private let log: Log
  /// What has not been looked at yet.
  private let pending = Mutex<Set<SharedChange>>([])
  private let threads = QueuedThreads("node-news", threads: 1, queued: 2)
  /// Called when an app's credentials were saved or its stops ended, and its clients are those of its present credentials.
  private let resume: @Sendable (AppID) -> Void

  /// The pause after which what could not be read is read again, in microseconds.
  private static let pauseUs: UInt32 = 250_000
  /// Every so many tries it is said once more that it cannot be read.
  private static let saidTries = 40

  init(store: any Store, senders: AppSenders, log: Log, resume: @escaping @Sendable (AppID) -> Void) {
    (self.store, self.senders, self.log, self.resume) = (store, senders, log, resume)
  }

  /// Another node has changed something.
  func note(_ change: SharedChange) {
    switch change {
    case .apps, .credentials, .everything: break
    default: return
    }
    pending.withLock { _ = $0.insert(change) }
    // One that is refused is done with those that wait.
    _ = threads.run { [self] in work() }
  }

  /// Nobody tells it again, so that it is tried until it is read or the store is closed.
  private func work() {
    var changes = taken()
    guard !changes.isEmpty else { return }
    var tries = 0
    while true {
      do throws(StoreError) {
        return try follow(changes)
      } catch {
        guard error.code != .closed else { return }
        if tries % Self.saidTries == 0 {
          log(.warning, "changes of another node not read", ["detail": .text(error.description)])
        }
        tries += 1
        usleep(Self.pauseUs)
        changes.formUnion(taken())
      }
    }
  }

  private func taken() -> Set<SharedChange> {
    pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
  }

  private func follow(_ changes: Set<SharedChange>) throws(StoreError) {
    // Asked for first: an app that is made here meanwhile is not one that is gone.
    let known = senders.apps
    let apps = try store.apps()
    for gone in known.subtracting(apps.map(\.id)) { senders.removeAll(of: gone) }
    let isAll = changes.contains(.everything)
    for app in apps {
      let isNamed = changes.contains(.credentials(app.id))
      guard isNamed || isAll || changes.contains(.apps) else { continue }
      try senders.load(app)
      // Who was only cut off ends no stops: whoever saved a credential meanwhile has ended in the store what it ends.
      if isNamed { resume(app.id) }
    }
  }
}
