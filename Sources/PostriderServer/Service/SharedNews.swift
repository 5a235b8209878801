internal import StoreModel

extension Service {
  /// Forgets what another node has changed; returns at once.
  ///
  /// The clients and what is leased are ``Sending``'s and the engine's, which hear of it by themselves.
  func heed(_ change: SharedChange) {
    switch change {
    case .apps, .credentials: apps.forgetAll()
    case .keys: keys.forgetAll()
    case .people:
      accounts.forgetAll()
      keys.forgetAll()
      sessions.doubtAll()
    case .webhooks: webhooks.wake()
    case .retention: upkeep.wake()
    case .schedules, .work, .push, .recall, .leases: break
    case .everything:
      forgetAll()
      webhooks.wake()
      upkeep.wake()
    }
  }

  /// Forgets everything that is remembered of the store.
  func forgetAll() {
    apps.forgetAll()
    keys.forgetAll()
    accounts.forgetAll()
    sessions.doubtAll()
  }
}
