// Sources: Apple, “Handling notification responses from APNs”; the last three were seen in the field only. What
// Postrider does follows the same page's advice on retries.
extension Explanations {
  private static let noRetry = "Records the rejection and does not send again."
  private static let stops =
    "Stops sending with this credential and notifies the operator; a few sends try it again at growing intervals, and what "
    + "waits is sent once it is accepted."

  private static func header(_ reason: String, _ meaning: String, _ next: String) -> Explanation {
    Explanation(.apns, reason, 400, meaning: meaning, action: noRetry, next: next)
  }

  /// What APNs answers to a send to a device.
  static let apns: [Explanation] = badRequests + credentials + devices + pacing + seenElsewhere

  private static let badRequests: [Explanation] = [
    header(
      "BadCollapseId", "The collapse id is longer than 64 bytes.",
      "Shorten the campaign or collapse id; postrider check names the field."),
    header(
      "BadExpirationDate", "apns-expiration is not a whole number of seconds since 1970.",
      "Look for milliseconds, decimals or a date text in the expiration."),
    header("BadMessageId", "apns-id is not a canonical UUID.", "Write the UUID in lower case with its hyphens."),
    header(
      "BadPriority", "apns-priority is not 1, 5 or 10, or the push type does not allow it.",
      "Use 5 for background pushes; 5 or 10 for Live Activities."),
    header(
      "BadTopic", "apns-topic is not a topic.",
      "Compare the app's bundle ID with the topic, and its suffix with the push type."),
    header("InvalidPushType", "apns-push-type is none of the documented types.", "Check its spelling."),
    header("DuplicateHeaders", "A header occurs more than once.", "Look for a proxy that repeats headers."),
    header(
      "MissingDeviceToken", "The path has no device token.", "Look for devices that are registered with an empty token."
    ),
    header(
      "MissingTopic", "apns-topic is missing, and the credential does not imply one.", "Set the app's bundle ID."),
    header(
      "PayloadEmpty", "The body is empty.",
      "Send a payload with an alert, a badge, a sound, content-available: 1 or data; {} for a pass in Wallet."),
    Explanation(
      .apns, "PayloadTooLarge", 413, meaning: "The body is over 4096 bytes, or 5120 for voip.",
      action: "Records the rejection and never sends the same payload again.",
      next: "Shorten the text (check --fit), or send a reference and let the app fetch the rest."),
    Explanation(
      .apns, "BadPath", 404, meaning: "The path is not /3/device/<token>.", action: noRetry,
      next: "Check the gateway's address in the credential."),
    Explanation(
      .apns, "MethodNotAllowed", 405, meaning: "The method is not POST.", action: noRetry,
      next: "Look for a proxy that changes requests."),
  ]

  private static let credentials: [Explanation] = [
    Explanation(
      .apns, "TopicDisallowed", 400, meaning: "This credential may not push to this topic.",
      action: "Does not send again and notifies the operator; the app's other pushes continue.",
      next: "Check that the key's team owns the bundle ID, and that the certificate names the topic."),
    Explanation(
      .apns, "BadCertificate", 403, meaning: "The client certificate is not valid.",
      action: "Closes the connection. " + stops,
      next: "Look at the certificate's dates and whether it was revoked; make a new one."),
    Explanation(
      .apns, "BadCertificateEnvironment", 403,
      meaning: "The client certificate is for the other environment.",
      action: "Closes the connection. " + stops,
      next: "Use the certificate of this environment, or change the credential's environment."),
    Explanation(
      .apns, "ExpiredProviderToken", 403, meaning: "The provider token is more than an hour old.",
      action: "Makes a new token and sends once more at once, later with growing pauses.",
      next: "When it comes back, compare this machine's clock with the time."),
    Explanation(
      .apns, "Forbidden", 403, meaning: "The action is not allowed.", action: noRetry,
      next: "Check what the key or certificate may do in the developer account."),
    Explanation(
      .apns, "InvalidProviderToken", 403,
      meaning: "The provider token's signature, key ID, team ID or claims are wrong.",
      action: stops,
      next: "Compare key ID and team ID with the developer account, and see that the .p8 file is the key's own."),
    Explanation(
      .apns, "MissingProviderToken", 403, meaning: "There was neither a provider token nor a client certificate.",
      action: stops,
      next: "Upload a .p8 key or a certificate for the app."),
    Explanation(
      .apns, "UnrelatedKeyIdInToken", 403,
      meaning: "The token's key is unrelated to the one that was first used on this connection.",
      action: "Opens a connection for that key and sends once more there, later with growing pauses.",
      next: "Nothing, unless it persists; then look for two servers that share a proxy."),
    Explanation(
      .apns, "BadEnvironmentKeyIdInToken", 403, meaning: "The key is limited to the other environment.",
      action: stops,
      next: "Use a key for this environment, or one for both."),
    Explanation(
      .apns, "TooManyProviderTokenUpdates", 429,
      meaning: "The provider token changed more than once in 20 minutes on a connection.",
      action:
        "Continues with the older token, makes new ones less often and sends once more, later with growing pauses.",
      next: "See whether several servers use one key with tokens of their own through one proxy."),
  ]

