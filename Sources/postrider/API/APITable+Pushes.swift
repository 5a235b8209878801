import WireJSON

/// Commands about pushes, campaigns and deliveries.
extension APITable {
  private static let exitDetails = """
    With --watch the command waits until the push is finished. Exit status then: 0 sent; 1 cancelled; 4 failed or expired,
    or not over in time.
    """
  private static let fileDetails = """
    FILE (“-”: standard input) is a request as docs/api.md has it; options replace its members.
    """

  static let push = Subject(
    name: "push", summary: "Pushes: send, look at, hold, end, watch.",
    rows: [
      APIRow("push send", "createPush", "Sends a message, now or later.", shows: .details).with {
        $0.fields =
          APIField.audience + APIField.message + [.member("campaign", "ID", "Later pushes of a campaign replace it.")]
          + APIField.sending + APIField.time + [APIField.undo]
        $0.body = .file()
        $0.isWatchable = true
        $0.details = fileDetails + "\n" + exitDetails
        $0.examples = [
          "postrider push send --app demo --all --title \"Welcome back!\" --body \"Your streak waits.\" --watch",
          "postrider push send --app demo --user alice --template welcome --value first_name=Alice",
          "postrider push send --app demo push.json --at 2026-12-24T18:00:00Z",
        ]
      },
      APIRow(
        "push test", "testPush", "Sends a message to one device: a user's newest, or the one named.", shows: .details
      ).with {
        $0.fields =
          [
            .member("to.user", "USER", "The active device of this user that registered last."),
            .member("to.device", "ID", "This device."),
          ] + APIField.message
        $0.body = .file()
        $0.isWatchable = true
        $0.details = fileDetails + "\n" + exitDetails
        $0.examples = ["postrider push test --app demo --user alice --title Test --body \"Do you see me?\" --watch"]
      },
      APIRow("push check", "checkPush", shows: .details).with {
        $0.fields = APIField.audience + APIField.message
        $0.body = .file()
        $0.details = fileDetails
        $0.examples = ["postrider push check --app demo --segment loyal --title \"New\" --body \"Look inside.\""]
      },
      APIRow("push preview", "previewPush", shows: .details).with {
        $0.fields =
          [
            .member("to.user", "USER", "The active device of this user that registered last."),
            .member("to.device", "ID", "This device."),
            .member("locale", "TAG", "A language to show instead of the device's."),
            .member("variant", "NAME", "A variant to show instead of the recipient's own."),
          ] + APIField.message
        $0.body = .file()
        $0.details = fileDetails
        $0.examples = ["postrider push preview --app demo --user alice --title \"Hi {{first_name}}\""]
      },
      APIRow(
        "push audience", "countAudience",
        "Counts the devices that a push would go to now, by their kind, and sends nothing.", shows: .details
      ).with {
        $0.fields = APIField.audience.filter { $0.option.name != "--device" }
        $0.body = .file()
        $0.keptMembers = ["to"]
        $0.details = """
          FILE (“-”: standard input) is a request as “push send” takes it; its “to” counts.
          """
        $0.examples = ["postrider push audience --app demo --segment active_7d"]
      },
      list("push list", "Lists pushes, the newest first."),
      APIRow(
        "push approvals", "listApprovals", "Lists the pushes that wait for an approval, the oldest first.",
        shows: .list(
          "pushes",
          columns: ["number", "id", "campaign", "approval.devices", "maker.name", "send_at", "approval.expires_at"])),
      APIRow(
        "push calendar", "getCalendar", "Lists scheduled pushes and runs of schedules to come, the earliest first.",
        shows: .list("entries", columns: ["at", "kind", "id", "campaign", "title", "waits_for_approval"])
      ).with {
        $0.fields = [
          .query("from", "TIME", "Where it begins; now unless given."),
          .query("until", "TIME", "Before when it ends; 31 days later unless given."),
        ]
        $0.examples = ["postrider push calendar --app demo --from 2026-12-01T00:00:00Z"]
      },
      APIRow(
        "push compare", "getResults", "Shows the outcomes of several pushes side by side.",
        shows: .list(
          "results",
          columns: [
            "id", "campaign", "targeted", "accepted", "rejected", "received", "opened", "acceptance_rate", "open_rate",
          ])
      ).with {
        $0.fields = [.query("pushes", "IDS", "The pushes' ids, separated by commas.")]
        $0.examples = ["postrider push compare --app demo --pushes 7,9"]
      },
      APIRow(
        "push results", "exportResults", "Writes the outcomes of several pushes, and of their variants.", shows: .file
      ).with {
        $0.fields = [.query("pushes", "IDS", "The pushes' ids, separated by commas.")]
        $0.examples = ["postrider push results --app demo --pushes 7,9 --format csv --output results.csv"]
      },
      APIRow(
        "push views", "listViews", "Lists the saved views of the list of pushes.",
        shows: .list("views", columns: ["name", "query", "updated_at"])),
      APIRow("push save-view", "saveView", "Keeps what “push list” looks for under a name.", shows: .details).with {
        $0.fields = APIField.keptFinds
        $0.examples = ["postrider push save-view \"Failed sales\" --app demo --query sale --state failed"]
      },
      APIRow("push delete-view", "deleteView", shows: .done("The view is removed.")),
    ] + acts("push", "a push") + [
      APIRow(
        "push funnel", "getFunnel", "Shows the funnel of a push, from the audience to the person.", shows: .details),
      APIRow(
        "push series", "getPushSeries", "Lists outcomes and reports of a push by time.",
        shows: .list("points", columns: APIField.seriesColumns)
      ).with { $0.fields = APIField.series },
    ])

