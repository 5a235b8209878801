import PushContracts
import PushPayload
import TestSupport
import Testing
import WireJSON

/// What was written as fields of the REST API is read back as properties of `OSNotification`, over generated messages.
@Suite struct OneSignalLawTests {
  /// A field of a message with the property it is read back as, on each platform.
  struct Pair: Sendable {
    let field: String
    let property: String
    var platforms: [Platform] = [.ios, .android]
    /// How the value stands in the property; nil for the same value.
    var form: @Sendable (JSONValue) -> JSONValue = { $0 }
  }

  static func english(_ value: JSONValue) -> JSONValue {
    LanguageTexts(value)?.text(for: nil).map { .string($0) } ?? value
  }

  static let pairs: [Pair] = [
    Pair(field: "headings", property: "title", form: english), Pair(field: "contents", property: "body", form: english),
    Pair(field: "subtitle", property: "subtitle", platforms: [.ios], form: english),
    Pair(field: "notification_id", property: "notificationId"), Pair(field: "template_id", property: "templateId"),
    Pair(field: "app_url", property: "launchURL", form: trimmed), Pair(field: "data", property: "additionalData"),
    Pair(field: "buttons", property: "actionButtons"),
    Pair(field: "collapse_id", property: "collapseId"),
    Pair(field: "ios_attachments", property: "attachments", platforms: [.ios]),
    Pair(field: "ios_category", property: "category", platforms: [.ios]),
    Pair(field: "thread_id", property: "threadId", platforms: [.ios]),
    Pair(field: "ios_relevance_score", property: "relevanceScore", platforms: [.ios]),
    Pair(field: "big_picture", property: "bigPicture", platforms: [.android]),
    Pair(field: "small_icon", property: "smallIcon", platforms: [.android]),
    Pair(field: "large_icon", property: "largeIcon", platforms: [.android]),
    Pair(field: "android_sound", property: "sound", platforms: [.android]),
    Pair(field: "existing_android_channel_id", property: "existingChannelId", platforms: [.android]),
    Pair(field: "android_accent_color", property: "smallIconAccentColor", platforms: [.android]),
    Pair(field: "android_led_color", property: "ledColor", platforms: [.android]),
    Pair(field: "android_visibility", property: "lockScreenVisibility", platforms: [.android]),
    Pair(field: "android_group", property: "groupKey", platforms: [.android]),
    Pair(field: "android_group_message", property: "groupMessage", platforms: [.android], form: english),
    Pair(field: "priority", property: "priority", platforms: [.android]),
    Pair(field: "ttl", property: "ttl", platforms: [.android], form: timeToLive),
  ]

  /// A time to live of 0 is read as the SDK's default, as whether Google's client hands 0 on is not documented.
  @Sendable static func timeToLive(_ value: JSONValue) -> JSONValue {
    value == 0 ? .number(JSONNumber(OneSignal.ttlDefault)) : value
  }

  /// Spaces around an address are taken off by the reader.
  @Sendable static func trimmed(_ value: JSONValue) -> JSONValue {
    guard var bytes = value.string.map({ Array($0.utf8)[...] }) else { return value }
    while let byte = bytes.first, byte <= 0x20 { bytes.removeFirst() }
    while let byte = bytes.last, byte <= 0x20 { bytes.removeLast() }
    return .string(String(decoding: bytes, as: UTF8.self))
  }

  @Test func readingGivesBackWhatWasWritten() throws {
    let table = try #require(Contracts.mappingTable(.onesignal))
    var random = SeededRandom.fromEnvironment()
    for _ in 0..<LawTests.rounds {
      var (message, _) = LawTests.legal(.onesignal, table, &random)
      if message["buttons"] != nil { message["buttons"] = [["id": "a", "text": .string(random.text())]] }
      if message["data"]?.object?.isEmpty == true { message.removeValue(forKey: "data") }
      let rendering = Contracts.render(.onesignal, message: .object(message))
      for platform in Platform.allCases {
        guard let payload = platform == .ios ? rendering.apns?.payload : rendering.fcm?.body else {
          // On Android a silent message without data does nothing.
          #expect(platform == .android && message["content_available"] == true, "seed \(random.seed): \(message)")
          continue
        }
        let parsed = try Contracts.parse(platform: platform, raw: payload)
        #expect(parsed.contract == .onesignal, "seed \(random.seed): \(message)")
        let own = try #require(parsed.notification["onesignal"]?.object)
        for pair in Self.pairs where pair.platforms.contains(platform) {
          guard let value = message[pair.field] else { continue }
          #expect(own[pair.property] == pair.form(value), "seed \(random.seed): \(pair.field) of \(message)")
        }
      }
    }
  }
}
