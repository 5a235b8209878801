/// Commands about Live Activities that the server keeps: broadcast channels and what is sent on them.
extension APITable {
  private static let state = APIField.member(
    "content_state", "NAME=TEXT", "What it shows; NAME:=JSON for what is no text; may be repeated.", .pairs,
    option: "--state")
  private static let content: [APIField] = [
    state,
    .member("alert.title", "TEXT", "Draws attention to the change, with --alert-body.", option: "--alert-title"),
    .member("alert.body", "TEXT", "The same.", option: "--alert-body"),
    .member("stale_date", "TIME", "From when on the content is out of date, such as 2026-12-24T18:00:00Z."),
    .member("relevance_score", "NUMBER", "Sorts several activities of the app.", .integer),
    .member("priority", "N", "10 at once, 5 when power allows; 10 unless given.", .integer, choices: ["10", "5"]),
  ]
  private static let dismissal = APIField.member(
    "dismissal_date", "TIME", "With an end: when it leaves the lock screen.")
  private static let expiry = APIField.member(
    "expires_in_seconds", "SECONDS", "Never sent after this time.", .integer, option: "--expires-in")

  private static let channelOwner: [APIField] = [
    .query("environment", "NAME", "Apple's; production unless given.", choices: ["production", "development"]),
    .query("bundle_id", "ID", "One of the credential's topics; the first unless given."),
  ]

  static let live = Subject(
    name: "live", summary: "Live Activities and broadcast channels: start, update, end, broadcast.",
    rows: [
      APIRow(
        "live activities", "listActivities",
        shows: .list(
          "activities", columns: ["id", "user", "attributes_type", "state", "urgent_left", "created_at", "ended_at"])
      ).with { $0.fields = [.query("user", "USER", "Only this user's.")] },
      APIRow("live show", "getActivity", shows: .details),
      APIRow("live start", "startActivity", shows: .details).with {
        $0.operands = ["id"]
        $0.fields =
          [
            .member("to.user", "USER", "For a user's devices with a push-to-start token.", option: "--user"),
            .member("to.device", "ID", "For one of them.", option: "--device"),
            .member("attributes_type", "TYPE", "The name of its ActivityAttributes."),
            .member(
              "attributes", "NAME=TEXT", "What never changes; NAME:=JSON for what is no text; may be repeated.", .pairs,
              option: "--attribute"),
            .member("channel", "ID", "A channel's id here, which it listens to."),
            .member("topic", "BUNDLE", "Another of the app's bundle ids than the credentials' first."),
            .member(
              "urgent_per_hour", "N", "Sends with priority 10 that each hour may have; 12 unless given.", .integer),
          ] + content + [expiry]
        $0.body = .file()
        $0.isWatchable = true
        $0.details = "FILE has the other members as in docs/api.md, or is “-”."
        $0.examples = [
          "postrider live start order-17 --app demo --user ann --attributes-type Order --attribute order=17"
            + " --state minutes:=25 --alert-title \"Your order\" --alert-body \"It is on its way.\""
        ]
      },
      APIRow("live update", "updateActivity", "Updates a Live Activity, or ends it.", shows: .details).with {
        $0.operands = ["event"]
        $0.fields =
          content + [
            dismissal, expiry,
            .member(
              "over_budget", "WHAT", "When this hour's urgent sends are used up; lower unless given.",
              choices: ["lower", "refuse"]),
          ]
        $0.body = .file()
        $0.isWatchable = true
        $0.details = "EVENT is update or end. FILE has the other members as in docs/api.md, or is “-”."
        $0.examples = [
          "postrider live update order-17 update --app demo --state minutes:=10",
          "postrider live update order-17 end --app demo --dismissal-date 2026-12-24T18:00:00Z",
        ]
      },
      APIRow(
        "live report-token", "reportActivityToken", "Reports an activity's token, as the app does.", shows: .details
      )
      .with {
        $0.operands = ["token"]
        $0.fields = [
          .member(
            "environment", "NAME", "Of APNs; production unless given.", choices: ["production", "development"])
        ]
      },
      APIRow("live delete", "deleteActivity", shows: .done("The activity is forgotten.")),
      APIRow(
        "live channels", "listChannels",
        shows: .list(
          "channels", columns: ["id", "name", "environment", "bundle_id", "storage", "channel_id", "created_at"])),
      APIRow("live show-channel", "getChannel", shows: .details),
      APIRow("live create-channel", "createChannel", shows: .details).with {
        $0.fields = [
          .member("name", "NAME", "Your own name for it; unique."),
          .member(
            "storage", "WHAT", "What APNs keeps for devices that are away; most-recent unless given.",
            choices: ["none", "most-recent"]),
          .member("environment", "NAME", "Apple's; production unless given.", choices: ["production", "development"]),
          .member("bundle_id", "ID", "One of the credential's topics; the first unless given."),
          .member("channel_id", "CHANNEL", "A channel that exists at Apple already, which is saved."),
        ]
        $0.examples = ["postrider live create-channel --app demo --name match-17 --storage most-recent"]
      },
      APIRow("live delete-channel", "deleteChannel", shows: .done("The channel is gone.")).with {
        $0.fields = [
          .query(
            "listeners", "WHAT", "When activities listen to it; refuse unless given.", choices: ["refuse", "ignore"])
        ]
        $0.examples = ["postrider live delete-channel 2 --app demo --listeners ignore"]
      },
      APIRow("live compare-channels", "compareChannels", shows: .details).with { $0.fields = channelOwner },
      APIRow(
        "live broadcasts", "listBroadcasts",
        shows: .list(
          "broadcasts", columns: ["id", "event", "status", "counts.accepted", "counts.rejected", "created_at"])),
      APIRow("live broadcast", "createBroadcast", shows: .details).with {
        $0.operands = ["event"]
        $0.fields =
          content + [
            dismissal, .member("timestamp", "TIME", "Of when the content is; now unless given."),
            .member(
              "expires_in_seconds", "SECONDS", "How long APNs keeps it; 0, for now only, unless given.", .integer,
              option: "--expires-in"),
          ]
        $0.body = .file()
        $0.isWatchable = true
        $0.details = "EVENT is update or end. FILE has the other members as in docs/api.md, or is “-”."
        $0.examples = ["postrider live broadcast 3 update --app demo --state home:=2 --state away:=1 --expires-in 3600"]
      },
    ])
}
