import PushContracts
import PushPayload
import WireJSON

/// Live updates of Journey Optimizer, which the app's plugin draws.
extension SDKFact {
  private static let area = "Adobe, Android"

  private static let whole: JSONObject = [
    "notification_id": "ride-1", "notification_channel_id": "rides", "event_type": "start", "timestamp": 1_799_990_000,
    "title": "Your ride", "body": "5 minutes away",
  ]

  /// Data with a live update that differs from a whole one.
  private static func live(
    _ changes: [String: JSONValue?], _ expected: String = "shown", beside others: JSONObject = ["_xdm": "{}"],
    said: String? = nil, arriving: String? = nil, drawn: String...
  ) -> Case {
    var update = whole
    for (key, value) in changes {
      if let value { update[key] = value } else { update.removeValue(forKey: key) }
    }
    return row(.string(JSON.minifiedText(.object(update))), expected, others, said, arriving, drawn)
  }

  private static func row(
    _ update: JSONValue, _ expected: String, _ others: JSONObject, _ said: String?, _ arriving: String? = nil,
    _ drawn: [String] = []
  ) -> Case {
    var data = others
    data["adb_liveupdate_data"] = update
    return Case(
      contract: .adobe, platform: .android, payload: ["message": ["token": "t", "data": .object(data)]],
      expected: expected, arriving: arriving, said: said, drawn: drawn)
  }

  private static let refused = "error adobe-live-update"

