import PushContracts
import PushPayload
import WireJSON

/// What Firebase's clients leave out of what they draw, and what they take for no message.
extension SDKFact {
  private static let android = "Firebase, Android"
  private static let apple = "Firebase, iOS"

  static let firebaseLosses: [SDKFact] = [
    SDKFact(
      android,
      "What has a `message_type` other than `gcm` is no message: the client calls the app for `deleted_messages`, "
        + "`send_event` and `send_error`, and drops any other.",
      [
        Case(
          contract: .native, platform: .android,
          payload: ["message_type": "deleted_messages", "from": "1", "total_deleted": "3"],
          expected: "silent: onDeletedMessages", said: "warning fixed-value"),
        drawn(["message_type": "send_event"], "silent: onMessageSent", said: "warning fixed-value", ["title=-"]),
        drawn(["message_type": "send_error"], "silent: onSendError", said: "warning fixed-value", ["title=-"]),
        drawn(["message_type": "other"], "nothing: drops", said: "error device-shows-nothing", ["title=-"]),
        drawn(["message_type": "gcm"], "shown", ["title.text=T"]),
        Case(
          contract: .onesignal, platform: .android,
          payload: ["message_type": "other", "custom": #"{"i":"n"}"#, "alert": "Hi"], expected: "nothing: drops",
          said: "error device-shows-nothing"),
      ], vectors: ["native/read-fcm-flat-deleted", "native/read-fcm-flat-type-unknown"]),
    SDKFact(
      android, "The client draws no picture from an `image` that is no URL; white space around one does not count.",
      [
        drawn(["gcm.n.image": "nope"], "shown", said: ignored, ["image=-"]),
        drawn(["gcm.n.image": " HTTPS://e.com/a.png"], "shown", ["image= HTTPS://e.com/a.png"]),
        Case(
          contract: .native, platform: .android,
          payload: ["messageId": "1", "notification": ["title": "T", "image": "nope"]], expected: "shown",
          said: ignored, drawn: ["image=-"]),
      ], vectors: ["native/read-fcm-flat-image"]),
    SDKFact(
      android,
      "The client leaves out a number, a list or a color that it cannot read: each of the keys `notification_count`, "
        + "`notification_priority`, `visibility`, `event_time`, `vibrate_timings`, `light_settings` and `color`.",
      [
        drawn(["gcm.n.notification_count": "-1"], "shown", said: ignored, ["badge=-"]),
        drawn(["gcm.n.notification_count": "0"], "shown", ["badge.set=0"]),
        drawn(["gcm.n.notification_count": "x"], "shown", said: ignored),
        drawn(["gcm.n.notification_count": "2147483648"], "shown", said: ignored, ["badge=-"]),
        drawn(["gcm.n.notification_priority": "3"], "shown", said: ignored),
        drawn(["gcm.n.notification_priority": "2"], "shown"),
        drawn(["gcm.n.visibility": "2"], "shown", said: ignored), drawn(["gcm.n.visibility": "-1"], "shown"),
        drawn(["gcm.n.event_time": "x"], "shown", said: ignored),
        drawn(["gcm.n.event_time": "1700000000000"], "shown"),
        drawn(["gcm.n.vibrate_timings": "x"], "shown", said: ignored),
        drawn(["gcm.n.vibrate_timings": #"["100"]"#], "shown", said: ignored),
        drawn(["gcm.n.vibrate_timings": "[0,100]"], "shown"),
        drawn(["gcm.n.light_settings": #"["a","b","c"]"#], "shown", said: ignored),
        drawn(["gcm.n.light_settings": ##"["#FF000000","1","1"]"##], "shown", said: ignored),
        drawn(["gcm.n.light_settings": ##"["#FFFF0000","1"]"##], "shown", said: ignored),
        drawn(["gcm.n.light_settings": ##"["#FFFF0000","1","1"]"##], "shown"),
        drawn(["gcm.n.color": "zzz"], "shown", said: ignored), drawn(["gcm.n.color": "#12345"], "shown", said: ignored),
        drawn(["gcm.n.color": "#123456"], "shown"),
        drawn(["gcm.n.color": ""], "shown"),
        drawn(["gcm.n.sticky": "x"], "shown", said: ignored, ["sticky=-"]),
        drawn(["gcm.n.sticky": "TRUE", "gcm.n.local_only": "0"], "shown", ["sticky=true"]),
        drawn(["gcm.n.default_sound": "yes"], "shown", said: ignored, ["sound=-"]),
        drawn(["gcm.n.default_sound": "False"], "shown", ["sound=-"]),
      ], vectors: ["native/read-fcm-flat-ignored", "native/read-fcm-flat-ignored-booleans"]),
    SDKFact(
      android, "A color is six or eight hexadecimal digits behind “#”, or one of Android's names, in any letter case.",
      [
        drawn(["gcm.n.color": "red"], "shown", ["colors.accent=#FF0000"]),
        drawn(["gcm.n.color": "Teal"], "shown", ["colors.accent=#008080"]),
        drawn(["gcm.n.color": "#80112233"], "shown", ["colors.accent=#112233"]),
        drawn(["gcm.n.color": "112233"], "shown", said: ignored, ["colors=-"]),
        drawn(["gcm.n.light_settings": #"["BLACK",1,1]"#], "shown", said: ignored),
        drawn(["gcm.n.light_settings": ##"["#00000000",1,1]"##], "shown"),
      ]),
    SDKFact(
      android,
      "The client ends with an exception at `light_settings` whose color is the empty text, before it shows anything: Android's parser "
        + "throws something else than for a text that is no color.",
      [
        drawn(["gcm.n.light_settings": #"["","1","1"]"#], "nothing: empty color", said: ending, ["title=-"]),
        drawn(["gcm.notification.light_settings": "['',1,1]"], "nothing: empty color", said: ending),
        drawn(["gcm.n.light_settings": #"["","1"]"#], "shown", said: ignored),
        drawn(["gcm.n.light_settings": "[null,1,1]"], "shown", said: ignored),
        drawn(["gcm.n.light_settings": ##"["#",1,1]"##], "shown", said: ignored),
        drawn(["gcm.n.light_settings": ""], "shown"),
        drawn(
          ["gcm.n.light_settings": #"["",1,1]"#, "gcm.n.noui": "1"], "silent: analytics alone",
          said: "warning fixed-value"),
        drawn(
          ["gcm.n.light_settings": #"["",1,1]"#, "message_type": "other"], "nothing: drops",
          said: "error device-shows-nothing"),
        drawn(
          ["gcm.n.noui": "1", "message_type": "other"], "nothing: drops", said: "error device-shows-nothing"),
      ], vectors: ["native/read-fcm-flat-light-empty"]),
    SDKFact(
      android,
      "An icon and a sound are names of the app's resources: of an address, or of a name with an extension, the app's own icon is "
        + "drawn and the default sound is played.",
      ["ic.png", "https://e.com/icon", "drawable/ic.png", "drawable/"].flatMap { (name: JSONValue) in
        [
          drawn(["gcm.n.icon": name], "shown", said: ignored, ["small_icon=-"]),
          drawn(["gcm.n.sound2": name], "shown", said: ignored, ["sound=default"]),
        ]
      } + [
        drawn(["gcm.n.icon": "drawable/ic", "gcm.n.sound": "s"], "shown", ["small_icon=drawable/ic", "sound=s"]),
        drawn(["gcm.n.icon": "ic"], "shown", ["small_icon=ic"]),
        Case(
          contract: .native, platform: .android,
          payload: ["message": ["token": "t", "android": ["notification": ["title": "T", "icon": "ic.png"]]]],
          expected: "shown", said: ignored, drawn: ["small_icon=-"]),
      ], vectors: ["native/read-fcm-icon"]),
    SDKFact(
      android, "Numbers are read as Java reads them: a sign, and the decimal digits of any script.",
      [
        drawn(["gcm.n.notification_count": "+5"], "shown", ["badge.set=5"]),
        drawn(["gcm.n.notification_count": "\u{663}"], "shown", ["badge.set=3"]),
        drawn(["gcm.n.notification_count": "5 "], "shown", said: ignored, ["badge=-"]),
        drawn(["gcm.n.notification_priority": "\u{FF12}"], "shown", ["priority=2"]),
        drawn(["gcm.n.visibility": "-\u{967}"], "shown", ["visibility=-1"]),
        drawn(["gcm.n.event_time": "\u{661}"], "shown"),
      ], vectors: ["native/read-fcm-flat-digits"]),
    SDKFact(
      android,
      "The arguments of a text are read by `org.json`, each as its text; a separator at the end makes an empty one more.",
      vectors: ["native/read-fcm-flat-arguments"]),
    SDKFact(
      apple,
      "The service extension adds the picture of `fcm_options.image`, which iOS calls only with `mutable-content` 1. It loads "
        + "nothing from what is no web address, and ends where the image is no text or `fcm_options` no object.",
      [
        onApple(["image": "https://e.com/a.png"], "shown", drawn: ["image=https://e.com/a.png"]),
        onApple(
          ["image": "https://e.com/a.png"], aps: ["alert": "Hi"], "fallback: needs mutable-content 1",
          drawn: ["image=-"]),
        onApple(["image": "a invalid URL"], "fallback: no web address", drawn: ["image=-"]),
        onApple(["image": ""], "fallback: no web address", drawn: ["image=-"]),
        onApple(["image": 5], "fallback: extension ends"), onApple("x", "fallback: extension ends"),
        onApple(["image": 5], aps: ["alert": "Hi"], "fallback: no web address"),
        onApple("x", aps: ["alert": "Hi"], "shown"), onApple(["image": nil], "shown"),
      ], vectors: ["native/read-ios-image-not-mutable", "native/read-ios-image-invalid"]),
  ]

  private static let ignored = "warning fcm-value-ignored"
  private static let ending = "error device-shows-nothing"

  private static func drawn(
    _ members: JSONObject, _ expected: String, said: String? = nil, _ drawn: [String] = []
  ) -> Case {
    var payload: JSONObject = ["gcm.n.e": "1", "gcm.n.title": "T"]
    for (key, value) in members { payload[key] = value }
    return Case(
      contract: .native, platform: .android, payload: .object(payload), expected: expected, said: said, drawn: drawn)
  }

  private static func onApple(
    _ options: JSONValue, aps: JSONValue = ["alert": "Hi", "mutable-content": 1], _ expected: String,
    drawn: [String] = []
  ) -> Case {
    Case(
      contract: .native, platform: .ios, payload: ["aps": aps, "fcm_options": options], expected: expected,
      said: expected == "shown" ? nil : "warning device-fallback", drawn: drawn)
  }
}
