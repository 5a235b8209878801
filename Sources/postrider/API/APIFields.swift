import PushContracts
import StoreModel

/// Options that several commands share.
extension APIField {
  /// Whom a push is for.
  static let audience: [APIField] = [
    .member("to.all", "", "For every active device of the app.", .yes),
    .member("to.segment", "NAME", "For the devices in a segment.", option: "--segment").offering(.segments),
    .member(
      "to.exclude_segments", "NAME", "Not for the devices in a segment; with --all and --segment; may be repeated.",
      .list, option: "--exclude-segment"
    ).offering(.segments),
    .member("to.users", "USER", "For a user's devices; may be repeated.", .list, option: "--user"),
    .member("to.devices", "ID", "For a device; may be repeated.", .list, option: "--device"),
  ]

  /// What is sent.
  static let message: [APIField] = [
    .member("message", "FILE", "The message in the contract's form, JSON.", .file),
    .member("message.title", "TEXT", "The message's title."),
    .member("message.body", "TEXT", "The message's body."),
    .member("message.data", "NAME=TEXT", "Data for the app; NAME:=JSON for what is no text; may be repeated.", .pairs),
    .member("template", "NAME", "A stored template instead of a message."),
    .member("values", "NAME=TEXT", "A placeholder's value; may be repeated.", .pairs, option: "--value"),
    .member(
      "undefined", "MODE", "What a missing value means: it is reported (strict), nothing (lax), or no push (skip).",
      choices: ["strict", "lax", "skip"]),
    .member(
      "contract", "NAME", "The message's contract; the app's own unless given.",
      choices: Contracts.names.map(\.rawValue)),
    contractOption,
    .member("topic", "BUNDLE", "Another of the app's bundle ids than the credentials' first."),
  ]

  /// The contract's options, by name.
  static let contractOption = APIField.member(
    "options", "NAME", "An option of the contract; may be repeated.", .list, option: "--option")

  /// How it is sent.
  static let sending: [APIField] = [
    .member("category", "NAME", "What it is about: people may refuse it."),
    .member("urgent", "", "Goes out in quiet hours and beyond the frequency cap.", .yes),
    .member("expires_in_seconds", "SECONDS", "Never sent after this time.", .integer, option: "--expires-in"),
    .member(
      "throttle_per_minute", "N", "At most this many sends a minute.", .integer, option: "--throttle"),
  ]

  /// When.
  static let time: [APIField] = [
    .member("send_at", "TIME", "When sending begins, such as 2026-12-24T18:00:00Z.", option: "--at"),
    .member("send_at_local", "TIME", "By each device's own clock: 2026-12-24T18:00:00.", option: "--at-local"),
    .member(
      "send_at_time_of_day", "TIME", "When each device's own clock next shows it: 09:00.", option: "--at-time-of-day"),
    .member(
      "send_at_last_active", "", "At the time of day at which each device's app was last used.", .yes,
      option: "--at-last-active"),
    .member(
      "timezone", "ZONE", "With --at-local and --at-time-of-day: for devices whose zone is not known; UTC unless given."
    ),
  ]

  /// Which pushes are looked for: the name, what it represents in help, and what it says.
  private static let finding: [(name: String, value: String, help: String, choices: [String])] = [
    ("query", "TEXT", "Only those with this in a text, in any language or variant.", []),
    ("campaign", "ID", "Only those of this campaign.", []),
    ("segment", "NAME", "Only those to this segment.", []),
    ("state", "STATE", "Only those in this state, such as sent or scheduled.", []),
    ("author", "NAME", "Only those made by this person, or with this API key.", []),
    ("kind", "KIND", "campaign: only pushes to many, which are found fastest.", ["campaign"]),
    ("from", "TIME", "Only those created then or later.", []),
    ("until", "TIME", "Only those created before.", []),
  ]

  /// Which pushes are listed.
  static let finds = finding.map { APIField.query($0.name, $0.value, $0.help, choices: $0.choices) }
  /// The same in a saved view.
  static let keptFinds = finding.map {
    APIField.member("query.\($0.name)", $0.value, $0.help, option: "--\($0.name)", choices: $0.choices)
  }

  /// A wait in which it can be stopped.
  static let undo = APIField.member(
    "undo_seconds", "SECONDS", "Waits so long before it starts, so that it can be stopped.", .integer, option: "--undo")

  /// What is known of a device or a user beyond their fields.
  static let known: [APIField] = [
    .member("tags", "TAG", "A tag; may be repeated, and replaces the tags there are.", .list, option: "--tag"),
    .member(
      "properties", "NAME=TEXT", "A property; NAME:=JSON for what is no text, null takes it away; may be repeated.",
      .pairs, option: "--property"),
  ]

  /// Whether pushes are wanted.
  static let optOut: [APIField] = [
    .member("opt_out", "BOOL", "Whether no push is wanted.", .bool, choices: ["true", "false"]),
    .member(
      "opt_out_categories", "NAME", "A category that is not wanted; may be repeated, and replaces those there are.",
      .list,
      option: "--opt-out-category"),
  ]

  /// Which deliveries.
  static let deliveries: [APIField] = [
    .query("state", "STATE", "Only those in this state: accepted, rejected, waiting, …"),
    .query("reason", "REASON", "Only those with this last reason, as the provider wrote it."),
    .query("provider", "PROVIDER", "Only those this provider answered last.", choices: Provider.allCases.map(\.name)),
    .query("user", "USER", "Only those to this user's devices."),
    .query("device", "ID", "Only those to this device."),
    .query("from", "TIME", "Only those that changed then or later."),
    .query("until", "TIME", "Only those that changed before."),
  ]

  /// Stretches of time.
  static let series: [APIField] = [
    .query("step", "STEP", "The width of a stretch; hour unless given.", choices: ["minute", "hour", "day"]),
    .query("from", "TIME", "The earliest time; everything unless given."),
    .query("until", "TIME", "The time before which it ends; now unless given."),
  ]
}
