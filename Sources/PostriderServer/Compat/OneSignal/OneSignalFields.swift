internal import PushContracts
internal import WireJSON

/// Members of OneSignal's requests that are not part of a message, and those that are refused: nothing that decides who gets
/// a message, and when, is passed over in silence.
enum OneSignalFields {
  /// Members of “create notification” that become parts of a push; all others are the message's.
  static let ofPush: Set<String> = [
    CompatCall.appMember, "included_segments", "excluded_segments", "filters", "include_aliases",
    "include_external_user_ids", "include_subscription_ids", "include_player_ids", "include_ios_tokens",
    "include_android_reg_ids", "target_channel", "channel_for_external_user_ids", "send_after",
    "delayed_option", "delivery_time_of_day", "throttle_rate_per_minute", "idempotency_key", "external_id", "isIos",
    "isAndroid", "isHuawei", "isAnyWeb", "enable_frequency_cap", customData,
  ]
  /// Values of the texts.
  static let customData = "custom_data"

  private static let otherChannel = "e-mail and text messages are not here; a push goes to APNs and FCM"
  private static let otherPlatform = "only iOS, Android, Huawei and browsers are here"
  private static let oneBrowser = "browsers are not distinguished; give isAnyWeb"

  /// Members that are refused, with the reason.
  private static let refused: [String: String] = [
    "tags": "is the older form of filters; give filters", "include_email_tokens": otherChannel,
    "email_to": otherChannel, "include_phone_numbers": otherChannel, "include_unsubscribed": otherChannel,
    "disable_email_click_tracking": otherChannel, "include_wp_wns_uris": otherPlatform,
    "include_amazon_reg_ids": otherPlatform, "include_chrome_reg_ids": otherPlatform,
    "include_chrome_web_reg_ids": otherPlatform, "isChromeWeb": oneBrowser,
    "isFirefox": oneBrowser, "isSafari": oneBrowser, "isWP_WNS": otherPlatform,
    "isAdm": otherPlatform, "isChrome": otherPlatform, "isEmail": otherChannel, "isSMS": otherChannel,
    "apns_alert": "is not written; give headings and contents",
    "apns_push_type_override": "is not written; the type follows from the message",
    "summary_arg": "Apple reads it no more", "summary_arg_count": "Apple reads it no more",
  ]
  private static let refusedPrefixes = ["email_", "sms_"]

  /// Why a member is refused; nil for one that is not, and for one that asks for nothing.
  static func refusal(_ name: String, _ value: JSONValue) -> String? {
    if value.isNull || value.bool == false || value.array?.isEmpty == true { return nil }
    if let reason = refused[name] { return reason }
    return refusedPrefixes.contains { name.hasPrefix($0) } ? otherChannel : nil
  }

  /// What a message can have.
  static let ofMessage = Set((Contracts.mappingTable(.onesignal)?.rows ?? []).map { $0.field })

  /// Whether a member is no part of the message: one of the push, or one that asks for nothing as it is.
  static func isBesideMessage(_ name: String) -> Bool {
    ofPush.contains(name) || refused[name] != nil || refusedPrefixes.contains { name.hasPrefix($0) }
  }

  /// Texts by language: the other languages get messages of their own.
  static let texts = ["contents", "headings", "subtitle", "android_group_message"]
}
