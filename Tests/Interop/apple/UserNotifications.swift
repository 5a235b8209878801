// swift-format-ignore-file
// What the client for Apple's phones uses of UserNotifications, for a machine without it: the declarations are Apple's,
// the behavior is what a test needs. test_app_sdks.py compiles Sources/PostriderApp against it.
@_exported import Foundation

open class UNNotificationContent: NSObject {
  open var userInfo: [AnyHashable: Any] = [:]
}

open class UNNotificationTrigger: NSObject {}
open class UNPushNotificationTrigger: UNNotificationTrigger {}

open class UNNotificationRequest: NSObject {
  open var identifier: String
  open var content: UNNotificationContent
  open var trigger: UNNotificationTrigger?

  public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
    (self.identifier, self.content, self.trigger) = (identifier, content, trigger)
  }
}

open class UNNotification: NSObject {
  open var request: UNNotificationRequest

  public init(_ request: UNNotificationRequest) { self.request = request }
}

public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

open class UNNotificationResponse: NSObject {
  open var notification: UNNotification
  open var actionIdentifier: String

  public init(_ notification: UNNotification, _ actionIdentifier: String) {
    (self.notification, self.actionIdentifier) = (notification, actionIdentifier)
  }
}

public struct UNAuthorizationOptions: OptionSet, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  public static let badge = UNAuthorizationOptions(rawValue: 1)
  public static let sound = UNAuthorizationOptions(rawValue: 2)
  public static let alert = UNAuthorizationOptions(rawValue: 4)
}

public final class UNUserNotificationCenter: Sendable {
  private static let shared = UNUserNotificationCenter()

  public static func current() -> UNUserNotificationCenter { shared }

  public func requestAuthorization(
    options: UNAuthorizationOptions, completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    completionHandler(options == [.alert, .badge, .sound], nil)
  }

  public func setBadgeCount(_ count: Int, withCompletionHandler: ((((any Error)?)) -> Void)?) {
    print("badge \(count)")
    withCompletionHandler?(nil)
  }
}

extension FileManager {
  /// The folder of an App Group: here the one that the environment names.
  public func containerURL(forSecurityApplicationGroupIdentifier group: String) -> URL? {
    ProcessInfo.processInfo.environment["APP_GROUPS"].map { URL(fileURLWithPath: $0).appendingPathComponent(group) }
  }
}

public protocol UNUserNotificationCenterDelegate: AnyObject {
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void)
}

extension UNUserNotificationCenter {
  public var delegate: (any UNUserNotificationCenterDelegate)? {
    get { nil }
    set {}
  }
}

open class UNMutableNotificationContent: UNNotificationContent {
  open var badge: NSNumber?
}

open class UNNotificationServiceExtension: NSObject {
  open func didReceive(
    _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {}

  open func serviceExtensionTimeWillExpire() {}
}
