internal import PushPayload

extension Rules {
  /// The rules about APNs headers.
  static let apnsHeaders: [Rule] = [
    Rule(
      .apnsHeaderUnknown, "apns-header-unknown", .warning,
      statement: "A header whose name begins with apns- is one that Apple documents.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Check the spelling of the name.",
      example: "apns-colapse-id: c-1"),
    Rule(
      .apnsHeaderNotString, "apns-header-not-string", .error,
      statement: "A header value in a request document is a string or a number.",
      source: "RFC 9110, section 5.5",
      fix: "Write the value as a string.",
      example: #""apns-topic": ["com.example.app"]"#),
    Rule(
      .apnsHeaderDuplicate, "apns-header-duplicate", .error,
      statement: "No header is repeated.",
      source: "Apple, “Handling notification responses from APNs”",
      fix: "Remove all but one of them.",
      example: "apns-topic twice",
      answer: "DuplicateHeaders"),
    Rule(
      .apnsHeaderInvalid, "apns-header-illegal", .error,
      statement:
        "A header is one that HTTP/2 can carry: its name is a token and none of the connection's own, its value "
        + "holds no line break, no control character but tab, and no white space at its ends.",
      source: "RFC 9110, sections 5.1 and 5.5; RFC 9113, section 8.2",
      fix: "Remove the character or the header.",
      example: #"apns-collapse-id: a\nb"#),
    Rule(
      .apnsPushTypeMissing, "apns-push-type-missing", .warning,
      statement: "apns-push-type is given; watchOS 6 and later require it.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Add the header with the type that the payload has.",
      example: "no apns-push-type"),
    Rule(
      .apnsPushTypeUnknown, "apns-push-type-unknown", .error,
      statement: "apns-push-type is one of the eleven documented types.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Use alert, background, location, voip, complication, fileprovider, mdm, liveactivity, "
        + "pushtotalk, widgets or controls.",
      example: "apns-push-type: notification",
      answer: "InvalidPushType"),
    Rule(
      .apnsTopicMissing, "apns-topic-missing", .error,
      statement: "apns-topic is given. Only a certificate with a single topic makes up for its absence.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Add the header: the bundle ID, with the suffix of the push type.",
      example: "no apns-topic",
      answer: "MissingTopic"),
    Rule(
      .apnsTopicInvalid, "apns-topic-invalid", .error,
      statement: "A topic is made of letters, digits, dots, hyphens and underscores.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Use the bundle ID as Xcode shows it.",
      example: "apns-topic: com.example.app!",
      answer: "BadTopic"),
    Rule(
      .apnsTopicSuffix, "apns-topic-suffix", .error,
      statement: "The topic ends as its push type asks: .voip, .complication, .pushkit.fileprovider, "
        + ".location-query, .push-type.liveactivity, .voip-ptt, .push-type.widgets or "
        + ".push-type.controls.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Append the suffix of the push type to the bundle ID.",
      example: "apns-push-type: voip with apns-topic: com.example.app",
      answer: "BadTopic"),
    Rule(
      .apnsTopicSuffixSurplus, "apns-topic-suffix-surplus", .warning,
      statement:
        "The topic of an alert or background push is the plain bundle ID. One that ends in the suffix of another "
        + "type is right only for an app whose bundle ID ends so, which APNs knows and a message does not say.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Remove the suffix, unless the bundle ID ends so.",
      example: "apns-push-type: alert with apns-topic: com.example.app.voip"),
    Rule(
      .apnsPriorityInvalid, "apns-priority-invalid", .error,
      statement: "apns-priority is 1, 5 or 10.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Use 10 to deliver now, 5 to respect the device’s power, 1 to never wake it.",
      example: "apns-priority: 7",
      answer: "BadPriority"),
    Rule(
      .apnsBackgroundPriority, "apns-background-priority", .error,
      statement: "A background push has apns-priority 5; an absent header means 10, which is an error.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Add apns-priority: 5.",
      example: "apns-push-type: background with apns-priority: 10",
      answer: "BadPriority"),
    Rule(
      .apnsPushToTalkImmediate, "apns-push-to-talk-immediate", .warning,
      statement: "A Push to Talk push is sent with priority 10 and expiration 0. Apple states no rule; "
        + "clients in the field send it so.",
      source: "open point; Apple’s samples",
      fix: "Add apns-priority: 10 and apns-expiration: 0.",
      example: "apns-push-type: pushtotalk without apns-expiration"),
    Rule(
      .apnsPriorityUnstated, "apns-priority-unstated", .warning,
      statement: "A location push has priority 10 or 5, and so have complication, widgets and controls pushes in the "
        + "field; Apple states no rule for these three.",
      source: "open point; Apple, “Sending notification requests to APNs”",
      fix: "Use 10 for what cannot wait, 5 otherwise.",
      example: "apns-push-type: widgets with apns-priority: 1"),
    Rule(
      .apnsExpirationInvalid, "apns-expiration-invalid", .error,
      statement: "apns-expiration is a whole number of seconds since 1970, not negative.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Write the instant as a decimal integer, or 0 for a single attempt.",
      example: "apns-expiration: 2026-01-31",
      answer: "BadExpirationDate"),
    Rule(
      .apnsExpirationMilliseconds, "apns-expiration-milliseconds", .warning,
      statement: "apns-expiration counts seconds; a number this large counts milliseconds.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Divide by 1000.",
      example: "apns-expiration: 1790000000000"),
    Rule(
      .apnsIdInvalid, "apns-id-invalid", .error,
      statement: "apns-id and apns-request-id are canonical UUIDs: 32 lower-case hexadecimal digits as "
        + "8-4-4-4-12.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Write the UUID in lower case with its four hyphens.",
      example: "apns-id: 123E4567-E89B-12D3-A456-426614174000",
      answer: "BadMessageId"),
    Rule(
      .apnsCollapseIdTooLong, "apns-collapse-id-too-long", .error,
      statement: "apns-collapse-id has at most 64 bytes of UTF-8.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Shorten it, or use a hash of it.",
      example: "a collapse id of 65 bytes",
      answer: "BadCollapseId"),
    Rule(
      .apnsCertificateForbidden, "apns-certificate-forbidden", .error,
      statement: "location and liveactivity pushes need token authentication.",
      source: "Apple, “Sending notification requests to APNs”",
      fix: "Send with a provider token (.p8 key) instead of the certificate.",
      example: "apns-push-type: liveactivity over a certificate"),
  ]
}
