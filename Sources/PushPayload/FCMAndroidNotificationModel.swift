public import Basics
internal import WireJSON

/// What the notifications of `android` and of `android_v2` have in common.
public protocol FCMAndroidNotificationModel: PayloadModel {}

extension FCMAndroidNotificationModel {
  /// The documented members that both have.
  static var sharedFields: [PayloadField] {
    [
      PayloadField("title", .string),
      PayloadField("body", .string),
      PayloadField("icon", .string),
      PayloadField("color", .string),
      PayloadField("sound", .string),
      PayloadField("tag", .string),
      PayloadField("click_action", .string),
      PayloadField("body_loc_key", .string),
      PayloadField("body_loc_args", .strings),
      PayloadField("title_loc_key", .string),
      PayloadField("title_loc_args", .strings),
      PayloadField("channel_id", .string),
      PayloadField("ticker", .string),
      PayloadField("sticky", .boolean),
      PayloadField("event_time", .timestamp),
      PayloadField("local_only", .boolean),
      PayloadField("notification_priority", FCMNotificationPriority.payloadType),
      PayloadField("default_sound", .boolean),
      PayloadField("default_vibrate_timings", .boolean),
      PayloadField("default_light_settings", .boolean),
      PayloadField("vibrate_timings", .durations),
      PayloadField("visibility", FCMVisibility.payloadType),
      PayloadField("notification_count", .integer),
      PayloadField("light_settings", .model(FCMLightSettings.schema)),
      PayloadField("image", .string),
    ]
  }
}

extension FCMAndroidNotificationModel {
  /// `title`: the title.
  public var title: String? {
    get { self[name: "title"] }
    set { self[name: "title"] = newValue }
  }

  /// `body`: the text.
  public var body: String? {
    get { self[name: "body"] }
    set { self[name: "body"] = newValue }
  }

  /// `icon`: the drawable of the small icon.
  public var icon: String? {
    get { self[name: "icon"] }
    set { self[name: "icon"] = newValue }
  }

  /// `color`: the icon’s color, `#rrggbb`.
  public var color: FCMHexColor? {
    get { self[name: "color"] }
    set { self[name: "color"] = newValue }
  }

  /// `sound`: `default` or a file in the app.
  public var sound: String? {
    get { self[name: "sound"] }
    set { self[name: "sound"] = newValue }
  }

  /// `tag`: notifications with the same tag replace each other.
  public var tag: String? {
    get { self[name: "tag"] }
    set { self[name: "tag"] = newValue }
  }

  /// `click_action`: the intent filter that a tap starts.
  public var clickAction: String? {
    get { self[name: "click_action"] }
    set { self[name: "click_action"] = newValue }
  }

  /// `body_loc_key`: the string resource of the text.
  public var bodyLocKey: String? {
    get { self[name: "body_loc_key"] }
    set { self[name: "body_loc_key"] = newValue }
  }

  /// `body_loc_args`: what fills the text’s placeholders.
  public var bodyLocArgs: [String]? {
    get { self[name: "body_loc_args"] }
    set { self[name: "body_loc_args"] = newValue }
  }

  /// `title_loc_key`: the string resource of the title.
  public var titleLocKey: String? {
    get { self[name: "title_loc_key"] }
    set { self[name: "title_loc_key"] = newValue }
  }

  /// `title_loc_args`: what fills the title’s placeholders.
  public var titleLocArgs: [String]? {
    get { self[name: "title_loc_args"] }
    set { self[name: "title_loc_args"] = newValue }
  }

  /// `channel_id`: the notification channel, Android 8 and later.
  public var channelID: String? {
    get { self[name: "channel_id"] }
    set { self[name: "channel_id"] = newValue }
  }

  /// `ticker`: what accessibility services read aloud.
  public var ticker: String? {
    get { self[name: "ticker"] }
    set { self[name: "ticker"] = newValue }
  }

  /// `sticky`: stays when it is tapped.
  public var sticky: Bool? {
    get { self[name: "sticky"] }
    set { self[name: "sticky"] = newValue }
  }

  /// `event_time`: when the event happens or happened.
  public var eventTime: FCMTimestamp? {
    get { self[name: "event_time"] }
    set { self[name: "event_time"] = newValue }
  }

  /// `local_only`: is not bridged to other devices.
  public var localOnly: Bool? {
    get { self[name: "local_only"] }
    set { self[name: "local_only"] = newValue }
  }

  /// `notification_priority`: how insistent it is, before Android 8.
  public var notificationPriority: FCMNotificationPriority? {
    get { self[name: "notification_priority"] }
    set { self[name: "notification_priority"] = newValue }
  }

  /// `default_sound`: plays the default sound.
  public var defaultSound: Bool? {
    get { self[name: "default_sound"] }
    set { self[name: "default_sound"] = newValue }
  }

  /// `default_vibrate_timings`: vibrates in the default rhythm.
  public var defaultVibrateTimings: Bool? {
    get { self[name: "default_vibrate_timings"] }
    set { self[name: "default_vibrate_timings"] = newValue }
  }

  /// `default_light_settings`: blinks in the default way.
  public var defaultLightSettings: Bool? {
    get { self[name: "default_light_settings"] }
    set { self[name: "default_light_settings"] = newValue }
  }

  /// `vibrate_timings`: the rhythm: off, on, off and so on.
  public var vibrateTimings: [FCMDuration]? {
    get { self[name: "vibrate_timings"] }
    set { self[name: "vibrate_timings"] = newValue }
  }

  /// `visibility`: what the lock screen shows.
  public var visibility: FCMVisibility? {
    get { self[name: "visibility"] }
    set { self[name: "visibility"] = newValue }
  }

  /// `notification_count`: what the badge counts.
  public var notificationCount: WholeNumber? {
    get { self[name: "notification_count"] }
    set { self[name: "notification_count"] = newValue }
  }

  /// `light_settings`: how the light blinks.
  public var lightSettings: FCMLightSettings? {
    get { self[name: "light_settings"] }
    set { self[name: "light_settings"] = newValue }
  }

  /// `image`: the URL of a picture.
  public var image: String? {
    get { self[name: "image"] }
    set { self[name: "image"] = newValue }
  }
}
