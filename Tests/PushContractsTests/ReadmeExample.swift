// README: begin
import Foundation
import PushContracts
import PushPayload
import WireJSON

#if canImport(UserNotifications)
  import UserNotifications
#endif

extension Parsed {
  /// Reads what iOS hands over; without a contract's name, the contract is recognized.
  init?(userInfo: [AnyHashable: Any], contract: ContractName? = nil) {
    guard JSONSerialization.isValidJSONObject(userInfo),
      let raw = try? JSONSerialization.data(withJSONObject: userInfo),
      let parsed = try? Contracts.parse(platform: .ios, raw: Array(raw), contract: contract)
    else { return nil }
    self = parsed
  }
}

/// The service extension: may change a notification before it is shown.
final class NotificationService: UNNotificationServiceExtension {
  override func didReceive(
    _ request: UNNotificationRequest, withContentHandler show: @escaping (UNNotificationContent) -> Void
  ) {
    guard let push = Parsed(userInfo: request.content.userInfo),
      let content = request.content.mutableCopy() as? UNMutableNotificationContent
    else { return show(request.content) }
    if let title = push.title { content.title = title }
    if let body = push.body { content.body = body }
    // Without a category of your own, OneSignal's buttons say which one to show.
    if content.categoryIdentifier.isEmpty, !push.actions.isEmpty { content.categoryIdentifier = "buttons" }
    show(content)
  }
}

/// What a tap asks the app to do.
struct Tap: Equatable {
  var link: String?
  var button: String?

  init(_ response: UNNotificationResponse) {
    guard let push = Parsed(userInfo: response.notification.request.content.userInfo) else { return }
    // OneSignal's `launchURL` is a link in itself; Amba's `deep_link` is one of the app's own keys.
    link = push.link ?? push.data["deep_link"]?.string
    // The id of the button, when it was one of the payload's and not the notification as a whole.
    let ids = push.actions.compactMap { $0["id"]?.string }
    button = ids.first { $0 == response.actionIdentifier }
  }
}
// README: end
