import PushContracts
import PushPayload
import WireJSON

/// Which pictures Adobe's library on Android draws.
extension SDKFact {
  private static let area = "Adobe, Android"

  private static func icons(_ images: String...) -> JSONValue {
    .string(JSON.minifiedText(.array(images.map { ["img": .string($0), "type": "DISMISS"] })))
  }

  private static func journey(_ members: JSONObject, said: String? = nil, drawn: String...) -> Case {
    var data: JSONObject = ["_xdm": "{}", "adb_title": "T", "adb_body": "B"]
    for (key, value) in members { data[key] = value }
    return Case(
      contract: .adobe, platform: .android, payload: ["message": ["token": "t", "data": .object(data)]],
      expected: "shown", said: said, drawn: drawn)
  }

  static let adobeAndroidPictures: [SDKFact] = [
    SDKFact(
      area,
      "`adb_image` is an `https` address, or for basic and timer the name of a drawable: of another text no picture is drawn.",
      ["basic", "timer", "input", "zb", "rate"].flatMap { template in
        [
          adobePush(template, ["adb_image": "https://e.com/1.png"], "shown", drawn: "image=https://e.com/1.png"),
          adobePush(
            template, ["adb_image": "http://e.com/1.png"], "shown", said: "warning adobe-picture-address",
            drawn: "image=-"),
          adobePush(
            template, ["adb_image": "https://"], "shown", said: "warning adobe-picture-address", drawn: "image=-"),
        ]
      } + ["basic", "timer"].map { adobePush($0, ["adb_image": "sunset"], "shown", drawn: "image=sunset") }
        + ["input", "zb", "rate"].map {
          adobePush($0, ["adb_image": "sunset"], "shown", said: "warning adobe-picture-address", drawn: "image=-")
        }
        + ["car", "cat", "icon"].map {
          adobePush(
            $0, ["adb_image": "https://e.com/1.png"], "shown", said: "warning adobe-template-field", drawn: "image=-")
        },
      vectors: [
        "adobe/image-http", "adobe/read-android-image-http", "adobe/read-android-image-name",
        "adobe/inside-adobe-picture-address",
      ]),
    SDKFact(
      area,
      "A drawable's name has no extension: of another name nothing is drawn, without the icon of a rating or three icons of a "
        + "row nothing is shown, and a sound that has one is no resource.",
      [
        adobePush(
          "rate", ["adb_rate_unselected_icon": "star.png"], "nothing: icon", said: "error adobe-picture-address"),
        adobePush(
          "icon", ["adb_items": icons("a.png", "b.png", "c.png")], "nothing: icons", said: "error adobe-item-count"),
        adobePush(
          "basic", ["adb_image": "hero.jpg"], "shown", said: "warning adobe-picture-address", drawn: "image=-"),
        adobePush(
          "basic", ["adb_large_icon": "logo.png"], "shown", said: "warning adobe-picture-address", drawn: "large_icon=-"
        ),
        adobePush(
          "basic", ["adb_small_icon": "ic.png"], "shown", said: "warning adobe-picture-address", drawn: "small_icon=-"),
        adobePush(
          "basic", ["adb_sound": "chime.mp3"], "shown", said: "warning adobe-sound-extension", drawn: "sound=-"),
        adobePush("basic", ["adb_sound": "chime"], "shown", drawn: "sound=chime"),
      ], vectors: ["adobe/read-android-rate-icon-extension", "adobe/read-android-sound-extension"]),
    SDKFact(
      area,
      "Of ASCII the name of a resource has letters, digits, `_`, `-` and `$` alone: of another name nothing is drawn.",
      [
        adobePush(
          "rate", ["adb_rate_unselected_icon": "a star"], "nothing: icon", said: "error adobe-picture-address"),
        adobePush("icon", ["adb_items": icons("a", "b", "c!")], "nothing: icons", said: "error adobe-item-count"),
        adobePush("icon", ["adb_items": icons("a-1", "b_2", "ц")], "shown"),
        adobePush(
          "basic", ["adb_small_icon": "my icon"], "shown", said: "warning adobe-picture-address", drawn: "small_icon=-"),
      ], vectors: ["adobe/read-android-rate-icon-blank"]),
    SDKFact(
      area,
      "An address is one that `java.net.URL` and Android's client accept: with a port that there is, a host in brackets that is an IPv6 "
        + "address, one user at most, and `url:` before it if at all.",
      [
        "https://e.com:x/1.png", "https://e.com:65536/1.png", "https://e.com:-1/1.png", "https://[::1/1.png",
        "https://[e]/1.png",
        "https://a@b@e.com/1.png", "https://:8080/1.png", #"https://e\m.com/1.png"#, "HTTPS://e.com/1.png",
      ].map {
        adobePush(
          "input", ["adb_image": .string($0)], "shown", said: "warning adobe-picture-address", drawn: "image=-")
      }
        + [
          "https://e.com:8443/1.png", "https://e.com:/1.png", "https://[2001:db8::1]:443/1.png", "https://a:b@e.com?x",
          "url:https://e.com/1.png", "HTTPS://e.com/1.png?https", " https://e.com/a@b:c",
        ].map { adobePush("input", ["adb_image": .string($0)], "shown", drawn: "image=\($0)") },
      vectors: ["adobe/read-android-car-port"]),
    SDKFact(
      area, "A color is read by `Color.parseColor`, which takes a sign for a digit, and the digits of any script.",
      [
        adobePush("basic", ["adb_clr_title": "+12345"], "shown", drawn: "colors.title=#012345"),
        adobePush("basic", ["adb_clr_title": "-00001"], "shown", drawn: "colors.title=#FFFFFF"),
        adobePush("basic", ["adb_clr_title": "１２３４５６"], "shown", drawn: "colors.title=#123456"),
        adobePush("basic", ["adb_clr_title": "80ff0000"], "shown", drawn: "colors.title=#FF0000"),
        adobePush("basic", ["adb_clr_title": "++1234"], "shown", said: "warning key-type", drawn: "colors=-"),
        adobePush("basic", ["adb_clr_title": "12345g"], "shown", said: "warning key-type", drawn: "colors=-"),
      ], vectors: ["adobe/read-android-color-sign"]),
    SDKFact(
      area,
      "From version 8 on Android plays the sound of the channel, and Journey Optimizer's library makes one without `adb_sound`; "
        + "what draws its large text has no picture.",
      [
        journey(["adb_sound": "chime"], said: "warning adobe-template-field", drawn: "sound=-"),
        journey(["adb_sound": "chime", "adb_channel_id": "c"], drawn: "sound=-"),
        journey(
          [
            "adb_template_type": "ajo_bigtext", "adb_image": "https://e.com/a.png",
            "adb_template_properties": #"{"adb_collapsed_text":"short"}"#,
          ], said: "warning adobe-template-field", drawn: "image=-"),
        journey(
          ["adb_template_type": "ajo_bigtext", "adb_image": "https://e.com/a.png"], drawn: "image=https://e.com/a.png"),
      ], vectors: ["adobe/read-android-journey-sound"]),
    SDKFact(
      area,
      "`adb_large_icon` is an `https` address or the name of a drawable; of another address no large icon is drawn.",
      [
        adobePush("basic", ["adb_large_icon": "logo"], "shown", drawn: "large_icon=logo"),
        adobePush("basic", ["adb_large_icon": "https://e.com/l.png"], "shown", drawn: "large_icon=https://e.com/l.png"),
        adobePush(
          "basic", ["adb_large_icon": "http://e.com/l.png"], "shown", said: "warning adobe-picture-address",
          drawn: "large_icon=-"),
      ]),
    SDKFact(
      area,
      "The icon of a rating is an `https` address or the name of a drawable; of another address nothing is shown. One that is "
        + "chosen is not drawn then.",
      [
        adobePush("rate", ["adb_rate_unselected_icon": "star"], "shown"),
        adobePush("rate", ["adb_rate_unselected_icon": "https://e.com/s.png"], "shown"),
        adobePush(
          "rate", ["adb_rate_unselected_icon": "http://e.com/s.png"], "nothing: the icon of a rating",
          said: "error adobe-picture-address"),
        adobePush(
          "rate", ["adb_rate_selected_icon": "http://e.com/s.png"], "shown", said: "warning adobe-picture-address"),
      ], vectors: ["adobe/rate-icon-http", "adobe/read-android-rate-icon-http"]),
    SDKFact(
      area,
      "An icon is an `https` address or the name of a drawable; another address is left out, and three others must be there.",
      [
        adobePush("icon", ["adb_items": icons("a", "b", "https://e.com/c.png")], "shown"),
        adobePush(
          "icon", ["adb_items": icons("a", "http://e.com/b.png", "c", "d")], "shown", said: "warning adobe-item-member",
          drawn: "layout.icons.items.1.image=c", "layout.icons.items.3=-", "targets.1.label=c"),
        adobePush(
          "icon", ["adb_items": icons("a", "http://e.com/b.png", "c")], "nothing: 2 icons can be drawn",
          said: "error adobe-item-count"),
        adobePush(
          "icon", ["adb_items": icons("a", "b", "c", "d", "e", "http://e.com/f.png")], "nothing: 6 icons",
          said: "error adobe-item-count"),
        adobePush(
          "icon", ["adb_cancel_image": "http://e.com/x.png"], "shown", said: "warning adobe-picture-address",
          drawn: "layout.icons.cancel=-", "targets.3=-"),
      ], vectors: ["adobe/icon-http", "adobe/icon-http-two", "adobe/read-android-icon-http"]),
    SDKFact(
      area,
      "The picture after an answer is an `https` address; that after the end of a timer may be a drawable's name.",
      [
        adobePush(
          "input", ["adb_feedback_img": "thanks"], "shown", said: "warning adobe-picture-address",
          drawn: "layout.input.feedback_image=-"),
        adobePush("timer", ["adb_image_alt": "over"], "shown"),
        adobePush(
          "timer", ["adb_image_alt": "http://e.com/o.png"], "shown", said: "warning adobe-picture-address"),
      ]),
  ]
}