  private static let devices: [Explanation] = [
    Explanation(
      .apns, "BadDeviceToken", 400, meaning: "The device token is malformed, or belongs to the other environment.",
      action:
        "Does not send again and puts the device aside until it registers anew; none is when too large a share fails so.",
      next: "When many fail, the environment is wrong: development builds need the sandbox gateway."),
    Explanation(
      .apns, "DeviceTokenNotForTopic", 400, meaning: "The device token belongs to another app.",
      action: "Records the rejection and does not send again; the device is kept.",
      next: "When many fail, the bundle ID in the topic is wrong; one alone is a device of another app."),
    Explanation(
      .apns, "ExpiredToken", 410, meaning: "The device token has expired.",
      action: "Does not send again and retires the device, unless it registered again after the answer's timestamp.",
      next: "Nothing; the app registers again when it is opened."),
    Explanation(
      .apns, "Unregistered", 410,
      meaning: "The app was removed, or pushes are off: the token is inactive for the topic.",
      action: "Does not send again and retires the device, unless it registered again after the answer's timestamp.",
      next: "Nothing; a rise after a release may tell of a registration bug."),
  ]

  private static let pacing: [Explanation] = [
    Explanation(
      .apns, "IdleTimeout", 400, meaning: "APNs closed a connection that was idle.",
      action: "Opens a new connection and sends once more there, later with growing pauses.", next: "Nothing."),
    Explanation(
      .apns, "TooManyRequests", 429, meaning: "Too many pushes went to this one device token.",
      action:
        "Sends again after Retry-After, but not before a minute, with growing pauses; other devices are not affected.",
      next: "Look for a loop that addresses one user, and use collapse ids."),
    Explanation(
      .apns, "InternalServerError", 500, meaning: "APNs failed inside.",
      action: "Sends again after 15 minutes or more, with growing pauses.", next: "See Apple's system status page."),
    Explanation(
      .apns, "ServiceUnavailable", 503, meaning: "APNs is not available.",
      action: "Sends again after 15 minutes or more, with growing pauses.", next: "See Apple's system status page."),
    Explanation(
      .apns, "Shutdown", 503, meaning: "This APNs server is going away.",
      action: "Opens another connection and sends once more there, then after 15 minutes or more.", next: "Nothing."),
  ]

  private static let seenElsewhere: [Explanation] = [
    Explanation(
      .apns, "BadDate", nil, meaning: "An older name for an expiration that APNs does not accept.", action: noRetry,
      next: "Look at apns-expiration, and see which gateway answers."),
    Explanation(
      .apns, "BadProviderToken", nil, meaning: "An older name for a provider token that is not valid.",
      action: stops,
      next: "Compare key ID and team ID with the developer account."),
    Explanation(
      .apns, "BadEnvironmentKeyInToken", nil, meaning: "Another spelling of BadEnvironmentKeyIdInToken.",
      action: stops,
      next: "Use a key for this environment, or one for both."),
  ]
}
