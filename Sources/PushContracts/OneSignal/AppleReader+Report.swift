import PushPayload
import WireJSON

// What is said of a whole payload.
extension AppleReader {
  @inline(never)
  mutating func reportForeign(_ format: OneSignal.Format) {
    let key = format == .new || format == .newMinified ? "os_data.i" : "custom.i"
    report.add(
      rule: "onesignal-id-missing", severity: .warning, field: key,
      message: "no id, so OneSignal's SDK takes the push for a foreign one: no click events and no analytics")
  }

  /// What the SDK does not show of `os_data.buttons` where there is no text in `aps.alert`.
  @inline(never)
  mutating func reportLostTexts(_ buttons: JSONNode, _ hasAlert: Bool) {
    if hasAlert {
      if document.kind(buttons) == .object, document.member(of: buttons, "m") != nil {
        reportNullAlert("os_data.buttons.m")
      }
      return
    }
    report.add(
      rule: "onesignal-buttons-crash", severity: .warning, field: "os_data.buttons",
      message:
        "without aps.alert OneSignal's SDK expects an object here and crashes on \(document.value(buttons).named); "
        + "add an alert")
  }

  /// To the SDK null is an alert, beside which it does not read the texts of a minified payload.
  @inline(never)
  mutating func reportNullAlert(_ texts: String) {
    report.add(
      rule: "onesignal-minified-not-shown", severity: .warning, field: "aps.alert",
      message: "OneSignal's SDK does not read \(texts) beside an alert, and takes null for one; leave aps.alert out")
  }

  @inline(never)
  mutating func reportRootData() {
    for (name, _) in document.members(of: document.root) {
      guard let key = document.string(name), OneSignal.isRootData(key) else { continue }
      report.add(
        rule: "onesignal-root-data", severity: .note, field: FieldPath(members: key),
        message: "beside aps it is in rawPayload, and not in additionalData")
    }
  }
}
