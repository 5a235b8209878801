/// Commands for those who run a server: keys, webhooks, retention, the audit log.
extension APITable {
  static let keys = Subject(
    name: "keys", summary: "API keys: make, rotate, revoke, recover.",
    rows: [
      APIRow(
        "keys list", "listKeys",
        shows: .list(
          "keys", columns: ["id", "name", "prefix", "scopes", "app", "last_used_at", "expires_at", "revoked_at"])),
      APIRow("keys create", "createKey", shows: .details).with {
        $0.operands = ["name"]
        $0.fields = [
          .member(
            "scopes", "SCOPE", "What it may do; may be repeated.", .list, option: "--scope",
            choices: ["admin", "send", "read", "client", "compat"]),
          .member("app", "NAME", "The only app it is good for; all unless given."),
          .member(
            "expires_in_seconds", "SECONDS", "When it stops working; never unless given.", .integer,
            option: "--expires-in"),
          .member("rate_per_minute", "N", "Requests a minute.", .integer, option: "--rate"),
          .member(
            "person", "ID", "The person it belongs to, by id or email, with whom it ends; a program's unless given."),
        ]
        $0.examples = ["postrider keys create billing --scope send --app demo"]
      },
      APIRow("keys rotate", "rotateKey", shows: .details).with {
        $0.fields = [
          .member(
            "overlap_seconds", "SECONDS", "How long the old key works beside the new one; a day unless given.",
            .integer,
            option: "--overlap")
        ]
        $0.examples = ["postrider keys rotate 3 --overlap 3600"]
      },
      APIRow("keys revoke", "revokeKey", shows: .done("The key is revoked.")),
    ], offline: [.recoverKey])

  static let held = Subject(
    name: "held", summary: "What a restored server holds: list it, resume it.",
    rows: [
      APIRow(
        "held list", "listHeld",
        "Lists what is held since the server was restored from a backup; with --app of one app.",
        shows: .list("held", columns: ["kind", "id", "app", "since", "due_at", "waiting", "name"])),
      APIRow(
        "held resume", "resumeHeld",
        "Resumes everything that is held, with --app of one app; what is past due starts at once.", shows: .details
      ).with {
        $0.examples = ["postrider held resume --app shop"]
      },
    ])

  static let nodes = Subject(
    name: "nodes", summary: "The servers that work on one database.",
    rows: [
      APIRow(
        "nodes list", "listNodes",
        shows: .list(
          "nodes",
          columns: [
            "name", "live", "version", "started_at", "seen_at", "clock_ahead_ms", "leases", "in_flight", "duties",
            "current",
          ]))
    ])

  static let identity = Subject(
    name: "identity", summary: "Signed identity: whether devices register with a token of the backend's, and its keys.",
    rows: [
      APIRow("identity show", "getIdentity", shows: .details),
      APIRow(
        "identity keys", "getIdentity", "Lists the keys that verify tokens, without secrets.",
        shows: .list("keys", columns: ["id", "algorithm", "created_at"])),
      APIRow(
        "identity set", "setIdentity", "Sets the MODE: off, optional (a token that is sent must be valid) or required.",
        shows: .details
      ).with {
        $0.operands = ["mode"]
        $0.examples = ["postrider identity set required --app shop"]
      },
      APIRow(
        "identity create-key", "createIdentityKey",
        "Makes a key, or takes the public key in FILE, PEM or JSON Web Key, or “-”; a secret is shown this once.",
        shows: .details
      ).with {
        $0.fields = [
          .member(
            "algorithm", "NAME", "How the backend signs; ES256 for a file with a public key.",
            choices: ["ES256", "HS256"])
        ]
        $0.body = .file()
        $0.readsFile = IdentityKeyFile.read
        $0.examples = [
          "postrider identity create-key public.pem --app shop",
          "postrider identity create-key --algorithm HS256 --app shop",
        ]
      },
      APIRow(
        "identity delete-key", "deleteIdentityKey",
        shows: .done("The key is gone; tokens that it has signed are refused.")),
    ])

  private static let webhookFields: [APIField] = [
    .member(
      "types", "TYPE", "The events it is sent, such as delivery.rejected or push.finished; may be repeated.", .list,
      option: "--type")
  ]

