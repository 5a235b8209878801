import PushPayload
import WireJSON

extension PayloadBudget {
  /// Says when so many bytes are over the budget.
  func check(_ bytes: Int, field: String, _ report: inout Report) {
    if bytes > bytesMax {
      report.add(
        rule: "payload-too-large", severity: .error, field: field,
        message: "\(bytes) bytes, and at most \(bytesMax) are allowed; shorten the texts or the data")
    } else if bytes > bytesAdvised {
      report.add(
        rule: "payload-over-advice", severity: .warning, field: field,
        message: "\(bytes) bytes; up to \(bytesAdvised) are advised, so that nothing is cut off")
    }
  }

  /// Measures the names and values of an FCM message's data, as FCM does.
  func check(fcm body: borrowing JSONWriter, _ report: inout Report) {
    // The body is never shorter than what is in it.
    guard body.count > bytesAdvised, let data = (try? JSON.parse(body.bytes))?["message"]?["data"]?.object else {
      return
    }
    check(
      data.reduce(0) { $0 + $1.key.utf8.count + ($1.value.string?.utf8.count ?? 0) }, field: "message.data", &report)
  }
}
