import PushContracts
import PushPayload
import WireJSON

/// What a tap opens of what Adobe's library draws on Android, and what it does not draw.
extension SDKFact {
  private static let area = "Adobe, Android"

  private static let fourButtons = JSON.minifiedText(
    .array(["A", "B", "C", "D"].map { ["label": $0, "type": "OPENAPP"] }))

  private static func buttons(_ type: String, _ uri: String?) -> JSONValue {
    var button: JSONObject = ["label": "L", "type": .string(type)]
    if let uri { button.append("uri", .string(uri)) }
    return .string(JSON.minifiedText([.object(button)]))
  }

  private static func ratings(_ type: String, _ uri: String) -> JSONValue {
    let last: JSONValue = ["type": .string(type), "uri": .string(uri)]
    return .string(JSON.minifiedText([["type": "OPENAPP"], ["type": "DISMISS"], last]))
  }

  /// A push with a notification block in front of the template.
  private static func behind(_ block: JSONObject, _ template: String, at path: String) -> Case {
    var message: JSONObject = [
      "token": "t",
      "data": ["adb_version": "1", "adb_template_type": .string(template), "adb_title": "T", "adb_body": "B"],
    ]
    if path == "android" {
      message["android"] = ["notification": .object(block)]
    } else {
      message[path] = .object(block)
    }
    return Case(
      contract: .adobe, platform: .android, payload: ["message": .object(message)], expected: "shown",
      said: "warning adobe-notification-block", drawn: ["title.text=Block", "template=-"])
  }

