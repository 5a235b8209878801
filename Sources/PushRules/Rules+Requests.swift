internal import PushPayload

// What the HTTP API has to say about a request of any kind, about pushes and about events.
extension Rules {
  /// The rules about the members of requests.
  static let apiRequests: [Rule] = [
    Rule(
      .requestType, "request-type", .error,
      statement: "A member of a request has the type that the document of the API gives it.",
      source: "Postrider, /openapi.json",
      fix: "Write the value with the type the message names.",
      example: #""ttl": "3600""#),
    Rule(
      .requestMissing, "request-missing", .error,
      statement: "A request has every member that it must have.",
      source: "Postrider, /openapi.json",
      fix: "Add the member that the field names.",
      example: "a push without message"),
    Rule(
      .requestValue, "request-value", .error,
      statement: "A value is one of those that the document of the API allows: length, range, choice.",
      source: "Postrider, /openapi.json",
      fix: "Use a value that the message names.",
      example: #""platform": "symbian""#),
    Rule(
      .requestUnknownField, "request-unknown-field", .warning,
      statement:
        "A request has only members that the API knows; others are ignored. (An error where the member may decide who gets "
        + "a push, when or how: in an audience any, beside it one that resembles a known one.)",
      source: "Postrider, /openapi.json",
      fix: "Correct the spelling, or remove the member.",
      example: #""mesage": {}"#),
    Rule(
      .pushSchedule, "push-schedule", .error,
      statement: "A push begins at most one way: now, as a draft, at an instant, at a time of day, or when each "
        + "user is usually active. (A time zone that nothing uses is a warning.)",
      source: "Postrider, /openapi.json",
      fix: "Keep one of draft, send_at, send_at_local, send_at_time_of_day and send_at_last_active; "
        + "an instant is RFC 3339 and at most five years ahead.",
      example: #""send_at" beside "send_at_local""#),
    Rule(
      .timezoneUnknown, "timezone-unknown", .error,
      statement:
        "A time zone is one of the tz database. (Of a device, a warning: it gets pushes at a local time by the "
        + "push's own zone.)",
      source: "Postrider, /openapi.json",
      fix: "Use a name such as Europe/Vienna.",
      example: #""timezone": "Middle/Earth""#),
    Rule(
      .localeUnknown, "locale-unknown", .error,
      statement: "A language is a BCP 47 tag whose language has two or three letters. (Of a device, a warning: it gets "
        + "the message without a language.)",
      source: "RFC 5646, section 2.1",
      fix: "Use a tag such as de, pt-BR or zh-Hant.",
      example: #""locales": {"deutsch": {…}}"#),
    Rule(
      .pushVariants, "push-variants", .error,
      statement: "The shares of the variants add up to at most 100 percent, and languages and variants to "
        + "as many messages as one push may have.",
      source: "Postrider, /openapi.json",
      fix: "Make the shares smaller, or split the push.",
      example: "shares of 60 and 50"),
    Rule(
      .pushPlaceholderPlace, "push-placeholder-place", .error,
      statement: "Placeholders belong in texts and in data, where each recipient can have a value of its own.",
      source: "Postrider, /openapi.json",
      fix: "Move the placeholder into a text that people read or into data.",
      example: #""apns-collapse-id": "{{name}}""#),
    Rule(
      .pushPlaceholderUnused, "push-placeholder-unused", .warning,
      statement: "A message with placeholders is sent with values for them.",
      source: "Postrider, /openapi.json",
      fix: "Give \"values\", which may be empty, or remove the placeholders.",
      example: #""title": "Hi {{name}}"" without "values""#),
    Rule(
      .pushPlaceholderEmpty, "push-placeholder-empty", .warning,
      statement: "Each placeholder without a fallback has a value for every recipient tried.",
      source: "Postrider, /openapi.json",
      fix:
        "Give a default, {{ name | default: \"there\" }}; a text can also skip the recipient: "
        + "{% unless name %}{% abort %}{% endunless %}.",
      example: #""title": "Hi {{name}}"" to a device without a name"#),
    Rule(
      .pushTemplateSyntax, "push-template-syntax", .error,
      statement: "A text in Liquid can be compiled.",
      source: "Postrider, docs/templates.md",
      fix: "Correct it at the line and column of the message, or put {% raw %} around braces that are text.",
      example: #""title": "Hi {{ name | strip | upcasse }}""#),
    Rule(
      .pushRecipientSkipped, "push-recipient-skipped", .note,
      statement:
        "The number of recipients tried that get nothing because of {% abort %}, a missing value or values that a "
        + "text fails on is reported.",
      source: "Postrider, docs/templates.md",
      fix: "Nothing, if it is meant; otherwise change the condition.",
      example: #""title": "{% unless user.vip %}{% abort %}{% endunless %}Hi""#),
    Rule(
      .pushRecipientTooLarge, "push-recipient-too-large", .warning,
      statement: "With its values filled in, the message of every recipient keeps its limit; those over it "
        + "are rejected, the others sent.",
      source: "Postrider, /openapi.json",
      fix: "Shorten the message, or the longest values.",
      example: #""title": "{{name}}" with a name of 5000 bytes"#),
    Rule(
      .pushWorstSize, "push-worst-size", .note,
      statement: "The size of the largest message among the recipients tried is reported.",
      source: "Postrider, /openapi.json",
      fix: "Nothing; it is for your information.",
      example: "any push with \"values\""),
    Rule(
      .pushUserUnreached, "push-user-unreached", .warning,
      statement: "A user who is named has an active device.",
      source: "Postrider, /openapi.json",
      fix: "Nothing, when the user has left; else register the device.",
      example: #""to": {"users": ["nobody"]}"#),
    Rule(
      .templateUnknown, "template-unknown", .error,
      statement: "A template that is named is one of the app’s.",
      source: "Postrider, /openapi.json",
      fix: "Save it first, or correct the name.",
      example: #""template": "winbak""#),
    Rule(
      .eventTarget, "event-target", .error,
      statement: "An event names its delivery in exactly one way.",
      source: "Postrider, /openapi.json",
      fix: "Give one of apns_id, message_name, delivery, device and token.",
      example: "an event without any of them"),
    Rule(
      .webSubscription, "web-subscription", .error,
      statement:
        "A browser’s subscription has an https endpoint, a p256dh that is a point of P-256, an auth of 16 bytes, "
        + "and an application server key that is such a point.",
      source: "W3C, Push API; RFC 8291, section 3",
      fix: "Send what the browser’s PushSubscription.toJSON() gives, unchanged.",
      example: #""auth": "c2hvcnQ""#),
    Rule(
      .webEndpointPrivate, "web-endpoint-private", .error,
      statement:
        "The endpoint of a subscription is at a public address, or at the push service that the app’s credential "
        + "names.",
      source: "Postrider, /openapi.json",
      fix: "Name a push service of your own as the gateway of the app’s web credential.",
      example: #""endpoint": "https://127.0.0.1/push/1""#),
    Rule(
      .webPushTooLarge, "web-push-too-large", .error,
      statement:
        "The content of a web push has at most 3993 bytes: 4096 without what encryption adds. The server needs 29 of them for the push's id.",
      source: "RFC 8030, section 7.2; RFC 8291, section 4",
      fix: "Shorten the text, or send a reference and let the page fetch the rest.",
      example: "4000 bytes of text"),
  ]
}
