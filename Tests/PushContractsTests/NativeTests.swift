import PushContracts
import PushPayload
import Testing
import WireJSON

/// The typed door to `native`, and the providers' own objects.
@Suite struct NativeTests {
  @Test func ownObjectsReachEveryWriter() throws {
    var message = Native.Message()
    message.title = "t"
    message.fcm = ["android": ["ttl": "60s"]]
    message.apns = ["payload": ["aps": ["url-args": ["a"]]], "headers": ["apns-expiration": "0"]]
    var writer = JSONWriter()
    var report = Report()
    let context = WriteContext()
    for _ in 0..<2 {
      #expect(Native.contract.writeAPNs(message, context: context, into: &writer, report: &report))
      #expect(writer.text == #"{"aps":{"alert":{"title":"t"},"url-args":["a"]}}"#)
      #expect(Native.contract.writeFCM(message, context: context, into: &writer, report: &report))
      #expect(
        writer.text
          == #"{"message":{"token":"<device token>","notification":{"title":"t"},"android":{"ttl":"60s"}}}"#)
    }
    #expect(Native.contract.headers(message, context: context, report: &report).expiration?.text == "0")
    let template = try #require(Native.contract.fcmTemplate(message, context: context, report: &report))
    #expect(
      String(decoding: template.body(target: "T"), as: UTF8.self)
        == #"{"message":{"token":"T","notification":{"title":"t"},"android":{"ttl":"60s"}}}"#)
    #expect(report.rules == ["field-not-carried"], "the template is for Android, which has no apns")
  }

  /// Two spellings of the same: an alert that is a text, and texts and data in Android's own block.
  private static let otherSpellings = [
    "native/apns-alert.json", "native/fcm-android-notification-title.json",
    "native/fcm-android-notification-body.json", "native/fcm-android-notification-image.json",
    "native/fcm-android-data.json",
  ]

  @Test(
    arguments: Vector.all.filter {
      $0.path.hasPrefix("native/") && $0.json["message"] != nil && !otherSpellings.contains($0.path)
    })
  func readingAndWritingAgainGivesTheSamePayload(_ vector: Vector) throws {
    let expected = vector.json["expect"]
    for platform in Platform.allCases {
      let payload = platform == .ios ? expected?["apns"]?["payload"] : expected?["fcm"]
      guard let payload, expected?["report"]?.array?.isEmpty == true else { continue }
      let reading = Native.contract.read(payload, platform: platform)
      guard reading.report.isEmpty else { continue }
      var context = WriteContext()
      for key in FCMTarget.keys {
        if let target = payload["message"]?[key]?.string.flatMap({ FCMTarget(key: key, value: $0) }) {
          context.target = target
        }
      }
      var message = reading.message
      // A payload does not say which push type its headers had.
      let type = expected?["apns"]?["headers"]?["apns-push-type"]
      if platform == .ios, let type, type != "alert", type != "background" {
        message.apns?["headers"] = ["apns-push-type": type]
      }
      let again = Native.contract.render(message, context: context, platforms: [platform])
      let bytes = try #require(platform == .ios ? again.apns?.payload : again.fcm?.body)
      #expect(try JSON.parse(bytes).isEquivalent(to: payload), "\(again)")
    }
  }
}
