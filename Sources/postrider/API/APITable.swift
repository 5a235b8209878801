/// Every command over the API, by subject, in the order in which help lists them.
enum APITable {
  /// A subject: the first word of its commands.
  struct Subject: Sendable {
    let name: String
    let summary: String
    let rows: [APIRow]
  }

  static let subjects = [
    apps, devices, users, segments, push, campaign, deliveries, events, templates, schedules, suppression, keys,
    webhooks, retention, held, audit,
  ]

  private static let appFields: [APIField] = [
    .member("title", "TEXT", "What people call it."),
    .member("contract", "NAME", "The contract of its messages.", choices: APIField.contracts),
    .contractOption,
  ]

  private static let apps = Subject(
    name: "apps", summary: "Apps, how they are doing, and how their providers are reached.",
    rows: [
      APIRow(
        "apps list", "Lists the apps.", "GET", "/v1/apps",
        shows: .list("apps", columns: ["name", "title", "contract", "created_at", "stopped"], isPaged: false)),
      APIRow("apps show", "Shows an app.", "GET", "/v1/apps/{app}", shows: .details),
      APIRow("apps create", "Creates an app.", "POST", "/v1/apps", shows: .details).with {
        $0.operands = ["name"]
        $0.fields = appFields
        $0.examples = ["postrider apps create shop --title \"The shop\" --contract amba"]
      },
      APIRow(
        "apps update", "Changes an app's title, default contract and its options; what is not named stays.", "PATCH",
        "/v1/apps/{app}", shows: .details
      ).with {
        $0.fields = appFields
        $0.examples = ["postrider apps update shop --contract powerauth"]
      },
      APIRow(
        "apps overview", "Shows how an app is doing: its latest pushes together, its providers, what is wrong.", "GET",
        "/v1/apps/{app}/overview", shows: .details),
      APIRow(
        "apps series", "Lists outcomes and reports of an app's pushes by time.", "GET", "/v1/apps/{app}/series",
        shows: .list("points", columns: APIField.seriesColumns, isPaged: false)
      ).with { $0.fields = APIField.series },
      APIRow(
        "apps credentials", "Shows how an app's providers are reached, without secrets.", "GET",
        "/v1/apps/{app}/credentials", shows: .details),
      APIRow(
        "apps set-credentials", "Sets how an app's providers are reached; FILE is the JSON of docs/api.md, or “-”.",
        "PUT", "/v1/apps/{app}/credentials", shows: .details
      ).with {
        $0.fields = [
          .query(
            "check", "BOOL", "Whether the providers are asked first, and nothing is saved unless they take it.",
            choices: ["true", "false"])
        ]
        $0.body = .file(isRequired: true)
        $0.examples = ["postrider apps set-credentials shop credentials.json --check true"]
      },
      APIRow(
        "apps check-credentials", "Asks the providers whether they take the saved credentials, or those in FILE.",
        "POST", "/v1/apps/{app}/credentials/check", shows: .details
      ).with { $0.body = .file() },
    ])

