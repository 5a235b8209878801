import PushPayload
import WireJSON

extension OneSignal {
  /// What OneSignal's SDK does with a payload.
  static func behavior(_ root: JSONValue, _ platform: Platform, _ state: DeviceState) -> JSONObject? {
    var report = Report()
    let notification = read(root, platform: platform, report: &report)
    return platform == .ios ? notification.appleBehavior(state) : notification.androidBehavior
  }
}

extension OneSignal.Notification {
  /// The badge, the category with its buttons, what is attached, and what is reported.
  fileprivate func appleBehavior(_ state: DeviceState) -> JSONObject {
    var behavior: JSONObject = ["badge": .number(JSONNumber(badge(after: state.badge)))]
    if let category = dynamicCategory ?? category { behavior.append("category", .string(category)) }
    if !registeredButtons.isEmpty {
      behavior.append("buttons", .array(registeredButtons.map { .string($0.id ?? $0.text) }))
    }
    if !attachmentSources.isEmpty {
      behavior.append("attachments", .array(attachmentSources.map { .object($0.json) }))
    }
    var reports = JSONObject()
    if let deliveryReportPath { reports.append("received", .string(deliveryReportPath)) }
    if let openReportPath { reports.append("opened", .string(openReportPath)) }
    if !reports.isEmpty { behavior.append("reports", .object(reports)) }
    return behavior
  }

  /// Whether it is shown, and how loudly.
  fileprivate var androidBehavior: JSONObject {
    let refusal = displayRefusal(now: Optional.none)
    var behavior: JSONObject = ["shown": .bool(refusal == nil)]
    if let refusal { behavior.append("refusal", .string(refusal.rawValue)) }
    guard let android else { return behavior }
    behavior.append("priority", .number(JSONNumber(android.displayPriority)))
    behavior.append("importance", .number(JSONNumber(android.importance)))
    behavior.append("scheduledAsHigh", .bool(android.isScheduledAsHigh))
    return behavior
  }
}

extension OneSignal.Attachment {
  fileprivate var json: JSONObject {
    var object: JSONObject = ["id": .string(id), "source": .string(source), "downloaded": .bool(isRemote)]
    if let fileExtension = fileExtension() { object.append("extension", .string(fileExtension)) }
    return object
  }
}
