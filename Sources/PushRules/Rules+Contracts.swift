internal import PushPayload

// What writing and reading by a contract has to say. The contracts' own vectors show each of them; the checker, which
// sees only what a provider sees, never reports them.
extension Rules {
  /// The rules about messages and payloads of a contract.
  static let contracts: [Rule] = contractFields + contractMessages

  private static let contractFields: [Rule] = [
    Rule(
      .apsReserved, "aps-reserved", .warning,
      statement: "The app’s data does not use a name that the contract keeps for itself on iOS, aps above "
        + "all.",
      source: "docs/contracts",
      fix: "Rename the key; it is dropped or refused, as the message says.",
      example: #""data": {"aps": {}}"#),
    Rule(
      .fcmDataCoerced, "fcm-data-coerced", .note,
      statement: "A data value that is no string is carried to Android as its JSON text, because FCM takes "
        + "strings only.",
      source: "docs/contracts",
      fix: "Send a string, or parse it in the app.",
      example: #""data": {"n": 42}"#),
    Rule(
      .dataNull, "data-null", .warning,
      statement: "A data value that is null is left out, where the contract says so.",
      source: "docs/contracts",
      fix: "Leave it out, or send a string.",
      example: #""data": {"n": null}"#),
    Rule(
      .fcmDataUnseen, "fcm-data-unseen", .warning,
      statement: "A data key is not one that the FCM client keeps from the app.",
      source: "docs/contracts",
      fix: "Rename the key.",
      example: #""data": {"collapse_key": "x"}"#),
    Rule(
      .deliveryField, "delivery-field", .warning,
      statement:
        "A message says what people see. Who gets it and when is said by the request that creates a push, which "
        + "refuses a message with such a field.",
      source: "docs/contracts",
      fix: "Take it out of the message, and give the member that the finding names beside the message.",
      example: #""send_after" of a onesignal message"#),
    Rule(
      .fieldMissing, "field-missing", .error,
      statement: "A field that the contract requires is there.",
      source: "docs/contracts",
      fix: "Add it to the message.",
      example: "an amba message without title"),
    Rule(
      .fieldNotCarried, "field-not-carried", .note,
      statement:
        "A field of the message is carried to the platform. What a person reads, sees, hears or taps and is not "
        + "carried is a warning.",
      source: "docs/contracts",
      fix: "Nothing, when the platform has no such thing; otherwise use a contract that carries it.",
      example: #""badge" of an amba message, on Android"#),
    Rule(
      .fieldNotTranslated, "field-not-translated", .warning,
      statement: "A field has a counterpart in the contract it is compared with.",
      source: "docs/contracts",
      fix: "Decide how the app gets on without it before moving.",
      example: #""subtitle" in a contract without one"#),
    Rule(
      .fieldOverridden, "field-overridden", .warning,
      statement: "A provider’s own object in a message does not contradict the message’s other fields; it wins.",
      source: "docs/contracts",
      fix: "Give it in one of the two fields.",
      example: #"{"badge": 1, "apns": {"payload": {"aps": {"badge": 2}}}}"#),
    Rule(
      .fieldType, "field-type", .error,
      statement: "A field of a message has the contract’s type.",
      source: "docs/contracts",
      fix: "Write the value with the type the message names.",
      example: #""title": 5"#),
    Rule(
      .fieldTwice, "field-twice", .error,
      statement: "A field that has two names is in a message under one of them.",
      source: "docs/contracts",
      fix: "Keep one of the two names.",
      example: #""adb_title": "a", "title": "b""#),
    Rule(
      .fieldUnknown, "field-unknown", .warning,
      statement: "A message has only fields that its contract knows.",
      source: "docs/contracts",
      fix: "Correct the spelling, or put the value into the data.",
      example: #""titel": "…""#),
    Rule(
      .fixedValue, "fixed-value", .warning,
      statement: "A key that the contract always writes with one value has that value in a payload that is "
        + "read.",
      source: "docs/contracts",
      fix: "See whether another sender, or another contract, wrote the payload.",
      example: #""mutable-content": 0 in an amba payload"#),
    Rule(
      .keyLenient, "key-lenient", .note,
      statement: "A key of a payload has its type; a value that clearly means it is accepted, and "
        + "reported.",
      source: "docs/contracts",
      fix: "Correct the sender.",
      example: #""badge": "3""#),
    Rule(
      .keyType, "key-type", .warning,
      statement: "A key of a payload has its type; any other value is taken as absent.",
      source: "docs/contracts",
      fix: "Correct the sender.",
      example: #""badge": []"#),
    Rule(
      .keyUnknown, "key-unknown", .note,
      statement: "A key of a payload is one that the contract names.",
      source: "docs/contracts",
      fix: "Nothing, when the app reads it itself.",
      example: #""x": 1 beside aps, in a contract that keeps its data elsewhere"#),
  ]

  private static let contractMessages: [Rule] = [
    Rule(
      .deviceShowsNothing, "device-shows-nothing", .error,
      statement: "A device shows, plays or badges something, wakes the app, or hands data to it. A push that does "
        + "nothing, or that is a notification on Android with the name of the app alone, is not written: an error, or a "
        + "warning for one platform when the other does something.",
      source: "docs/contracts",
      fix: "Add a text or data; for a push that only wakes the app, say that it is silent. On Android that needs data.",
      example: #"{"collapse_id": "a"}, which has only attributes; an OneSignal message without a text, on Android"#),
    Rule(
      .deviceFallback, "device-fallback", .warning,
      statement: "A device shows what the push asks for, and not something simpler, which the message names.",
      source: "docs/contracts",
      fix: "Add what is missing.",
      example: "a notification on Android with a sound and without a text: the name of the app alone is shown"),
    Rule(
      .messageEmpty, "message-empty", .error,
      statement: "A message has at least one field; without any, an empty push would arrive.",
      source: "docs/contracts",
      fix: "Give it a text or data; for a push that only wakes the app, say that it is silent.",
      example: "{}"),
    Rule(
      .messageNotObject, "message-not-object", .error,
      statement: "A message is a JSON object.",
      source: "docs/contracts",
      fix: "Wrap it in braces.",
      example: #""hello""#),
    Rule(
      .messageUnrecognized, "message-unrecognized", .error,
      statement: "A message has at least one field of its contract.",
      source: "docs/contracts",
      fix: "Give a message of the contract, or the contract of the message; a payload as it is sent is checked with "
        + "--platform.",
      example: #""requestObject": {…}, the envelope of a vendor's REST interface"#),
    Rule(
      .payloadNotObject, "payload-not-object", .error,
      statement: "A payload is a JSON object.",
      source: "docs/contracts",
      fix: "Hand over the whole payload.",
      example: "[1]"),
    Rule(
      .optionUnknown, "option-unknown", .error,
      statement: "An option is one that the contract has.",
      source: "docs/contracts",
      fix: "Correct the spelling; postrider contracts show NAME lists them.",
      example: "--option nulls=skip of a contract without it"),
    Rule(
      .optionNotSent, "option-not-sent", .error,
      statement: "A message that is sent is not written with an option whose shape FCM does not take.",
      source: "docs/contracts",
      fix: "Leave the option out to send; render shows the shape.",
      example: "a push of an imkit message with the option legacy-gcm"),
    Rule(
      .contractUnknown, "contract-unknown", .error,
      statement: "A contract is one of those that Postrider knows.",
      source: "docs/contracts",
      fix: "Correct the name; postrider contracts lists them.",
      example: "--contract ambra"),
    Rule(
      .locArgsWithoutKey, "loc-args-without-key", .warning,
      statement: "Localization arguments of a message are beside their key; without it they are left out.",
      source: "docs/contracts",
      fix: "Add the key, or remove the arguments.",
      example: #""bodyLocArgs": ["Ann"] without bodyLocKey"#),
    Rule(
      .fcmTtlWithoutClock, "fcm-ttl-without-clock", .error,
      statement:
        "A message with an instant of expiry is written for Android with the time of writing, from which its ttl is counted.",
      source: "docs/contracts",
      fix: "Say what time it is when the message is written.",
      example: #""validUntil" with the option fcm-ttl and no time"#),
    Rule(
      .expirationPast, "expiration-past", .warning,
      statement: "Delivery makes sense until a time that is not over yet.",
      source: "Apple, “Sending notification requests to APNs”, apns-expiration",
      fix:
        "Give a later time. A number is milliseconds since 1970 in a powerauth message, and seconds in apns-expiration.",
      example: #""validUntil": 1700000000 of a powerauth message"#),
    Rule(
      .textBlank, "text-blank", .warning,
      statement: "A title or body has something to read in it.",
      source: "docs/contracts",
      fix: "Write the text, or leave the field out.",
      example: #""body": " ""#),
    Rule(
      .payloadTooLarge, "payload-too-large", .error,
      statement: "A payload keeps the size its contract allows.",
      source: "docs/contracts",
      fix: "Shorten the texts or the data.",
      example: "more data than the contract carries"),
    Rule(
      .payloadOverAdvice, "payload-over-advice", .warning,
      statement: "A payload keeps the size its contract advises, so that nothing is cut off on the way.",
      source: "docs/contracts",
      fix: "Shorten the texts or the data.",
      example: "a payload between the advised and the allowed size"),
  ]
}
