internal import Delivery
internal import GatewayPool
internal import PushRules
internal import PushStore
internal import WireJSON

/// What the reasons of deliveries mean: the providers' from the table of `PushRules`, our own from here.
enum ReasonTexts {
  struct Text: Sendable, Hashable {
    let meaning: String
    let action: String
    let next: String

    var json: JSONValue { ["meaning": .string(meaning), "action": .string(action), "next": .string(next)] }
  }

  /// The explanation of a delivery's last reason; nil when there is none, or it is unknown.
  static func text(provider: Provider?, reason: String) -> Text? {
    guard !reason.isEmpty else { return nil }
    for service in provider?.names.services ?? [] { if let text = providers[service]?[reason] { return text } }
    if let cause = PipelineReason.cause(ofExhausted: reason) {
      return exhausted(text(provider: provider, reason: cause))
    }
    return own[reason]
  }

  private static func exhausted(_ cause: Text?) -> Text {
    Text(
      meaning: "The gateway never answered, and the time for attempts is used up."
        + (cause.map { " The last attempt: \($0.meaning)" } ?? ""),
      action: "Records the rejection and does not send again.", next: cause?.next ?? network)
  }

  private static let providers: [Explanation.Service: [String: Text]] = {
    var table: [Explanation.Service: [String: Text]] = [:]
    for row in Explanations.all {
      table[row.service, default: [:]][row.reason] = Text(meaning: row.meaning, action: row.action, next: row.next)
    }
    return table
  }()

  private static let again = "Sends again, with growing pauses."
  private static let perPolicy = "Sends again with the same id, or leaves it unknown, as the push's policy says."
  private static let network = "Look at the network, the firewall and the proxy between this machine and the gateway."