  static let campaign = Subject(
    name: "campaign", summary: "Campaigns: pushes with a name, first a draft, then sent or scheduled, and sent again.",
    rows: [
      APIRow(
        "campaign create", "createPush",
        "Makes a draft of a push of a campaign; “campaign send” or “campaign schedule” lets it go.", shows: .details
      ).with {
        $0.operands = ["campaign"]
        $0.fields = APIField.audience + APIField.message + APIField.sending
        $0.fixed = [("draft", true)]
        $0.body = .file()
        $0.details = fileDetails
        $0.examples = [
          "postrider campaign create winback-1 --app demo --all --title \"We miss you\" --body \"Come back.\""
        ]
      },
      list("campaign list", "Lists the pushes of campaigns, the newest first.").with { $0.keeps = "campaign" },
      APIRow("campaign send", "sendPush", shows: .details).with {
        $0.isWatchable = true
        $0.details = exitDetails
      },
      APIRow("campaign schedule", "schedulePush", shows: .details).with {
        $0.fields = APIField.time + [APIField.undo]
        $0.examples = [
          "postrider campaign schedule 7 --app demo --at-local 2026-12-24T18:00:00 --timezone Europe/Vienna"
        ]
      },
      APIRow("campaign unschedule", "unschedulePush", shows: .details),
      APIRow("campaign resend", "resendPush", shows: .details).with {
        $0.isWatchable = true
        $0.details = exitDetails
      },
      APIRow(
        "campaign resend-failed", "resendFailed",
        "Sends a campaign once more to the devices that it did not reach, by reason or state.", shows: .details
      ).with {
        $0.fields = [
          .member(
            "reasons", "REASON", "Deliveries that ended for this reason; may be repeated.", .list, option: "--reason"),
          .member(
            "states", "STATE", "Deliveries that ended in this state; may be repeated.", .list, option: "--state",
            choices: ["rejected", "expired", "cancelled"]),
          .member("after", "ID", "Continues after this delivery: “next” of the answer before."),
          .member("preview", "", "Counts them and sends nothing.", .yes),
        ]
        $0.details = """
          Count first, with --preview. Only deliveries that no provider can have processed are sent again, to devices that are
          active now; the new push names the old one (resend_of). “campaign funnel” lists the reasons.
          """
        $0.examples = [
          "postrider campaign resend-failed 7 --app demo --reason no-credential --preview",
          "postrider campaign resend-failed 7 --app demo --state expired",
        ]
      },
    ] + acts("campaign", "a campaign's push") + [
      APIRow(
        "campaign funnel", "getFunnel", "Shows its funnel, from the audience to the person.", shows: .details)
    ])

