import PushPayload
import WireJSON

extension IMKit {
  /// What IMKit's apps do with a payload: what the systems do, and a notification block without a text is silent.
  ///
  /// Source: IMKit, “Push Payload Format”, silent pushes.
  @Sendable static func outcome(
    of members: JSONObject, on platform: Platform, headers: APNsHeaders?
  ) -> DeviceOutcome {
    guard platform == .android else { return AppleDevice.outcome(of: members, headers) }
    guard let block = NotificationBlock(members), !block.hasText else { return FirebaseDevice.outcome(of: members) }
    return FirebaseDevice.hasData(members)
      ? .silent("the notification has neither title nor body, so it is a silent push")
      : .nothing("the notification has neither title nor body, and there is no data")
  }
}