  /// Our own reasons.
  static let own: [String: Text] = [
    LocalReason.deviceRetired: Text(
      meaning: "The device was retired or put aside after the audience was gathered.", action: "Does not send.",
      next: "Nothing; the device registers again when the app is opened."),
    LocalReason.deviceRemoved: Text(
      meaning: "The device was deleted after the audience was gathered.", action: "Does not send.", next: "Nothing."),
    LocalReason.otherEnvironment: Text(
      meaning:
        "APNs refused the token in the environment that the device was registered for, and took it in the other.",
      action: "Sends to the device in that environment from now on.",
      next: "Have the app register the environment it is built for."),
    PipelineReason.noPayload: Text(
      meaning: "The message has nothing for this kind of device.", action: "Does not send.",
      next: "Render the message for this platform, and see what the report says."),
    PipelineReason.tooLarge: Text(
      meaning: "With the values of this recipient, the message is larger than the provider accepts.",
      action: "Does not send.", next: "Shorten the message, or cut the longest value with | truncate."),
    PipelineReason.aborted: Text(
      meaning: "A text of the message reached {% abort %} for this recipient.", action: "Does not send.",
      next: "Nothing, if it is meant; otherwise look at the condition in front of it."),
    PipelineReason.undefined: Text(
      meaning:
        "A text of the message needs a value that this recipient does not have, and the push has \"undefined\": \"skip\".",
      action: "Does not send.", next: "Give a default with | default:, or set the value."),
    PipelineReason.templateFailed: Text(
      meaning:
        "A text of the message fails on the values of this recipient, such as a division by zero, or reaches a limit.",
      action: "Does not send.", next: "Try the text with the recipient's values: postrider liquid --values FILE."),
    PipelineReason.templateEmpty: Text(
      meaning: "With the values of this recipient the message has no text, and a device would show nothing of it.",
      action: "Does not send.", next: "Give a default, {{name|there}} or | default:, or set the value."),
    PipelineReason.noCredential: Text(
      meaning: "The app has no credential for this provider and environment.", action: again,
      next: "Set the credential, or correct the device's environment."),
    PipelineReason.stopped: Text(
      meaning: "The server was stopped before the send was handed over.", action: "Sends after the next start.",
      next: "Nothing."),
    PipelineReason.expired: Text(
      meaning: "The push became worthless before it could be sent.", action: "Does not send.",
      next: "Allow it more time, or look for what held it up."),
    PipelineReason.providerStopped: Text(
      meaning: "The provider refused the app's credential, so it is sent nothing but a few tries now and then.",
      action: "Sends when the provider takes the credential again.",
      next: "GET /v1/apps/{app} says why under stops; set working credentials, or resume the app."),
    // In ledgers of earlier versions.
    "app-stopped": Text(
      meaning: "The app's sending was stopped, because a credential was refused.",
      action: "Sends when it goes on.", next: "GET /v1/apps/{app} says why under stops; set working credentials."),
    WebPushReason.unknownKey: Text(
      meaning: "The browser's subscription was made for a key that the app does not have.",
      action: "Records the rejection and does not send; the device is kept.",
      next: "Add the key to the app's web credential, or have the page subscribe again."),
    WebPushReason.unreadable: Text(
      meaning: "What is stored of the browser's subscription or of the message cannot be read.",
      action: "Records the rejection and does not send; the device is kept.",
      next: "Have the page register again."),
    WebPushReason.queueFull: Text(
      meaning: "The client for browsers had no room.", action: again, next: "Nothing."),
    "origin_limit": Text(
      meaning: "As many push services are in use as there may be connections to.", action: again,
      next: "Look for devices whose endpoints nobody answers at."),
    PipelineReason.gatewayUnreachable: Text(
      meaning: "The gateway could not be reached when it was this delivery's turn, so it was not tried.",
      action: "Sends when the gateway can be reached.", next: network),
    PipelineReason.recalled: Text(
      meaning:
        "It was taken back before it was sent: the push was paused or cancelled, or the device changed its user, its token or what it wants.",
      action: "Sends when the push is resumed, or at once to a device that it still concerns.", next: "Nothing."),
    SendFailure.Cause.nameLookup.rawValue: Text(
      meaning: "The gateway's name could not be resolved.", action: again, next: "Look at this machine's DNS."),
    SendFailure.Cause.addressRefused.rawValue: Text(
      meaning: "The gateway's address is loopback or private, and the credential does not name it.",
      action: "Sends again, with growing pauses; to a browser it does not.",
      next: "Look at this machine's DNS, or name the gateway in the credential."),
    SendFailure.Cause.connect.rawValue: Text(
      meaning: "The connection to the gateway could not be made.", action: again, next: network),
    SendFailure.Cause.proxy.rawValue: Text(
      meaning: "The HTTP proxy refused or broke the tunnel.", action: again, next: "Look at the proxy's log."),
    SendFailure.Cause.tls.rawValue: Text(
      meaning: "TLS failed: the certificate was not trusted, or the handshake broke.", action: again,
      next: "Look at this machine's clock and trusted certificates, and for a proxy that opens TLS."),
    SendFailure.Cause.noHTTP2.rawValue: Text(
      meaning: "The peer does not speak HTTP/2.", action: again, next: "Look for a proxy in between."),
    SendFailure.Cause.goAway.rawValue: Text(
      meaning: "The gateway closed the connection in an orderly way.", action: again, next: "Nothing."),
    SendFailure.Cause.refusedStream.rawValue: Text(
      meaning: "The gateway refused the request before any work on it.", action: again, next: "Nothing."),
    SendFailure.Cause.streamReset.rawValue: Text(
      meaning: "The gateway broke the request off.", action: perPolicy, next: "See the provider's status page."),
    SendFailure.Cause.connectionLost.rawValue: Text(
      meaning: "The connection broke while the request was on it.", action: perPolicy, next: network),
    SendFailure.Cause.silence.rawValue: Text(
      meaning: "The connection was opened, but nothing was heard from the gateway.", action: again, next: network),
    SendFailure.Cause.requestTimeout.rawValue: Text(
      meaning: "No answer came in time.", action: perPolicy, next: "See the provider's status page."),
    SendFailure.Cause.queueTimeout.rawValue: Text(
      meaning: "It waited too long for a connection.", action: again, next: network),
    SendFailure.Cause.tokenUnavailable.rawValue: Text(
      meaning: "The token endpoint gave no access token in time, and did not refuse the credential.", action: again,
      next: "Look at the network between this machine and the token endpoint, and at this machine's clock."),
    SendFailure.Cause.credential.rawValue: Text(
      meaning: "The credential could not produce a token.", action: again,
      next: "Check the key, and whether the token endpoint can be reached."),
    SendFailure.Cause.closed.rawValue: Text(
      meaning: "The client was closed before the send was done.", action: again, next: "Nothing."),
    SendFailure.Cause.invalidRequest.rawValue: Text(
      meaning: "A header's value is not legal in HTTP/2.", action: "Records the rejection and does not send again.",
      next: "Look for control characters in topic, collapse id and token."),
    SendFailure.Cause.protocolViolation.rawValue: Text(
      meaning: "The peer broke HTTP/2, or sent more than the limit.", action: again,
      next: "Look for a proxy in between."),
  ]
}
