/// Commands about Live Activities that the server keeps: broadcast channels and what is sent on them.
extension APITable {
  private static let content: [APIField] = [
    .member(
      "content_state", "NAME=TEXT", "What it shows; NAME:=JSON for what is no text; may be repeated.", .pairs,
      option: "--state"),
    .member("alert.title", "TEXT", "Draws attention to the change, with --alert-body.", option: "--alert-title"),
    .member("alert.body", "TEXT", "The same.", option: "--alert-body"),
    .member("stale_date", "TIME", "From when on the content is out of date, such as 2026-12-24T18:00:00Z."),
    .member("dismissal_date", "TIME", "With an end: when it leaves the lock screen."),
    .member("priority", "N", "10 at once, 5 when power allows; 10 unless given.", .integer, choices: ["10", "5"]),
    .member("timestamp", "TIME", "Of when the content is; now unless given."),
  ]

  private static let place: [APIField] = [
    .query("environment", "NAME", "Apple's; production unless given.", choices: ["production", "development"]),
    .query("bundle_id", "ID", "One of the credential's topics; the first unless given."),
  ]

  static let live = Subject(
    name: "live", summary: "Live Activities: broadcast channels as the server keeps them, and what is sent on them.",
    rows: [
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
      APIRow("live delete-channel", "deleteChannel", shows: .done("The channel is gone.")),
      APIRow("live compare-channels", "compareChannels", shows: .details).with { $0.fields = place },
      APIRow(
        "live broadcasts", "listBroadcasts",
        shows: .list(
          "broadcasts", columns: ["id", "event", "status", "counts.accepted", "counts.rejected", "created_at"])),
      APIRow("live broadcast", "createBroadcast", shows: .details).with {
        $0.operands = ["event"]
        $0.fields =
          content + [
            .member(
              "expires_in_seconds", "SECONDS", "How long APNs keeps it; 0, for now only, unless given.", .integer,
              option: "--expires-in")
          ]
        $0.body = .file()
        $0.isWatchable = true
        $0.details = "EVENT is update or end. FILE has the other members as in docs/api.md, or is “-”."
        $0.examples = ["postrider live broadcast 3 update --app demo --state home:=2 --state away:=1 --expires-in 3600"]
      },
    ])
}
