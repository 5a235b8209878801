import APNs
import GatewayPool
import PushContracts
import PushPayload
import PushRules
import WireJSON

/// APNs for `postrider send`.
struct APNsDirect: DirectClient {
  static let service = Explanation.Service.apns
  static let options: [Option] = [
    Option(name: "--topic", value: "BUNDLE", help: "APNs: the bundle id of the app."),
    Option(name: "--key", value: "FILE", help: "APNs: the .p8 key, with --key-id and --team."),
    Option(name: "--key-id", value: "ID", help: "APNs: the key's id, 10 characters."),
    Option(name: "--team", value: "ID", help: "APNs: the team's id, 10 characters."),
    Option(
      name: "--certificate", value: "FILE",
      help: "APNs: a certificate with its key, PKCS#12 or PEM, instead of a key."),
    Option(name: "--password-file", value: "FILE", help: "The first line is the password of the PKCS#12 file."),
    Option(name: "--sandbox", help: "APNs: the development environment."),
  ]

  private let client: APNsClient

  init(_ arguments: Arguments, _ concurrency: Int) throws {
    _ = try arguments.required("--topic")
    var gateway = arguments.has("--sandbox") ? APNsGateway.sandbox() : .production()
    if let (host, port) = try DirectOptions.address(arguments, "--gateway") {
      gateway = .custom(host: host, port: port, trust: try DirectOptions.trust(arguments))
    }
    gateway.endpoint.proxy = try DirectOptions.proxy(arguments)
    var configuration = APNsClientConfiguration(gateway: gateway, credential: try Self.credential(arguments))
    configuration.timing = try DirectOptions.timing(arguments)
    configuration.limits.fit(concurrency, streams: 1000)
    configuration.queueCapacity = concurrency
    client = try APNsClient(configuration, threads: GatewayThreads())
  }

  static func credential(_ arguments: Arguments) throws -> APNsCredential {
    if let file = arguments.value("--certificate") {
      let content = try Input.bytes(file)
      // PKCS#12 is binary and begins with a DER sequence; PEM may have words of its exporter in front.
      if content.first != 0x30 { return .certificate(pem: content) }
      let text = try arguments.value("--password-file").map { path throws(Exit) in try Input.bytes(path) } ?? []
      let password = String(decoding: text.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
      return try .certificate(p12: content, password: password)
    }
    guard let file = arguments.value("--key") else {
      throw Exit.usage("--key with --key-id and --team is missing, or --certificate")
    }
    return .token(
      try APNsSigningKey(
        p8: try Input.bytes(file), keyID: try arguments.required("--key-id"), teamID: try arguments.required("--team")))
  }

  /// The message in its contract, as the payload of an iPhone.
  static func layout(_ contract: ContractName) -> Layout<APNsTemplate> {
    { message, context, duplicates in
      let rendering = Contracts.render(contract, message: message, context: context, platforms: [.ios])
      return rendering.checked(duplicates, rendering.apns.map { APNsTemplate($0) })
    }
  }

  static func append(
    _ tag: UInt64, _ recipient: Recipient, _ template: APNsTemplate, to batches: inout [APNsBatch]
  ) {
    if batches.last?.template !== template {
      batches.append(APNsBatch(template, notAfter: notAfter(template)))
    }
    var generator = SystemRandomNumberGenerator()
    let id = template.request.headers.id ?? APNsID(using: &generator)
    batches[batches.count - 1].append(tag: tag, token: recipient.token, id: id)
  }

  /// The second since 1970 after which nothing of it is sent any more.
  private static func notAfter(_ template: APNsTemplate) -> Int64? {
    guard let expiration = template.request.headers.expiration else { return nil }
    // 0 means one attempt, not a time in the past.
    return expiration == .once ? nil : expiration.epochSeconds
  }

  func submit(_ batch: APNsBatch, to mailbox: OutcomeMailbox) throws(QueueFull) {
    try client.submit(batch, to: mailbox)
  }
}

extension APNsResult: DirectResult {
  func answer(explained: Bool) -> SendAnswer {
    switch outcome {
    case .accepted(let acceptance):
      SendAnswer(ending: .accepted, status: 200, json: acceptance.json)
    case .rejected(let rejection):
      SendAnswer(
        ending: .rejected, reason: SendAnswer.named(rejection.reason.rawValue), status: rejection.status,
        json: rejection.json(explained))
    case .failed(let failure): SendAnswer(failure)
    }
  }
}

extension APNsRejection {
  fileprivate func json(_ explained: Bool) -> JSONObject {
    var json: JSONObject = [
      "status": .number(JSONNumber(status)), "reason": .string(reason.rawValue),
    ]
    if let timestamp = timestamp { json["timestamp_ms"] = .number(JSONNumber(timestamp)) }
    if explained { SendAnswer.explain(reason.rawValue, APNsDirect.service, into: &json) }
    return json
  }
}

extension OutcomeMailbox: APNsSink {
  func receive(_ results: [APNsResult]) { put(results) }
}

extension APNsAcceptance {
  fileprivate var json: JSONObject {
    var json: JSONObject = ["status": 200]
    if let id { json["apns_id"] = .string(id.description) }
    if let uniqueID { json["apns_unique_id"] = .string(uniqueID.description) }
    return json
  }
}