  static let adobeAndroidLiveUpdates: [SDKFact] = [
    SDKFact(
      area,
      "A push with `adb_liveupdate_data` is a live update, whatever its template: the app's plugin draws title and text of the JSON "
        + "object in it, in its channel, as an ongoing notification that a later push with the same `notification_id` replaces.",
      [
        live(
          [:], drawn: "title.text=Your ride", "body.text=5 minutes away", "channel=rides", "replaces=ride-1",
          "sticky=true",
          "buttons=-", "image=-", "tap.effect=open-app"),
        live(["body": nil], drawn: "title.text=Your ride", "body=-"),
        live(["title": 7], drawn: "title.text=7"),
        live(["event_type": "end", "dismiss_after": 60]), live(["event_type": "localstart"]),
        live([:], beside: ["adb_title": "Your ride", "adb_body": "5 minutes away"], drawn: "title.text=Your ride"),
        live(
          [:], beside: ["adb_title": "T", "adb_body": "B", "adb_template_type": "rate", "adb_version": "1"],
          said: "warning adobe-template-field", drawn: "title.text=Your ride", "template=-"),
        live(
          [:], beside: ["_xdm": "{}", "adb_image": "https://e.com/i.png"], said: "warning adobe-template-field",
          drawn: "image=-"),
        live([:], beside: ["_xdm": "{}", "adb_n_count": "3"], said: "warning adobe-template-field", drawn: "badge=-"),
      ], vectors: ["adobe/read-android-live-update", "adobe/live-update"]),
    SDKFact(
      area,
      "Journey Optimizer's library takes only what has `_xdm` or `adb_title`; another live update is not shown.",
      [
        live([:], "nothing: only what has adb_title or _xdm", beside: [:], said: refused),
        live([:], "nothing: only what has adb_title or _xdm", beside: ["adb_body": "B"], said: refused),
      ], vectors: ["adobe/read-android-live-update-taken"]),
    SDKFact(
      area,
      "A live update needs texts in `notification_id`, `notification_channel_id` and `event_type`, an event that the "
        + "plugin knows, and a `timestamp` in seconds; else it is not shown.",
      ["notification_id", "notification_channel_id", "event_type"].flatMap { key in
        [live([key: nil], "nothing: no \(key)", said: refused), live([key: ""], "nothing: no \(key)", said: refused)]
      } + [
        live(["event_type": "begin"], "nothing: an event", said: refused),
        live(["timestamp": nil], "nothing: no timestamp", said: refused),
        live(["timestamp": "soon"], "nothing: no timestamp", said: refused),
        live(["timestamp": nil as JSONValue? ?? .null], "nothing: no timestamp", said: refused),
        live(["timestamp": 1_758_100_000_000], "nothing: no timestamp", said: refused),
        live(["timestamp": "1799990000"]), live(["timestamp": 1_799_990_000.5]),
        row("", "nothing: not a JSON object", ["_xdm": "{}"], "error adobe-list-unreadable"),
        row("{not-json", "nothing: not a JSON object", ["_xdm": "{}"], "error adobe-list-unreadable"),
        row("[]", "nothing: not a JSON object", ["_xdm": "{}"], "error adobe-list-unreadable"),
      ], vectors: ["adobe/read-android-live-update-keys", "adobe/live-update-broken"]),
    SDKFact(
      area,
      "A live update without `title` is shown, and not promoted to one; without any text it has the name of the app alone.",
      [
        live(["title": nil], said: "warning adobe-live-update", drawn: "title=-", "body.text=5 minutes away"),
        live(["title": ""], said: "warning adobe-live-update", drawn: "title=-"),
        live(["title": nil, "body": nil], "fallback: name of the app alone", said: "warning device-fallback"),
      ]),
    SDKFact(
      area, "A state that is more than 28 days old when it arrives is not shown.",
      [
        live(["timestamp": 1_000], arriving: "silent: 28 days old"),
        live(["timestamp": 1_797_580_800]), live(["timestamp": 1_797_580_799], arriving: "silent: 28 days old"),
      ]),
    SDKFact(
      area,
      "Of a live update the plugin leaves out a `small_icon` that is no drawable, a `when` that is no time in seconds, and "
        + "`dismiss_after` but at the end; an unknown `priority` is the default one.",
      [
        live(["small_icon": "ic_ride"], drawn: "small_icon=ic_ride"),
        live(["small_icon": "ride.png"], said: "warning adobe-picture-address", drawn: "small_icon=-"),
        live(["when": 1_758_100_000_000], said: "warning adobe-live-update"),
        live(["when": 1_799_990_100, "critical_text": "5 min", "content_state": ["progress": 3], "topic_name": "t"]),
        live(["content_state": "x"], said: "warning adobe-live-update"),
        live(["dismiss_after": 60], said: "warning adobe-live-update"),
        live(["event_type": "end", "dismiss_after": 0], said: "warning adobe-live-update"),
        live(["priority": "PRIORITY_HIGH"], drawn: "priority=1"),
        live(["priority": "high"], said: "warning adobe-choice-unknown", drawn: "priority=-"),
      ], vectors: ["adobe/read-android-live-update-lost"]),
    SDKFact(
      area, "Beside a notification block a live update is not drawn while the app is not in the foreground.",
      [
        Case(
          contract: .adobe, platform: .android,
          payload: [
            "message": [
              "token": "t", "notification": ["title": "Block"],
              "data": ["_xdm": "{}", "adb_liveupdate_data": .string(JSON.minifiedText(.object(whole)))],
            ]
          ], expected: "shown", said: "warning adobe-notification-block", drawn: ["title.text=Block"])
      ]),
    SDKFact(
      area,
      "Keys that the content extension of iOS alone reads are lost, which is named; beside the key that Android reads in their place nothing is.",
      [
        adobePush(
          "basic", ["adb_media": "https://e.com/1.png"], "shown", said: "warning adobe-template-field", drawn: "image=-"
        ),
        adobePush("basic", ["adb_title_ex": "Title"], "shown", said: "warning adobe-template-field"),
        adobePush(
          "basic", ["adb_media": "https://e.com/1.png", "adb_image": "https://e.com/2.png"], "shown",
          drawn: "image=https://e.com/2.png"),
      ], vectors: ["adobe/read-android-other-keys"]),
    SDKFact(
      area, "An empty `adb_small_icon` wins over `adb_icon`, and the app's icon is drawn.",
      [
        adobePush(
          "basic", ["adb_small_icon": "", "adb_icon": "ic"], "shown", said: "warning adobe-picture-address",
          drawn: "small_icon=-"),
        adobePush("basic", ["adb_icon": "ic"], "shown", drawn: "small_icon=ic"),
        adobePush("basic", ["adb_small_icon": ""], "shown", drawn: "small_icon=-"),
      ], vectors: ["adobe/read-android-icon-hidden"]),
  ]
}
