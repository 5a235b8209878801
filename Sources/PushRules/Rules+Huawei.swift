internal import PushPayload

// The module for browsers is bounded in size, and judges no messages for Huawei's phones.
#if _pointerBitWidth(_32)
  extension Rules {
    static let huawei: [Rule] = []
  }
#else
  // Huawei's page names one code for most mistakes; which of them it really answers was not tried.
  extension Rules {
    private static let page = "Huawei, Sending Downlink Messages"

    static let huawei: [Rule] = [
      Rule(
        .hmsMessageMissing, "hms-message-missing", .error,
        statement: "A request to Push Kit is an object with the object message.", source: page,
        fix: "Put the message under \"message\".", example: #"{"token": ["IQAAAACy0kYo"]}"#, answer: "80100001"),
      Rule(
        .hmsTarget, "hms-target", .error,
        statement:
          "A message has one of token, topic and condition; token is a list of 1 to 1000 texts.", source: page,
        fix: "Give token a list with the token in it.", example: #""token": "IQAAAACy0kYo""#, answer: "80100003"),
      Rule(
        .hmsValue, "hms-value", .error,
        statement: "Each member of a message has the type and one of the values that Push Kit documents.",
        source: page,
        fix: "Give the value that the message names.", example: #""ttl": 86400"#, answer: "80100003"),
      Rule(
        .hmsCollapseKey, "hms-collapse-key", .error,
        statement:
          "A collapse_key is a whole number: -1 keeps every message, 0 the last one, 1 to 100 the last one of a group.",
        source: page,
        fix: "Give a number from -1 to 100.", example: #""collapse_key": "news""#, answer: "80100013"),
      Rule(
        .hmsContentMissing, "hms-content-missing", .error,
        statement: "A message has data, or a notification for Android.", source: page,
        fix: "Add android.notification, or data as a text.", example: #""notification": {"title": "Hello"} alone"#,
        answer: "80100003"),
      Rule(
        .hmsNotificationIncomplete, "hms-notification-incomplete", .error,
        statement:
          "A notification has a title and a text, each as it is or by key, and a click_action that says what it opens.",
        source: page, fix: #"Add what is missing; "click_action": {"type": 3} opens the app."#,
        example: #""android": {"notification": {"title": "Hello", "body": "World"}}"#, answer: "80100003"),
      Rule(
        .hmsUnknownField, "hms-unknown-field", .warning,
        statement: "Push Kit documents each member of a message.", source: page,
        fix: "Correct the name, or remove the member.", example: #""android": {"priority": "high"}"#),
    ]
  }
#endif

extension Rules {
  /// What is checked of requests to the API.
  static let huaweiRequests: [Rule] = [
    Rule(
      .hmsMessageTooLarge, "hms-message-too-large", .error,
      statement: "The body of a message for Huawei’s Push Kit has at most 4096 bytes without the token.",
      source: "Huawei, Sending Downlink Messages", fix: "Shorten the text, or send a reference.",
      example: "4100 bytes of text"),
    Rule(
      .credentialHuawei, "credential-huawei", .error,
      statement: "Client id and project id are digits, and the client secret is at least 16 characters without spaces.",
      source: "Huawei, OAuth 2.0 error codes", fix: "Copy them from the app’s OAuth 2.0 client in AppGallery Connect.",
      example: #""client_id": "com.example.app""#),
  ]
}
