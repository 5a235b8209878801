import PushContracts
import PushPayload
import WireJSON

/// What OneSignal's SDK for Android makes of channels, sounds and pictures, and which messages it takes.
extension SDKFact {
  static let oneSignalAndroid: [SDKFact] = [
    SDKFact(
      "OneSignal",
      "A channel's group without a name is refused by later builds of Android 13 and by later versions, and the SDK then names "
        + "no channel: nothing is shown. The name comes from the object of the device's language, where `langs` has one.",
      [
        channel(
          #"{"id":"c","nm":"N","grp_id":"g"}"#, [:], "nothing: group of the channel in chnl has no name",
          said: "error onesignal-channel"),
        channel(
          #"{"id":"c","nm":"N","grp_id":"g","grp_nm":""}"#, [:], "nothing: group", said: "error onesignal-channel"),
        channel(
          #"{"id":"c","grp_id":"g","langs":{"en":{"nm":"x"},"de":{}}}"#, [:], "nothing: group",
          said: "error onesignal-channel"),
        channel(#"{"id":"c","nm":"N","grp_id":"g","langs":{"en":{"grp_nm":"x"}}}"#, said: refused),
        channel(#"{"id":"c","grp_id":"g"}"#, ["alert": ""], "nothing: no alert", said: "error onesignal-channel"),
        channel(
          #"{"id":"c","grp_id":"g"}"#, ["alert": "", "custom": #"{"i":"n","a":{"k":1}}"#],
          "silent: the app gets the data",
          said: refused),
        channel(#"{"id":"c","nm":"N","grp_id":"g","grp_nm":"G","langs":{"en":{"nm":"x"}}}"#, said: refused),
        channel(#"{"id":"c","nm":"N","grp_id":"g","grp_nm":"G","langs":{"en":{"grp_nm":"x"}}}"#),
        channel(#"{"id":"c","nm":"N","grp_id":"g"}"#, ["oth_chnl": "own"]),
        channel(
          #"{"id":"c","nm":"N","grp_id":"g"}"#, ["oth_chnl": ""], "nothing: group", said: "error onesignal-channel"),
      ], vectors: ["onesignal/read-android-channel-group-unnamed", "onesignal/write-channel-group-unnamed"]),
    SDKFact(
      "OneSignal",
      "Android refuses a channel with an empty name, which the SDK passes over: nothing is shown unless an earlier push made "
        + "the channel.",
      [
        channel(#"{"id":"c","nm":""}"#, said: refused),
        channel(#"{"id":"c","nm":"N","langs":{"de":{"nm":""}}}"#, said: refused),
        channel(#"{"id":"c"}"#, drawn: ["channel=c"]),
      ], vectors: ["onesignal/read-android-channel-unnamed"]),
    SDKFact(
      "OneSignal",
      "`langs` that has no object for a language ends the making of the channel: nothing is shown to people of that language. "
        + "`langs` that is null cannot be read, as any other value that is no object.",
      [
        channel(#"{"id":"c","langs":{"en":"x"}}"#, said: refused),
        channel(#"{"id":"c","langs":{"en":null}}"#, said: refused),
        channel(#"{"id":"c","langs":null}"#, said: "warning key-type"),
        channel(#"{"id":"c","langs":{}}"#),
        channel(
          #"{"id":"c","langs":["en"]}"#, said: "warning key-type", drawn: ["channel=fcm_fallback_notification_channel"]),
        channel(
          #"{"id":"c","langs":["en"]}"#, ["sound": "s"], "fallback: the channel in chnl cannot be read",
          said: "warning device-fallback", drawn: ["sound=default"]),
        channel(
          "{", ["sound": "nil"], "fallback: the channel in chnl cannot be read", said: "warning device-fallback",
          drawn: ["sound=default"]),
      ], vectors: ["onesignal/read-android-channel-langs-null", "onesignal/read-android-channel-langs-list"]),
    SDKFact(
      "OneSignal",
      "The id `miscellaneous` is Android's own, so the SDK takes `fcm_fallback_notification_channel`, as it does without an id; "
        + "an id that is no text is taken as its text.",
      [
        channel(#"{"id":"miscellaneous"}"#, said: refused, drawn: ["channel=fcm_fallback_notification_channel"]),
        channel(#"{"nm":"N"}"#, drawn: ["channel=fcm_fallback_notification_channel"]),
        channel(#"{"id":5}"#, drawn: ["channel=5"]), channel(#"{"id":null}"#, drawn: ["channel=null"]),
      ], vectors: ["onesignal/read-android-channel-miscellaneous"]),
    SDKFact(
      "OneSignal",
      "Versions of the SDK without its `NotificationPriorityMapper` give a channel no importance for `pri` 1; newer ones give "
        + "it the lowest.",
      [
        channel(#"{"id":"c"}"#, ["pri": "1"], said: refused), channel(#"{"id":"c"}"#, ["pri": "2"]),
      ], vectors: ["onesignal/read-android-channel-pri-1"]),
    SDKFact(
      "OneSignal", "On Android the SDK plays no sound of `chnl` below priority 5.",
      [
        channel(#"{"id":"c"}"#, ["sound": "s", "pri": "5"], drawn: ["sound=s"]),
        channel(#"{"id":"c"}"#, ["sound": "nil", "pri": "4"], drawn: ["sound=-"]),
        channel(
          #"{"id":"c"}"#, ["sound": "s", "pri": "4"], "fallback: without its sound", said: "warning device-fallback",
          drawn: ["sound=-"]),
      ], vectors: ["onesignal/read-android-sound-quiet", "onesignal/write-sound-quiet"]),
    SDKFact(
      "OneSignal",
      "On Android the SDK downloads a picture or a large icon whose address begins with `http://` or `https://` in lower case, "
        + "after white space; anything else is a name in the app, which no other address is.",
      [
        shown(["bicon": " https://e.com/a.png "], drawn: ["image=https://e.com/a.png"]),
        shown(["bicon": "picture", "licon": "icon"], drawn: ["image=picture", "large_icon=icon"]),
        lost(["bicon": "HTTPS://e.com/a.png"], "without its picture", drawn: ["image=-"]),
        lost(["bicon": "ftp://e.com/a.png"], "without its picture", drawn: ["image=-"]),
        lost(["bicon": "https://"], "without its picture", drawn: ["image=-"]),
        lost(["licon": "http://e.com:x/a.png"], "without its large icon", drawn: ["large_icon=-"]),
        lost(["licon": "HTTP://e.com/a.png"], "without its large icon", drawn: ["large_icon=-"]),
      ],
      vectors: [
        "onesignal/read-android-picture-upper-case", "onesignal/write-picture-upper-case",
        "onesignal/read-android-picture-no-host",
      ]),
    SDKFact(
      "OneSignal", "The tapped button on Android is `actionId` at the root; that in `custom.a` names the default tap.",
      vectors: ["onesignal/read-android-action-id", "onesignal/read-android-action-id-in-data"]),
    SDKFact(
      "OneSignal", "A button whose label is empty is drawn without one on Android.",
      [
        shown(
          ["o": #"[{"n":"","i":"a"}]"#], said: "warning onesignal-button-empty",
          drawn: ["buttons.0.id=a", "buttons.0.label="])
      ], vectors: ["onesignal/read-android-button-empty-short", "onesignal/write-button-empty"]),
    SDKFact(
      "OneSignal", "The SDK takes no message from `google.com/iid`, which tells of an app's registration.",
      [
        shown(["from": "google.com/iid"], "silent: leaves what comes from", said: "warning fixed-value")
      ], vectors: ["onesignal/read-android-registration"]),
    SDKFact(
      "OneSignal",
      "On iOS an `aps.alert` that is null is an alert to the SDK, which then does not read `m` and `o`.",
      [
        oneSignalApple(
          ["aps": ["alert": nil, "content-available": 1], "custom": ["i": "n"], "m": "Hi", "o": [["n": "Yes"]]],
          "silent: the app is woken", said: "warning onesignal-minified-not-shown", drawn: ["body=-", "buttons=-"]),
        oneSignalApple(
          ["aps": ["alert": nil, "content-available": 1], "os_data": ["i": "n", "buttons": ["m": "Hi"]]],
          "silent: the app is woken", said: "warning onesignal-minified-not-shown", drawn: ["body=-"]),
      ], vectors: ["onesignal/read-ios-alert-null"]),
    SDKFact(
      "OneSignal",
      "`os_data.buttons` that is a text, a number or null without `aps.alert` ends the SDK for iOS as well.",
      [
        oneSignalApple(
          ["aps": ["content-available": 1], "os_data": ["i": "n", "buttons": nil]], "silent: the app is woken",
          said: "warning onesignal-buttons-crash"),
        oneSignalApple(
          ["aps": ["content-available": 1], "os_data": ["i": "n", "buttons": true]], "silent: the app is woken",
          said: "warning onesignal-buttons-crash"),
      ], vectors: ["onesignal/read-ios-new-buttons-number-crash"]),
    SDKFact(
      "OneSignal",
      "On iOS blanks and tabs around an attachment's address do not count; an attachment that is no text, or whose id begins "
        + "with `@`, ends the service extension, and iOS shows the alert as it came.",
      [
        oneSignalApple(
          mutable(["att": ["a": " https://e.com/a.png\t"]]), "shown", drawn: ["image=https://e.com/a.png"]),
        oneSignalApple(
          mutable(["att": ["a": 5], "buttons": [["n": "Yes"]]]), "fallback: as it came",
          said: "warning device-fallback",
          drawn: ["buttons=-", "image=-"]),
        oneSignalApple(mutable(["att": "x"]), "fallback: as it came", said: "warning device-fallback"),
        oneSignalApple(
          mutable(["att": ["@a": "https://e.com/a.png"]]), "fallback: an id in att that begins with @",
          said: "warning device-fallback", drawn: ["image=-"]),
        oneSignalApple(
          ["aps": ["content-available": 1], "custom": ["i": "n"], "m": "Hi", "at": ["a": 5]], "nothing: ends on",
          said: "error device-shows-nothing"),
      ], vectors: ["onesignal/read-ios-attachment-blanks", "onesignal/read-ios-attachment-number"]),
  ]

  private static let refused = "warning onesignal-channel"

  private static func channel(
    _ text: String, _ others: JSONObject = [:], _ expected: String = "shown", said: String? = nil, drawn: [String] = []
  ) -> Case {
    var others = others
    others["chnl"] = .string(text)
    return shown(others, expected, said: said, drawn: drawn)
  }

  private static func lost(_ members: JSONObject, _ reason: String, drawn: [String]) -> Case {
    shown(members, "fallback: " + reason, said: "warning device-fallback", drawn: drawn)
  }

  static func shown(
    _ members: JSONObject, _ expected: String = "shown", said: String? = nil, drawn: [String] = []
  ) -> Case {
    var payload: JSONObject = ["custom": #"{"i":"n"}"#, "alert": "Hi"]
    for (key, value) in members { payload[key] = value }
    return Case(
      contract: .onesignal, platform: .android, payload: .object(payload), expected: expected, said: said, drawn: drawn)
  }

  static func oneSignalApple(
    _ payload: JSONValue, _ expected: String, said: String? = nil, drawn: [String] = []
  ) -> Case {
    Case(contract: .onesignal, platform: .ios, payload: payload, expected: expected, said: said, drawn: drawn)
  }

  static func mutable(_ members: JSONObject) -> JSONValue {
    var payload: JSONObject = ["aps": ["alert": "Hi", "mutable-content": 1], "custom": ["i": "n"]]
    for (key, value) in members { payload[key] = value }
    return .object(payload)
  }
}
