import PushContracts
import PushPayload
import WireJSON

/// The timers of Adobe's library on Android.
extension SDKFact {
  private static let area = "Adobe, Android"

  static let adobeAndroidTimers: [SDKFact] = [
    SDKFact(
      area, "A timer's duration wins over its end, and it has ended when the time is past its expiry.",
      [
        adobePush(
          "timer", [:], "shown", drawn: "template=timer", "layout.timer.ended=false", "layout.timer.seconds_left=60"),
        adobePush("timer", ["adb_tmr_end": "99"], "shown", drawn: "layout.timer.ended=false"),
        adobePush("timer", ["adb_tmr_dur": "0"], "shown", drawn: "layout.timer.ended=false"),
        adobePush(
          "timer", ["adb_tmr_dur": nil, "adb_tmr_end": "1800000060"], "shown", drawn: "layout.timer.seconds_left=60"),
      ]),
    SDKFact(
      area,
      "A timer that arrives after its end is not shown: what comes after the end is drawn only in place of a notification "
        + "with its tag that is still there. That is no error of the push.",
      [
        adobePush(
          "timer", ["adb_tmr_dur": nil, "adb_tmr_end": "99"], "shown", arriving: "silent: has ended when it arrives"),
        adobePush(
          "timer", ["adb_tmr_dur": nil, "adb_tmr_end": "1799999999"], "shown",
          arriving: "silent: has ended when it arrives"),
        adobePush(
          "timer", ["adb_tmr_dur": nil, "adb_tmr_end": "1800000000"], "shown", drawn: "layout.timer.seconds_left=0"),
        adobePush("timer", ["adb_tmr_dur": "soon", "adb_tmr_end": "1800000001"], "shown", said: "warning key-type"),
      ], tests: ["DevicePreviewTests/TemplateTests.layouts"]),
    SDKFact(
      area, "A timer that runs below 0 seconds has ended when it arrives, whenever that is: it is not shown.",
      [
        adobePush("timer", ["adb_tmr_dur": "-1"], "nothing: below 0 seconds", said: "error adobe-timer-end"),
        adobePush(
          "timer", ["adb_tmr_dur": "-1", "adb_tmr_end": "4000000000"], "nothing: below 0 seconds",
          said: "error adobe-timer-end"),
      ], vectors: ["adobe/timer-negative", "adobe/read-android-timer-negative"]),
    SDKFact(
      area, "Without `adb_tag` nothing of what comes after the end is ever drawn.",
      [
        adobePush(
          "timer", ["adb_tag": nil], "shown", said: "warning adobe-timer-tag", drawn: "layout.timer.ended=false")
      ],
      vectors: ["adobe/timer-no-tag", "adobe/inside-adobe-timer-tag"],
      tests: ["DevicePreviewTests/TemplateTests.layouts"]),
    SDKFact(
      area, "A timer without a time in whole seconds has ended from the start, and an ended timer is not shown.",
      [nil, "", "1.5", "soon"].map { (time: JSONValue?) in
        adobePush(
          "timer", ["adb_tmr_dur": time, "adb_body_alt": "Too late", "adb_image_alt": "i"],
          "nothing: the timer has no time",
          said: "error adobe-timer-end")
      }),
    SDKFact(
      area, "A timer that runs draws its color and its own texts.",
      [
        adobePush(
          "timer", ["adb_clr_tmr": "112233", "adb_body_ex_alt": "x"], "shown", drawn: "title.text=T",
          "layout.timer.color=#112233", "expanded_body.text=X")
      ]),
  ]
}
