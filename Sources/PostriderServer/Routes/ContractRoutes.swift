internal import HTTPServer
internal import PushContracts
internal import PushCore
internal import PushPayload
internal import PushRules
internal import StoreModel
internal import WebPush
internal import WireJSON

/// `/v1/render` and `/v1/parse`: the commands of the same names, without state.
enum ContractRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/render", .scopes([.send, .read])), name: "render",
      about: "Writes a message as the push services would be given it.",
      body: .object(
        [
          .required("contract", SchemaTable.contract),
          .required("message", Schema(.map, "The message in the contract's form.")),
          .optional(
            "platforms",
            .array(
              of: .choice(RenderSet.names, "The platform."), max: RenderSet.names.count,
              "For which kinds of device: ios and android by default, fcm-ios and fcm-web for what FCM hands on to an iPhone"
                + " or a browser, web for what a browser's push service is sent, hms for what Huawei's Push Kit is sent. Each"
                + " has a member of its own in the answer; fcm-ios or fcm-web alone has fcm.")),
          .optional("topic", .string("The app's bundle id, for apns-topic.", example: "com.example.app")),
          .optional(
            "token",
            .string("A token of FCM or Push Kit to write in; a placeholder by default.", max: DeviceToken.bytesMax)),
          .optional("campaign", .string("The campaign's id.", max: 64)),
          .optional("apns_id", .string("The notification's id, a UUID; for apns-id.", max: 36)),
          .optional("language", .string("The language of the readers; English by default.", max: 35, example: "de")),
          .optional("options", .array(of: .string("An option of the contract.", max: 64), max: 16)),
        ] + values),
      answers: [Route.Answer(status: 200, about: "The requests and the report.", schema: .named("Rendering"))],
      traits: .init(
        isStateless: true,
        direct: { body, service in
          service.renderings.with {
            RenderRequest.answer(body: body, limits: RequestBody.limits, now: service.now.seconds, at: &$0)
          }
        }), action: .now(render)),
    Route(
      .post("/v1/parse", .scopes([.send, .read])), name: "parse",
      about: "Reads a raw payload back into a notification.",
      body: .object([
        .required("payload", Schema(.map, "The APNs payload, or the FCM message or data.")),
        .optional("platform", SchemaTable.platform),
        .optional("contract", SchemaTable.contract),
        .optional(
          "push_type",
          .string(
            "The apns-push-type that the payload came with; its members tell by default.", max: 40, example: "alert")),
        .optional(
          "badge", .integer(0...Int(Int32.max), "The number on the app's icon before; the answer then has behavior.")),
      ]), answers: [Route.Answer(status: 200, about: "The notification and the report.", schema: .named("Parsed"))],
      traits: .init(
        isStateless: true,
        direct: { body, service in
          service.payloads.with { $0.answer(request: body, limits: RequestBody.limits) }
        }),
      action: .now(parse)),
    CheckRoutes.check,
  ]

  @Sendable private static func render(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let options = options(call, ["contract", "topic", "token", "campaign", "apns_id", "language", "options"])
    let (message, report) = try filled(call, call["message"] ?? .null)
    var rendering = Rendering(contract: contract(call.body))
    let names = (call["platforms"]?.array ?? []).compactMap(\.string)
    do throws(CoreError) {
      let requests = try RenderSet(options, for: names) { WebPushTopic(campaign: $0).text }
      if let message { rendering = requests.rendering(message) }
    } catch { throw Problem(error) }
    rendering.report.findings.insert(contentsOf: report.findings, at: 0)
    guard !rendering.report.hasErrors else { throw Problem(.invalid, report: rendering.report) }
    return Reply(json: rendering.json)
  }

  /// Members of a request that render its message for one recipient.
  static let values: [Schema.Property] = [
    .optional(
      "values",
      Schema(
        .map,
        "What is known of one recipient, for the placeholders and Liquid of the message: by name, or in user, device, push"
          + " and request. It may be empty; without it texts are as they are.")),
    .optional("undefined", MessageFields.undefined),
  ]

  /// The message for the recipient whose values a request has, and what there is to say; nil when the recipient gets
  /// nothing.
  static func filled(_ call: Call, _ message: JSONValue) throws(Problem) -> (message: JSONValue?, report: Report) {
    var report = call.report
    guard let values = call["values"] else {
      if let finding = FilledMessage.findingWithoutValues(message) { report.findings.append(finding) }
      return (message, report)
    }
    let undefined = call["undefined"]?.string.flatMap { UndefinedValues(rawValue: $0) } ?? .strict
    let filled = FilledMessage(message, values: values, undefined: undefined, now: call.now.seconds)
    report.append(filled.report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    return (filled.message, report)
  }

  @Sendable private static func parse(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    var parsed: Parsed
    do throws(CoreError) {
      let request = try ParseRequest(options(call, ["platform", "contract", "push_type", "badge"]))
      parsed = try request.parsed(call["payload"] ?? .null)
    } catch { throw Problem(error) }
    parsed.report.findings.insert(contentsOf: call.report.findings, at: 0)
    // What a device would not show is read all the same, and the report says so.
    let unread = ["contract-unknown", "payload-not-object"]
    if call.report.hasErrors || parsed.report.rules.contains(where: { unread.contains($0) }) {
      throw Problem(.invalid, report: parsed.report)
    }
    return Reply(200, parsed.json)
  }

  /// Members of a request as the options of an operation, at the time of the server's clock.
  static func options(_ call: Call, _ names: [String]) -> JSONOptions {
    var options = JSONOptions(checked: [:])
    for name in names { options.set(name, to: call[name]) }
    options.set("now", to: .number(JSONNumber(call.now.seconds)))
    return options
  }

  /// Refuses a contract that there is not; an unknown contract is a finding, like every other fault.
  static func checkContract(_ call: Call) throws(Problem) {
    let contract = contract(call.body)
    guard !Contracts.names.contains(contract) else { return }
    var report = call.report
    report.add(
      rule: "contract-unknown", severity: .error, field: "contract",
      message: "no contract \(contract.rawValue); the contracts are "
        + Contracts.names.map(\.rawValue).joined(separator: ", "))
    throw Problem(.invalid, report: report)
  }

  /// The options of the contract that a request switches on.
  static func options(_ body: JSONValue) -> [String] { body["options"]?.array?.compactMap(\.string) ?? [] }

  /// The push type of an APNs payload that a request brings; a payload for Android has none.
  static func pushType(_ call: Call) throws(Problem) -> APNsPushType? {
    do throws(CoreError) { return try options(call, ["push_type", "platform"]).pushType() } catch {
      throw Problem(error)
    }
  }

  static func contract(_ body: JSONValue) -> ContractName {
    ContractName(rawValue: body["contract"]?.string ?? "")
  }
}

extension Problem {
  /// Why the core gives no answer, in the words of the API.
  init(_ error: CoreError) {
    let isWhose = error.kind == .usage && error.location == "platform"
    let whose = "platform: the members of the payload do not say whose it is; give ios or android"
    self.init(.invalid, isWhose ? whose : error.what)
  }
}
