import PushContracts
import PushPayload
import WireJSON

/// What is too old for OneSignal's SDK for Android, and what the one for iOS cannot attach.
extension SDKFact {
  static let oneSignalLimits: [SDKFact] = [
    SDKFact(
      "OneSignal",
      "On Android a push is shown before the second of `sent_time` plus `ttl`, and not in it: never for a `ttl` of 0 or less. "
        + "Google's times come before Huawei's.",
      [
        timed("1799999941", "60", arriving: "shown"),
        timed("1799999940", "60", arriving: "nothing: is over when it arrives"),
        timed("1799999939", "60", arriving: "nothing: google.ttl"),
        timed("1799999940", "60", "hms", arriving: "nothing: hms.ttl"),
        timed("1800000000", "0", "nothing: is over", said: "error device-shows-nothing"),
        timed("1800000000", "-5", "nothing: is over", said: "error device-shows-nothing"),
        shown(["hms.ttl": "0"], "nothing: is over", said: "error device-shows-nothing"),
        shown(["google.ttl": "60", "hms.ttl": "0"]), shown(["google.sent_time": "1000"]),
        shown(["google.ttl": "0", "alert": "", "title": "T", "custom": preview]),
        Case(
          contract: .onesignal, platform: .android,
          payload: [
            "message": [
              "token": "t", "android": ["ttl": "0s"], "data": ["custom": #"{"i":"n"}"#, "alert": "Hi"],
            ]
          ], expected: "shown"),
      ], vectors: ["onesignal/read-android-ttl-zero"],
      tests: [
        "PushContractsTests/OneSignalTests.timesFallBackToTheClock", "DevicePreviewTests/TrayTests.oneSignalFilters",
      ]),
    SDKFact(
      "OneSignal", "On Android the times are read by `org.json`, which takes a fraction off and reads an exponent.",
      [
        timed("1799999940", "60.9", arriving: "nothing: is over"), timed("1799999941", "60.9", arriving: "shown"),
        shown(["google.sent_time": "1.8e12", "google.ttl": "6e1"]),
        timed("1800000000", "0.9", "nothing: is over", said: "error device-shows-nothing"),
        timed("1800000000", "x", "shown", said: "warning key-type"),
      ], vectors: ["onesignal/read-android-ttl-fraction", "onesignal/mistyped-android-ttl"]),
    SDKFact(
      "OneSignal", "An `oth_chnl` that is empty names no channel of the app, and the one of `chnl` is made.",
      [
        shown(["chnl": #"{"id":"c"}"#, "oth_chnl": ""], drawn: ["channel=c"]),
        shown(
          ["chnl": #"{"id":"c"}"#, "oth_chnl": "", "pri": "0"], "nothing: no importance",
          said: "error device-shows-nothing"),
        shown(["oth_chnl": ""], drawn: ["channel=-"]),
      ], vectors: ["onesignal/read-android-oth-chnl-empty"]),
    SDKFact(
      "OneSignal",
      "`os_data`, or without it `custom`, that is no object ends the service extension, and iOS shows the alert as it came.",
      [
        oneSignalApple(
          mutable(["os_data": "x", "buttons": [["n": "Yes"]], "att": ["a": "https://e.com/a.png"]]),
          "fallback: ends on os_data", said: "warning device-fallback", drawn: ["buttons=-", "image=-"]),
        oneSignalApple(mutable(["os_data": nil]), "fallback: ends on os_data", said: "warning device-fallback"),
        oneSignalApple(
          ["aps": ["alert": "Hi", "mutable-content": 1], "custom": 5, "buttons": [["n": "Yes"]]],
          "fallback: ends on custom", said: "warning device-fallback", drawn: ["buttons=-"]),
        oneSignalApple(
          ["aps": ["alert": "Hi"], "custom": ["i": "n"], "os_data": "x"], "shown", said: "warning key-type"),
        oneSignalApple(
          ["aps": ["alert": "Hi", "mutable-content": 1], "custom": 5, "os_data": ["i": "n"]], "shown"),
      ], vectors: ["onesignal/read-ios-os-data-not-object", "onesignal/read-ios-os-data-ends-extension"]),
    SDKFact(
      "OneSignal", "On iOS the blanks of any script around an attachment's address do not count; a line end does.",
      [
        attached("\u{3000}https://e.com/a.png\u{A0}\u{200B}", image: "https://e.com/a.png"),
        lost("https://e.com/a.png\n"),
      ], vectors: ["onesignal/read-ios-attachment-spaces"]),
    SDKFact(
      "OneSignal",
      "Nothing is attached from an address without a host, or with white space or control characters in it.",
      [
        lost("https://"), lost("https:a.png"), lost("http:///a.png"), lost("https://e.com/a b.png"),
        lost("https://e .com/a.png"), attached("HTTPS://e.com/a%20b.png", image: "HTTPS://e.com/a%20b.png"),
        attached("a b.png", image: "a b.png"),
      ], vectors: ["onesignal/read-ios-attachment-no-address"]),
  ]

  private static let preview: JSONValue = #"{"i":"n","a":{"os_in_app_message_preview_id":"p"}}"#

  private static func timed(
    _ seconds: String, _ ttl: String, _ prefix: String = "google", _ expected: String = "shown",
    arriving: String? = nil, said: String? = nil
  ) -> Case {
    var row = shown(
      ["\(prefix).sent_time": .string(seconds + "000"), "\(prefix).ttl": .string(ttl)], expected, said: said)
    row.arriving = arriving
    return row
  }

  private static func timed(_ seconds: String, _ ttl: String, _ expected: String, said: String) -> Case {
    timed(seconds, ttl, "google", expected, said: said)
  }

  private static func attached(_ source: String, image: String) -> Case {
    oneSignalApple(mutable(["att": ["a": .string(source)]]), "shown", drawn: ["image=\(image)"])
  }

  private static func lost(_ source: String) -> Case {
    oneSignalApple(
      mutable(["att": ["a": .string(source)]]), "fallback: without the attachment a, as its address is none of the web",
      said: "warning device-fallback", drawn: ["image=-"])
  }
}