  private static let users = Subject(
    name: "users", summary: "Users: what several devices share.",
    rows: [
      APIRow(
        "users list", "Lists users.", "GET", "/v1/apps/{app}/users",
        shows: .list("users", columns: ["user", "email", "display_name", "tags", "last_seen_at"])),
      APIRow("users show", "Shows a user with their devices.", "GET", "/v1/apps/{app}/users/{user}", shows: .details),
      APIRow(
        "users update", "Changes a user, and makes them when they are not there.", "PATCH",
        "/v1/apps/{app}/users/{user}", shows: .details
      ).with {
        $0.fields =
          [
            .member("email", "TEXT", "The address for mail; an empty text takes it away.", .textOrNull),
            .member("phone", "TEXT", "The telephone number; an empty text takes it away.", .textOrNull),
            .member("display_name", "TEXT", "The name that people see; an empty text takes it away.", .textOrNull),
          ] + APIField.known + APIField.optOut
        $0.body = .file()
        $0.examples = ["postrider users update alice --email alice@example.com --property plan=pro --property level:=3"]
      },
      APIRow(
        "users delete", "Forgets a user and everything about them, and proves it.", "DELETE",
        "/v1/apps/{app}/users/{user}", shows: .details),
      APIRow(
        "users scheduled", "Lists the pushes that wait for a user.", "GET", "/v1/apps/{app}/users/{user}/scheduled",
        shows: .list("scheduled", columns: ["key", "id", "status", "start_at"], isPaged: false)),
      APIRow(
        "users schedule", "Has a push wait for a user under NAME; one that waits under it is replaced.", "PUT",
        scheduled, shows: .details
      ).with {
        $0.fields =
          APIField.message + APIField.time + APIField.sending.filter { $0.option.name == "--expires-in" }
        $0.body = .file()
        $0.examples = [
          "postrider users schedule alice reminder --app demo --at 2026-12-24T18:00:00Z --title \"Tonight\" --body \"At 8.\""
        ]
      },
      APIRow(
        "users unschedule", "Takes back the push that waits for a user under NAME.", "DELETE", scheduled,
        shows: .done("It will not be sent.")),
    ])
  private static let scheduled = "/v1/apps/{app}/users/{user}/scheduled/{name}"

  private static let templates = Subject(
    name: "templates", summary: "Messages kept under a name.",
    rows: [
      APIRow(
        "templates list", "Lists the templates.", "GET", "/v1/apps/{app}/templates",
        shows: .list("templates", columns: ["name", "contract", "message.title", "updated_at"], isPaged: false)),
      APIRow("templates show", "Shows a template.", "GET", "/v1/apps/{app}/templates/{name}", shows: .details),
      APIRow(
        "templates save", "Keeps a template, new or in place of the one with its name.", "PUT",
        "/v1/apps/{app}/templates/{name}", shows: .details
      ).with {
        $0.fields = APIField.message.filter { $0.option.name != "--template" }
        $0.body = .file()
        $0.examples = [
          "postrider templates save welcome --title \"Hello {{first_name|there}}\" --body \"Glad you came.\""
        ]
      },
      APIRow(
        "templates delete", "Removes a template; pushes that wait with it fail.", "DELETE",
        "/v1/apps/{app}/templates/{name}", shows: .done("The template is removed.")),
    ])

  private static let schedules = Subject(
    name: "schedules", summary: "Pushes that come again and again.",
    rows: [
      APIRow(
        "schedules list", "Lists schedules.", "GET", "/v1/apps/{app}/schedules",
        shows: .list(
          "schedules", columns: ["id", "request.campaign", "request.repeat.every", "next", "made", "missed"])),
      APIRow("schedules show", "Shows a schedule.", "GET", "/v1/apps/{app}/schedules/{schedule}", shows: .details),
      APIRow(
        "schedules create", "Has a push made again and again; FILE is the JSON of docs/api.md, or “-”.", "POST",
        "/v1/apps/{app}/schedules", shows: .details
      ).with { $0.body = .file(isRequired: true) },
      APIRow(
        "schedules update", "Changes what a schedule makes from now on; FILE has the members that change.", "PATCH",
        "/v1/apps/{app}/schedules/{schedule}", shows: .details
      ).with { $0.body = .file(isRequired: true) },
      APIRow(
        "schedules pause", "Holds a schedule: it makes nothing until it goes on.", "POST",
        "/v1/apps/{app}/schedules/{schedule}/pause", shows: .details),
      APIRow(
        "schedules resume", "Lets a held schedule go on with its next moment.", "POST",
        "/v1/apps/{app}/schedules/{schedule}/resume", shows: .details),
      APIRow(
        "schedules end", "Ends a schedule; the pushes it has made stay.", "DELETE",
        "/v1/apps/{app}/schedules/{schedule}", shows: .done("The schedule has ended.")),
    ])
}

extension APIField {
  static let contracts = APIField.message.flatMap(\.option.choices)
  static let seriesColumns = ["at", "accepted", "rejected", "expired", "received", "opened", "action"]
}
