internal import PushPayload

extension Rules {
  /// The rules about APNs payloads.
  static let apnsPayload: [Rule] = [
    Rule(
      .apnsPayloadEmpty, "apns-payload-empty", .error,
      statement:
        "The body is one JSON object, which may be empty. For a body that is something else Apple names no reason, "
        + "and the emulator answers as for no body.",
      source: "Apple, “Handling notification responses from APNs”",
      fix: #"Send a payload such as {"aps": {"alert": "Hi"}}; an update of a pass in Wallet has {}."#,
      example: "an empty body",
      answer: "PayloadEmpty"),
    Rule(
      .apnsPayloadTooLarge, "apns-payload-too-large", .error,
      statement: "The body has at most 4096 bytes; 5120 for voip and for broadcasts.",
      source: "Apple, “Generating a remote notification”",
      fix: "Shorten the text (check --fit), or send a reference and let the app fetch the rest.",
      example: "a body of 4097 bytes",
      answer: "PayloadTooLarge"),
    Rule(
      .apnsApsMissing, "apns-aps-missing", .warning,
      statement: "A payload that is looked at without its headers has aps (or mdm); a document without it may be "
        + "something else than a payload.",
      source: "Apple, “Generating a remote notification”",
      fix: "Name the contract of a message (--contract), give the push type of a payload (--push-type), or put an FCM "
        + "message under \"message\".",
      example: #"{"title": "Hi"}"#),
    Rule(
      .apnsFieldType, "apns-field-type", .warning,
      statement: "A documented member has its documented type. APNs accepts every type, and iOS treats a member of "
        + "another type as absent; what is lost depends on the member. A push that then does nothing also breaks "
        + "apns-shows-nothing, or the rule of its push type.",
      source: "open point; Apple, “Generating a remote notification”; richsage/RMSPushNotificationsBundle, "
        + "pull request 62",
      fix: "Write the value with the type the message names.",
      example: #""badge": "3""#),
    Rule(
      .apnsUnknownKey, "apns-unknown-key", .warning,
      statement: "Inside aps there are only members that Apple documents; it ignores all others.",
      source: "Apple, “Generating a remote notification”",
      fix: "Correct the spelling, or move the member beside aps, where the app’s own data belongs.",
      example: #""aps": {"contentavailable": 1}"#),
    Rule(
      .apnsEnumUnknown, "apns-enum-unknown", .warning,
      statement: "interruption-level, event and their like have a documented value.",
      source: "Apple, “Generating a remote notification”",
      fix: "Use one of the values the message names.",
      example: #""interruption-level": "urgent""#),
    Rule(
      .apnsKeyOutsideAps, "apns-key-outside-aps", .warning,
      statement: "alert, badge, content-available, mutable-content, thread-id and interruption-level mean "
        + "something only inside aps.",
      source: "Apple, “Generating a remote notification”",
      fix: "Move the member into aps, or give the app’s own member another name.",
      example: #"{"aps": {}, "badge": 3}"#),
    Rule(
      .apnsBackgroundVisible, "apns-background-visible", .error,
      statement: "A background push shows nothing: aps has no alert, badge or sound.",
      source: "Apple, “Pushing background updates to your App”",
      fix: "Remove them, or send with apns-push-type: alert.",
      example: #"apns-push-type: background with "badge": 1"#),
    Rule(
      .apnsBackgroundExtra, "apns-background-extra", .warning,
      statement: "The aps of a background push holds content-available: 1 and nothing else.",
      source: "Apple, “Pushing background updates to your App”",
      fix: "Move the member beside aps.",
      example: #""aps": {"content-available": 1, "category": "c"}"#),
    Rule(
      .apnsBackgroundNotAvailable, "apns-background-not-available", .warning,
      statement: "A background push has content-available: 1; without it the app is not woken.",
      source: "Apple, “Pushing background updates to your App”",
      fix: #"Add "content-available": 1 to aps."#,
      example: #"apns-push-type: background with "aps": {}"#),
    Rule(
      .apnsAlertInvisible, "apns-alert-invisible", .warning,
      statement: "A push of type alert has an alert, a badge or a sound.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Add what the user is to see or hear, or send with apns-push-type: background.",
      example: #"apns-push-type: alert with "aps": {}"#),
    Rule(
      .apnsShowsNothing, "apns-shows-nothing", .error,
      statement: "A push shows, plays or badges something, wakes the app, or carries data. APNs accepts one that does "
        + "none of it, and the device does nothing with it. A push to a topic that begins with pass. updates a pass in "
        + "Wallet, whatever its payload holds; only such a push has an empty payload.",
      source: "Apple, “Generating a remote notification”; Apple, “Adding a web service to update passes”",
      fix: "Add an alert, a badge, a sound, content-available: 1 or data.",
      example: #"{"aps": {}}"#),
    Rule(
      .apnsNullValue, "apns-null-value", .warning,
      statement: "No member beside aps is null: APNs is reported to accept such a push and not to deliver it. Nor is "
        + "action-loc-key, which Apple’s archived pages let be null and which changes nothing today.",
      source: "wultra/powerauth-push-server, issue 675; Apple, archived Payload Key Reference",
      fix: "Leave the member out.",
      example: #"{"aps": {"alert": "x"}, "order": null}"#),
    Rule(
      .apnsSilentPriority, "apns-silent-priority", .warning,
      statement: "A push whose aps holds content-available: 1 alone is a background push and is not sent "
        + "with priority 10.",
      source: "Apple, “Pushing background updates to your App”",
      fix: "Send with apns-push-type: background and apns-priority: 5.",
      example: #""aps": {"content-available": 1} with apns-priority: 10"#),
    Rule(
      .apnsMutableWithoutAlert, "apns-mutable-without-alert", .warning,
      statement: "mutable-content needs an alert with text; without one the service extension does not "
        + "run.",
      source: "Apple, “Generating a remote notification”",
      fix: "Add an alert with a title, subtitle or body.",
      example: #""aps": {"mutable-content": 1, "badge": 1}"#),
    Rule(
      .apnsAlertEmpty, "apns-alert-empty", .warning,
      statement: "An alert object has a title, a subtitle, a body or the key of one.",
      source: "Apple, “Generating a remote notification”",
      fix: "Add a text.",
      example: #""alert": {}"#),
    Rule(
      .apnsLocArgsWithoutKey, "apns-loc-args-without-key", .warning,
      statement: "title-loc-args, subtitle-loc-args and loc-args are beside their key.",
      source: "Firebase Admin SDKs for Go, Node.js and Python, 2026",
      fix: "Add the key, or remove the arguments.",
      example: #""loc-args": ["Ann"] without loc-key"#),
    Rule(
      .apnsTextAndLocKey, "apns-text-and-loc-key", .warning,
      statement: "A text is given as plain text or as a key. Where both are given, iOS is seen to prefer the "
        + "key; Apple does not say so.",
      source: "open point; Apple, archived Payload Key Reference",
      fix: "Remove one of them.",
      example: #""body": "Hi" beside "loc-key": "HI""#),
    Rule(
      .apnsAlertTextObject, "apns-alert-text-object", .warning,
      statement: "Only a Live Activity’s alert has a title or body that is an object; elsewhere it is left out.",
      source: "Apple, “Starting and updating Live Activities with ActivityKit push notifications”",
      fix: "Use title-loc-key and loc-key.",
      example: #""title": {"loc-key": "K"}"#),
    Rule(
      .apnsAlertSoundMisplaced, "apns-alert-sound-misplaced", .warning,
      statement: "The sound belongs in aps; inside the alert only for a Live Activity.",
      source: "Apple, “Generating a remote notification”",
      fix: "Move sound from the alert into aps.",
      example: #""alert": {"title": "T", "sound": "default"}"#),
    Rule(
      .apnsPassiveSound, "apns-passive-sound", .warning,
      statement: "A notification of interruption-level passive plays no sound.",
      source: "Apple, UNNotificationInterruptionLevel.passive",
      fix: "Remove the sound, or take the level active.",
      example: #""interruption-level": "passive" beside "sound": "default""#),
    Rule(
      .apnsSoundType, "apns-sound-type", .warning,
      statement: "A sound is a file of type aiff, wav or caf.",
      source: "Apple, UNNotificationSound, “Prepare sound resources”",
      fix: "Convert the file to caf, aiff or wav, and name that one.",
      example: #""sound": "chime.mp3""#),
    Rule(
      .apnsSoundNotCritical, "apns-sound-not-critical", .warning,
      statement: "A sound is an object only for a critical alert, with critical: 1.",
      source: "Apple, “Generating a remote notification”",
      fix: #"Write the sound’s name as a string, or add "critical": 1."#,
      example: #""sound": {"name": "default"}"#),
    Rule(
      .apnsCriticalVolume, "apns-critical-volume", .warning,
      statement: "The volume of a critical sound is a number from 0 to 1.",
      source: "Apple, “Generating a remote notification”",
      fix: "Use a value such as 0.8.",
      example: #""volume": 80"#),
    Rule(
      .apnsRelevanceScoreRange, "apns-relevance-score-range", .warning,
      statement: "relevance-score is a number from 0 to 1; only a Live Activity may go beyond.",
      source: "Apple, “Generating a remote notification”",
      fix: "Scale the score to 0…1.",
      example: #""relevance-score": 50"#),
    Rule(
      .apnsContentChangedMissing, "apns-content-changed-missing", .error,
      statement: "Widget and control pushes have content-changed: true.",
      source: "Apple, “Updating widgets with WidgetKit push notifications”",
      fix: #"Add "content-changed": true to aps."#,
      example: #"apns-push-type: widgets with "aps": {}"#),
    Rule(
      .apnsMdmPayload, "apns-mdm-payload", .error,
      statement: #"An mdm push has the body {"mdm": "<PushMagic>"} and no aps."#,
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Send the device’s PushMagic and nothing else.",
      example: #"{"aps": {"alert": "x"}} with apns-push-type: mdm"#),
  ]
}
