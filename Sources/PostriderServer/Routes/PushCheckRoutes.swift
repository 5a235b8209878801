internal import Delivery
internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// A push that is not sent: what it would say, and the largest that anyone in its audience would get.
enum PushCheckRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps/{app}/pushes/check", .scopes([.send, .read])), name: "checkPush",
      about: "Composes a push for its audience of now and sends nothing: the report, and the worst case.",
      body: .push(PushRoutes.properties),
      answers: [Route.Answer(status: 200, about: "What would come of it.", schema: .named("PushCheck"))],
      traits: .init(repetition: .harmless), action: .long(check))
  ]

  static let schema = Schema.object(
    [
      .required("total", .integer(0...1_000_000_000, "Active devices in the audience.")),
      .required("tried", .integer(0...PushTrial.wholeMax, "Devices it was written for.")),
      .required(
        "complete",
        .boolean(
          "Whether no device of the audience was left out. Of more than \(PushTrial.wholeMax) devices, so many from evenly"
            + " spaced samples are tried.")),
      .required("over", .integer(0...PushTrial.wholeMax, "Those of them whose message is over the limit.")),
      .required(
        "sizes",
        .array(
          of: .object([
            .required("provider", .choice(Provider.allCases.map(\.name), "Whose limit it is.")),
            .required("bytes", .integer(0...Int.max, "The largest message, as the provider counts it.")),
            .required("bytes_max", .integer(0...Int.max, "The limit.")),
            .optional("device", .string("The device that it is for.", max: 20)),
            .optional("user", .string("Its user.", max: 1_024)),
          ]), max: Provider.allCases.count, "The worst case for each provider.")),
      .optional("report", .named("Report")),
    ], "A push that was not sent.")

  @Sendable private static func check(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let entry = try service.app(call)
    let body = try MessageFields.resolve(call.body, app: entry.app.id, store: service.store)
    var composer = PushComposer(
      entry: entry, body: body, now: call.now, store: service.store, rules: service.rules, report: call.report)
    composer.triesAudience = false
    let push = try composer.compose(idempotency: nil)
    var trial = PushTrial(push, store: service.store, now: call.now, devicesMax: PushTrial.wholeMax)
    trial.bareNames = composer.countedNames
    do throws(StoreError) { try trial.run() } catch { throw Problem(error) }
    composer.warn(of: trial)
    // Those of another audience are counted by the composer.
    LackedCredentials(entry: entry).warn(of: trial.listed, .rejected, into: &composer.report)
    let sizes = trial.worst.sorted { $0.key.rawValue < $1.key.rawValue }.map { provider, worst -> JSONValue in
      var object: JSONObject = [
        "provider": .string(provider.name), "bytes": .number(JSONNumber(worst.bytes)),
        "bytes_max": .number(JSONNumber(worst.bytesMax)),
      ]
      if let device = worst.device { object["device"] = .string(device.description) }
      if let user = worst.user { object["user"] = .string(user) }
      return .object(object)
    }
    let object: JSONObject = [
      "total": .number(JSONNumber(trial.total)), "tried": .number(JSONNumber(trial.tried)),
      "complete": .bool(trial.isComplete), "over": .number(JSONNumber(trial.over)), "sizes": .array(sizes),
    ]
    return Reply(200, object, report: composer.report)
  }
}
