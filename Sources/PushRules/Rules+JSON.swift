internal import PushPayload

extension Rules {
  /// The rules about JSON and documents.
  static let json: [Rule] = [
    Rule(
      .jsonInvalid, "json-invalid", .error,
      statement: "The document is JSON as RFC 8259 has it, in UTF-8.",
      source: "RFC 8259",
      fix: "Correct the text at the byte the message names, or shorten what is too large.",
      example: #"{"aps":{},}"#),
    Rule(
      .jsonDuplicateKey, "json-duplicate-key", .warning,
      statement: "A name occurs once in its object; of repeated names the last one counts.",
      source: "RFC 8259, section 4; Google, discovery document fcm:v1, revision 20261023",
      fix: "Remove all but one of the members.",
      example: #"{"badge":1,"badge":2}"#),
    Rule(
      .documentUnrecognized, "document-unrecognized", .error,
      statement: "A document is an APNs payload, an APNs request (headers and payload), an FCM request or what render "
        + "writes, and not a message of a contract or a vendor’s request.",
      source: "Postrider",
      fix: "Do what the message says; otherwise say which kind it is, or give the document the shape of one.",
      example: "[1,2]"),
    Rule(
      .documentReceived, "document-received", .note,
      statement: "A document for Android is a request to FCM. What an app receives, a flat map of strings or a client "
        + "library’s RemoteMessage, is checked by what the device does with it alone.",
      source: "Postrider",
      fix: "Nothing, when it was received; to send it, put the message under \"message\".",
      example: #"{"gcm.n.e": "1", "gcm.n.title": "Hi"}"#),
  ]
}
