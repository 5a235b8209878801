public import PushStore
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

  private let senders = Mutex<[Key: any Sender]>([:])

  /// Starts empty.
  public init() {}

  /// Sets, replaces or (with nil) removes a sender.
  ///
  /// - Returns: the sender that was there before.
  @discardableResult
  public func set(
    _ sender: (any Sender)?, app: AppID, provider: Provider, environment: DeviceEnvironment
  ) -> (any Sender)? {
    let key = Key(app: app, provider: provider, environment: environment)
    return senders.withLock { senders in
      defer { senders[key] = sender }
      return senders[key]
    }
  }

  /// Removes all senders of an app.
  public func removeAll(of app: AppID) {
    senders.withLock { $0 = $0.filter { $0.key.app != app } }
  }

  /// The sender, or nil when the app has none for this.
  public func sender(
    app: AppID, provider: Provider, environment: DeviceEnvironment
  ) -> (any Sender)? {
    senders.withLock { $0[Key(app: app, provider: provider, environment: environment)] }
  }
}
