import FCM
import GatewayPool
import PushContracts
import PushCore
import PushPayload
import PushRules
import WebPush
import WireJSON

/// FCM for `postrider send`: Android, and what FCM reaches over another push service.
struct FCMDirect: DirectClient {
  static let service = Explanation.Service.fcm
  static let options: [Option] = [
    Option(name: "--service-account", value: "FILE", help: "FCM: the service account's key file.")
  ]

  private let client: FCMClient

  init(_ arguments: Arguments, _ concurrency: Int) throws {
    let account = try FCMServiceAccount(keyFile: Input.bytes(try arguments.required("--service-account")))
    var gateway = FCMGateway.production
    if let (host, port) = try DirectOptions.address(arguments, "--gateway") {
      gateway = .custom(host: host, port: port, trust: try DirectOptions.trust(arguments))
    }
    gateway.endpoint.proxy = try DirectOptions.proxy(arguments)
    var configuration = FCMClientConfiguration(gateway: gateway, account: account)
    configuration.timing = try DirectOptions.timing(arguments)
    configuration.limits.fit(concurrency)
    configuration.queueCapacity = concurrency
    client = try FCMClient(configuration, threads: GatewayThreads())
  }

  /// The message in its contract, as the message of an Android app.
  static func layout(_ contract: ContractName) -> Layout<FCMTemplate> {
    { message, context, duplicates in
      var rendering = Contracts.render(contract, message: message, context: context, platforms: [.android])
      let template = Contracts.fcmTemplate(of: rendering, context: context, report: &rendering.report)
      return rendering.checked(duplicates, template.map { FCMTemplate($0) })
    }
  }

  /// The same as the message of an iPhone or a browser.
  static func layout(_ contract: ContractName, carriedTo carrier: FCMCarrier) -> Layout<FCMTemplate> {
    { message, context, duplicates in
      var carried = Contracts.render(
        for: carrier, contract, message: message, context: context, title: RenderRequest.untitled
      ) { WebPushTopic(campaign: $0).text }
      carried.reportNothing(to: carrier, isAlone: true)
      let template = carried.request?.template()
      let rendering = Rendering(contract: contract, fcm: carried.request, report: carried.report)
      return rendering.checked(duplicates, template.map { FCMTemplate($0) })
    }
  }

  static func append(_ tag: UInt64, _ recipient: Recipient, _ template: FCMTemplate, to batches: inout [FCMBatch]) {
    if batches.last?.template !== template { batches.append(FCMBatch(template, notAfter: nil)) }
    batches[batches.count - 1].append(tag: tag, target: recipient.token)
  }

  func submit(_ batch: FCMBatch, to mailbox: OutcomeMailbox) throws(QueueFull) { try client.submit(batch, to: mailbox) }
}

extension FCMResult: DirectResult {
  func answer(explained: Bool) -> SendAnswer {
    switch outcome {
    case .accepted(let name):
      SendAnswer(ending: .accepted, status: 200, json: ["status": 200, "message_name": .string(name)])
    case .rejected(let rejection):
      SendAnswer(
        ending: .rejected, reason: SendAnswer.named(rejection.code.rawValue), status: rejection.status,
        json: rejection.json(explained))
    case .failed(let failure): SendAnswer(failure)
    }
  }
}

extension FCMRejection {
  fileprivate func json(_ explained: Bool) -> JSONObject {
    var json: JSONObject = [
      "status": .number(JSONNumber(status)), "reason": .string(code.rawValue),
      "detail": .string(message),
    ]
    if !violations.isEmpty {
      json["violations"] = .array(
        violations.map { ["field": .string($0.field), "description": .string($0.description)] })
    }
    if explained { SendAnswer.explain(code.rawValue, FCMDirect.service, into: &json) }
    return json
  }
}

extension OutcomeMailbox: FCMSink {
  func receive(_ results: [FCMResult]) { put(results) }
}
