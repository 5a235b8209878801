/// Commands about devices.
extension APITable {
  private static let described: [APIField] = [
    .member("user", "USER", "Whose it is."),
    .member("locale", "TAG", "Its language, such as de-AT."),
    .member("timezone", "ZONE", "Its time zone, such as Europe/Vienna."),
    .member("app_version", "TEXT", "The version of the app on it."),
  ]
  /// What “devices import” does, and “import” with the files of other services.
  static let deviceImport = APIRow(
    "devices import", "importDevices", "Registers the devices of a file of any length, NDJSON or CSV.",
    shows: .details
  ).with {
    $0.body = .upload
    $0.details = """
      FILE has one registration a line as NDJSON, or is CSV with a header (docs/api.md, “Devices as files”); “-” reads
      standard input. Wrong lines are said and left out, the others are registered; doing it again is harmless. Exit
      status: 0 every line was registered; 1 some were not. Files of other services: “postrider import --help”.
      """
    $0.examples = ["postrider devices import devices.csv --app demo"]
  }

  static let timelineColumns = ["at", "kind", "push", "campaign", "title", "device", "state", "reason", "action"]

  static let devices = Subject(
    name: "devices", summary: "Devices: the addresses that pushes go to.",
    rows: [
      APIRow(
        "devices list", "listDevices",
        shows: .list(
          "devices", columns: ["id", "type", "user", "state", "locale", "app_version", "registered_at", "token"])
      ).with {
        $0.fields = [
          .query("user", "USER", "Only this user's."),
          .query("name", "NAME", "Only the one with this id of your own."),
          .query("type", "TYPE", "Only of this kind, such as ios or android."),
          .query("state", "STATE", "Only in this state, such as active."),
        ]
        $0.examples = ["postrider devices list --app demo --user alice"]
      },
      APIRow("devices show", "getDevice", shows: .details),
      APIRow(
        "devices timeline", "getDeviceTimeline", "Lists what happened with a device, the newest first.",
        shows: .list("events", columns: timelineColumns)),
      APIRow("devices register", "registerDevice", shows: .details).with {
        $0.operands = ["token"]
        $0.fields =
          [
            .member(
              "type", "TYPE",
              "What the token is: ios, ios-voip, ios-live-activity-start, android, android-fid, web, hms, fcm-ios, fcm-web."
            ),
            .member(
              "environment", "NAME", "Of APNs; production unless given.", choices: ["production", "development"]),
            .member("name", "NAME", "The device's own name, under which its token may change."),
          ] + described + APIField.known + APIField.optOut
        $0.body = .file()
        $0.details = """
          The TOKEN of a browser (--type web) is one text: the endpoint of its subscription, p256dh and auth, with a space
          between them.
          """
        $0.examples = [
          "postrider devices register a1b2…f601 --app demo --type ios --user alice",
          "postrider devices register \"https://updates.push.services.mozilla.com/wpush/v2/… BNcR… tBHI…\" --app demo --type web",
        ]
      },
      APIRow("devices update", "updateDevice", shows: .details).with {
        $0.fields = described + APIField.known + APIField.optOut
        $0.body = .file()
        $0.examples = ["postrider devices update 12 --app demo --locale de-AT --tag beta"]
      },
      APIRow("devices delete", "deleteDevice", shows: .done("The device is forgotten.")),
      deviceImport,
      APIRow(
        "devices imports", "listImports",
        shows: .list(
          "imports",
          columns: ["id", "started_at", "running", "bytes", "lines", "created", "updated", "older", "failed"])),
      APIRow("devices export", "exportDevices", "Writes all devices, as of one instant.", shows: .file).with {
        $0.examples = ["postrider devices export --app demo --output devices.csv"]
      },
    ])
}
