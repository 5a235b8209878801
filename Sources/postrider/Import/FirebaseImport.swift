import StoreModel

extension ImportVendor {
  /// Lists of FCM registration tokens, which Firebase does not export: they are in the customer's own database.
  static let firebase = ImportVendor(
    name: "firebase", title: "Firebase", summary: "Imports a list of FCM registration tokens.",
    operand: "FILE[.gz]", forms: [.ndjson, .lines, .csv],
    columns: [
      ImportColumn(
        "token", "fcm_token", "fcmToken", "registration_token", "registrationToken", "device_token", "push_token",
        as: .token, "FCM's registration token", isRequired: true),
      ImportColumn("name", "device_id", "deviceId", "installation_id", as: .name, "your own id of the device"),
      ImportColumn("user", "user_id", "userId", "uid", as: .user, "your own id of the user"),
      ImportColumn(
        "platform", "os", as: .kind, "see the table of kinds; rows without it are Android"),
      ImportColumn("locale", "language", as: .locale, "en_US becomes en-US"),
      ImportColumn("timezone", "time_zone", "timeZone", as: .zone, ""),
      ImportColumn("app_version", "appVersion", as: .appVersion, ""),
      ImportColumn("created_at", "createdAt", as: .createdAt, ""),
      ImportColumn(
        "last_seen", "last_seen_at", "last_active", "updated_at", "updatedAt", "timestamp", as: .seenAt,
        "`active_7d` counts from it"),
      ImportColumn(
        "opt_out", as: .optedOut(when: ImportColumn.yes, not: ImportColumn.no),
        "`true`: the device is imported as opted out, as with what is not understood"),
      ImportColumn("tags", as: .unused, "a list of your own; import it with “devices import”"),
      ImportColumn("properties", as: .family, "`properties.plan` becomes the property `plan`"),
    ],
    kinds: [
      ImportKind("android", "fcm", is: .address(.android)),
      ImportKind("ios", "iphone", "ipad", "apns", is: .address(.fcmIOS)),
      ImportKind("web", "chrome", "safari", "firefox", is: .address(.fcmWeb)),
    ],
    kindDefault: .address(.android),
    details: """
      FILE has a token in each line, or is CSV with a header, or has a JSON object in each line; a column or member “token” is all
      that is needed. Tokens of iPhones and browsers are imported as fcm-ios and fcm-web (docs/fcm-tokens.md).
      """,
    example: "postrider import firebase tokens.txt --app shop --dry-run")
}
