import PushRules
import WireJSON

// What belongs to browsers and Live Activities, and is no payload of APNs or FCM.
extension MistakenMessage {
  /// Sources: W3C, Push API, `PushSubscription.toJSON()` and “Declarative Web Push”; docs/api.md, “Live Activities”.
  static let browsers: [Shape] = [
    Shape(
      advice:
        "it is a browser's subscription; register it as a device of the type web, or send to it with send --platform web"
    ) {
      $0["endpoint"]?.string != nil && $0["keys"]?["p256dh"]?.string != nil && $0["keys"]?["auth"]?.string != nil
    },
    Shape(
      advice:
        "it is the content of a web push; preview it with --platform web, or give its title, body and data to the contract native"
    ) {
      $0["web_push"]?.int == 8030 && $0["notification"]?.object != nil
    },
    Shape(
      advice:
        "it is a request to this server for a Live Activity; to check the payload, write its event, timestamp and content-state in aps"
    ) {
      $0["content_state"]?.object != nil && ($0["event"]?.string != nil || $0["attributes_type"]?.string != nil)
    },
  ]
}
