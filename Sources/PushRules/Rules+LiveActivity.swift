internal import PushPayload

extension Rules {
  /// The rules about Live Activities.
  static let liveActivity: [Rule] = [
    Rule(
      .apnsLiveActivityPriority, "apns-live-activity-priority", .error,
      statement: "A Live Activity push has priority 5 or 10.",
      source: "Apple, “Starting and updating Live Activities with ActivityKit push notifications”",
      fix: "Use 10 for what the user waits for, 5 otherwise.",
      example: "apns-push-type: liveactivity with apns-priority: 1",
      answer: "BadPriority"),
    Rule(
      .apnsLiveActivityTimestamp, "apns-live-activity-timestamp", .error,
      statement: "A Live Activity push has a timestamp; the device ignores what is older than what it "
        + "shows.",
      source: "Apple, “Starting and updating Live Activities with ActivityKit push notifications”",
      fix: #"Add "timestamp" with the current time in seconds since 1970."#,
      example: #""event": "update" without timestamp"#),
    Rule(
      .apnsLiveActivityMilliseconds, "apns-live-activity-milliseconds", .warning,
      statement: "timestamp, stale-date and dismissal-date count seconds; a number this large counts "
        + "milliseconds.",
      source: "Apple, “Starting and updating Live Activities with ActivityKit push notifications”",
      fix: "Divide by 1000.",
      example: #""timestamp": 1790000000000"#),
    Rule(
      .apnsLiveActivityEvent, "apns-live-activity-event", .error,
      statement: "A Live Activity push has the event start, update or end.",
      source: "Apple, “Starting and updating Live Activities with ActivityKit push notifications”",
      fix: #"Add "event"."#,
      example: #""content-state" without event"#),
    Rule(
      .apnsLiveActivityStartIncomplete, "apns-live-activity-start-incomplete", .error,
      statement: "A start has attributes-type, attributes, content-state and an alert.",
      source: "Apple, “Starting and updating Live Activities with ActivityKit push notifications”",
      fix: "Add the member the message names.",
      example: #""event": "start" without attributes"#),
    Rule(
      .apnsLiveActivityContentState, "apns-live-activity-content-state", .error,
      statement: "An update has the content-state that the activity is to show.",
      source: "Apple, “Starting and updating Live Activities with ActivityKit push notifications”",
      fix: #"Add "content-state"."#,
      example: #""event": "update" without content-state"#),
    Rule(
      .apnsLiveActivityDismissal, "apns-live-activity-dismissal", .warning,
      statement: "dismissal-date has a meaning only when the event is end.",
      source: "Apple, “Starting and updating Live Activities with ActivityKit push notifications”",
      fix: "Remove it, or end the activity.",
      example: #""event": "update" with dismissal-date"#),
    Rule(
      .apnsLiveActivityInputPush, "apns-live-activity-input-push", .warning,
      statement: "input-push-token and input-push-channel belong to a start, and exclude each other.",
      source: "Apple, “Starting and updating Live Activities with ActivityKit push notifications”",
      fix: "Keep one of them, in the start.",
      example: "both in one payload"),
    Rule(
      .apnsLiveActivitySound, "apns-live-activity-sound", .warning,
      statement: "The sound of a Live Activity belongs inside its alert.",
      source: "Apple, “Starting and updating Live Activities with ActivityKit push notifications”",
      fix: "Move sound into the alert.",
      example: #""sound" in aps with apns-push-type: liveactivity"#),
    Rule(
      .apnsLiveActivityOutside, "apns-live-activity-outside", .warning,
      statement: "timestamp, event, content-state and the other Live Activity members need apns-push-type: "
        + "liveactivity.",
      source: "Apple, “Starting and updating Live Activities with ActivityKit push notifications”",
      fix: "Send with apns-push-type: liveactivity and its topic, or move the data beside aps.",
      example: #""content-state" with apns-push-type: alert"#),
  ]
}
