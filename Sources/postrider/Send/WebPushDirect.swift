import GatewayPool
import PushContracts
import PushPayload
import PushRules
import WebPush
import WireJSON

/// The push services of browsers for `postrider send`.
struct WebPushDirect: DirectClient {
  static let service = Explanation.Service.webPush
  static let options: [Option] = [
    Option(
      name: "--subscription", value: "FILE",
      help: "Web: a browser's subscription as JSON, for every message; may be repeated.", repeats: true),
    Option(name: "--vapid-key", value: "FILE", help: "Web: the private key; “postrider vapid create” makes one."),
    Option(
      name: "--vapid-subject", value: "URI", help: "Web: whom push services can contact, mailto:NAME@HOST or https://…"),
    Option(
      name: "--ttl", value: "SECONDS",
      help: "Web: how long the push service keeps it for a browser that is away; 2419200 (four weeks) unless given."),
    Option(
      name: "--urgency", value: "URGENCY",
      help: "Web: what a device that saves power still takes; normal unless given.",
      choices: WebPushUrgency.known.map(\.rawValue)),
    Option(
      name: "--padding", value: "SIZE",
      help:
        "Web: hides the length: none (unless given), up to a multiple of 1 to \(WebPushMessage.payloadBytesMax) bytes, or full."
    ),
    Option(
      name: "--allow-private-endpoints",
      help: "Web: endpoints may have loopback and private addresses, such as an emulator's."),
  ]

  private let client: WebPushClient

  init(_ arguments: Arguments, _ concurrency: Int) throws {
    let key = try VAPIDKey(file: Input.bytes(try arguments.required("--vapid-key")))
    let subject = try VAPIDSubject(try arguments.required("--vapid-subject"))
    var configuration = WebPushClientConfiguration(key: key, subject: subject)
    configuration.trust = try DirectOptions.trust(arguments)
    configuration.allowsPrivateAddresses = arguments.has("--allow-private-endpoints")
    configuration.proxy = try DirectOptions.proxy(arguments)
    configuration.timing = try DirectOptions.timing(arguments)
    configuration.limits.fit(concurrency)
    configuration.queueCapacity = concurrency
    client = try WebPushClient(configuration, threads: GatewayThreads())
  }

  /// The message's JSON as it is, without white space.
  static func layout(_ arguments: Arguments) throws(Exit) -> Layout<WebPushMessage> {
    let options = try WebSendOptions(arguments)
    return { message, context, duplicates in options.prepare(message, context.campaign, duplicates) }
  }

  static func append(
    _ tag: UInt64, _ recipient: Recipient, _ message: WebPushMessage, to batches: inout [WebPushBatch]
  ) {
    guard case .subscription(let subscription) = recipient else {
      preconditionFailure("the recipient of another service")
    }
    if batches.last?.message != message { batches.append(WebPushBatch(message)) }
    batches[batches.count - 1].append(tag: tag, to: subscription)
  }

  func submit(_ batch: WebPushBatch, to mailbox: OutcomeMailbox) throws(QueueFull) {
    try client.submit(batch, to: mailbox)
  }
}

extension WebPushResult: DirectResult {
  func answer(explained: Bool) -> SendAnswer {
    switch outcome {
    case .accepted(let acceptance):
      SendAnswer(ending: .accepted, status: acceptance.status, json: acceptance.json)
    // Push services for browsers name no reasons; the status says what a refusal means.
    case .rejected(let rejection):
      SendAnswer(
        ending: .rejected, reason: "\(rejection.status)", status: rejection.status,
        json: rejection.json(explained))
    case .failed(let failure):
      SendAnswer(failure, remedies: [.addressRefused: "--allow-private-endpoints"])
    }
  }
}

extension WebPushRejection {
  fileprivate func json(_ explained: Bool) -> JSONObject {
    var json: JSONObject = ["status": .number(JSONNumber(status))]
    if !detail.isEmpty { json["detail"] = .string(detail) }
    if let seconds = retryAfter { json["retry_after"] = .number(JSONNumber(seconds)) }
    if explained { SendAnswer.explain("\(status)", WebPushDirect.service, into: &json) }
    return json
  }
}

extension OutcomeMailbox: WebPushSink {
  func receive(_ results: [WebPushResult]) { put(results) }
}

extension WebPushAcceptance {
  fileprivate var json: JSONObject {
    var json: JSONObject = ["status": .number(JSONNumber(status))]
    if let location { json["location"] = .string(location) }
    return json
  }
}

/// How web pushes are sent, from the command line.
private struct WebSendOptions: Sendable {
  private let ttl: UInt32
  private let urgency: WebPushUrgency?
  private let padding: WebPushPadding

  init(_ arguments: Arguments) throws(Exit) {
    ttl = UInt32(
      try arguments.integer(
        "--ttl", in: 0...Int(WebPushMessage.ttlMax), default: Int(WebPushMessage.ttlDefault)))
    urgency = arguments.value("--urgency").map { WebPushUrgency(rawValue: $0) }
    switch arguments.value("--padding") {
    case nil, "none": padding = .none
    case "full": padding = .full
    default:
      padding = .multiple(try arguments.integer("--padding", in: 1...WebPushMessage.payloadBytesMax, default: 1))
    }
  }

  /// Lays a message out: its JSON as it is, without white space.
  func prepare(_ message: JSONValue, _ campaign: String?, _ duplicates: Report) -> Result<WebPushMessage, Refusal> {
    do throws(WebPushError) {
      return .success(
        try WebPushMessage(
          payload: JSON.minified(message), ttl: ttl, urgency: urgency,
          topic: campaign.map { WebPushTopic(campaign: $0) }, padding: padding))
    } catch {
      var report = duplicates
      report.add(rule: "web-push-too-large", severity: .error, field: error.field, message: error.message)
      return .failure(Refusal(report: report))
    }
  }
}
