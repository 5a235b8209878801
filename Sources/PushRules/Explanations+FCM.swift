// Sources: Google, “FCM error codes” and “Best practices when sending FCM messages at scale”. The last four are plain
// google.rpc statuses without an FcmError, which the same answers carry for other causes.
extension Explanations {
  private static func code(
    _ reason: String, _ status: Int?, _ meaning: String, action: String, next: String
  ) -> Explanation {
    Explanation(.fcm, reason, status, meaning: meaning, action: action, next: next)
  }

  /// What FCM answers.
  static let fcm: [Explanation] = errorCodes + plainStatuses

  private static let notified = "Does not send again and notifies the operator; the app's other pushes continue."
  private static let stops =
    "Stops sending with this credential and notifies the operator, and keeps the devices; a few sends try it again at growing "
    + "intervals, and what waits is sent once it is accepted."

  private static let errorCodes: [Explanation] = [
    code(
      "UNSPECIFIED_ERROR", nil, "FCM gives no more information.",
      action: "Records the rejection, keeps the token and does not send again.",
      next: "Read the answer's message; ask Google with the message's time when it persists."),
    code(
      "INVALID_ARGUMENT", 400, "The request is not valid; the field violations name the fields.",
      action: "Does not send again; retires the device only when the violation is on message.token.",
      next: "Run postrider check on the message: it names the field and the fix."),
    code(
      "THIRD_PARTY_AUTH_ERROR", 401, "FCM could not sign in to APNs or to a browser's push service for the project.",
      action: notified,
      next: "Renew the APNs key, or the web push certificate, in the Firebase project's settings."),
    code(
      "APNS_AUTH_ERROR", 401, "The older name of THIRD_PARTY_AUTH_ERROR.",
      action: notified,
      next: "Renew the APNs key in the Firebase project's settings."),
    code(
      "SENDER_ID_MISMATCH", 403, "The token was registered for another Firebase project.",
      action: "Records the rejection and does not send again; the device is kept.",
      next: "Compare the app's google-services.json with the service account's project."),
    code(
      "UNREGISTERED", 404, "The app instance is gone: removed, its data cleared, or its token replaced.",
      action: "Does not send again and retires the device, unless it registered again after the send.",
      next: "Nothing; the app registers again when it is opened."),
    code(
      "QUOTA_EXCEEDED", 429, "The project, the device or the topic is over its rate.",
      action: "Sends again after Retry-After, but not before a minute, with growing pauses.",
      next: "Spread campaigns over time: 600 000 messages a minute for a project, 240 a minute for a device."),
    code(
      "INTERNAL", 500, "FCM failed inside.",
      action:
        "Sends again after Retry-After, but not before 10 seconds, with growing pauses, up to an hour and a half.",
      next: "See the Firebase status page."),
    code(
      "UNAVAILABLE", 503, "FCM is overloaded.",
      action:
        "Sends again after Retry-After, but not before 10 seconds, with growing pauses, up to an hour and a half.",
      next: "See the Firebase status page; ramp up campaigns over a minute or more."),
  ]

  private static let plainStatuses: [Explanation] = [
    code(
      "UNAUTHENTICATED", 401, "The access token is missing, wrong or expired (without an FcmError).",
      action: "Fetches a new access token and sends once more at once, later with growing pauses.",
      next: "When it comes back, check the service account's key and this machine's clock."),
    code(
      "PERMISSION_DENIED", 403, "The service account may not send for this project (without an FcmError).",
      action: stops,
      next: "Give the service account the Firebase Cloud Messaging role, and enable the FCM API in the project."),
    code(
      "NOT_FOUND", 404, "The project may be wrong: a 404 without an FcmError says nothing about the token.",
      action: stops, next: "Compare the project ID with the service account's."),
    code(
      "RESOURCE_EXHAUSTED", 429, "A quota is used up (without an FcmError).",
      action:
        "Sends again after Retry-After, but not before a minute, with growing pauses; serve --fcm-plain-429 says whether as for "
        + "the project's quota or as for a busy device.",
      next: "See the project's quotas in the Google Cloud console."),
  ]
}
