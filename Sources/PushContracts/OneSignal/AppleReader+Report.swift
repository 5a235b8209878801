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

  @inline(never)
  mutating func reportCrash() {
    report.add(
      rule: "onesignal-buttons-crash", severity: .warning, field: "os_data.buttons",
      message: "without aps.alert OneSignal's SDK expects an object here and crashes on an array; add an alert")
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
