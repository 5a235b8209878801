import StoreModel

extension ImportVendor {
  /// OneSignal's CSV export of subscriptions (“players/csv_export”), gzip as it is downloaded.
  static let oneSignal = ImportVendor(
    name: "onesignal", title: "OneSignal", summary: "Imports OneSignal's CSV export of subscriptions.",
    operand: "FILE.csv[.gz]", forms: [.csv],
    columns: [
      ImportColumn(
        "id", "player_id", "subscription_id", as: .name,
        "the subscription's id (player id); ids in your own database still find the device"),
      ImportColumn(
        "identifier", as: .token, "hexadecimal for iOS, FCM's registration token for Android, a browser's endpoint",
        isRequired: true),
      ImportColumn("device_type", as: .kind, "see the table of kinds", isRequired: true),
      ImportColumn(
        "external_user_id", "external_id", as: .user, "your own id of the user",
        whenMissing: "devices have no users; request it with extra_fields"),
      ImportColumn("language", as: .locale, "zh-Hans stays zh-Hans"),
      ImportColumn("timezone_id", as: .zone, "used before `timezone`"),
      ImportColumn(
        "timezone", as: .zoneOffset,
        "seconds from UTC; a zone without daylight saving, unless `timezone_id` names one"),
      ImportColumn("game_version", "app_version", as: .appVersion, "the version of your app"),
      ImportColumn(
        "test_type", as: .environment(development: ["1"], production: ["0", "2"]),
        "1 is a development build, 2 an ad-hoc build; exports rarely have it (`--environment`)"),
      ImportColumn("created_at", as: .createdAt, "UTC"),
      ImportColumn("last_active", as: .seenAt, "UTC; `active_7d` counts from it"),
      ImportColumn(
        "invalid_identifier", as: .dead(when: ImportColumn.yes, alive: ImportColumn.no),
        "`t` is a dead token: the row is left out"),
      ImportColumn(
        "notification_types", as: .optedOutUnlessPositive,
        "0 or negative is unsubscribed: the device is imported as opted out, as with what is no number",
        whenMissing: "unsubscribed people look like subscribed ones; request it with extra_fields"),
      ImportColumn("tags", as: .properties, "a tag of the same name as a property below wins"),
      ImportColumn(
        "onesignal_id", as: .alias("onesignal_id"),
        "the user's id at OneSignal; ids in your own database still find the user"),
      ImportColumn("device_os", as: .property("os_version"), ""),
      ImportColumn("device_model", as: .property("device_model"), ""),
      ImportColumn("session_count", as: .property("session_count", isNumber: true), ""),
      ImportColumn("playtime", as: .property("playtime_seconds", isNumber: true), ""),
      ImportColumn("amount_spent", as: .property("amount_spent", isNumber: true), ""),
      ImportColumn("country", as: .property("country"), ""),
      ImportColumn("location", as: .property("location"), ""),
      ImportColumn("ad_id", as: .unused, "an advertising id is not needed to send"),
      ImportColumn("ip", as: .unused, "an address of a person is not needed to send"),
      ImportColumn("badge_count", as: .unused, "badges are set by the message"),
      ImportColumn("rooted", as: .unused, ""), ImportColumn("as_id", as: .unused, ""),
      ImportColumn("sdk", as: .unused, "OneSignal's own client"),
      ImportColumn("web_auth", as: .auth, "of browsers"),
      ImportColumn("web_p256", as: .p256dh, "of browsers"),
    ],
    kinds: [
      ImportKind("0", "iOSPush", is: .address(.ios)), ImportKind("1", "AndroidPush", is: .address(.android)),
      ImportKind("2", "10", "FireOSPush", is: .leftOut(.amazon)),
      ImportKind("5", "8", "12", "17", "ChromePush", "FirefoxPush", "SafariPush", is: .address(.web)),
      ImportKind("4", "7", "ChromeExtensionPush", "SafariLegacyPush", is: .leftOut(.webPush)),
      ImportKind("3", "6", "WindowsPush", is: .leftOut(.windows)),
      ImportKind("9", "macOSPush", is: .leftOut(.mac)), ImportKind("11", "Email", is: .leftOut(.email)),
      ImportKind("13", "HuaweiPush", is: .address(.hms)), ImportKind("14", "SMS", is: .leftOut(.sms)),
    ],
    details: """
      Request the export with the extra fields external_user_id, notification_types and timezone_id (docs/leaving/onesignal.md):
      without notification_types, people who have unsubscribed look like subscribers.
      """,
    example: "postrider import onesignal users.csv.gz --app shop --dry-run")
}
