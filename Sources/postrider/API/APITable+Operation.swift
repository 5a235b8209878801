/// Commands for those who run a server: keys, webhooks, retention, the audit log.
extension APITable {
  static let keys = Subject(
    name: "keys", summary: "API keys: make, rotate, revoke.",
    rows: [
      APIRow(
        "keys list", "Lists the API keys, without their texts.", "GET", "/v1/keys",
        shows: .list(
          "keys", columns: ["id", "name", "prefix", "scopes", "app", "last_used_at", "expires_at", "revoked_at"],
          isPaged: false)),
      APIRow(
        "keys create", "Makes an API key; the answer is the only time it is shown.", "POST", "/v1/keys", shows: .details
      ).with {
        $0.operands = ["name"]
        $0.fields = [
          .member(
            "scopes", "SCOPE", "What it may do; may be repeated.", .list, option: "--scope",
            choices: ["admin", "send", "read", "client"]),
          .member("app", "NAME", "The only app it is good for; all unless given."),
          .member(
            "expires_in_seconds", "SECONDS", "When it stops working; never unless given.", .integer,
            option: "--expires-in"),
          .member("rate_per_minute", "N", "Requests a minute.", .integer, option: "--rate"),
        ]
        $0.examples = ["postrider keys create billing --scope send --app demo"]
      },
      APIRow(
        "keys rotate", "Makes a key like this one, shown this once, and lets this one end.", "POST",
        "/v1/keys/{key}/rotate", shows: .details
      ).with {
        $0.fields = [
          .member(
            "overlap_seconds", "SECONDS", "How long the old key works beside the new one; a day unless given.",
            .integer,
            option: "--overlap")
        ]
      },
      APIRow("keys revoke", "Revokes an API key.", "DELETE", "/v1/keys/{key}", shows: .done("The key works no more.")),
    ])

  static let held = Subject(
    name: "held", summary: "What a restored server holds: list it, resume it.",
    rows: [
      APIRow(
        "held list", "Lists what is held since the server was restored from a backup; with --app of one app.", "GET",
        "/v1/held", shows: .list("held", columns: ["kind", "id", "app", "since", "due_at", "waiting", "name"])
      ).with { $0.pathInApp = "/v1/apps/{app}/held" },
      APIRow(
        "held resume", "Resumes everything that is held, with --app of one app; what is past due starts at once.",
        "POST", "/v1/held/resume", shows: .details
      ).with {
        $0.pathInApp = "/v1/apps/{app}/held/resume"
        $0.examples = ["postrider held resume --app shop"]
      },
    ])

  private static let webhook = "/v1/apps/{app}/webhooks/{webhook}"
  private static let webhookFields: [APIField] = [
    .member(
      "types", "TYPE", "What it is told of, such as delivery.rejected or push.finished; may be repeated.", .list,
      option: "--type")
  ]

  static let webhooks = Subject(
    name: "webhooks", summary: "Webhooks: whom outcomes are told to.",
    rows: [
      APIRow(
        "webhooks list", "Lists the webhooks.", "GET", "/v1/apps/{app}/webhooks",
        shows: .list(
          "webhooks", columns: ["id", "url", "enabled", "queued", "dropped", "failure", "types"], isPaged: false)),
      APIRow("webhooks show", "Shows a webhook.", "GET", webhook, shows: .details),
      APIRow(
        "webhooks create", "Makes a webhook; the answer is the only time its secret is shown.", "POST",
        "/v1/apps/{app}/webhooks", shows: .details
      ).with {
        $0.operands = ["url"]
        $0.fields = webhookFields
        $0.examples = ["postrider webhooks create https://example.com/hooks --app demo --type delivery.rejected"]
      },
      APIRow("webhooks update", "Changes a webhook.", "PATCH", webhook, shows: .details).with {
        $0.fields =
          [
            .member("url", "ADDRESS", "Where notices are posted.", option: "--to"),
            .member("enabled", "BOOL", "Whether it is told anything.", .bool, choices: ["true", "false"]),
          ] + webhookFields
      },
      APIRow(
        "webhooks delete", "Removes a webhook, and what it was still to be told.", "DELETE", webhook,
        shows: .done("The webhook is gone.")),
      APIRow(
        "webhooks rotate", "Gives a webhook a new secret, shown this once.", "POST", webhook + "/rotate",
        shows: .details),
      APIRow(
        "webhooks dead", "Lists the batches that a webhook never took.", "GET", webhook + "/dead",
        shows: .list("batches", columns: ["id", "push", "attempts", "created_at", "failure"])),
      APIRow(
        "webhooks replay", "Tells a webhook again what it never took.", "POST", webhook + "/replay", shows: .details
      ).with {
        $0.fields = [.member("batches", "ID", "Only this batch; may be repeated.", .list, option: "--batch")]
      },
    ])

  static let retention = Subject(
    name: "retention", summary: "How long deliveries and reports are kept.",
    rows: [
      APIRow(
        "retention show", "Shows how long, for the server or with --app for one app.", "GET", "/v1/retention",
        shows: .details
      )
      .with { $0.pathInApp = "/v1/apps/{app}/retention" },
      APIRow(
        "retention set", "Sets how long; what is not named is kept for ever, or as the server has it.", "PUT",
        "/v1/retention", shows: .details
      )
      .with {
        $0.pathInApp = "/v1/apps/{app}/retention"
        $0.fields = [
          .member("deliveries_days", "DAYS", "Days until deliveries are deleted.", .integer),
          .member("events_days", "DAYS", "Days until reports are deleted.", .integer),
        ]
      },
    ])

  static let audit = Subject(
    name: "audit", summary: "Who did what.",
    rows: [
      APIRow(
        "audit list", "Lists administrative acts, the newest first; with --app on one app.", "GET", "/v1/audit",
        shows: .list("acts", columns: ["id", "at", "key", "act", "target", "from"])
      ).with { $0.pathInApp = "/v1/apps/{app}/audit" }
    ])
}
