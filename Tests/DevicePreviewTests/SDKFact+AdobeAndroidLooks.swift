import PushContracts
import PushPayload
import WireJSON

/// What the layouts of Adobe's library on Android have no view for.
extension SDKFact {
  private static let area = "Adobe, Android"

  private static let icon: [String: JSONValue?] = ["adb_large_icon": "https://e.com/l.png"]
  private static let ground: [String: JSONValue?] = ["adb_clr_bg": "112233"]
  private static let texts: [String: JSONValue?] = ["adb_clr_title": "112233", "adb_clr_body": "445566"]

  static let adobeAndroidLooks: [SDKFact] = [
    SDKFact(
      area,
      "The large icon has a view in the layouts of basic, car, input and rate, in the collapsed one of a catalog, and in those of a "
        + "timer that has ended; a running timer, zb and icon have none.",
      ["basic", "car", "input", "rate"].map { adobePush($0, icon, "shown", drawn: "large_icon=https://e.com/l.png") }
        + ["timer", "zb", "icon"].map {
          adobePush($0, icon, "shown", said: "warning adobe-template-field", drawn: "large_icon=-")
        } + [
          adobePush(
            "cat", icon, "shown", said: "warning adobe-template-field", drawn: "large_icon=https://e.com/l.png")
        ], vectors: ["adobe/read-android-timer-looks", "adobe/read-android-zb-looks"],
      tests: ["DevicePreviewTests/TemplateTests.aTimerHasItsLooksAfterTheEnd"]),
    SDKFact(
      area,
      "The background is drawn where the view has the name that the builder colors: not in a running timer, nor in a collapsed zb.",
      ["basic", "car", "input", "rate", "cat", "icon"].map {
        adobePush($0, ground, "shown", drawn: "colors.background=#112233")
      } + [
        adobePush("timer", ground, "shown", said: "warning adobe-template-field", drawn: "colors=-"),
        adobePush("zb", ground, "shown", said: "warning adobe-template-field", drawn: "colors.background=#112233"),
      ], vectors: ["adobe/read-android-timer-looks", "adobe/read-android-zb-looks"]),
    SDKFact(
      area, "The colors of title and text are drawn where there are a title and a text: not with a row of icons.",
      ["basic", "car", "input", "rate", "cat", "zb", "timer"].map {
        adobePush($0, texts, "shown", drawn: "colors.title=#112233", "colors.body=#445566")
      } + [
        adobePush("icon", texts, "shown", said: "warning adobe-template-field", drawn: "colors=-")
      ], vectors: ["adobe/read-android-icon-looks"]),
    SDKFact(
      area,
      "`ajo_bigtext` has `adb_collapsed_text` and `adb_large_icon` of the JSON object in `adb_template_properties`; its expanded "
        + "text is `adb_body`, which the collapsed one is too, without the former.",
      [
        bigText(
          #"{"adb_collapsed_text":"C","adb_large_icon":"https://e.com/l.png"}"#, drawn: "body.text=C",
          "expanded_body.text=B", "large_icon=https://e.com/l.png"),
        bigText(#"{"adb_collapsed_text":""}"#, drawn: "body.text=B", "expanded_body=-", "large_icon=-"),
        bigText(
          "not valid json {{{", said: "warning adobe-list-unreadable", drawn: "body.text=B", "expanded_body=-",
          "large_icon=-"),
        bigText(
          #"{"adb_large_icon":"http://e.com/l.png"}"#, said: "warning adobe-picture-address", drawn: "large_icon=-"),
        adobePush(
          "ajo_basic", ["adb_template_properties": #"{"adb_collapsed_text":"C"}"#], "shown", drawn: "body.text=B"),
      ], vectors: ["adobe/read-android-ajo-properties", "adobe/ajo-properties"]),
  ]

  private static func bigText(_ properties: String, said: String? = nil, drawn: String...) -> Case {
    var row = adobePush("ajo_bigtext", ["adb_template_properties": .string(properties)], "shown", said: said)
    row.drawn = drawn
    return row
  }

  static let adobeAndroidValues: [SDKFact] = [
    SDKFact(
      area,
      "`ratingSelected` in the data counts as a choice: the ratings up to it have the selected icon and the button that confirms "
        + "is there; without that icon, or with an index beyond the list, nothing is shown.",
      [
        adobePush(
          "rate", ["ratingSelected": "1"], "shown", said: "warning adobe-intent-key", drawn: "layout.rating.chosen=2"),
        adobePush(
          "rate", ["ratingSelected": "2", "adb_rate_unselected_icon": "http://e.com/o.png"], "shown",
          said: "warning adobe-intent-key", drawn: "layout.rating.chosen=3"),
        adobePush("rate", ["ratingSelected": "-1"], "shown", drawn: "layout.rating.chosen=-"),
        adobePush("rate", ["ratingSelected": "x"], "shown", drawn: "layout.rating.chosen=-"),
        adobePush(
          "rate", ["ratingSelected": "0", "adb_rate_selected_icon": "http://e.com/x.png"],
          "nothing: the icon of a rating", said: "error adobe-picture-address"),
        adobePush("rate", ["ratingSelected": "3"], "nothing: names no rating", said: "error adobe-intent-key"),
        adobePush("basic", ["ratingSelected": "9"], "shown"),
      ], vectors: ["adobe/read-android-rate-chosen", "adobe/read-android-rate-chosen-icon"]),
    SDKFact(
      area,
      "`catalogItemIndex` in the data is the product to begin with; an index beyond the three, or below 0, ends the push.",
      [
        adobePush(
          "cat", ["catalogItemIndex": "1"], "shown", said: "warning adobe-intent-key", drawn: "layout.catalog.chosen=1"),
        adobePush("cat", ["catalogItemIndex": "0"], "shown", drawn: "layout.catalog.chosen=-"),
      ]
        + ["3", "-1"].map {
          adobePush(
            "cat", ["catalogItemIndex": .string($0)], "nothing: names no product", said: "error adobe-intent-key")
        }, vectors: ["adobe/read-android-cat-index"]),
    SDKFact(
      area,
      "“Remind later” is a button with `adb_rem_txt`, even an empty one, and a time that can be read; without such a time there is "
        + "none.",
      ["adb_rem_sec", "adb_rem_ts"].flatMap { key in
        ["x", "1.5", "99999999999999999999"].map {
          adobePush(
            "basic", ["adb_rem_txt": "Later", key: .string($0)], "shown", said: "warning adobe-remind-pair",
            drawn: "buttons=-", "reminder=-")
        }
      } + [
        adobePush(
          "basic", ["adb_rem_txt": "Later", "adb_rem_sec": "99999999999"], "shown", said: "warning adobe-remind-pair",
          drawn: "buttons=-"),
        adobePush(
          "basic", ["adb_rem_txt": "", "adb_rem_sec": "60"], "shown", said: "warning adobe-remind-pair",
          drawn: "buttons.0.label=", "reminder.after=60"),
        adobePush(
          "basic", ["adb_rem_txt": "Later", "adb_rem_sec": "x", "adb_rem_ts": "1800000060"], "shown",
          said: "warning key-type", drawn: "buttons.0.label=Later", "reminder.at=1800000060"),
      ], vectors: ["adobe/read-android-remind-words", "adobe/read-android-remind-text-empty"]),
    SDKFact(
      area, "Numbers may have the decimal digits of any script, as Kotlin reads them.",
      [
        adobePush("timer", ["adb_tmr_dur": "٥"], "shown", drawn: "layout.timer.seconds_left=5"),
        adobePush("basic", ["adb_n_count": "١٢"], "shown", drawn: "badge.set=12"),
        adobePush("basic", ["adb_n_count": "+१२"], "shown", drawn: "badge.set=12"),
        adobePush(
          "basic", ["adb_rem_txt": "Later", "adb_rem_sec": "６０"], "shown", drawn: "reminder.after=60"),
        adobePush("basic", ["adb_n_count": "\u{1D7D8}"], "shown", said: "warning key-type", drawn: "badge=-"),
        adobePush("basic", ["adb_n_count": "²"], "shown", said: "warning key-type", drawn: "badge=-"),
      ], vectors: ["adobe/read-android-digits"]),
    SDKFact(
      area, "The end of a timer wraps around beyond 64 bits: it has ended when it arrives, and is not shown.",
      [
        adobePush(
          "timer", ["adb_tmr_dur": "9223372036854775807"], "nothing: beyond 64 bits", said: "error adobe-timer-end"),
        adobePush("timer", ["adb_tmr_dur": "9223372030000000000"], "shown"),
        adobePush("timer", ["adb_tmr_dur": "9223372036854775808"], "nothing: no time", said: "error adobe-timer-end"),
      ], vectors: ["adobe/read-android-timer-overflow"]),
  ]
}
