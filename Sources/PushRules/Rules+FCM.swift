internal import PushPayload

extension Rules {
  /// The rules about FCM messages.
  static let fcm: [Rule] = [
    Rule(
      .fcmMessageMissing, "fcm-message-missing", .error,
      statement: "The body has a message.",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: #"Put the message under "message"."#,
      example: #"{"token": "…"}"#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmLegacyRequest, "fcm-legacy-request", .error,
      statement: "A request is one of FCM v1. The legacy interface is switched off.",
      source: "Google, “Migrate from legacy FCM APIs to HTTP v1”",
      fix: "Put the message under \"message\", its target in token or topic, and Android’s options under android; or "
        + "give the texts to the contract native.",
      example: #"{"to": "…", "data": {"k": "v"}}"#),
    Rule(
      .fcmFieldType, "fcm-field-type", .error,
      statement: "A field has the type of the discovery document, as proto3 JSON writes it.",
      source: "Protocol Buffers, ProtoJSON format; Google, discovery document fcm:v1, revision 20261023",
      fix: "Write the value with the type the message names.",
      example: #""ttl": 60"#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmUnknownField, "fcm-unknown-field", .error,
      statement: "A message has only fields that FCM v1 knows; proto3 JSON refuses all others.",
      source: "Protocol Buffers, ProtoJSON format",
      fix: "Correct the spelling, move the member into data, or use its v1 name.",
      example: #""message": {"to": "…"}"#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmFieldTwice, "fcm-field-twice", .warning,
      statement: "A field is spelled in snake_case or in lowerCamelCase, not both; the last one counts.",
      source: "Protocol Buffers, ProtoJSON format",
      fix: "Remove one of them.",
      example: #""channel_id" beside "channelId""#),
    Rule(
      .fcmEnumUnknown, "fcm-enum-unknown", .error,
      statement: "An enumeration has a value of the discovery document.",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: "Use one of the values the message names.",
      example: #""priority": "urgent""#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmTargetMissing, "fcm-target-missing", .error,
      statement: "A message has a target that is not empty: token, fid, topic or condition.",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: "Add one of the four.",
      example: "a message without token",
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmTargetMany, "fcm-target-many", .error,
      statement: "A message has exactly one target.",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: "Keep one of the four.",
      example: #""token" beside "topic""#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmTokenInvalid, "fcm-token-invalid", .error,
      statement: "A token or fid is made of letters, digits and - _ :, at most 4096 bytes. A text in <> or {{}} is a "
        + "placeholder and not judged.",
      source: "Google, “FCM error codes”; the characters are those of every token that was seen",
      fix: "Copy the token as the app was given it, without spaces or line breaks.",
      example: #""token": "abc def""#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmTokenDeprecated, "fcm-token-deprecated", .note,
      statement: "The discovery document marks token as deprecated in favor of fid, while every guide "
        + "uses token. Off unless asked for.",
      source: "open point; Google, discovery document fcm:v1, revision 20261023",
      fix: "Nothing yet; plan for fid.",
      example: #""token": "…""#
    ).optIn(),
    Rule(
      .fcmTopicInvalid, "fcm-topic-invalid", .error,
      statement: "A topic has 1 to 900 letters, digits and - _ . ~ %, without /topics/.",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: "Remove the prefix and other characters.",
      example: #""topic": "/topics/news""#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmConditionInvalid, "fcm-condition-invalid", .error,
      statement: "A condition joins at most five 'topic' in topics with &&, ||, ! and parentheses.",
      source: "Google, “Send messages to topics”",
      fix: "Correct it where the message says.",
      example: #""condition": "'news' && 'sports' in topics""#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmAndroidExclusive, "fcm-android-exclusive", .error,
      statement: "android and android_v2 exclude each other.",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: "Keep one of them.",
      example: #""android" beside "android_v2""#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmAndroidKindExclusive, "fcm-android-kind-exclusive", .error,
      statement: "android_v2 is a background_sync or a remote_notification, not both.",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: "Keep one of them.",
      example: #""background_sync" beside "remote_notification""#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmDataNotString, "fcm-data-not-string", .error,
      statement: "Every value of data and headers is a string. (A contract that turns values into strings "
        + "says so with this rule as a note.)",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: #"Write the value as a string: "42", "true", JSON text for objects."#,
      example: #""data": {"n": 42}"#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmDataReserved, "fcm-data-reserved", .error,
      statement: "A data key is not from, not message_type, and does not begin with google. or "
        + "gcm.notification. (A contract that writes data takes the wider wording: it refuses every name that "
        + "begins with google or gcm.)",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: "Rename the key.",
      example: #""data": {"from": "x"}"#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmDataReservedWide, "fcm-data-reserved-wide", .warning,
      statement: "A data key does not begin with google or gcm and is not collapse_key: the error page "
        + "words the reserved names wider than the schema, and the Android client drops some of "
        + "them.",
      source: "open point; Google, “FCM error codes”",
      fix: "Rename the key.",
      example: #""data": {"collapse_key": "x"}"#),
    Rule(
      .fcmTtlRange, "fcm-ttl-range", .error,
      statement: "ttl is from 0 to 2 419 200 seconds, four weeks.",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: #"Use a duration such as "3600s"."#,
      example: #""ttl": "2419201s""#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmColorInvalid, "fcm-color-invalid", .error,
      statement: "color is # and six hexadecimal digits.",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: "Write it as #rrggbb.",
      example: #""color": "red""#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmLightIncomplete, "fcm-light-incomplete", .error,
      statement: "light_settings has color, light_on_duration and light_off_duration.",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: "Add the member the message names.",
      example: #""light_settings": {"color": {}}"#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmLightColorRange, "fcm-light-color-range", .error,
      statement: "The parts of a color are numbers from 0 to 1.",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: "Divide eight-bit parts by 255.",
      example: #""red": 255"#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmDurationNegative, "fcm-duration-negative", .error,
      statement: "Light durations and vibrate timings are not negative.",
      source: "Firebase Admin SDKs for Go, Node.js and Python, 2026",
      fix: "Use a duration of 0 or more.",
      example: #""vibrate_timings": ["-1s"]"#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmLocArgsWithoutKey, "fcm-loc-args-without-key", .error,
      statement: "title_loc_args and body_loc_args are beside their key.",
      source: "Firebase Admin SDKs for Go, Node.js and Python, 2026",
      fix: "Add the key, or remove the arguments.",
      example: #""body_loc_args": ["Ann"] without body_loc_key"#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmTextAndLocKey, "fcm-text-and-loc-key", .warning,
      statement: "A text is given as plain text or as a key; where both are given, Android shows the plain "
        + "text.",
      source: "Google, firebase-android-sdk",
      fix: "Remove one of them.",
      example: #""body": "Hi" beside "body_loc_key": "hi""#),
    Rule(
      .fcmValueIgnored, "fcm-value-ignored", .warning,
      statement:
        "vibrate_timings has two values or more, notification_count is 0 or more, a light is not opaque black, and icon and sound "
        + "are names of resources, which have no extension; Android ignores others, and in what an app received each number, boolean, list, color "
        + "and picture that it cannot read.",
      source: "Google, firebase-android-sdk, NotificationParams, CommonNotificationBuilder and ImageDownload",
      fix:
        "Add the pause before the vibration, such as 0s, write a count of 0 or more, the name of a resource, or what the message "
        + "expects.",
      example: #""vibrate_timings": ["1s"]"#),
    Rule(
      .fcmAnalyticsLabelInvalid, "fcm-analytics-label-invalid", .error,
      statement: "An analytics_label has 1 to 50 letters, digits and - _ . ~ %.",
      source: "Firebase Admin SDKs for Go, Node.js and Python, 2026",
      fix: "Shorten it and remove other characters.",
      example: #""analytics_label": "spring sale""#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmImageUrl, "fcm-image-url", .error,
      statement: "An image is an absolute http or https URL.",
      source: "Firebase Admin SDKs for Go, Node.js and Python, 2026",
      fix: "Use the whole URL.",
      example: #""image": "/img/1.png""#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmWebpushLink, "fcm-webpush-link", .error,
      statement: "webpush.fcm_options.link is an absolute https URL.",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: "Use https.",
      example: #""link": "http://example.com""#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmWebpushHeader, "fcm-webpush-header", .error,
      statement: "The Web Push headers are TTL in seconds, Urgency (very-low, low, normal, high) and Topic "
        + "of at most 32 base64url characters.",
      source: "RFC 8030, sections 5.2 to 5.4",
      fix: "Correct the value.",
      example: #""Urgency": "urgent""#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmWebpushNotification, "fcm-webpush-notification", .error,
      statement:
        "A browser shows nothing for renotify without a tag, for silent with vibrate, and for an action without "
        + "action or title.",
      source: "WHATWG, Notifications API Standard",
      fix: "Add the tag or the member of the action, or remove the option.",
      example: #""renotify": true without tag"#),
    Rule(
      .fcmNameOutputOnly, "fcm-name-output-only", .warning,
      statement: "name is what FCM answers, not what it is sent.",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: "Remove it.",
      example: #""name": "projects/p/messages/1""#),
    Rule(
      .fcmApnsDataOnly, "fcm-apns-data-only", .warning,
      statement: "A message of data alone goes to Apple devices with apns-priority 5.",
      source: "Google, discovery document fcm:v1, revision 20261023",
      fix: #"Set apns.headers.apns-priority to "5", or add a notification."#,
      example: #""data" and "apns-priority": "10" without notification"#),
    Rule(
      .fcmApnsImageLost, "fcm-apns-image-lost", .warning,
      statement:
        "The picture of a message with apns needs mutable-content: 1, without which no service extension runs that "
        + "would add it.",
      source: "Firebase, “Send an image in the notification payload”; Google, REST ApnsFcmOptions",
      fix: #"Add "mutable-content": 1 to apns.payload.aps."#,
      example: #""apns": {"fcm_options": {"image": "https://…"}} without mutable-content"#),
    Rule(
      .fcmApnsApsMissing, "fcm-apns-aps-missing", .error,
      statement: "apns.payload has an aps that is not empty. Google’s pages do not say so; FCM answers “Payload of "
        + "Apple Push Notification Service must contain an [aps] key” and “Value of [aps] must be a non-empty "
        + "dictionary”.",
      source: "FCM’s answers, as in firebase/firebase-admin-dotnet, issues 39 and 323, firebase/firebase-admin-java, "
        + "issue 214, and celestifyhq/fcm-cloudflare-workers, issue 10",
      fix: "Add aps with what the device is to show or do, or leave payload out.",
      example: #""apns": {"payload": {"sound": "default"}}"#,
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmShowsNothing, "fcm-shows-nothing", .error,
      statement: "A message has a notification, data, a background_sync, or content for "
        + "browsers or Apple devices. FCM accepts one that has none of it, and at most the app is called with an empty "
        + "message. An apns.payload shows, plays, badges, wakes or carries something, unless the message has a title, "
        + "a body or data for all devices. With validate_only a message may be empty.",
      source: "Google, firebase-android-sdk; Google, REST ApnsConfig; Apple, “Generating a remote notification”",
      fix: "Add a title, a body or data, or set validate_only.",
      example: #"{"message": {"token": "…"}}"#),
    Rule(
      .fcmPayloadTooLarge, "fcm-payload-too-large", .error,
      statement: "The keys and values of data and notification have at most 4096 bytes together, and so have those of "
        + "webpush.",
      source: "Google, “About FCM messages”",
      fix: "Shorten the text (check --fit), or send a reference and let the app fetch the rest.",
      example: "4097 bytes of data",
      answer: "INVALID_ARGUMENT"),
    Rule(
      .fcmTopicPayloadTooLarge, "fcm-topic-payload-too-large", .warning,
      statement: "A message to a topic has at most 2048 bytes by some of Google’s pages and 4096 by "
        + "others. The limit is a setting.",
      source: "open point; Google, “Send messages to topics”",
      fix: "Shorten it, or set the limit to 4096.",
      example: "2049 bytes of data to a topic"),
  ]
}
