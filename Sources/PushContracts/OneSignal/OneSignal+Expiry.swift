internal import Basics
import PushPayload
import WireJSON

/// How long OneSignal's SDK for Android shows a notification: before the second in which it was sent plus its time to live
/// in seconds, as Google's or Huawei's transport names the two.
///
/// Source: OneSignal's SDK for Android, `Notification.initPayloadData` and
/// `NotificationGenerationProcessor.isNotificationWithinTTL`.
extension OneSignal {
  /// What becomes of a push that the SDK does not show for its age; nil for any other.
  @Sendable static func outcome(of members: JSONObject, arrivingAt now: WholeNumber?) -> DeviceOutcome? {
    let bundle = AndroidReader.bundle(members)
    // The preview of an in-app message is drawn whatever its age.
    guard let prefix = timesPrefix(of: bundle), takes(["from": bundle["from"] ?? .null, "data": .object(bundle)]),
      !isInAppPreview(bundle)
    else { return Optional.none }
    let sent = bundle[prefix + ".sent_time"].flatMap { AndroidJSON.integer($0) }
    let ttl = bundle[prefix + ".ttl"].flatMap { AndroidJSON.integer($0) }
    guard hasExpired(sent: sent.map { $0 / 1000 }, ttl: ttl.map(clampedTTL) ?? ttlDefault, at: now) else {
      return Optional.none
    }
    return .nothing(
      "its time, \(prefix).ttl, is over when it arrives, and OneSignal's SDK shows nothing that is too old")
  }

  /// Whose times the SDK reads: Google's where there is `google.ttl`, else Huawei's; nil where there are none.
  static func timesPrefix(of bundle: JSONObject) -> String? {
    ["google", "hms"].first { bundle[$0 + ".ttl"]?.isNull == false }
  }

  /// The time to live as `optInt` gives it.
  static func clampedTTL(_ seconds: WholeNumber) -> WholeNumber {
    min(max(seconds, WholeNumber(Int32.min)), WholeNumber(Int32.max))
  }

  /// True when a notification is not shown for its age; without its own time it is sent when it arrives, and none is sent
  /// later.
  static func hasExpired(sent: WholeNumber?, ttl: WholeNumber, at now: WholeNumber?) -> Bool {
    guard ttl > 0 else { return true }
    guard let sent, let now else { return false }
    let (end, isNever) = sent.addingReportingOverflow(ttl)
    return !isNever && end <= now
  }
}