  static let adobeAndroidTaps: [SDKFact] = [
    SDKFact(
      area, "`adb_a_type` without `adb_uri`, or with an empty one, is shown all the same; a tap opens the app.",
      [
        adobePush(
          "cat", ["adb_a_type": "WEBURL"], "shown", said: "warning adobe-uri-missing", drawn: "tap.effect=open-app"),
        adobePush(
          "basic", ["adb_a_type": "DEEPLINK"], "shown", said: "warning adobe-uri-missing", drawn: "tap.effect=open-app"),
        adobePush(
          "basic", ["adb_a_type": "DEEPLINK", "adb_uri": ""], "shown", said: "warning adobe-uri-missing",
          drawn: "tap.effect=open-app", "tap.link=-"),
        adobePush("basic", ["adb_a_type": "OPENAPP"], "shown", drawn: "tap.effect=open-app"),
      ], vectors: ["adobe/read-android-link-no-uri", "adobe/read-android-link-uri-empty"]),
    SDKFact(
      area, "`adb_uri` is opened with WEBURL and DEEPLINK; without `adb_a_type` a tap opens the app.",
      [
        adobePush(
          "basic", ["adb_uri": "https://e.com", "adb_a_type": "WEBURL"], "shown", drawn: "tap.effect=web",
          "tap.link=https://e.com"),
        adobePush(
          "basic", ["adb_uri": "https://e.com"], "shown", said: "warning adobe-link-type-missing",
          drawn: "tap.effect=open-app", "tap.link=-"),
        adobePush(
          "car", ["adb_uri": "app://x"], "shown", said: "warning adobe-link-type-missing", drawn: "tap.effect=open-app"),
        adobePush("basic", ["adb_uri": ""], "shown", drawn: "tap.effect=open-app"),
      ], vectors: ["adobe/read-android-link-type-missing"]),
    SDKFact(
      area, "`adb_uri` is not opened with DISMISS, OPENAPP and NONE; NONE opens the app.",
      [("DISMISS", "dismiss"), ("OPENAPP", "open-app"), ("NONE", "open-app")].map { type, effect in
        adobePush(
          "basic", ["adb_uri": "https://e.com", "adb_a_type": .string(type)], "shown", said: "warning adobe-uri-unused",
          drawn: "tap.effect=\(effect)", "tap.link=-")
      }, vectors: ["adobe/read-android-link-unused"]),
    SDKFact(
      area, "A button of WEBURL or DEEPLINK without a uri is shown and opens the app.",
      ["WEBURL", "DEEPLINK"].flatMap { type in
        [nil, ""].map { uri in
          adobePush(
            "basic", ["adb_act": buttons(type, uri)], "shown", said: "warning adobe-uri-missing",
            drawn: "buttons.0.effect=open-app")
        }
      } + [adobePush("basic", ["adb_act": buttons("DISMISS", nil)], "shown", drawn: "buttons.0.effect=dismiss")],
      vectors: ["adobe/read-android-act-missing-uri"]),
    SDKFact(
      area, "Of more than three buttons, “remind later” counted, Android draws the first three.",
      [
        adobePush(
          "basic", ["adb_act": .string(fourButtons)], "shown", said: "warning adobe-button-count",
          drawn: "buttons.2.label=C", "buttons.3.label=-"),
        adobePush(
          "basic", ["adb_act": .string(fourButtons), "adb_rem_txt": "Later", "adb_rem_sec": "60"], "shown",
          said: "warning adobe-button-count", drawn: "buttons.3.label=-"),
      ], vectors: ["adobe/read-android-act-four", "adobe/read-android-act-three-remind"]),
    SDKFact(
      area, "A rating of WEBURL or DEEPLINK with an empty uri is shown and opens the app.",
      ["WEBURL", "DEEPLINK"].map { type in
        adobePush(
          "rate", ["adb_rate_act": ratings(type, "")], "shown", said: "warning adobe-uri-missing",
          drawn: "targets.2.effect=open-app")
      } + [
        adobePush("rate", ["adb_rate_act": ratings("WEBURL", "https://e.com")], "shown", drawn: "targets.2.effect=web"),
        adobePush("rate", ["adb_rate_act": ratings("OPENAPP", "")], "shown", drawn: "targets.2.effect=open-app"),
      ], vectors: ["adobe/read-android-rate-uri-empty"]),
    SDKFact(
      area,
      "“Remind later” after 0 seconds or less, or at a time that has passed, removes the notification and does not show it again.",
      [
        adobePush(
          "basic", ["adb_rem_txt": "Later", "adb_rem_sec": "0"], "shown", said: "warning adobe-time-past",
          drawn: "buttons.0.label=Later", "reminder.at=0"),
        adobePush(
          "basic", ["adb_rem_txt": "Later", "adb_rem_sec": "-5", "adb_rem_ts": "0"], "shown",
          said: "warning adobe-time-past", drawn: "reminder.at=0"),
        adobePush(
          "basic", ["adb_rem_txt": "Later", "adb_rem_ts": "0"], "shown", said: "warning adobe-time-past",
          drawn: "reminder.at=0"),
        adobePush(
          "basic", ["adb_rem_txt": "Later", "adb_rem_sec": "0", "adb_rem_ts": "4000000000"], "shown",
          drawn: "reminder.at=4000000000"),
      ], vectors: ["adobe/read-android-remind-zero", "adobe/read-android-remind-sec-zero"],
      tests: ["PushContractsTests/AdobeTests.timesFollowTheLibrary"]),
    SDKFact(
      area, "“Remind later” needs `adb_rem_txt` and a time; without one of them there is no such button.",
      [
        adobePush("basic", ["adb_rem_sec": "60"], "shown", said: "warning adobe-remind-pair", drawn: "buttons=-"),
        adobePush(
          "basic", ["adb_rem_ts": "4000000000"], "shown", said: "warning adobe-remind-pair", drawn: "buttons=-"),
        adobePush("basic", ["adb_rem_txt": "Later"], "shown", said: "warning adobe-remind-pair", drawn: "buttons=-"),
        adobePush(
          "basic", ["adb_rem_txt": "Later", "adb_rem_sec": ""], "shown", said: "warning key-type", drawn: "buttons=-"),
      ], vectors: ["adobe/read-android-remind-no-text", "adobe/read-android-remind-pair"]),
    SDKFact(
      area,
      "A template behind a notification block is ignored while the app is not in the foreground: Firebase's client draws the "
        + "block, and the library sees nothing.",
      ["basic", "car", "timer", "x"].flatMap { template in
        ["notification", "android"].map { behind(["title": "Block"], template, at: $0) }
      }, vectors: ["adobe/read-block-beside", "adobe/inside-adobe-notification-block"],
      tests: ["PushContractsTests/DocumentCheckTests.parse"]),
  ]
}
