// Sources: Apple, “Handling error responses from APNs”, “Sending broadcast push notification requests to APNs” and
// “Sending channel management requests to APNs”.
extension Explanations {
  private static func answer(
    _ reason: String, _ status: Int, _ meaning: String, _ next: String, action: String? = nil
  ) -> Explanation {
    Explanation(
      .broadcast, reason, status, meaning: meaning,
      action: action ?? "Reports the refusal and does not send again.", next: next)
  }

  private static let later = "Reports the refusal and keeps nothing; send again after 15 minutes or more."
  private static let report = "Reports the refusal and does not send again."

  /// What APNs answers to a broadcast or a channel request.
  static let broadcast: [Explanation] = requests + access + limits

  private static let requests: [Explanation] = [
    answer(
      "MissingChannelId", 400, "apns-channel-id is missing.", "Send the channel ID that the creation answered."),
    answer("BadChannelId", 400, "apns-channel-id is not a channel ID.", "Send it unchanged, as base64."),
    answer(
      "ChannelNotRegistered", 400, "There is no such channel in this environment.",
      "List the channels; it may be of the other environment, or deleted."),
    answer("BadRequestParams", 400, "A parameter of the request is wrong.", "Compare path and headers with the page."),
    answer(
      "BadRequestPayload", 400, "The body is not what the operation asks for.",
      "Create a channel with message-storage-policy 0 or 1 and push-type LiveActivity."),
    answer("PayloadEmpty", 400, "The body is empty.", "Send the Live Activity's aps."),
    answer(
      "BadMessageId", 400, "apns-request-id or apns-id is not a canonical UUID.",
      "Write it in lower case with its hyphens."),
    answer("MissingPushType", 400, "apns-push-type is missing.", "Send apns-push-type: liveactivity."),
    answer("InvalidPushType", 400, "apns-push-type is not liveactivity.", "Send apns-push-type: liveactivity."),
    answer(
      "BadExpirationDate", 400, "apns-expiration is missing, malformed, or not 0 for a channel that stores nothing.",
      "Send 0, or create the channel with message-storage-policy 1."),
    answer("BadPriority", 400, "apns-priority is missing, or not 5 or 10.", "Send 5 or 10."),
    answer("BadPath", 404, "The path is none of the service's.", "Check host, port and bundle ID."),
    answer(
      "MethodNotAllowed", 405, "The method is not the operation's.",
      "POST creates and sends, GET reads, DELETE deletes."),
    answer("PayloadTooLarge", 413, "The body is over 5120 bytes.", "Shorten the content-state."),
  ]

  private static let access: [Explanation] = [
    answer(
      "FeatureNotEnabled", 400, "The app has no broadcast capability.",
      "Enable broadcasts for the bundle ID in the developer account.", action: report),
    answer(
      "TopicDisallowed", 400, "This credential may not broadcast for this app.",
      "Check that the key's team owns the bundle ID.", action: report),
    answer("BadCertificate", 403, "The client certificate is not valid.", "Make a new one.", action: report),
    answer(
      "BadCertificateEnvironment", 403, "The client certificate is for the other environment.",
      "Use the certificate of this environment.", action: report),
    answer(
      "TopicMismatch", 403, "The certificate is for another app than the path names.",
      "Use the app's own certificate, or a .p8 key.", action: report),
    answer(
      "MissingProviderToken", 403, "There was neither a provider token nor a client certificate.",
      "Upload a .p8 key for the app.", action: report),
    answer(
      "ExpiredProviderToken", 403, "The provider token is more than an hour old.",
      "When it comes back, compare this machine's clock with the time.",
      action: "Makes a new token and sends once more at once."),
    answer(
      "InvalidProviderToken", 403, "The provider token's signature, key ID, team ID or claims are wrong.",
      "Compare key ID and team ID with the developer account.", action: report),
  ]

  private static let limits: [Explanation] = [
    answer(
      "CannotCreateChannelConfig", 400, "The app has its 10 000 channels, or the channel cannot be made.",
      "Delete channels that are no longer used."),
    answer(
      "TooManyRequests", 429, "Too many requests came at once.", "Send fewer broadcasts to the channel.",
      action: "Reports the refusal and keeps nothing; send again after Retry-After, but not before a minute."),
    answer(
      "TooManyProviderTokenUpdates", 429, "The provider token changed more than once in 20 minutes.",
      "See whether several servers use one key with tokens of their own.",
      action: "Continues with the older token, makes new ones less often and sends once more at once."),
    answer("InternalServerError", 500, "APNs failed inside.", "See Apple's system status page.", action: later),
    answer(
      "ServiceUnavailable", 503, "APNs is not available; some pages print it as “Service Unavailable”.",
      "See Apple's system status page.", action: later),
    answer(
      "Shutdown", 503, "This APNs server is going away.", "Nothing.",
      action: "Opens another connection and sends once more there; after that, send again after 15 minutes or more."),
  ]
}
