// Sources: RFC 8030 sections 5, 7.2 and 7.3, RFC 8291 section 4, RFC 8292 section 4.2.
extension Explanations {
  /// What a push service answers to a message for a browser: a status, and a text that each words in its own way.
  static let webPush: [Explanation] = [
    answer(
      400, "A header is missing or malformed, or the body is not encrypted as aes128gcm.",
      "Read the detail of the answer; look for a proxy that changes requests."),
    answer(
      401, "There is no VAPID token, or not in the form vapid t=…, k=….",
      "Look for a proxy that removes the Authorization header.", action: doubt),
    answer(
      402, "The push service takes messages only from applications that it has an agreement with.",
      "Ask the push service; its page says what it demands."),
    answer(
      403,
      "The VAPID token was refused: it has expired, is for another origin, lacks a contact, or the subscription belongs to"
        + " another key.",
      "Compare the key with the applicationServerKey of the page, this machine's clock with the time, and the contact.",
      action: doubt),
    answer(
      404, "There is no such subscription.", "Nothing; the browser subscribes again when its page is opened.",
      action: ended),
    answer(
      410, "The subscription has ended: the person took the permission back, or the browser dropped it.",
      "Nothing; the browser subscribes again when its page is opened.",
      action: ended),
    answer(413, "The body is longer than the push service accepts, 4096 bytes in practice.", "Shorten the message."),
    answer(
      429, "Too many messages to this subscription, or for this application.",
      "Send less often; set a topic, so that messages that wait replace each other.",
      action: "Sends again after Retry-After, but not before a minute."),
    answer(
      500, "The push service failed inside.", "See the browser vendor's status page.", action: later),
    answer(
      502, "A proxy in front of the push service got no answer.", "See the browser vendor's status page.",
      action: later),
    answer(
      503, "The push service is not available.", "See the browser vendor's status page.", action: later),
  ]

  private static let doubt =
    "Records the rejection, does not send again, keeps the device and notifies the operator; other pushes continue."
  private static let ended = "Records the rejection, does not send again and retires the device."
  private static let later = "Sends again after Retry-After, but not before 10 seconds."

  private static func answer(_ status: Int, _ meaning: String, _ next: String, action: String? = nil) -> Explanation {
    Explanation(
      .webPush, "\(status)", status, meaning: meaning,
      action: action ?? "Records the rejection and does not send again.",
      next: next)
  }
}
