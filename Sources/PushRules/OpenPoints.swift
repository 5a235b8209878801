/// What the providers' pages leave open, or say in two ways.
///
/// None of it is a hard error: a rule warns, and a setting decides.
public enum OpenPoints {
  /// One of them.
  public struct Row: Sendable, Hashable {
    /// What is open.
    public let point: String
    /// What is done unless somebody decides otherwise.
    public let choice: String
    /// The rules that speak of it.
    public let rules: [RuleID]
    /// The options that decide, each behind the command that takes it, such as `check --fcm-topic-bytes`.
    public let options: [String]
    /// Members of requests and scenarios that decide the same.
    public let members: [String]

    init(_ point: String, _ choice: String, rules: [RuleID] = [], options: [String] = [], members: [String] = []) {
      self.point = point
      self.choice = choice
      self.rules = rules
      self.options = options
      self.members = members
    }
  }

  /// All of them.
  public static let all: [Row] = [
    Row(
      "which host takes broadcasts", "`api-broadcast.push.apple.com`, as in Apple's samples",
      options: ["channels --broadcast-host", "channels --gateway"]),
    Row(
      "`liveactivity` or `LiveActivity` for a broadcast", "the lower case of all other pushes",
      rules: [.apnsBroadcastPushTypeCase]),
    Row(
      "the largest message to an FCM topic", "2048 bytes, the smaller figure", rules: [.fcmTopicPayloadTooLarge],
      options: ["check --fcm-topic-bytes"], members: ["`fcm_topic_bytes` of `POST /v1/check`"]),
    Row(
      "which data keys FCM keeps for itself",
      "the names of the field's page are errors, the wider wording is a warning",
      rules: [.fcmDataReserved, .fcmDataReservedWide]),
    Row("whether FCM's `token` goes away", "it is used, as every guide does", rules: [.fcmTokenDeprecated]),
    Row(
      "which of a text and a key iOS shows", "the key's text", rules: [.apnsTextAndLocKey],
      options: ["preview --ios-first"], members: ["`ios_first` of `POST /v1/preview`"]),
    Row(
      "what iOS shows for arguments that are too few", "the specifier stays, with `text-argument-missing`",
      options: ["preview --ios-missing-argument"], members: ["`ios_missing_argument` of `POST /v1/preview`"]),
    Row(
      "what iOS does with a member of `aps` of another type than the documented one",
      "it treats the member as absent, as it is seen to do with a badge that is text", rules: [.apnsFieldType]),
    Row(
      "what a 429 of FCM without an error code is about", "the project's quota", options: ["serve --fcm-plain-429"],
      members: ["`fcm.names_device_quota` of a scenario"]),
    Row(
      "the priorities of `pushtotalk`, `widgets`, `controls` and `complication`", "those that are used in the field",
      rules: [.apnsPushToTalkImmediate, .apnsPriorityUnstated]),
    Row(
      "what APNs answers to an `authorization` of another scheme than `bearer`",
      "`MissingProviderToken`, as for no header and no token", members: ["`apns.other_scheme_is_invalid` of a scenario"]
    ),
    Row(
      "the order in which APNs checks a push", "that of Pushy's mock gateway",
      members: ["`apns.checks_first` of a scenario"]),
  ]

  /// The table as Markdown.
  static var markdown: String {
    var text = "| what is open | what holds | rules (`--rule ID=…`) | settings |\n| --- | --- | --- | --- |\n"
    for row in all {
      let rules = row.rules.map { "`\(Rules.rule($0).text)`" }.joined(separator: ", ")
      let settings = (row.options.map { "`\($0)`" } + row.members).joined(separator: ", ")
      text += "| \(row.point) | \(row.choice) | \(rules) | \(settings) |\n"
    }
    return text
  }
}