  static let webhooks = Subject(
    name: "webhooks", summary: "Webhook endpoints, which are sent outcomes.",
    rows: [
      APIRow(
        "webhooks list", "listWebhooks",
        shows: .list(
          "webhooks", columns: ["id", "url", "enabled", "queued", "dropped", "failure", "types"])),
      APIRow("webhooks show", "getWebhook", shows: .details),
      APIRow("webhooks create", "createWebhook", shows: .details).with {
        $0.operands = ["url"]
        $0.fields = webhookFields
        $0.examples = ["postrider webhooks create https://example.com/hooks --app demo --type delivery.rejected"]
      },
      APIRow("webhooks update", "updateWebhook", shows: .details).with {
        $0.fields =
          [
            .member("url", "ADDRESS", "Where notices are posted.", option: "--to"),
            .member("enabled", "BOOL", "Whether it is notified.", .bool, choices: ["true", "false"]),
          ] + webhookFields
        $0.examples = ["postrider webhooks update 2 --app demo --enabled false"]
      },
      APIRow("webhooks delete", "deleteWebhook", shows: .done("The webhook is gone.")),
      APIRow("webhooks rotate", "rotateWebhook", shows: .details),
      APIRow(
        "webhooks dead", "listDeadBatches",
        shows: .list("batches", columns: ["id", "push", "attempts", "created_at", "failure"])),
      APIRow("webhooks replay", "replayWebhook", shows: .details).with {
        $0.fields = [.member("batches", "ID", "Only this batch; may be repeated.", .list, option: "--batch")]
      },
    ])

  static let retention = Subject(
    name: "retention", summary: "How long deliveries and reports are retained.",
    rows: [
      APIRow(
        "retention show", "getRetention", "Shows how long, for the server or with --app for one app.", shows: .details),
      APIRow(
        "retention set", "putRetention", "Changes how long, for the server or with --app for one app.", shows: .details
      ).with {
        $0.fields = [
          .member("deliveries_days", "DAYS", "Days until deliveries are deleted.", .integer),
          .member("events_days", "DAYS", "Days until reports are deleted.", .integer),
          .member(
            "deliveries_days", "", "Stores deliveries without a limit; with --app, as long as the server does.",
            .clears,
            option: "--no-deliveries-days"),
          .member(
            "events_days", "", "Stores reports without a limit; with --app, as long as the server does.", .clears,
            option: "--no-events-days"),
        ]
        $0.details = "Only what is named changes."
        $0.examples = [
          "postrider retention set --deliveries-days 90", "postrider retention set --app demo --no-events-days",
        ]
      },
    ])

  static let unseen = Subject(
    name: "unseen", summary: "When devices that nobody was seen with are forgotten.",
    rows: [
      APIRow(
        "unseen show", "getUnseenDevices",
        "Shows after how many days, and counts the devices that are unseen for as long.",
        shows: .details
      ).with { $0.fields = [.query("days", "DAYS", "Counts for this many days instead of the rule's.")] },
      APIRow(
        "unseen set", "putUnseenDevices", "Sets after how many days they are forgotten, for good.", shows: .details
      )
      .with {
        $0.fields = [
          .member("days", "DAYS", "Days after a device was last seen.", .integer),
          .member("days", "", "Keeps unseen devices.", .clears, option: "--no-days"),
        ]
        $0.details = """
          Seen is a device that registers, as an app should at each start, and every device of its user. Count first, with
          “unseen show --days”: devices that are forgotten come back only by registering again.
          """
        $0.examples = ["postrider unseen show --app demo --days 270", "postrider unseen set --app demo --days 270"]
      },
    ])

  static let audit = Subject(
    name: "audit", summary: "Who did what.",
    rows: [
      APIRow(
        "audit list", "listAudit", "Lists administrative acts, the newest first; with --app on one app.",
        shows: .list("acts", columns: ["id", "at", "author.name", "act", "target", "from"])
      ).with {
        $0.fields = [
          .query("person", "ID", "Only what this person did, by id or email, also with keys of theirs."),
          .query("key", "ID", "Only what was done with this API key.", option: "--by-key"),
          .query("act", "NAME", "Only this act, such as revokeKey."),
          .query("from", "TIME", "Only what happened then or later."),
          .query("until", "TIME", "Only what happened before."),
        ]
        $0.examples = [
          "postrider audit list --app shop", "postrider audit list --person ann@example.com --limit 1000",
          "postrider audit list --act revokeKey --from 2026-11-01T00:00:00Z",
        ]
      }
    ])
}