  static let deliveries = Subject(
    name: "deliveries", summary: "The deliveries of pushes, device by device.",
    rows: [
      APIRow(
        "deliveries list", "listDeliveries", "Lists the deliveries of a push.",
        shows: .list("deliveries", columns: deliveryColumns)
      ).with {
        $0.fields = APIField.deliveries
        $0.examples = ["postrider deliveries list 7 --app demo --state rejected"]
      },
      APIRow(
        "deliveries find", "findDeliveries",
        "Lists what was sent to one device or one user (--device or --user), the newest push first.",
        shows: .list("deliveries", columns: ["push"] + deliveryColumns)
      ).with {
        $0.fields = APIField.deliveries
        $0.examples = ["postrider deliveries find --app demo --user alice --state rejected"]
      },
      APIRow(
        "deliveries export", "exportDeliveries", "Writes all deliveries of a push, as of now.", shows: .file
      ).with {
        $0.fields = APIField.deliveries
        $0.examples = ["postrider deliveries export 7 --app demo --format csv --output push-7.csv"]
      },
    ])

  private static let deliveryColumns = [
    "id", "user", "type", "state", "reason", "explanation.meaning", "attempts", "at",
  ]

  private static func list(_ name: String, _ summary: String) -> APIRow {
    APIRow(
      name, "listPushes", summary,
      shows: .list(
        "pushes",
        columns: [
          "number", "id", "campaign", "title", "state", "counts.targeted", "counts.accepted", "counts.rejected",
          "events.opened", "start_at",
        ])
    ).with {
      $0.fields = [.query("number", "N", "Only the push with this number.")] + APIField.finds
      $0.examples = ["postrider \(name) --app demo --query sale --kind campaign --from 2026-11-01T00:00:00Z"]
    }
  }

  /// What can be done to a push and to a campaign's push alike.
  private static func acts(_ subject: String, _ what: String) -> [APIRow] {
    [
      APIRow("\(subject) show", "getPush", "Shows \(what) and the state of its deliveries.", shows: .details),
      APIRow("\(subject) watch", "getPush", "Follows \(what) until it is finished.", shows: .watch).with {
        $0.details = """
          Exit status: 0 sent; 1 cancelled; 4 failed or expired, or not over in time.
          """
      },
      APIRow(
        "\(subject) update", "updatePush",
        "Changes \(what): its throttle at any time, everything else until it starts.", shows: .details
      ).with {
        $0.fields =
          APIField.audience + APIField.message + [.member("campaign", "ID", "The campaign.")] + APIField.sending
        $0.body = .file()
        $0.details = fileDetails + "\nThe message and the audience are replaced as a whole: name all of their parts."
        $0.examples = ["postrider \(subject) update 7 --app demo --throttle 600"]
      },
      APIRow("\(subject) pause", "pausePush", "Holds \(what); what is on the wire still ends.", shows: .details),
      APIRow("\(subject) resume", "resumePush", "Resumes \(what).", shows: .details),
      APIRow(
        "\(subject) cancel", "cancelPush", "Cancels \(what) and says how many deliveries could not be stopped.",
        shows: .details),
      APIRow(
        "\(subject) approve", "approvePush", "Approves \(what) that waits for it and that others wrote.",
        shows: .details
      ).with {
        $0.fields = [
          .member("asked_at", "TIME", "approval.asked_at as it was read: not when it was changed since.")
        ]
      },
      APIRow(
        "\(subject) decline", "declinePush", "Declines \(what) that waits for an approval: it is cancelled.",
        shows: .details
      ).with {
        $0.fields = [.member("reason", "TEXT", "Why, for whoever wrote it.")]
        $0.examples = ["postrider \(subject) decline 7 --app demo --reason \"The price is wrong.\""]
      },
      APIRow(
        "\(subject) delete", "deletePush", "Deletes \(what) that is a draft or waits.",
        shows: .done("The push is deleted.")),
    ]
  }
}
