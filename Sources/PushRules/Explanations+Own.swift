extension Explanations {
  #if _pointerBitWidth(_32)
    // The module for browsers is bounded in size, and explains what providers answer.
    static let own: [Explanation] = []
  #else
    /// The reasons that are not a provider's: of deliveries that were not sent, or of sends that were not answered.
    public static let own: [Explanation] = beforeSending + whileSending

    private static let again = "Sends again, with growing pauses."
    private static let perPolicy =
      "Sends again with the same id, or leaves it unknown, as the push's policy says. Push services of browsers know no id: a"
      + " message that is sent again may be shown twice."
    private static let network =
      "Look at the network, the firewall and the proxy between this machine and the gateway."

    private static func row(_ reason: String, meaning: String, action: String, next: String) -> Explanation {
      Explanation(.own, reason, nil, meaning: meaning, action: action, next: next)
    }

    private static let beforeSending: [Explanation] = [
      row(
        "device-retired",
        meaning: "The device was retired or put aside after the audience was materialized.", action: "Does not send.",
        next: "Nothing; the device registers again when the app is opened."),
      row(
        "device-removed",
        meaning: "The device was deleted after the audience was materialized.", action: "Does not send.",
        next: "Nothing."),
      row(
        "accepted-in-other-environment",
        meaning:
          "APNs refused the token in the environment that the device was registered for, and took it in the other.",
        action: "Sends to the device in that environment from now on.",
        next: "Have the app register the environment it is built for."),
      row(
        "no-payload",
        meaning: "The message has nothing for this kind of device.", action: "Does not send.",
        next: "Render the message for this platform, and see what the report says."),
      row(
        "payload-too-large",
        meaning: "With the values of this recipient, the message is larger than the provider accepts.",
        action: "Does not send.", next: "Shorten the message, or cut the longest value with | truncate."),
      row(
        "template-aborted",
        meaning: "A text of the message reached {% abort %} for this recipient.", action: "Does not send.",
        next: "Nothing, if it is meant; otherwise look at the condition in front of it."),
      row(
        "template-undefined",
        meaning:
          "A text of the message needs a value that this recipient does not have, and the push has \"undefined\": \"skip\".",
        action: "Does not send.", next: "Give a default, {{ name | default: \"there\" }}, or set the value."),
      row(
        "template-failed",
        meaning:
          "A text of the message fails on the values of this recipient, such as a division by zero, or reaches a limit.",
        action: "Does not send.", next: "Try the text with the recipient's values: postrider liquid --values FILE."),
      row(
        "template-empty",
        meaning: "With the values of this recipient the message has no text, and a device would show nothing of it.",
        action: "Does not send.", next: "Give a default, {{ name | default: \"there\" }}, or set the value."),
      row(
        "no-credential",
        meaning: "The app has no credential for this provider and environment.",
        action:
          "Sends again, with growing pauses, while the credential is missing; does not send to a device for which the app had"
          + " none when the push was made.",
        next: "Set the credential, or correct the device's environment; make a push that was rejected anew."),
      row(
        "stopped",
        meaning: "The server was stopped before the send was handed over.", action: "Sends after the next start.",
        next: "Nothing."),
      row(
        "expired",
        meaning: "The push expired before it could be sent.", action: "Does not send.",
        next: "Allow it more time, or look for what held it up."),
      row(
        "provider-stopped",
        meaning: "The provider refused the app's credential, so it is sent nothing but a few tries now and then.",
        action: "Sends when the provider takes the credential again.",
        next: "GET /v1/apps/{app} says why under stops; set working credentials, or resume the app."),
      // In ledgers of earlier versions.
      row(
        "app-stopped",
        meaning: "The app's sending was stopped, because a credential was refused.",
        action: "Sends when it resumes.", next: "GET /v1/apps/{app} says why under stops; set working credentials."),
      row(
        "server-key-unknown",
        meaning: "The browser's subscription was made for a key that the app does not have.",
        action: "Records the rejection and does not send; the device is kept.",
        next: "Add the key to the app's web credential, or have the page subscribe again."),
      row(
        "subscription-unreadable",
        meaning: "What is stored of the browser's subscription or of the message cannot be read.",
        action: "Records the rejection and does not send; the device is kept.",
        next: "Have the page register again."),
      row(
        "queue-full",
        meaning: "The client for browsers had no room.", action: again, next: "Nothing."),
      row(
        "origin_limit",
        meaning: "As many push services are in use as there may be connections to.", action: again,
        next: "Look for devices whose endpoints nobody answers at."),
      row(
        "gateway-unreachable",
        meaning: "The gateway could not be reached when it was this delivery's turn, so it was not tried.",
        action: "Sends when the gateway can be reached.", next: network),
      row(
        "recalled",
        meaning:
          "It was taken back before it was sent: the push was paused or cancelled, or the device changed its user, its token or what it wants.",
        action: "Sends when the push is resumed, or at once to a device that it still concerns.", next: "Nothing."),
      row(
        "device-moved",
        meaning: "The device was addressed as one user's and belongs to another now.", action: "Does not send.",
        next: "Nothing."),
      row(
        "suppressed-opt-out",
        meaning: "The device or its user has opted out of such pushes.", action: "Does not send.", next: "Nothing."),
      row(
        "suppressed-frequency-cap",
        meaning: "The user has had as many pushes as the app's cap allows.", action: "Does not send.",
        next: "Nothing, or raise the app's cap."),
      row(
        "retries-exhausted",
        meaning:
          "The gateway never answered, and the time for attempts is used up; what failed last follows the colon.",
        action: "Records the rejection and does not send again.", next: network),
      row(
        "invalid-request",
        meaning: "What is stored of a broadcast cannot be sent.",
        action: "Records the rejection and does not send again.",
        next: "Send it again; if that fails as well, report it."),
    ]

    private static let whileSending: [Explanation] = [
      row(
        "name_lookup",
        meaning: "The name of the gateway, or of a browser's endpoint, could not be resolved.", action: again,
        next: "Look at this machine's DNS; a browser's endpoint may be made up."),
      row(
        "address_refused",
        meaning: "The gateway's address is loopback or private, and the credential does not name it.",
        action: "Sends again, with growing pauses; to a browser it does not.",
        next: "Look at this machine's DNS, or name the gateway in the credential."),
      row(
        "connect",
        meaning: "The connection to the gateway could not be made.", action: again, next: network),
      row(
        "proxy",
        meaning: "The HTTP proxy refused or broke the tunnel.", action: again, next: "Look at the proxy's log."),
      row(
        "tls",
        meaning: "TLS failed: the certificate was not trusted, or the handshake broke.", action: again,
        next: "Look at this machine's clock and trusted certificates, and for a proxy that opens TLS."),
      row(
        "no_http2",
        meaning: "The peer does not speak HTTP/2.", action: again, next: "Look for a proxy in between."),
      row(
        "go_away",
        meaning: "The gateway closed the connection in an orderly way.", action: again, next: "Nothing."),
      row(
        "refused_stream",
        meaning: "The gateway refused the request before any work on it.", action: again, next: "Nothing."),
      row(
        "stream_reset",
        meaning: "The gateway broke the request off.", action: perPolicy, next: "See the provider's status page."),
      row(
        "connection_lost",
        meaning: "The connection broke while the request was on it.", action: perPolicy, next: network),
      row(
        "silence",
        meaning: "The connection was opened, but nothing was received from the gateway.", action: again, next: network),
      row(
        "request_timeout",
        meaning: "No answer came in time.", action: perPolicy, next: "See the provider's status page."),
      row(
        "queue_timeout",
        meaning: "It waited too long for a connection.", action: again, next: network),
      row(
        "token_unavailable",
        meaning: "The token endpoint gave no access token in time, and did not refuse the credential.", action: again,
        next: "Look at the network between this machine and the token endpoint, and at this machine's clock."),
      row(
        "credential",
        meaning: "The credential could not produce a token.", action: again,
        next: "Check the key, and whether the token endpoint can be reached."),
      row(
        "closed",
        meaning: "The client was closed before the send was done.", action: again, next: "Nothing."),
      row(
        "invalid_request",
        meaning: "A header's value is not valid in HTTP/2.", action: "Records the rejection and does not send again.",
        next: "Look for control characters in topic, collapse id and token."),
      row(
        "protocol_violation",
        meaning: "The peer broke HTTP/2, or sent more than the limit.", action: again,
        next: "Look for a proxy in between."),
      row(
        "unreadable_answer",
        meaning: "Something answered with success, but not as Push Kit does; the device may have got the message.",
        action: again, next: "Look for a portal, a proxy or a relay that answers instead of the provider."),
    ]
  #endif
}
