import PushContracts
import PushPayload
import WireJSON

/// OneSignal's SDKs, PowerAuth's server, and what APNs and iOS do.
extension SDKFact {
  // MARK: OneSignal

  static let oneSignal: [SDKFact] = [
    SDKFact(
      "OneSignal", "A minified payload of the new format without `o` has an empty list of buttons.",
      [
        Case(
          contract: .onesignal, platform: .ios,
          payload: ["aps": ["content-available": 1], "os_data": ["i": "n", "buttons": ["m": "Hi"]]],
          expected: "shown", drawn: ["body.text=Hi", "buttons=-"])
      ], vectors: ["onesignal/read-ios-new-minified-no-buttons"]),
    SDKFact(
      "OneSignal",
      "On iOS a minified payload is shown by the app, which `content-available` 1 must wake; `mutable-content` does not count, "
        + "as without an alert no service extension is called.",
      [
        apple(
          ["os_data": ["i": "n", "buttons": minified]], aps: ["content-available": 1], "shown",
          drawn: ["body.text=Hi", "buttons.0.label=Yes", "image=https://example.com/i.png"]),
        apple(
          minified, aps: ["content-available": true], "shown",
          drawn: ["body.text=Hi", "buttons.0.label=Yes", "image=https://example.com/i.png"]),
        apple(
          minified, aps: ["mutable-content": 1], "silent: only while the app is open",
          said: "warning onesignal-minified-not-shown"),
        apple(
          ["os_data": ["i": "n", "buttons": minified]], aps: ["mutable-content": 1, "badge": 1],
          "silent: the badge changes", said: "warning onesignal-minified-not-shown"),
      ],
      vectors: ["onesignal/read-ios-new-minified-asleep", "onesignal/read-ios-original-minified-shown"]),
    SDKFact(
      "OneSignal", "`m` at the root is shown only beside `at` or `o`; `os_data.buttons` that is an object is enough.",
      [
        apple(
          ["m": "Hi"], aps: ["content-available": 1], "silent: the app is woken",
          said: "warning onesignal-minified-not-shown"),
        apple(["m": "Hi"], aps: [:], "nothing: there is no text", said: "warning onesignal-minified-not-shown"),
        apple(["m": "Hi", "o": []], aps: ["content-available": 1], "shown", drawn: ["body.text=Hi", "buttons=-"]),
        apple(
          ["m": ["title": "T"], "at": ["a": "x.png"]], aps: ["content-available": 1], "shown", drawn: ["title.text=T"]),
      ], vectors: ["onesignal/read-ios-original-minified-not-rich"]),
    SDKFact(
      "OneSignal",
      "Beside an alert the service extension adds the buttons and attachments, which iOS calls only with `mutable-content` 1.",
      [
        apple(
          appended, aps: ["alert": "Hi", "mutable-content": 1], "shown",
          drawn: ["buttons.0.label=Yes", "image=https://example.com/i.png"]),
        apple(
          appended, aps: ["alert": "Hi"], "fallback: without buttons and attachments", said: "warning device-fallback",
          drawn: ["body.text=Hi", "buttons=-", "image=-"]),
        apple(
          ["os_data": ["i": "n", "att": ["a": "https://example.com/i.png"]]], aps: ["alert": "Hi"],
          "fallback: without buttons and attachments", said: "warning device-fallback", drawn: ["image=-"]),
        apple(
          appended, aps: ["alert": "Hi", "mutable-content": true], "shown",
          drawn: ["buttons.0.label=Yes", "image=https://example.com/i.png"]),
        apple([:], aps: ["alert": "Hi"], "shown"),
      ], vectors: ["onesignal/read-ios-buttons-not-mutable"]),
    SDKFact(
      "OneSignal", "The sender's own category replaces the one of the SDK with its buttons; an empty one does not.",
      [
        apple(
          ["buttons": [["n": "Yes"]]], aps: ["alert": "Hi", "mutable-content": 1, "category": "c"],
          "fallback: the buttons of its category", said: "warning device-fallback", drawn: ["buttons=-"]),
        apple(
          ["buttons": [["n": "Yes"]]], aps: ["alert": "Hi", "mutable-content": 1, "category": ""], "shown",
          drawn: ["buttons.0.label=Yes"]),
      ], vectors: ["onesignal/behavior-category-own"]),
    SDKFact(
      "OneSignal", "The service extension adds `badge_inc` to the badge, a number or one at the beginning of a text.",
      [
        apple(
          ["custom": ["i": "n", "badge_inc": 2]], aps: ["alert": "Hi", "mutable-content": 1], "shown",
          drawn: ["badge.add=2"]),
        apple(
          ["custom": ["i": "n", "badge_inc": "2"]], aps: ["alert": "Hi", "mutable-content": 1], "shown",
          drawn: ["badge.add=2"]),
        apple(
          ["custom": ["i": "n", "badge_inc": 1.5]], aps: ["alert": "Hi", "mutable-content": 1], "shown",
          drawn: ["badge.add=1"]),
        apple(
          ["custom": ["i": "n", "badge_inc": 2]], aps: ["alert": "Hi"], "fallback: without badge_inc",
          said: "warning device-fallback", drawn: ["badge=-"]),
      ], vectors: ["onesignal/mistyped-ios-original-custom-badge-inc", "onesignal/behavior-badge-increment"]),
    SDKFact(
      "OneSignal", "In what an Android app is handed, a text with the name `message` is data as every other.",
      [
        Case(
          contract: .onesignal, platform: .android,
          payload: ["message": "x", "custom": #"{"i":"n"}"#, "alert": "Hi"], expected: "shown",
          drawn: ["body.text=Hi", "identifier=n"])
      ], vectors: ["onesignal/read-android-alert"]),
    SDKFact(
      "OneSignal",
      "On Android the SDK takes a message with `custom.i` before Firebase's client, which then draws no notification block.",
      [
        Case(
          contract: .onesignal, platform: .android,
          payload: [
            "message": [
              "token": "t", "notification": ["title": "Block"], "data": ["custom": #"{"i":"n"}"#, "alert": "Hi"],
            ]
          ], expected: "fallback: before Firebase draws the block", said: "warning device-fallback",
          drawn: ["body.text=Hi", "title=-"]),
        Case(
          contract: .onesignal, platform: .android,
          payload: [
            "message": ["token": "t", "notification": ["title": "Block"], "data": ["custom": #"{"i":"n"}"#]]
          ], expected: "nothing: alert", said: "error device-shows-nothing"),
        Case(
          contract: .onesignal, platform: .android,
          payload: ["message": ["token": "t", "notification": ["title": "Block"], "data": ["alert": "Hi"]]],
          expected: "shown", said: "warning onesignal-id-missing", drawn: ["title.text=Block", "body=-"]),
      ], vectors: ["onesignal/read-block-beside", "onesignal/read-android-notification-block"]),
    SDKFact(
      "OneSignal", "A file of the app is attached when its name has an extension.",
      [
        apple(
          ["att": ["a": "picture.png"]], aps: ["alert": "Hi", "mutable-content": 1], "shown",
          drawn: ["image=picture.png"]),
        apple(
          ["att": ["a": "picture"]], aps: ["alert": "Hi", "mutable-content": 1],
          "fallback: without the attachment a", said: "warning device-fallback", drawn: ["image=-"]),
      ], vectors: ["onesignal/read-ios-attachments-local"]),
    SDKFact(
      "OneSignal",
      "`os_data.buttons` that is an array without `aps.alert` ends the SDK for iOS; it is read, with a warning.",
      [
        apple(
          ["os_data": ["i": "n", "buttons": [["n": "Yes"]]]], aps: ["content-available": 1], "silent: the app is woken",
          said: "warning onesignal-buttons-crash"),
        apple(
          ["os_data": ["i": "n", "buttons": [["n": "Yes"]]]], aps: [:], "nothing: there is no text",
          said: "warning onesignal-buttons-crash"),
        apple(
          ["os_data": ["i": "n", "buttons": [["n": "Yes"]]]], aps: ["alert": "Hi", "mutable-content": 1], "shown",
          drawn: ["buttons.0.label=Yes"]),
      ],
      vectors: ["onesignal/read-ios-new-buttons-array-crash"]),
    SDKFact(
      "OneSignal", "On Android `o` without `custom.a` gives empty additional data.",
      [android([:], ["o": #"[{"n":"A","i":"a"}]"#], "shown", drawn: ["buttons.0.label=A"])],
      vectors: ["onesignal/read-android-o-without-data"]),
    SDKFact(
      "OneSignal", "A button of `custom.a.actionButtons` without an id has the id null, and not its text.",
      [
        android(
          ["a": ["actionButtons": [["text": "A"]]]], [:], "shown", drawn: ["buttons.0.label=A"])
      ], vectors: ["onesignal/read-android-buttons-in-data-without-id"]),
    SDKFact(
      "OneSignal", "`i` that is a number is read as its text.",
      [android(["i": 7], [:], "shown", drawn: ["identifier=7", "body.text=Hi"])],
      vectors: ["onesignal/read-android-custom-i-number"]),
    SDKFact(
      "OneSignal", "`custom` is read by Android's `org.json`, with single quotes and text after the value.",
      [
        Case(
          contract: .onesignal, platform: .android,
          payload: ["message": ["token": "t", "data": ["custom": "{'i':'n'} and more", "alert": "Hi"]]],
          expected: "shown", said: "warning onesignal-custom-nonstandard", drawn: ["identifier=n"])
      ], vectors: ["onesignal/read-android-custom-nonstandard", "onesignal/read-android-o-nonstandard"]),
    SDKFact(
      "OneSignal", "A button of `o` without `n` costs all of them; one without `i` gets its text for an id.",
      [
        android(
          [:], ["o": #"[{"n":"A"},{"i":"b"}]"#], "fallback: without buttons", said: "warning onesignal-buttons-aborted",
          drawn: ["buttons=-"]),
        android([:], ["o": #"[{"n":"A"}]"#], "shown", drawn: ["buttons.0.id=A"]),
      ]),
    SDKFact(
      "OneSignal",
      "On Android the SDK makes a channel of `chnl` with the importance of `pri`, and Android blocks one without importance; a "
        + "channel of the app, or of the SDK where `chnl` cannot be read, comes first.",
      [
        android(
          [:], ["chnl": #"{"id":"c"}"#, "pri": "0"], "nothing: blocks such a channel",
          said: "error device-shows-nothing"),
        android(
          [:], ["chnl": #"{"id":"c"}"#, "pri": "-1"], "nothing: blocks such a channel",
          said: "error device-shows-nothing"),
        android([:], ["chnl": #"{"id":"c"}"#, "pri": "2"], "shown", drawn: ["channel=c"]),
        android([:], ["chnl": #"{"id":"c"}"#], "shown"),
        android([:], ["pri": "0"], "shown"),
        android([:], ["chnl": #"{"id":"c"}"#, "oth_chnl": "own", "pri": "0"], "shown", drawn: ["channel=own"]),
        android([:], ["chnl": #"{"id":"c","langs":[]}"#, "pri": "0"], "shown", said: "warning key-type"),
      ], vectors: ["onesignal/read-android-channel-blocked"]),
    SDKFact(
      "OneSignal", "Android draws the first three buttons, and no `bg_img` from Android 12 on.",
      [
        android(
          [:], ["o": #"[{"n":"A"},{"n":"B"},{"n":"C"},{"n":"D"}]"#], "fallback: first 3 of its 4 buttons",
          said: "warning device-fallback", drawn: ["buttons.2.label=C", "buttons.3.label=-"]),
        android(
          [:], ["bg_img": #"{"img":"https://e.com/a.png","tc":"FF0000FF"}"#], "fallback: background picture",
          said: "warning device-fallback", drawn: ["colors=-"]),
        android([:], ["bg_img": #"{"tc":"FF0000FF"}"#], "shown", drawn: ["colors=-"]),
      ], vectors: ["onesignal/read-android-buttons-four", "onesignal/read-android-bg-img"]),
    SDKFact(
      "OneSignal", "Nothing is shown without a text in `alert`.",
      [
        android([:], ["alert": ""], "nothing: no alert text", said: "error device-shows-nothing"),
        android([:], ["alert": nil, "title": "T"], "nothing: no alert text", said: "error device-shows-nothing"),
        android(["a": ["k": 1]], ["alert": nil], "silent: the app gets the data"),
      ]),
  ]

  private static let minified: JSONValue = [
    "m": "Hi", "o": [["n": "Yes", "i": "y"]], "at": ["a": "https://example.com/i.png"],
  ]
  private static let appended: JSONValue = [
    "buttons": [["n": "Yes", "i": "y"]], "att": ["a": "https://example.com/i.png"],
  ]

  private static func apple(
    _ members: JSONValue, aps: JSONValue, _ expected: String, said: String? = nil, drawn: [String] = []
  ) -> Case {
    var payload = members.object ?? [:]
    payload["aps"] = aps
    if payload["os_data"] == nil, payload["custom"] == nil { payload["custom"] = ["i": "n"] }
    return Case(
      contract: .onesignal, platform: .ios, payload: .object(payload), expected: expected, said: said, drawn: drawn)
  }

  private static func android(
    _ custom: [String: JSONValue], _ changes: [String: JSONValue?], _ expected: String, said: String? = nil,
    drawn: [String] = []
  ) -> Case {
    var object: JSONObject = ["i": "n"]
    for (key, value) in custom { object[key] = value }
    var data: JSONObject = ["custom": .string(JSON.minifiedText(.object(object))), "alert": "Hi"]
    for (key, value) in changes { data.change(key, value) }
    return Case(
      contract: .onesignal, platform: .android, payload: ["message": ["token": "t", "data": .object(data)]],
      expected: expected, said: said, drawn: drawn)
  }

  // MARK: PowerAuth

  private static let ordered: JSONValue = [
    "title": "T", "titleLocKey": "TK", "body": "B", "bodyLocKey": "BK", "badge": 3,
  ]

  static let powerAuth: [SDKFact] = [
    SDKFact(
      "PowerAuth",
      "The server writes badge before alert, and in the alert loc-key, body, title and title-loc-key: the option "
        + "`server-order` follows, the default keeps the contract's own order.",
      written: [
        Written(
          contract: .powerauth, platform: .ios, message: ordered, options: ["server-order"],
          bytes: #"{"aps":{"badge":3,"alert":{"loc-key":"BK","body":"B","title":"T","title-loc-key":"TK"}}}"#),
        Written(
          contract: .powerauth, platform: .ios, message: ordered,
          bytes:
            #"{"aps":{"alert":{"title":"T","title-loc-key":"TK","body":"B","loc-key":"BK"},"badge":3}}"#),
        Written(
          contract: .powerauth, platform: .ios,
          message: ["silent": true, "collapseKey": "c", "extras": ["k": "v"]], options: ["server-order"],
          bytes: #"{"aps":{"content-available":1,"thread-id":"c"},"k":"v"}"#, collapseID: "c"),
      ],
      vectors: ["powerauth/server-order", "powerauth/server-order-args", "powerauth/server-order-silent"]),
    SDKFact(
      "PowerAuth",
      "With nothing to show the server sends an empty `aps`, of which no device makes anything: Postrider refuses the "
        + "message.",
      [
        Case(
          contract: .powerauth, platform: .ios, payload: ["aps": [:]], expected: "nothing",
          said: "error device-shows-nothing")
      ],
      written: [
        Written(contract: .powerauth, platform: .ios, message: [:], bytes: nil, said: "error message-empty"),
        Written(
          contract: .powerauth, platform: .ios, message: ["collapseKey": "c"], bytes: nil,
          said: "error device-shows-nothing"),
      ], vectors: ["powerauth/empty", "powerauth/attributes-alone"]),
    SDKFact(
      "PowerAuth", "The server sends the header of an empty `collapseKey`; Postrider leaves it out and says so.",
      written: [
        Written(
          contract: .powerauth, platform: .ios, message: ["body": "b", "collapseKey": ""],
          bytes: #"{"aps":{"alert":{"body":"b"},"thread-id":""}}"#, said: "warning powerauth-collapse-empty")
      ],
      vectors: ["powerauth/collapse-empty"]),
    SDKFact(
      "PowerAuth", "Newer servers write `message.apns`, which reaches Apple devices and not Android.",
      [
        Case(
          contract: .powerauth, platform: .android,
          payload: ["message": ["token": "t", "apns": ["payload": ["aps": ["alert": "Hi"]]]]],
          expected: "silent: for browsers or Apple devices")
      ],
      vectors: [
        "powerauth/fcm-apns", "powerauth/fcm-apns-badge", "powerauth/fcm-apns-silent", "powerauth/read-android-apns",
      ]),
    SDKFact(
      "PowerAuth", "Newer servers write data-only messages, with the notification as the text of `_notification`.",
      [
        Case(
          contract: .powerauth, platform: .android,
          payload: ["message": ["token": "t", "data": ["_notification": #"{"title":"T"}"#]]],
          expected: "silent: a data message")
      ],
      vectors: [
        "powerauth/fcm-data-only", "powerauth/fcm-data-only-extras", "powerauth/fcm-data-only-silent",
        "powerauth/read-android-data-only",
      ]),
    SDKFact(
      "PowerAuth",
      "The server's `_notification` replaces one of the extras, and its library refuses a name in `aps` twice: Postrider refuses "
        + "such extras.",
      vectors: ["powerauth/extras-taken-data-only", "powerauth/extras-taken-apns", "powerauth/extras-badge-apns"]),
    SDKFact(
      "PowerAuth",
      "A request of its REST interface given as a message is recognized and refused, and so is a message with its `attributes`.",
      written: [
        Written(
          contract: .powerauth, platform: .ios, message: ["requestObject": ["message": ["body": ["title": "T"]]]],
          bytes: nil, said: "error message-unrecognized"),
        Written(
          contract: .powerauth, platform: .android, message: ["attributes": ["silent": true], "extras": ["k": "v"]],
          bytes: nil, said: "error message-unrecognized"),
      ],
      vectors: ["powerauth/rest-envelope"],
      tests: ["PushContractsTests/DeviceModelTests.aDocumentThatIsNoMessageIsNamed"]),
    SDKFact(
      "PowerAuth", "A message with nothing to show or carry is an error, unless it says that it is silent.",
      written: [
        Written(
          contract: .powerauth, platform: .ios, message: ["silent": true], bytes: #"{"aps":{"content-available":1}}"#),
        Written(
          contract: .powerauth, platform: .android, message: ["silent": true], bytes: nil,
          said: "error device-shows-nothing"),
      ], vectors: ["powerauth/silent-alone", "powerauth/silent-alone-android"],
      tests: ["PushContractsTests/EmptyPushTests.anEmptyPushIsNotWritten"]),
  ]

  // MARK: Firebase

  private static let firebase = "Firebase, Android"

  static let received: [SDKFact] = [
    SDKFact(
      firebase,
      "A flat map is a notification only with `gcm.n.e` (or the older `gcm.notification.e`) that is the text 1; without it "
        + "the app gets the data alone, and no key that begins with `gcm.`.",
      [
        flat(["gcm.n.e": "1", "gcm.n.title": "T"], "shown", drawn: ["title.text=T"]),
        flat(["gcm.notification.e": "1", "gcm.notification.title": "T"], "shown", drawn: ["title.text=T"]),
        flat(["gcm.notification.e": "1", "gcm.n.body": "B"], "shown", drawn: ["body.text=B"]),
        flat(["gcm.n.title": "T", "k": "v"], "silent: data message", said: "warning fixed-value", drawn: ["title=-"]),
        flat(
          ["gcm.n.e": "0", "gcm.n.title": "T", "k": "v"], "silent: data message", said: "warning fixed-value",
          drawn: ["title=-"]),
        flat(["gcm.n.e": "true", "gcm.n.title": "T"], "nothing: neither a notification", said: "warning fixed-value"),
      ],
      vectors: [
        "native/read-fcm-flat-unmarked", "native/read-fcm-flat-unmarked-old", "amba/read-android-flat-old-prefix",
      ]),
    SDKFact(
      firebase,
      "A key with the new prefix, `gcm.n.`, is read in place of that with the old one, `gcm.notification.`, also when its "
        + "text is empty; `sound2` is read in place of `sound`, unless its text is empty.",
      [
        flat(
          ["gcm.n.e": "1", "gcm.n.title": "", "gcm.notification.title": "T"], "fallback: the app alone",
          said: "warning device-fallback", drawn: ["title=-"]),
        flat(
          ["gcm.notification.title": "T", "gcm.n.e": "1", "gcm.n.title": "N"], "shown", drawn: ["title.text=N"]),
        flat(
          ["gcm.n.e": "1", "gcm.n.title": "T", "gcm.n.sound": "a", "gcm.n.sound2": ""], "shown", drawn: ["sound=a"]),
        flat(
          ["gcm.n.e": "1", "gcm.n.title": "T", "gcm.n.sound2": "b", "gcm.n.sound": "a"], "shown", drawn: ["sound=b"]),
      ], vectors: ["native/read-fcm-flat-both-prefixes"]),
    SDKFact(
      firebase,
      "A notification with `gcm.n.noui` that is true is for analytics alone: the client shows nothing, and hands the app "
        + "nothing.",
      [
        flat(
          ["gcm.n.e": "1", "gcm.n.title": "Hi", "gcm.n.noui": "1", "k": "v"], "silent: analytics alone",
          said: "warning fixed-value", drawn: ["title=-"]),
        flat(
          ["gcm.n.e": "1", "gcm.n.title": "Hi", "gcm.notification.noui": "TRUE"], "silent: analytics alone",
          said: "warning fixed-value", drawn: ["title=-"]),
        flat(["gcm.n.e": "1", "gcm.n.title": "Hi", "gcm.n.noui": "0"], "shown", drawn: ["title.text=Hi"]),
        flat(["gcm.n.noui": "1", "k": "v"], "silent: data message", said: "warning fixed-value"),
      ], vectors: ["native/read-fcm-flat-noui"]),
    SDKFact(
      firebase,
      "A tap opens the activity of `click_action`; without one the link of `gcm.n.link_android`, else of `gcm.n.link`, in "
        + "the app itself.",
      [
        flat(
          ["gcm.n.e": "1", "gcm.n.title": "T", "gcm.n.link": "https://a.example"], "shown",
          drawn: ["tap.effect=deep-link", "tap.link=https://a.example"]),
        flat(
          ["gcm.n.e": "1", "gcm.n.title": "T", "gcm.n.link": "https://a.example", "gcm.n.link_android": "app://b"],
          "shown", drawn: ["tap.effect=deep-link", "tap.link=app://b"]),
        flat(
          ["gcm.n.e": "1", "gcm.n.title": "T", "gcm.n.link": "app://a", "gcm.n.link_android": ""],
          "shown", drawn: ["tap.effect=deep-link", "tap.link=app://a"]),
        flat(
          ["gcm.n.e": "1", "gcm.n.title": "T", "gcm.n.link": "app://a", "gcm.n.click_action": "OPEN"],
          "shown", drawn: ["tap.effect=open-app", "tap.click_action=OPEN", "tap.link=-"]),
      ]),
    SDKFact(
      firebase,
      "A `notification_count` below 0 is ignored; FCM takes the number as a text, too, as proto3 JSON does.",
      [
        flat(
          ["gcm.n.e": "1", "gcm.n.title": "T", "gcm.n.notification_count": "-2"], "shown",
          said: "warning fcm-value-ignored", drawn: ["badge=-"]),
        counted(-1, drawn: "badge=-"), counted("-1", drawn: "badge=-"), counted("5", drawn: "badge.set=5"),
        counted(0, drawn: "badge.set=0"),
      ], vectors: ["native/read-fcm-count-text", "native/read-fcm-count-negative", "rules/fcm-value-ignored"]),
    SDKFact(
      firebase, "A list of fewer than two `vibrate_timings` is ignored, which `check` says.",
      vectors: ["rules/fcm-value-ignored"]),
    SDKFact(
      firebase, "A light of opaque black is ignored, which `check` says; an absent opacity is full.",
      vectors: ["rules/fcm-value-ignored"]),
  ]

  private static func counted(_ count: JSONValue, drawn: String) -> Case {
    Case(
      contract: .native, platform: .android,
      payload: [
        "message": ["token": "t", "android": ["notification": ["title": "T", "notification_count": count]]]
      ], expected: "shown", drawn: [drawn])
  }

  private static func flat(
    _ payload: JSONValue, _ expected: String, said: String? = nil, drawn: [String] = []
  ) -> Case {
    Case(contract: .native, platform: .android, payload: payload, expected: expected, said: said, drawn: drawn)
  }

  // MARK: APNs

  private static let system = "APNs and iOS"

  /// An alert whose body is an object, beside a member that is null.
  private static func nullBeside(_ name: String) -> JSONObject {
    var aps: JSONObject = ["alert": ["body": ["n": "x"], "loc-key": "K"]]
    aps[name] = .null
    return aps
  }

  static let apns: [SDKFact] = [
    SDKFact(
      system, "An empty object is a payload, as Wallet's updates are; `PayloadEmpty` is the answer to no body at all.",
      [Case(contract: .native, platform: .ios, payload: [:], expected: "silent: only Wallet takes one")],
      tests: ["ProviderEmulatorTests/APNsGatewayTests.broken"]),
    SDKFact(
      system,
      "An alert beside `aps`, or without it, is no data: nothing is shown, and the app gets nothing that it reads.",
      [
        Case(
          contract: .native, platform: .ios, payload: ["alert": "Hi", "sound": "default"], expected: "nothing: no text",
          said: "error document-unrecognized"),
        Case(
          contract: .native, platform: .ios, payload: ["aps": [:], "alert": "Hi", "badge": 1],
          expected: "nothing: no text", said: "error device-shows-nothing"),
        Case(
          contract: .native, platform: .ios, payload: ["aps": [:], "alert": "Hi", "k": 1],
          expected: "silent: gets the data"),
        Case(contract: .native, platform: .ios, payload: ["aps": [:], "badge": 1], expected: "silent: gets the data"),
      ], vectors: ["native/read-ios-alert-outside"]),
    SDKFact(
      system,
      "A null `event` or `content-state` makes no Live Activity, in whose alert alone a text may be an object with a key.",
      ["event", "content-state"].map { name in
        Case(
          contract: .native, platform: .ios,
          payload: ["aps": .object(nullBeside(name))],
          expected: "shown", said: "warning key-type", drawn: ["body.text=K"])
      }),
    SDKFact(
      system, "An `authorization` of another scheme than `bearer` is a missing token: an open point of the emulator.",
      tests: ["ProviderEmulatorTests/APNsGatewayTests.broken"]),
    SDKFact(
      system, "`action-loc-key` that is null changes nothing today: a warning.",
      [
        Case(
          contract: .native, platform: .ios, payload: ["aps": ["alert": ["title": "T", "action-loc-key": nil]]],
          expected: "shown")
      ], tests: ["PushRulesTests/PushCheckerTests.documentsAreRecognised"]),
    SDKFact(
      system, "A push with a null beside `aps` is reported to get lost: a warning.",
      [
        Case(
          contract: .native, platform: .ios, payload: ["aps": ["alert": "Hi"], "k": nil], expected: "shown")
      ], vectors: ["rules/apns-null-value"]),
    SDKFact(
      system, "A text over the size limit is said to be too large, and not to be no JSON.",
      tests: ["WireJSONTests/LimitTests.size", "CommandLineTests/RawDocumentTests.tooLarge"]),
    SDKFact(
      system, "A vendor's request, a provider's request or another contract's message is named, with what to do.",
      written: [ContractName.native, .onesignal, .amba].flatMap { contract in
        [["type": "t", "alert": ["loc-key": "K"]], ["silent": true, "extras": ["k": "v"]]].map { (message: JSONValue) in
          Written(
            contract: contract, platform: .ios, message: message, bytes: nil, said: "error message-unrecognized")
        }
      } + [
        Written(
          contract: .imkit, platform: .ios, message: ["silent": true, "extras": ["k": "v"]], bytes: nil,
          said: "error message-unrecognized"),
        Written(
          contract: .powerauth, platform: .ios, message: ["type": "t", "alert": ["loc-key": "K"]], bytes: nil,
          said: "error message-unrecognized"),
      ],
      tests: ["PushContractsTests/DocumentCheckTests.parse", "CommandLineTests/RawDocumentTests.agree"]),
  ]
}
