// An app and its extension in one process, as Apple's systems call them. test_app_sdks.py compiles it with the client.
import Foundation
import UserNotifications

let environment = ProcessInfo.processInfo.environment
let configuration = PostriderConfiguration(
  server: environment["SERVER"] ?? "", app: "demo", key: environment["KEY"] ?? "")
let token = CommandLine.arguments[1]

/// A response to the notification of the campaign `apple`, or of another identifier.
func response(_ action: String, identifier: String = "apple", isPush: Bool = true) -> UNNotificationResponse {
  let content = UNNotificationContent()
  content.userInfo = ["aps": ["alert": ["title": "Your parcel"]], "deep_link": "shop://parcel/7"]
  let request = UNNotificationRequest(
    identifier: identifier, content: content, trigger: isPush ? UNPushNotificationTrigger() : nil)
  return UNNotificationResponse(UNNotification(request), action)
}

func wait(_ what: String, until holds: () -> Bool) {
  for _ in 0..<600 {
    if holds() { return }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.02))
  }
  print("not within twelve seconds: \(what)")
  exit(1)
}

let app = Postrider(configuration, appGroup: "group.com.example")
nonisolated(unsafe) var isGranted: Bool?
app.askPermission { isGranted = $0 }
wait("permission") { isGranted != nil }
print("granted \(isGranted == true)")

var bytes = Data()
var rest = token[...]
while let byte = UInt8(rest.prefix(2), radix: 16) {
  bytes.append(byte)
  rest = rest.dropFirst(2)
}
app.register(deviceToken: bytes, environment: .production)
app.signIn("apple")
wait("registration") { app.deviceID != nil }

let service = Postrider(configuration, appGroup: "group.com.example", isExtension: true)
let shown = DispatchSemaphore(value: 0)
service.received(response("").notification.request) { shown.signal() }
guard shown.wait(timeout: .now() + 10) == .success else { exit(2) }
print("extension shows it, badge \(service.nextBadge())")
print("link \(app.responded(response(UNNotificationDefaultActionIdentifier)) ?? "nil")")
app.responded(response("reply"))
let local = response(UNNotificationDefaultActionIdentifier, identifier: "x", isPush: false)
print("local \(app.responded(local) ?? "nil")")
print("dismissed \(app.responded(response(UNNotificationDismissActionIdentifier)) ?? "nil")")
app.setBadge(0)
wait("reports") { app.queued == 0 }
print("queued \(app.queued) dropped \(app.dropped)")
