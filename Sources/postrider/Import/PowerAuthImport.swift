import StoreModel

extension ImportVendor {
  /// The table of devices of the PowerAuth push server, as CSV or as a dump of PostgreSQL.
  static let powerAuth = ImportVendor(
    name: "powerauth", title: "PowerAuth", summary: "Imports the device table of a PowerAuth push server.",
    operand: "FILE[.gz]", forms: [.copy(table: "push_device_registration"), .csv],
    columns: [
      ImportColumn(
        "activation_id", as: .name, "the activation; callers that know it still find the device"),
      ImportColumn("push_token", as: .token, "hexadecimal for APNs", isRequired: true),
      ImportColumn("platform", as: .kind, "see the table of kinds", isRequired: true),
      ImportColumn("user_id", as: .user, "your own id of the user"),
      ImportColumn("app_id", as: .vendorApp, "several apps in one file need `--vendor-app`"),
      ImportColumn(
        "environment",
        as: .environment(
          development: ["development", "sandbox", "dev", "test"], production: ["production", "prod"]),
        "of APNs; since version 1.10 (`--environment` before that)"),
      ImportColumn(
        "timestamp_last_registered", as: .seenAt, "UTC unless it has an offset; `active_7d` counts from it"),
      ImportColumn(
        "is_active", as: .dead(when: ImportColumn.no, alive: ImportColumn.yes),
        "false: the activation is blocked or removed, and the row is left out",
        whenMissing: "devices of blocked activations look like others"),
      ImportColumn("id", as: .unused, "the row's number in the table"),
      ImportColumn("encryption_key", as: .unused, "of versions before 0.24"),
      ImportColumn("encryption_key_index", as: .unused, "of versions before 0.24"),
    ],
    kinds: [
      ImportKind("apns", "ios", is: .address(.ios)), ImportKind("fcm", "android", is: .address(.android)),
      ImportKind("hms", "huawei", is: .address(.hms)),
    ],
    details: """
      FILE is the table push_device_registration as CSV with a header, or a plain dump of PostgreSQL that contains it
      (docs/leaving/powerauth.md).
      """,
    example: "postrider import powerauth push_device_registration.csv --app bank --dry-run")
}
