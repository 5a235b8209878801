#if canImport(UserNotifications) && !os(macOS) && !os(tvOS) && !os(watchOS)
  public import Foundation
  public import UserNotifications

  /// The push client of an iOS app: registers the device and reports notifications to a Postrider server.
  ///
  /// The app and its notification service extension each have one, with the same App Group. All methods may be called on
  /// any thread. docs/apps.md has the lines of an app delegate and of an extension.
  public final class Postrider: Sendable {
    /// Which of Apple's gateways a token is for: builds from Xcode are `development`, TestFlight and the App Store `production`.
    public enum Environment: String, Sendable {
      case development, production
    }

    private let client: AppClient
    private let phone = ApplePhone()
    private let configuration: PostriderConfiguration

    /// Starts the client.
    ///
    /// - Parameters:
    ///   - configuration: the server, the app and the key.
    ///   - appGroup: the App Group that app and extension share; without one the extension has nothing to share.
    ///   - isExtension: whether this process is the notification service extension, which never registers the device.
    public init(_ configuration: PostriderConfiguration, appGroup: String?, isExtension: Bool = false) {
      self.configuration = configuration
      let folder = Self.folder(appGroup)
      phone.excludeFromBackup(folder)
      client = AppClient(folder: folder, role: isExtension ? .serviceExtension : .app, phone: phone)
      client.perform { _ = $0.start(configuration) }
    }

    private static func folder(_ appGroup: String?) -> String {
      let files = FileManager.default
      let shared = appGroup.flatMap { files.containerURL(forSecurityApplicationGroupIdentifier: $0) }
      let own = files.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      return (shared ?? own ?? files.temporaryDirectory).appendingPathComponent("postrider").path
    }

    // MARK: - The device

    /// Asks for permission to show notifications; `done` is called on the main thread.
    ///
    /// Then call `UIApplication.shared.registerForRemoteNotifications()`, at each start of the app.
    public func askPermission(_ done: @escaping @MainActor @Sendable (Bool) -> Void) {
      phone.askPermission { granted in DispatchQueue.main.async { done(granted) } }
    }

    /// Registers the token of `didRegisterForRemoteNotificationsWithDeviceToken`.
    public func register(deviceToken: Data, environment: Environment) {
      let token = deviceToken.map { padded($0, 2, radix: 16) }.joined()
      client.perform { $0.setToken(token, environment: environment.rawValue) }
    }

    /// Registers the device for a user.
    public func signIn(_ user: String) { client.perform { $0.setUser(user) } }

    /// Registers the device for nobody.
    ///
    /// Until the server has taken it, pushes of the user still arrive: it is tried again, also after the app's next start.
    /// `done` is called once, on any thread, unless the process ends before: with true when the server has taken it, and
    /// with false when a user signs in before, or the server refuses the registration.
    public func signOut(_ done: @escaping @Sendable (_ isTaken: Bool) -> Void = { _ in }) { client.signOut(done) }

    /// Replaces the device's tags.
    public func setTags(_ tags: [String]) { client.perform { $0.setTags(tags) } }

    /// Opted out, the device gets no pushes and reports nothing.
    public func setOptOut(_ optOut: Bool) { client.perform { $0.setOptOut(optOut) } }

    /// Sends now what waits after a failure: call it when the app becomes active.
    public func wake() { client.perform { $0.wake() } }

    /// The server's id of this device; nil until it is registered.
    public var deviceID: String? { client.perform { $0.device } }

    /// How many events wait.
    public var queued: Int { client.perform { $0.queued } }

    /// How many events were never delivered: too many, too old, refused, or of unknown notifications.
    public var dropped: Int { client.perform { $0.dropped } }

    // MARK: - Notifications

    /// Reports in the service extension that a push arrived.
    ///
    /// It is stored when this returns. `done` is called once, on any thread, when it is sent or cannot be sent now, and
    /// after three seconds at the latest: show the notification then.
    public func received(_ request: UNNotificationRequest, _ done: @escaping @Sendable () -> Void) {
      client.perform { $0.report("received", identifier: request.identifier) }
      client.whenSettled(milliseconds: 3_000, done)
    }

    /// Reports a tap or a button, from `userNotificationCenter(_:didReceive:)`, and returns the link for the app to open.
    ///
    /// A notification that is dismissed, and one that the app scheduled itself, are not reported.
    @discardableResult public func responded(_ response: UNNotificationResponse) -> String? {
      let request = response.notification.request
      guard request.trigger is UNPushNotificationTrigger else { return nil }
      let action = response.actionIdentifier
      guard action != UNNotificationDismissActionIdentifier else { return nil }
      let isTap = action == UNNotificationDefaultActionIdentifier
      client.perform {
        $0.report(isTap ? "opened" : "action", action: isTap ? nil : action, identifier: request.identifier)
      }
      return link(request.content.userInfo)
    }

    /// The link of a payload.
    public func link(_ userInfo: [AnyHashable: Any]) -> String? {
      guard JSONSerialization.isValidJSONObject(userInfo),
        let bytes = try? JSONSerialization.data(withJSONObject: userInfo),
        let payload = AppJSON.parse(String(decoding: bytes, as: UTF8.self))
      else { return nil }
      return Links.find(in: payload, keys: configuration.linkKeys)
    }

    // MARK: - The badge

    /// Sets the number on the app's icon; 0 removes it.
    public func setBadge(_ badge: Int) { phone.setBadge(client.perform { $0.badge { _ in badge } }) }

    /// The next number, for `content.badge` in the service extension.
    public func nextBadge() -> NSNumber { NSNumber(value: client.perform { $0.badge { $0 + 1 } }) }
  }
#endif
