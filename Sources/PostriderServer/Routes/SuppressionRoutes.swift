internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/suppression`: quiet hours and the frequency cap.
enum SuppressionRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/apps/{app}/suppression", .scopes([.send, .read])), name: "getSuppression",
      about: "Shows an app's quiet hours and frequency cap.", answers: [answer],
      action: .now { call, service throws(Problem) in
        let app = try service.app(call).app.id
        let rules = try service.ask { store throws(StoreError) in try store.suppressionRules(app: app) }
        return Reply(200, .object(json(rules)))
      }),
    Route(
      .put("/v1/apps/{app}/suppression", .scopes([.send])), name: "setSuppression",
      about: "Changes the members given of an app's quiet hours and frequency cap; null removes one.",
      body: .object([
        .nullable("quiet_hours", quietHours.changing), .nullable("frequency_cap", frequencyCap.changing),
      ]),
      answers: [answer], action: .write(change)),
  ]

  private static let timeOfDay = Schema.string("A time of day.", min: 5, max: 5, example: "22:00")
    .documented(["pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"])
  private static let quietHours = Schema.object(
    [
      .required("from", timeOfDay), .required("to", timeOfDay),
      .optional(
        "timezone", .string("The time zone of devices whose own is not known; UTC by default.", max: 100)),
    ], "When nothing is sent, by the clock where the device is; from after to goes past midnight.")
  private static let windowMax = 31 * 86_400
  private static let frequencyCap = Schema.object(
    [
      .required("pushes", .integer(1...FrequencyCap.pushesMax, "The most pushes.")),
      .required("window_seconds", .integer(60...windowMax, "In any stretch of so many seconds.")),
    ], "At most so many pushes for each user; a device without a user counts by itself.")
  static let schema = Schema.object(
    [
      .optional("quiet_hours", quietHours), .optional("frequency_cap", frequencyCap),
      .optional("report", .named("Report")),
    ], "Quiet hours and the frequency cap.")
  private static let answer = Route.Answer(status: 200, about: "The rules.", schema: .named("Suppression"))

  @Sendable private static func change(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let change = try SuppressionChange(call.body)
    let result = try await service.change { store throws(StoreError) in
      try store.changeSuppressionRules(app: app) { rules in change.applied(to: rules) }
    }
    let rules = try result.get()
    service.sending.wake()
    return Reply(200, json(rules), report: call.report)
  }

  private static func json(_ rules: SuppressionRules) -> JSONObject {
    var object = JSONObject()
    if let quiet = rules.quietHours {
      object["quiet_hours"] = [
        "from": .string(text(quiet.from)), "to": .string(text(quiet.to)), "timezone": .string(quiet.zone),
      ]
    }
    if let cap = rules.frequencyCap {
      object["frequency_cap"] = [
        "pushes": .number(JSONNumber(cap.pushes)), "window_seconds": .number(JSONNumber(Int(cap.windowMs / 1_000))),
      ]
    }
    return object
  }

  private static func text(_ minute: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minute / 60)):\(two(minute % 60))"
  }
}
