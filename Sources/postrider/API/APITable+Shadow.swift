/// Commands about requests to other vendors' interfaces before they deliver.
extension APITable {
  static let shadow = Subject(
    name: "shadow", summary: "Requests to other vendors' interfaces: what they would do, and when they are live.",
    rows: [
      APIRow("shadow report", "getShadow", shows: .details),
      APIRow(
        "shadow list", "listShadowRequests",
        shows: .list(
          "requests",
          columns: ["id", "at", "vendor", "operation", "outcome", "targeted", "vendor_status", "reason", "note"])),
      APIRow("shadow show", "getShadowRequest", shows: .details),
      APIRow("shadow set", "putShadow", shows: .details).with {
        $0.fields = [
          .member(
            "mode", "MODE", "off, observe (the backend calls both), or forward (this server calls the vendor).",
            choices: ["off", "observe", "forward"]),
          .member(
            "url", "ADDRESS", "Where requests are forwarded to, instead of the vendor's public address.",
            option: "--forward-to"),
          .member("url", "", "Forwards to the vendor's public address.", .clears, option: "--no-forward-to"),
          .member(
            "live_percent", "PERCENT", "Of a hundred users, how many get their messages from here.", .integer,
            option: "--live"),
        ]
        $0.details = "Only what is named changes. --live 100 is as good as --mode off."
        $0.examples = [
          "postrider shadow set onesignal --app shop --mode forward",
          "postrider shadow set onesignal --app shop --live 10",
        ]
      },
      APIRow("shadow clear", "clearShadow", shows: .done("The records and numbers are gone; the settings stay.")),
    ])
}
