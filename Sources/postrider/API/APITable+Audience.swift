/// Commands about whom pushes reach: segments, and quiet hours and the frequency cap.
extension APITable {
  private static let title = APIField.member("title", "TEXT", "What people call it.")

  private static let expression = APIField.member(
    "expression", "TEXT", #"The filter as text, such as 'plan = "pro" and last_seen < 7d'."#)
  private static let sampleHelp = "Devices shown, 0 to 100; 10 unless given."
  private static let countExpression = APIRow("segments count", "countFilter", shows: .details).with {
    $0.operands = ["expression"]
    $0.fields = [.member("sample", "N", sampleHelp, .integer)]
  }

  static let segments = Subject(
    name: "segments", summary: "Segments: named parts of the audience.",
    rows: [
      APIRow(
        "segments list", "listSegments", shows: .list("segments", columns: ["name", "title", "system", "filter"])),
      APIRow("segments show", "getSegment", shows: .details),
      APIRow(
        "segments create", "createSegment",
        "Saves a segment: its filter as an expression, or as JSON in FILE (docs/api.md, “Segments”).", shows: .details
      ).with {
        $0.operands = ["name"]
        $0.fields = [expression, title]
        $0.body = .file(member: "filter")
        $0.examples = [
          #"postrider segments create loyal --app demo --expression 'plan = "pro" and last_seen < 7d'"#,
          #"echo '{"field":"properties.plan","op":"eq","value":"pro"}' | postrider segments create pro --app demo -"#,
        ]
      },
      APIRow("segments update", "updateSegment", "Changes a segment; FILE is its new filter.", shows: .details).with {
        $0.fields = [expression, title]
        $0.body = .file(member: "filter")
        $0.examples = [#"postrider segments update loyal --app demo --expression 'plan = "pro"'"#]
      },
      APIRow("segments delete", "deleteSegment", shows: .done("The segment is forgotten.")),
      APIRow(
        "segments count", "countSegment", "Counts the active devices in a segment, or of an expression.",
        shows: .details
      ).with {
        $0.fields = [.query("sample", "N", sampleHelp)]
        $0.details = "SEGMENT is a name, or an expression in quotation marks (docs/api.md, “Segments”)."
        $0.examples = [
          "postrider segments count active_7d --app demo",
          #"postrider segments count 'plan = "pro" and last_seen < 7d' --app demo"#,
        ]
        $0.instead = { arguments in
          // No name has a blank or a comparison.
          let isExpression = arguments.operands.first?.contains { " \t\n=<>()\"'".contains($0) } ?? false
          return isExpression ? countExpression : nil
        }
      },
      APIRow(
        "segments try", "countFilter", "Counts the active devices that the filter in FILE names; nothing is saved.",
        shows: .details
      ).with {
        $0.fields = [.member("sample", "N", sampleHelp, .integer)]
        $0.body = .file(member: "filter", isRequired: true)
      },
    ])

  static let suppression = Subject(
    name: "suppression", summary: "Quiet hours and the frequency cap.",
    rows: [
      APIRow("suppression show", "getSuppression", shows: .details),
      APIRow("suppression set", "setSuppression", shows: .details).with {
        $0.fields = [
          .member(
            "quiet_hours.from", "HH:MM", "When quiet hours begin, by the device's clock.", option: "--quiet-from"),
          .member("quiet_hours.to", "HH:MM", "When they end.", option: "--quiet-to"),
          .member("quiet_hours.timezone", "ZONE", "For devices whose zone is not known; UTC unless given."),
          .member("frequency_cap.pushes", "N", "The most pushes for a user.", .integer, option: "--cap"),
          .member(
            "frequency_cap.window_seconds", "SECONDS", "In any stretch of so many seconds.", .integer,
            option: "--cap-window"),
          .member("quiet_hours", "", "Removes the quiet hours.", .clears, option: "--no-quiet-hours"),
          .member("frequency_cap", "", "Removes the frequency cap.", .clears, option: "--no-cap"),
        ]
        $0.details = "Only what is named changes: --cap leaves the quiet hours as they are."
        $0.examples = [
          "postrider suppression set --app demo --quiet-from 22:00 --quiet-to 07:00 --cap 3 --cap-window 86400",
          "postrider suppression set --app demo --no-quiet-hours",
        ]
      },
    ])
}
