internal import HTTPServer
internal import PushContracts
internal import PushPayload
internal import PushRules
internal import PushStore
internal import WireJSON

/// `/v1/render` and `/v1/parse`: the commands of the same names, without state.
enum ContractRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/render", .scopes([.send, .read])), name: "render",
      about: "Writes a message as APNs and FCM would be given it.",
      body: .object([
        .required("contract", SchemaTable.contract),
        .required("message", Schema(.map, "The message in the contract's form.")),
        .optional("platforms", .array(of: SchemaTable.platform, max: 2, "For which platforms; all by default.")),
        .optional("topic", .string("The app's bundle id, for apns-topic.", example: "com.example.app")),
        .optional("token", .string("An FCM token to write in; a placeholder by default.", max: DeviceToken.bytesMax)),
        .optional("campaign", .string("The campaign's id.", max: 64)),
        .optional("apns_id", .string("The notification's id, a UUID; for apns-id.", max: 36)),
        .optional("language", .string("The language of the readers; English by default.", max: 35, example: "de")),
        .optional("options", .array(of: .string("An option of the contract.", max: 64), max: 16)),
      ]), answers: [Route.Answer(status: 200, about: "The requests and the report.", schema: .named("Rendering"))],
      traits: .init(isStateless: true), action: .now(render)),
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
      traits: .init(isStateless: true), action: .now(parse)),
    CheckRoutes.check,
  ]

  @Sendable private static func render(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let body = call.body
    var context = WriteContext(topic: body["topic"]?.string, campaign: body["campaign"]?.string)
    context.now = call.now.seconds
    context.language = body["language"]?.string
    context.options = options(body)
    if let text = body["apns_id"]?.string {
      guard let id = APNsID(text) else { throw Problem(.invalid, "apns_id: expected a UUID, found \"\(text)\"") }
      context.apnsID = id
    }
    if let token = body["token"]?.string { context.target = .token(token) }
    let platforms = body["platforms"]?.array?.compactMap { $0.string.flatMap(Platform.init(rawValue:)) }
    var rendering = Contracts.render(
      contract(body), message: body["message"] ?? .null, context: context, platforms: platforms ?? Platform.allCases)
    rendering.report.findings.insert(contentsOf: call.report.findings, at: 0)
    rendering.report.append(service.rules.check(rendering))
    guard !rendering.report.hasErrors else { throw Problem(.invalid, report: rendering.report) }
    return Reply(json: rendering.json)
  }

  @Sendable private static func parse(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let body = call.body
    let wanted = body["contract"] == nil ? nil : contract(body)
    let headers = try pushType(body).map { APNsHeaders(pushType: $0) }
    let state = body["badge"]?.int.map { DeviceState(badge: $0) }
    guard
      var parsed = Contracts.parse(
        document: body["payload"] ?? .null, platform: platform(body), contract: wanted, headers: headers, state: state)
    else { throw platformMissing }
    parsed.report.findings.insert(contentsOf: call.report.findings, at: 0)
    // What a device would not show is read all the same, and the report says so.
    let unread = ["contract-unknown", "payload-not-object"]
    if call.report.hasErrors || parsed.report.rules.contains(where: { unread.contains($0) }) {
      throw Problem(.invalid, report: parsed.report)
    }
    return Reply(200, parsed.json)
  }

  /// The topic of messages that are checked or previewed without an app.
  static let topicExample = "com.example.app"

  /// The options of the contract that a request switches on.
  static func options(_ body: JSONValue) -> [String] { body["options"]?.array?.compactMap(\.string) ?? [] }

  /// The platform that a request names; a push type is one of APNs.
  static func platform(_ body: JSONValue, _ pushType: APNsPushType? = nil) -> Platform? {
    body["platform"]?.string.flatMap(Platform.init(rawValue:)) ?? pushType.map { _ in .ios }
  }

  /// What is said of a payload that may belong to either platform.
  static let platformMissing = Problem(
    .invalid, "platform: the members of the payload do not say whose it is; give ios or android")

  /// The push type of an APNs payload that a request brings; a payload for Android has none.
  static func pushType(_ body: JSONValue) throws(Problem) -> APNsPushType? {
    guard let type = body["push_type"]?.string.map(APNsPushType.init(rawValue:)) else { return nil }
    guard APNsPushType.known.contains(type) else {
      let known = APNsPushType.known.map(\.rawValue).joined(separator: ", ")
      throw Problem(.invalid, "push_type: no push type “\(type.rawValue)”; there are \(known)")
    }
    guard body["platform"]?.string != Platform.android.rawValue else {
      throw Problem(.invalid, "push_type: it is for APNs payloads; leave it out for android")
    }
    return type
  }

  static func contract(_ body: JSONValue) -> ContractName {
    ContractName(rawValue: body["contract"]?.string ?? "")
  }
}
