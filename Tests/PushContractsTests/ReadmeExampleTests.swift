import Foundation
import PushContracts
import PushPayload
import Testing
import WireJSON

#if !canImport(UserNotifications)
  // What the example uses of UserNotifications, for platforms without it.
  class UNNotificationContent {
    var title = ""
    var body = ""
    var categoryIdentifier = ""
    var userInfo: [AnyHashable: Any] = [:]

    func mutableCopy() -> Any {
      let copy = UNMutableNotificationContent()
      (copy.title, copy.body, copy.categoryIdentifier, copy.userInfo) = (title, body, categoryIdentifier, userInfo)
      return copy
    }
  }

  final class UNMutableNotificationContent: UNNotificationContent {}

  struct UNNotificationRequest {
    var content: UNNotificationContent
  }

  struct UNNotification {
    var request: UNNotificationRequest
  }

  struct UNNotificationResponse {
    var notification: UNNotification
    var actionIdentifier: String
  }

  class UNNotificationServiceExtension {
    func didReceive(
      _ request: UNNotificationRequest, withContentHandler show: @escaping (UNNotificationContent) -> Void
    ) {}
  }

  @Suite("README: an app reads raw payloads")
  struct ReadmeExample {
    private func content(_ payload: String) throws -> UNNotificationContent {
      let content = UNNotificationContent()
      let object = try JSONSerialization.jsonObject(with: Data(payload.utf8))
      content.userInfo = try #require(object as? [String: Any])
      return content
    }

    private func tap(_ payload: String, _ action: String) throws -> Tap {
      let notification = UNNotification(request: UNNotificationRequest(content: try content(payload)))
      return Tap(UNNotificationResponse(notification: notification, actionIdentifier: action))
    }

    @Test("a deep link among the app's own keys")
    func deepLink() throws {
      let tap = try tap(#"{"aps":{"alert":{"title":"t","body":"b"}},"deep_link":"/offers"}"#, "default")
      #expect(tap.link == "/offers")
      #expect(tap.button == nil)
    }

    @Test("the extension shows the text of the payload")
    func serviceExtension() throws {
      let request = UNNotificationRequest(
        content: try content(#"{"aps":{"alert":{"title":"t","body":"b"},"mutable-content":1}}"#))
      var shown: UNNotificationContent?
      NotificationService().didReceive(request) { shown = $0 }
      #expect(shown?.title == "t")
      #expect(shown?.body == "b")
      #expect(shown?.categoryIdentifier == "")
    }

    @Test("named contracts give links and their own properties")
    func namedContract() throws {
      let payload = #"{"aps":{"alert":{"title":"t","body":"b"},"badge":2},"deep_link":"/offers","n":1}"#
      let info = try content(payload).userInfo
      let push = try #require(Parsed(userInfo: info, contract: .amba))
      #expect(push.link == "/offers")
      #expect(push.badge == 2)
      #expect(push.data["n"]?.int == 1)
      #expect(push.properties["title"]?.string == "t")
      #expect(!push.isSilent)
      #expect(Parsed(userInfo: ["when": Date()]) == nil)
    }

    @Test("a launch URL and the id of the button", .enabled(if: Contracts.names.contains(.onesignal)))
    func launchURL() throws {
      let payload = #"""
        {"aps":{"alert":{"title":"t","body":"b"},"mutable-content":1},
        "custom":{"i":"5eb5a37e-b458-11e3-ac11-000c2940e62c","u":"https://example.com/sale"},
        "buttons":[{"i":"like","n":"Like"},{"i":"later","n":"Later"}]}
        """#
      #expect(try tap(payload, "default") == Tap(link: "https://example.com/sale", button: nil))
      #expect(try tap(payload, "like") == Tap(link: "https://example.com/sale", button: "like"))
    }
  }

  extension Tap {
    init(link: String?, button: String?) {
      self.link = link
      self.button = button
    }
  }
#endif
