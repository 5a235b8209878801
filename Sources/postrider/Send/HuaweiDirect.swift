import FCM
import GatewayPool
import Huawei
import PushContracts
import PushCore
import PushPayload
import PushRules
import WireJSON

/// Huawei's Push Kit for `postrider send`.
struct HuaweiDirect: DirectClient {
  static let service = Explanation.Service.huawei
  static let options: [Option] = [
    Option(
      name: "--hms-client", value: "FILE",
      help: "Huawei: the OAuth client as JSON: client_id, client_secret, and project_id for the project's address.")
  ]

  private let client: HuaweiClient

  init(_ arguments: Arguments, _ concurrency: Int) throws {
    let file = try arguments.required("--hms-client")
    var duplicates = Report()
    let json = try Input.json(file, report: &duplicates)
    guard let id = json["client_id"]?.string, let secret = json["client_secret"]?.string else {
      throw Exit.unreadable(
        "\(file): expected {\"client_id\": \"…\", \"client_secret\": \"…\"}, and project_id where there is one")
    }
    let account = try HuaweiAccount(clientID: id, clientSecret: secret, projectID: json["project_id"]?.string)
    var gateway = HuaweiGateway.production
    if let (host, port) = try DirectOptions.address(arguments, "--gateway") {
      gateway = .custom(host: host, port: port, trust: try DirectOptions.trust(arguments))
    }
    gateway.endpoint.proxy = try DirectOptions.proxy(arguments)
    gateway.tokenEndpoint.proxy = gateway.endpoint.proxy
    var configuration = HuaweiClientConfiguration(gateway: gateway, account: account)
    configuration.timing = try DirectOptions.timing(arguments)
    configuration.limits.fit(concurrency)
    configuration.queueCapacity = concurrency
    client = try HuaweiClient(configuration, threads: GatewayThreads())
  }

  /// The message in its contract, as the message of a Huawei phone.
  static func layout(_ contract: ContractName) -> Layout<FCMTemplate> {
    { message, context, duplicates in
      let rendering = Contracts.renderForHuawei(
        contract, message: message, context: context, title: RenderRequest.untitled)
      return rendering.checked(duplicates, rendering.hms.map { FCMTemplate($0.template()) })
    }
  }

  static func append(_ tag: UInt64, _ recipient: Recipient, _ template: FCMTemplate, to batches: inout [FCMBatch]) {
    if batches.last?.template !== template { batches.append(FCMBatch(template, notAfter: nil)) }
    batches[batches.count - 1].append(tag: tag, target: recipient.token)
  }

  func submit(_ batch: FCMBatch, to mailbox: OutcomeMailbox) throws(QueueFull) { try client.submit(batch, to: mailbox) }
}

extension HuaweiResult: DirectResult {
  func answer(explained: Bool) -> SendAnswer {
    switch outcome {
    case .accepted(let id):
      SendAnswer(ending: .accepted, status: 200, json: ["status": 200, "request_id": .string(id)])
    case .rejected(let rejection):
      SendAnswer(
        ending: .rejected, reason: rejection.reason, status: rejection.status,
        json: rejection.json(explained))
    case .failed(let failure): SendAnswer(failure)
    }
  }
}

extension HuaweiRejection {
  fileprivate func json(_ explained: Bool) -> JSONObject {
    var json: JSONObject = [
      "status": .number(JSONNumber(status)), "reason": .string(reason),
    ]
    if !message.isEmpty { json["detail"] = .string(message) }
    if let seconds = retryAfter { json["retry_after"] = .number(JSONNumber(seconds)) }
    if explained { SendAnswer.explain(reason, HuaweiDirect.service, into: &json) }
    return json
  }
}

extension OutcomeMailbox: HuaweiSink {
  func receive(_ results: [HuaweiResult]) { put(results) }
}
