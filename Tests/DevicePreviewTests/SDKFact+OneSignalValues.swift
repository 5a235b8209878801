import PushContracts
import PushPayload
import WireJSON

/// Values on which OneSignal's SDK for iOS ends, and the sounds and icons that Android takes instead of named ones.
extension SDKFact {
  static let oneSignalValues: [SDKFact] = [
    SDKFact(
      "OneSignal",
      "A value of a class that the SDK for iOS does not ask for ends its service extension, and iOS shows the alert as it came: "
        + "an id or an icon's type that is no text, a number that is an object, an array or null, a button that is no object.",
      [
        ends(["custom": ["i": 5], "buttons": [["n": "Yes"]]], "custom.i", drawn: ["buttons=-"]),
        ends(["custom": ["i": nil]], "custom.i"), ends(["os_data": ["i": []]], "os_data.i"),
        ends(["custom": ["i": "n", "badge_inc": [:]]], "custom.badge_inc", drawn: ["badge=-"]),
        ends(["custom": ["i": "n", "badge_inc": nil]], "custom.badge_inc"),
        ends(["os_data": ["i": "n", "badge_inc": [1]]], "os_data.badge_inc"),
        ends(["buttons": ["a"]], "buttons[0]"), ends(["buttons": nil], "buttons, which is null"),
        ends(["buttons": ["a": 1]], "buttons"), ends(["buttons": 5], "buttons"),
        ends(["buttons": [["n": "Yes", "icon_type": 1, "path": "p"]]], "buttons[0].icon_type", drawn: ["buttons=-"]),
        ends(["custom": ["i": "n", "a": "t"], "actionSelected": "x"], "custom.a"),
        ends(["aps": ["alert": "Hi", "mutable-content": 1, "badge": [:]]], "aps.badge"),
        ends(["aps": ["alert": "Hi", "mutable-content": 1, "content-available": nil]], "aps.content-available"),
      ], vectors: ["onesignal/read-ios-id-number", "onesignal/read-ios-buttons-text"]),
    SDKFact(
      "OneSignal",
      "The SDK for iOS takes other values as Objective-C does: a number in a text, an empty object for no buttons.",
      [
        oneSignalApple(mutable(["custom": ["i": "n", "badge_inc": "2"]]), "shown", drawn: ["badge.add=2"]),
        oneSignalApple(mutable(["custom": ["i": "n", "badge_inc": true]]), "shown", said: "warning key-type"),
        oneSignalApple(mutable(["buttons": [:]]), "shown", said: "warning key-type"),
        oneSignalApple(mutable(["buttons": []]), "shown"),
        oneSignalApple(mutable(["os_data": ["i": "n", "buttons": 5]]), "shown", said: "warning key-type"),
        oneSignalApple(
          mutable(["buttons": [["n": "Yes", "icon_type": 1]]]), "shown", said: "warning key-type",
          drawn: ["buttons.0.label=Yes"]),
        oneSignalApple(mutable(["custom": ["i": "n", "a": "t"]]), "shown", said: "warning key-type"),
        oneSignalApple(["aps": ["alert": "Hi"], "custom": ["i": 5]], "shown", said: "warning key-type"),
      ]),
    SDKFact(
      "OneSignal", "In the app such a value ends the SDK before it shows what is minified.",
      [
        minified(["o": ["a"]], "nothing: ends on o[0]"), minified(["b": [:]], "nothing: ends on b"),
        minified(["custom": ["i": 5]], "shown", said: "warning key-type"),
        oneSignalApple(
          ["aps": ["content-available": 1], "os_data": ["i": "n", "buttons": ["m": "Hi", "o": 5]]],
          "nothing: ends on os_data.buttons.o", said: "error device-shows-nothing"),
      ], vectors: ["onesignal/read-ios-minified-buttons-text"]),
    SDKFact(
      "OneSignal",
      "In the notification that the SDK for iOS makes of a minified payload there is nothing of `aps`: no thread, category, "
        + "interruption level and collapse id. Without `s` it has the default sound, and with `b` 0 it leaves the badge alone.",
      [
        minified(
          [
            "aps": [
              "content-available": 1, "thread-id": "t", "category": "c", "interruption-level": "passive",
              "sound": ["critical": 1, "name": "a.wav"],
            ], "custom": ["i": "n", "collapse_id": "k"], "b": 0,
          ], "shown", said: nil,
          drawn: [
            "group=-", "category=-", "interruption_level=-", "critical=-", "replaces=-", "badge=-", "sound=default",
          ]),
        minified(["s": "a.wav", "b": 3], "shown", said: nil, drawn: ["sound=a.wav", "badge.set=3"]),
        minified(["s": ""], "shown", said: nil, drawn: ["sound=default"]),
        minified(["b": "3"], "shown", said: nil, drawn: ["badge.set=3"]),
        minified(["b": 2.5], "shown", said: nil, drawn: ["badge.set=2"]),
        minified(
          ["o": [["n": "Yes"]], "aps": ["content-available": 1, "category": "c"]], "shown", said: nil,
          drawn: ["buttons.0.label=Yes"]),
        minified(
          ["aps": ["badge": 4, "sound": "a.wav"], "b": 3], "silent: the badge changes",
          said: "warning onesignal-minified-not-shown", drawn: ["badge.set=4", "sound=a.wav"]),
      ],
      vectors: ["onesignal/mistyped-ios-original-minified-b", "onesignal/mistyped-ios-new-minified-os-data-buttons-b"]),
    SDKFact(
      "OneSignal", "iOS draws the first ten buttons.",
      [
        oneSignalApple(
          mutable(["buttons": buttons(12)]), "fallback: the first 10 of 12 buttons", said: "warning device-fallback",
          drawn: ["buttons.9.label=Yes", "buttons.10=-"]),
        oneSignalApple(mutable(["buttons": buttons(10)]), "shown", drawn: ["buttons.9.label=Yes"]),
      ], vectors: ["onesignal/read-ios-buttons-eleven"]),
    SDKFact(
      "OneSignal", "On iOS a notification of the level `passive` plays no sound.",
      [
        oneSignalApple(
          ["aps": ["alert": "Hi", "sound": "a.wav", "interruption-level": "passive"], "custom": ["i": "n"]], "shown",
          drawn: ["sound=-", "interruption_level=passive"])
      ]),
    SDKFact(
      "OneSignal",
      "From version 8 on Android plays the sound of the channel: without `chnl` that of the SDK's own, which is the default; with "
        + "`oth_chnl` that of the app's.",
      [
        sound("s", [:], "Android's default sound", drawn: "default"),
        sound("nil", [:], "Android's default sound", drawn: "default"),
        sound("s", ["pri": "1"], "Android's default sound", drawn: "default"),
        sound("s", ["oth_chnl": "own", "chnl": #"{"id":"c"}"#], "the channel in oth_chnl", drawn: "-"),
        sound("s", ["oth_chnl": "", "chnl": #"{"id":"c"}"#], drawn: "s"), sound("", [:], drawn: "-"),
      ], vectors: ["onesignal/read-android-sound", "onesignal/read-android-sound-nil", "onesignal/write-sound-channel"]),
    SDKFact(
      "OneSignal", "All that is lost is said, where buttons without a label are not all of it.",
      [
        both(
          shown(["o": #"[{"i":"1"}]"#, "sound": "s", "sicon": "a.png"], "fallback: Android's default sound")),
        both(
          oneSignalApple(
            ["aps": ["alert": "Hi"], "custom": ["i": "n"], "buttons": [["n": "a"], ["i": "x"]]],
            "fallback: needs mutable-content 1")),
        both(
          oneSignalApple(mutable(["buttons": [["i": "x"]], "att": ["a": 5]]), "fallback: an attachment in att")),
        both(
          oneSignalApple(
            mutable(["buttons": [["i": "x"]], "att": ["a": "ftp://e.com/a"]]), "fallback: without the attachment a")),
        oneSignalApple(
          mutable(["buttons": [["i": "x"]]]), "fallback: no label", said: "warning onesignal-button-dropped"),
      ], vectors: ["onesignal/read-android-losses"]),
    SDKFact(
      "OneSignal", "On iOS a sound of a type that iOS does not play is the default one.",
      [
        oneSignalApple(
          ["aps": ["alert": "Hi", "sound": "x.mp3"], "custom": ["i": "n"]], "shown", drawn: ["sound=default"])
      ]),
    SDKFact(
      "OneSignal",
      "On Android a sound or a small icon is the name of one of the app's resources, without an extension.",
      [
        sound(
          "s.wav", ["chnl": #"{"id":"c"}"#], "onesignal_default_sound, or Android's default sound", drawn: "default"),
        sound("https://e.com/s", ["chnl": #"{"id":"c"}"#], "Android's default sound", drawn: "default"),
        sound("raw/s", ["chnl": #"{"id":"c"}"#], drawn: "raw/s"),
        icon("ic.png"), icon("https://e.com/icon"), shown(["sicon": " ic "], drawn: ["small_icon= ic "]),
      ], vectors: ["onesignal/read-android-icon-address", "onesignal/write-sound-extension"]),
    SDKFact(
      "OneSignal",
      "The accent color is read from any number of hexadecimal digits, and drawn without its opacity; of another text the app's "
        + "default is drawn. The light's color has eight.",
      [
        shown(["bgac": "red"], said: "warning onesignal-color", drawn: ["colors=-"]),
        shown(["bgac": "#FF3366"], said: "warning onesignal-color", drawn: ["colors=-"]),
        shown(["bgac": "FF0000"], drawn: ["colors.accent=#FF0000"]),
        shown(["bgac": "003366FF"], drawn: ["colors.accent=#3366FF"]),
        shown(["bgac": "F"], drawn: ["colors.accent=#00000F"]),
        shown(["ledc": "#FF0000"], said: "warning onesignal-color"), shown(["bgac": "FF3700B3"]),
      ], vectors: ["onesignal/read-android-color"]),
  ]

  private static func ends(_ members: JSONObject, _ value: String, drawn: [String] = []) -> Case {
    oneSignalApple(
      mutable(members), "fallback: ends on \(value)", said: "warning device-fallback", drawn: ["body.text=Hi"] + drawn)
  }

  /// A case of which the loss is said beside the reader's own finding.
  private static func both(_ row: Case) -> Case {
    var row = row
    row.said = "warning device-fallback"
    return row
  }

  private static func buttons(_ count: Int) -> JSONValue { .array(Array(repeating: ["n": "Yes"], count: count)) }

  private static func minified(
    _ members: JSONObject, _ expected: String, said: String? = "error device-shows-nothing", drawn: [String] = []
  ) -> Case {
    var payload: JSONObject = ["aps": ["content-available": 1], "custom": ["i": "n"], "m": "Hi", "o": []]
    for (key, value) in members { payload[key] = value }
    return oneSignalApple(.object(payload), expected, said: said, drawn: drawn)
  }

  private static func sound(_ name: String, _ members: JSONObject, _ reason: String? = nil, drawn: String) -> Case {
    var members = members
    members["sound"] = .string(name)
    guard let reason else { return shown(members, drawn: ["sound=\(drawn)"]) }
    return shown(members, "fallback: " + reason, said: "warning device-fallback", drawn: ["sound=\(drawn)"])
  }

  private static func icon(_ name: String) -> Case {
    shown(["sicon": .string(name)], "fallback: small icon", said: "warning device-fallback", drawn: ["small_icon=-"])
  }
}
