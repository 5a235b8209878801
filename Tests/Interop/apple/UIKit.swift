// swift-format-ignore-file
// What the snippets of docs/apps.md use of UIKit, for a machine without it.
@_exported import Foundation

open class UIResponder: NSObject {}

@MainActor open class UIApplication: UIResponder {
  public struct LaunchOptionsKey: Hashable, Sendable {}

  public static let shared = UIApplication()

  open func registerForRemoteNotifications() {}

  open func open(_ url: URL) {}
}

@MainActor public protocol UIApplicationDelegate {
  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool
  func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
  func applicationDidBecomeActive(_ application: UIApplication)
}
