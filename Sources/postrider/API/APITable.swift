import PushContracts

/// Every command over the API, by subject, in the order in which help lists them.
enum APITable {
  /// A subject: the first word of its commands.
  struct Subject: Sendable {
    let name: String
    let summary: String
    let rows: [APIRow]
    /// Commands on the same subject that work without a server.
    var offline: [Command] = []

    /// All commands, as help lists them.
    var commands: [Command] { rows.map(APICommand.command) + offline }
  }

  static let subjects = [
    apps, devices, users, inbox, segments, push, campaign, deliveries, events, templates, schedules, live, suppression,
    keys, people, sessions,
    identity, webhooks, retention, unseen, shadow, held, nodes, audit,
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
        "apps list", "listApps", shows: .list("apps", columns: ["name", "title", "contract", "created_at", "stopped"])),
      APIRow("apps show", "getApp", shows: .details),
      APIRow("apps create", "createApp", shows: .details).with {
        $0.operands = ["name"]
        $0.fields = appFields
        $0.examples = ["postrider apps create shop --title \"The shop\" --contract amba"]
      },
      APIRow("apps update", "updateApp", shows: .details).with {
        $0.fields =
          appFields + [
            .member(
              "apns_try_other_environment", "BOOL",
              "Whether a device that APNs refuses with BadDeviceToken is tried in the other environment.", .bool,
              choices: ["true", "false"]),
            .member(
              "fcm_tag", "BOOL",
              "Whether a transactional notification of FCM without a tag gets one, so that a repeated send is shown once.",
              .bool, choices: ["true", "false"]),
            .member("fcm_tag", "", "Leaves that to the contract.", .clears, option: "--no-fcm-tag"),
            .member(
              "undo_seconds", "SECONDS", "How long a campaign from the dashboard can be stopped before it starts.",
              .integer,
              option: "--undo-seconds"),
            .member("undo_seconds", "", "Sets that to 30 seconds again.", .clears, option: "--no-undo-seconds"),
            .member(
              "approval.above_devices", "N", "Pushes to more devices wait until somebody else approves them.", .integer,
              option: "--approval-above"),
            .member(
              "approval.expires_in_hours", "HOURS", "With it: how long they wait before they fail.", .integer,
              option: "--approval-hours"),
            .member("approval", "", "No push needs an approval.", .clears, option: "--no-approval"),
            .member("compat.onesignal", "", "Answers the calls of OneSignal's clients.", .empty),
            .member(
              "compat.onesignal.app_id", "UUID", "The same, with the app's id in their requests.",
              option: "--onesignal-app-id"),
            .member(
              "compat.onesignal", "", "Answers them no more; the app keeps its id.", .clears, option: "--no-onesignal"),
            .member("compat.powerauth", "", "Answers the clients of a PowerAuth push server.", .empty),
            .member(
              "compat.powerauth.app_id", "ID", "The same, with the app's id in their requests.",
              option: "--powerauth-app-id"),
            .member(
              "compat.powerauth", "", "Stops answering PowerAuth's clients; the app keeps its id.", .clears,
              option: "--no-powerauth"),
            .member("compat.imkit", "", "Answers IMKit's clients.", .empty),
            .member(
              "compat.imkit.app_id", "ID", "The same, with the app's id in their answers.", option: "--imkit-app-id"),
            .member(
              "compat.imkit", "", "Stops answering IMKit's clients; the app keeps its id.", .clears,
              option: "--no-imkit"),
            .member("compat.amba", "", "Answers Amba's clients.", .empty),
            .member(
              "compat.amba.app_id", "ID", "The same, with the project's id in their requests.", option: "--amba-app-id"),
            .member(
              "compat.amba", "", "Stops answering Amba's clients; the app keeps its id.", .clears, option: "--no-amba"),
          ]
        $0.examples = ["postrider apps update shop --contract powerauth", "postrider apps update shop --onesignal"]
      },
      APIRow("apps resume", "resumeApp", shows: .details),
      APIRow("apps overview", "getOverview", shows: .details),
      APIRow(
        "apps series", "getAppSeries", "Lists outcomes and reports of an app's pushes by time.",
        shows: .list("points", columns: APIField.seriesColumns)
      ).with { $0.fields = APIField.series },
      APIRow(
        "apps credentials", "getCredentials", "Shows how an app's providers are reached, without secrets.",
        shows: .details),
      APIRow(
        "apps set-credentials", "putCredentials",
        "Sets how an app's providers are reached; FILE is the JSON of docs/api.md or the key file of a Google service account.",
        shows: .details
      ).with {
        $0.readsFile = CredentialsFile.read
        $0.fields = [
          .query(
            "check", "BOOL", "Whether the providers are asked first, and nothing is saved unless they take it.",
            choices: ["true", "false"]),
          .member("apns.key", "FILE", "APNs: the .p8 key, with the three behind it.", .textFile, option: "--apns-key"),
          .member("apns.key_id", "ID", "APNs: the key's id, 10 characters.", option: "--key-id"),
          .member("apns.team_id", "ID", "APNs: the team's id, 10 characters.", option: "--team-id"),
          .member("apns.topic", "BUNDLE", "APNs: the bundle id of the app.", option: "--topic"),
          .member(
            "fcm.service_account", "FILE", "FCM: the key file of the service account.", .file, option: "--fcm"),
        ]
        $0.body = .file(isRequired: true)
        $0.inPlaceOfFile = ["--apns-key", "--fcm"]
        $0.details = """
          The options are for APNs' production environment and for FCM; everything else, such as the sandbox, a certificate, a
          gateway or a proxy, is in FILE.
          """
        $0.examples = [
          "postrider apps set-credentials shop --apns-key AuthKey.p8 --key-id ABC123DEFG --team-id DEF123GHIJ --topic com.example.shop",
          "postrider apps set-credentials shop --fcm service-account.json --check true",
          "postrider apps set-credentials shop credentials.json --check true",
          "postrider apps set-credentials shop service-account.json",
        ]
      },
      APIRow(
        "apps check-credentials", "checkCredentials",
        "Asks the providers whether they take the saved credentials, or those in FILE.", shows: .details
      ).with {
        $0.readsFile = CredentialsFile.read
        $0.body = .file()
      },
      APIRow(
        "apps web-push", "getWebPush", "Shows the public key that pages subscribe with.", shows: .details),
      APIRow(
        "apps rotate-web-push-key", "rotateWebPushKey",
        "Makes a new VAPID key; the earlier ones keep serving the subscriptions made for them.", shows: .details),
    ])

  private static let users = Subject(
    name: "users", summary: "Users: what several devices share.",
    rows: [
      APIRow(
        "users list", "listUsers",
        shows: .list("users", columns: ["user", "email", "display_name", "tags", "last_seen_at"])
      ).with { $0.fields = [.query("alias", "LABEL:ID", "Only the user with this alias.")] },
      APIRow("users show", "getUser", shows: .details),
      APIRow(
        "users timeline", "getUserTimeline", "Lists what happened with a user and their devices, the newest first.",
        shows: .list("events", columns: timelineColumns)),
      APIRow("users update", "updateUser", shows: .details).with {
        $0.fields =
          [
            .member("email", "TEXT", "The address for mail; an empty text takes it away.", .textOrNull),
            .member("phone", "TEXT", "The telephone number; an empty text takes it away.", .textOrNull),
            .member("display_name", "TEXT", "The name that people see; an empty text takes it away.", .textOrNull),
            .member(
              "aliases", "LABEL=ID",
              "An id that another system gave the user; LABEL:=null removes it; may be repeated.",
              .pairs, option: "--alias"),
          ] + APIField.known + APIField.optOut
        $0.body = .file()
        $0.examples = ["postrider users update alice --email alice@example.com --property plan=pro --property level:=3"]
      },
      APIRow("users delete", "deleteUser", shows: .details),
      APIRow(
        "users scheduled", "listScheduledForUser", "Lists the pushes that wait for a user.",
        shows: .list("scheduled", columns: ["key", "id", "status", "start_at"])),
      APIRow(
        "users schedule", "scheduleForUser",
        "Has a push wait for a user under NAME; one that waits under it is replaced.", shows: .details
      ).with {
        $0.fields =
          APIField.message + APIField.time + APIField.sending.filter { $0.option.name == "--expires-in" }
        $0.body = .file()
        $0.examples = [
          "postrider users schedule alice reminder --app demo --at 2026-12-24T18:00:00Z --title \"Tonight\" --body \"At 8.\""
        ]
      },
      APIRow(
        "users unschedule", "cancelForUser", "Takes back the push that waits for a user under NAME.",
        shows: .done("It will not be sent.")),
    ])

  private static let templates = Subject(
    name: "templates", summary: "Messages saved under a name.",
    rows: [
      APIRow(
        "templates list", "listTemplates", "Lists the templates.",
        shows: .list("templates", columns: ["name", "contract", "message.title", "updated_at"])),
      APIRow("templates show", "getTemplate", shows: .details),
      APIRow("templates save", "saveTemplate", shows: .details).with {
        $0.fields = APIField.message.filter { $0.option.name != "--template" }
        $0.body = .file()
        $0.examples = [
          "postrider templates save welcome --title \"Hello {{first_name|there}}\" --body \"Glad you came.\""
        ]
      },
      APIRow("templates delete", "deleteTemplate", shows: .done("The template is removed.")),
    ])

  private static let schedules = Subject(
    name: "schedules", summary: "Recurring pushes.",
    rows: [
      APIRow(
        "schedules list", "listSchedules",
        shows: .list(
          "schedules", columns: ["id", "request.campaign", "request.repeat.every", "next", "made", "missed"])),
      APIRow("schedules show", "getSchedule", shows: .details),
      APIRow(
        "schedules create", "createSchedule",
        "Schedules a recurring push; FILE is the JSON of docs/api.md, or “-”.", shows: .details
      ).with { $0.body = .file(isRequired: true) },
      APIRow(
        "schedules update", "updateSchedule",
        "Changes what a schedule makes from now on; FILE has the members that change.", shows: .details
      ).with { $0.body = .file(isRequired: true) },
      APIRow("schedules pause", "pauseSchedule", shows: .details),
      APIRow("schedules resume", "resumeSchedule", shows: .details),
      APIRow("schedules end", "endSchedule", shows: .done("The schedule has ended.")),
    ])
}

extension APIField {
  static let contracts = Contracts.names.map(\.rawValue)
  static let seriesColumns = ["at", "accepted", "rejected", "expired", "received", "opened", "action"]
}
