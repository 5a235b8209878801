public import StoreModel
internal import Synchronization

/// The way to a provider for each app and environment.
///
/// Change it at any time: what was handed to an older sender still ends there. Close what was replaced.
public final class SenderDirectory: Sendable {
  private struct Key: Hashable {
    let app: AppID
    let provider: Provider
    let environment: DeviceEnvironment
  }

  /// A sender and which one of its lane it is; the number stays when the sender is removed.
  private struct Entry {
    var sender: (any Sender)?
    var generation: UInt32 = 0
    /// Set while there is a credential that cannot be decrypted: its deliveries wait until an operator fixes it.
    var isUnusable = false
  }

  private let senders = Mutex<[Key: Entry]>([:])
  /// Apps that have a refused token tried in APNs' other environment.
  private let tryingOther = Mutex<Set<AppID>>([])

  /// Starts empty.
  public init() {}

  /// Sets, replaces or (with nil) removes a sender.
  ///
  /// - Parameter isUnusable: true when there is a credential that no sender can be created from. Its deliveries are
  ///   never abandoned, unlike those of an app without a credential.
  /// - Returns: the previous sender.
  @discardableResult
  public func set(
    _ sender: (any Sender)?, app: AppID, provider: Provider, environment: DeviceEnvironment, isUnusable: Bool = false
  ) -> (any Sender)? {
    let key = Key(app: app, provider: provider, environment: environment)
    return senders.withLock { senders in
      var entry = senders[key] ?? Entry()
      defer { senders[key] = entry }
      let old = entry.sender
      entry.sender = sender
      entry.isUnusable = isUnusable
      entry.generation &+= 1
      return old
    }
  }

  /// Removes all senders of an app.
  public func removeAll(of app: AppID) {
    senders.withLock { senders in
      for key in senders.keys where key.app == app {
        senders[key]?.sender = nil
        senders[key]?.isUnusable = false
        senders[key]?.generation &+= 1
      }
    }
  }

  /// The sender, or nil when the app has none for this.
  public func sender(
    app: AppID, provider: Provider, environment: DeviceEnvironment
  ) -> (any Sender)? {
    senders.withLock { $0[Key(app: app, provider: provider, environment: environment)]?.sender }
  }

  /// Sets whether a token that APNs calls bad is tried in its other environment.
  public func setTriesOtherEnvironment(_ tries: Bool, app: AppID) {
    tryingOther.withLock { apps in
      if tries { apps.insert(app) } else { apps.remove(app) }
    }
  }

  /// Whether a token that is refused in a lane is tried in the other environment, and there is a way to it.
  func triesOtherEnvironment(_ lane: LaneKey) -> Bool {
    lane.provider.hasEnvironments && tryingOther.withLock { $0.contains(lane.app) }
      && sender(app: lane.app, provider: lane.provider, environment: lane.environment.other) != nil
  }

  /// Whether a lane has a credential of which no sender can be made.
  func isUnusable(_ lane: LaneKey) -> Bool {
    senders.withLock {
      $0[Key(app: lane.app, provider: lane.provider, environment: lane.environment)]?.isUnusable ?? false
    }
  }

  /// Which sender of a lane is the current one: a number that changes when it is replaced or removed.
  func generation(of lane: LaneKey) -> UInt32 {
    senders.withLock {
      $0[Key(app: lane.app, provider: lane.provider, environment: lane.environment)]?.generation ?? 0
    }
  }
}
