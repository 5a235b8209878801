import WireJSON

/// Commands that report the outcome of notifications on devices, as an app's own library does.
extension APITable {
  static let events = Subject(
    name: "events", summary: "Reports of devices: notifications received, opened, a button chosen.",
    rows: [
      report("received", "Reports that a notification has arrived on the device."),
      report("opened", "Reports that a person has opened a notification."),
      report("action", "Reports that a person has chosen a button of a notification.").with {
        $0.operands = ["action"]
        $0.examples = ["postrider events action reply --app demo --delivery 12"]
      },
      APIRow(
        "events send", "reportEvents",
        "Sends many reports; FILE is the JSON of docs/api.md, {\"events\": […]}, or “-”.", shows: .details
      ).with { $0.body = .file(isRequired: true) },
    ])

  private static func report(_ type: String, _ summary: String) -> APIRow {
    APIRow("events \(type)", "reportEvents", summary, shows: .details).with {
      $0.fields = [
        .member("apns_id", "UUID", "The notification, by the apns-id that it was sent with."),
        .member("message_name", "NAME", "The notification, by the name that FCM gave it."),
        .member("request_id", "ID", "The notification, by the id of Push Kit's request."),
        .member("delivery", "ID", "The notification, by its delivery, as “deliveries list” shows it."),
        .member("device", "ID", "The device; with --push or --campaign."),
        .member("token", "TOKEN", "The device, by its token; with --push or --campaign."),
        .member("push", "ID", "With --device or --token: the push."),
        .member("campaign", "ID", "With --device or --token: the newest push of this campaign."),
        .member("at", "TIME", "When it happened, such as 2026-12-24T18:00:00Z; now unless given."),
      ]
      $0.fixed = [("type", .string(type))]
      $0.element = "events"
      $0.details = """
        The answer gives its outcome: recorded; duplicate, it counts once; late, after 30 days; unknown, the app sent
        no such notification. A key of the scope client is enough.
        """
      $0.examples = ["postrider events \(type) --app demo --device 1 --campaign winback-1"]
    }
  }
}
