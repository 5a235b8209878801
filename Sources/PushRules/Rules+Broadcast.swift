internal import PushPayload

extension Rules {
  /// The rules about broadcasts and channels.
  static let broadcast: [Rule] = [
    Rule(
      .apnsBroadcastChannelMissing, "apns-broadcast-channel-missing", .error,
      statement: "A broadcast names its channel in apns-channel-id.",
      source: "Apple, “Sending broadcast push notification requests to APNs”",
      fix: "Add the channel ID that the creation answered.",
      example: "no apns-channel-id",
      answer: "MissingChannelId"),
    Rule(
      .apnsBroadcastChannelInvalid, "apns-broadcast-channel-invalid", .error,
      statement: "A channel ID is base64, as the creation answered it.",
      source: "Apple, “Sending broadcast push notification requests to APNs”",
      fix: "Send it unchanged.",
      example: "apns-channel-id: my-channel",
      answer: "BadChannelId"),
    Rule(
      .apnsBroadcastTopic, "apns-broadcast-topic", .warning,
      statement: "A broadcast has no apns-topic: the path names the app.",
      source: "Apple, “Sending broadcast push notification requests to APNs”",
      fix: "Remove the header.",
      example: "apns-topic beside apns-channel-id"),
    Rule(
      .apnsBroadcastPushType, "apns-broadcast-push-type", .error,
      statement: "A broadcast has apns-push-type: liveactivity.",
      source: "Apple, “Sending broadcast push notification requests to APNs”",
      fix: "Use liveactivity.",
      example: "apns-push-type: alert",
      answer: "InvalidPushType"),
    Rule(
      .apnsBroadcastPushTypeCase, "apns-broadcast-push-type-case", .warning,
      statement: "The push type of a broadcast is spelled liveactivity in headers and LiveActivity in "
        + "channel management; Apple’s pages are not of one mind.",
      source: "open point; Apple, “Sending broadcast push notification requests to APNs”",
      fix: "Use liveactivity.",
      example: "apns-push-type: LiveActivity"),
    Rule(
      .apnsBroadcastExpiration, "apns-broadcast-expiration", .error,
      statement: "A broadcast has apns-expiration, and it is 0 for a channel that stores nothing.",
      source: "Apple, “Sending broadcast push notification requests to APNs”",
      fix: "Add apns-expiration; use 0 unless the channel stores the most recent message.",
      example: "no apns-expiration",
      answer: "BadExpirationDate"),
    Rule(
      .apnsBroadcastPriority, "apns-broadcast-priority", .error,
      statement: "A broadcast has apns-priority: 10 to deliver now, or 5 by the device’s power.",
      source: "Apple, “Sending broadcast push notification requests to APNs” and “Starting and updating Live "
        + "Activities with ActivityKit push notifications”",
      fix: "Add apns-priority: 10 or 5.",
      example: "no apns-priority",
      answer: "BadPriority"),
    Rule(
      .apnsBroadcastEvent, "apns-broadcast-event", .error,
      statement: "A broadcast updates or ends; a start goes to one device.",
      source: "Apple, “Sending broadcast push notification requests to APNs”",
      fix: "Send the start to a push-to-start token.",
      example: #""event": "start""#,
      answer: "BadRequestPayload"),
    Rule(
      .apnsChannelPolicy, "apns-channel-policy", .error,
      statement: "A channel is created with message-storage-policy 0 or 1 and push-type LiveActivity.",
      source: "Apple, “Sending channel management requests to APNs”",
      fix: #"Use {"message-storage-policy":1,"push-type":"LiveActivity"}."#,
      example: #""message-storage-policy": 2"#,
      answer: "BadRequestPayload"),
  ]
}
