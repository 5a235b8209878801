import StoreModel

extension ImportVendor {
  /// The endpoints that Amazon Pinpoint's export jobs write: an endpoint in each line, or CSV.
  static let pinpoint = ImportVendor(
    name: "pinpoint", title: "Amazon Pinpoint", summary: "Imports the endpoints of an Amazon Pinpoint export job.",
    operand: "FILE[.gz]", forms: [.ndjson, .csv],
    columns: [
      ImportColumn("Id", as: .name, "the endpoint's id; ids in your own database still find the device"),
      ImportColumn(
        "Address", as: .token, "hexadecimal for APNs, FCM's registration token for GCM", isRequired: true),
      ImportColumn("ChannelType", as: .kind, "see the table of kinds", isRequired: true),
      ImportColumn("User.UserId", as: .user, "your own id of the user"),
      ImportColumn("Demographic.Locale", as: .locale, "en_US becomes en-US"),
      ImportColumn("Demographic.Timezone", as: .zone, ""),
      ImportColumn("Demographic.AppVersion", as: .appVersion, ""),
      ImportColumn("CreationDate", as: .createdAt, ""),
      ImportColumn("EffectiveDate", as: .seenAt, "when the endpoint was last updated; `active_7d` counts from it"),
      ImportColumn(
        "EndpointStatus", as: .dead(when: ["inactive"], alive: ["active"]),
        "INACTIVE is a dead token, or one that another endpoint has: the row is left out",
        whenMissing: "dead endpoints look like others"),
      ImportColumn(
        "OptOut", as: .optedOut(when: ["all"], not: ["none"]),
        "ALL: the device is imported as opted out, as with any other value but NONE",
        whenMissing: "people who have opted out look like others"),
      ImportColumn("Attributes", as: .family, "`Attributes.plan` becomes the property `plan`"),
      ImportColumn("User.UserAttributes", as: .family, "the same for attributes of the user"),
      ImportColumn("Metrics", as: .family, "numbers"),
      ImportColumn("Demographic.Make", as: .property("device_make"), ""),
      ImportColumn("Demographic.Model", as: .property("device_model"), ""),
      ImportColumn("Demographic.ModelVersion", as: .property("device_model_version"), ""),
      ImportColumn("Demographic.Platform", as: .property("platform"), ""),
      ImportColumn("Demographic.PlatformVersion", as: .property("os_version"), ""),
      ImportColumn("Location.Country", as: .property("country"), ""),
      ImportColumn("Location.Region", as: .property("region"), ""),
      ImportColumn("Location.City", as: .property("city"), ""),
      ImportColumn("Location.PostalCode", as: .property("postal_code"), ""),
      ImportColumn("Location.Latitude", as: .property("latitude", isNumber: true), ""),
      ImportColumn("Location.Longitude", as: .property("longitude", isNumber: true), ""),
      ImportColumn("ApplicationId", as: .vendorApp, "the project; several in one file need `--vendor-app`"),
      ImportColumn("CohortId", as: .unused, "a random number of Pinpoint's"),
      ImportColumn("RequestId", as: .unused, ""),
    ],
    kinds: [
      ImportKind("APNS", is: .address(.ios, .production)), ImportKind("APNS_SANDBOX", is: .address(.ios, .development)),
      ImportKind("APNS_VOIP", is: .address(.iosVoIP, .production)),
      ImportKind("APNS_VOIP_SANDBOX", is: .address(.iosVoIP, .development)),
      ImportKind("GCM", "FCM", is: .address(.android)), ImportKind("ADM", is: .leftOut(.amazon)),
      ImportKind("BAIDU", is: .leftOut(.baidu)), ImportKind("EMAIL", is: .leftOut(.email)),
      ImportKind("SMS", "VOICE", is: .leftOut(.sms)),
      ImportKind("CUSTOM", "IN_APP", "PUSH", is: .leftOut(.otherChannel)),
    ],
    details: """
      FILE is one object of the export job's bucket; import them one after the other. An attribute with several values
      becomes tags, NAME:VALUE for each (docs/leaving/pinpoint.md).
      """,
    example: "postrider import pinpoint endpoints.gz --app shop --dry-run")
}
