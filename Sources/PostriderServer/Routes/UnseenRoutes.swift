internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/unseen-devices`: when devices are forgotten that nobody was seen with.
enum UnseenRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/apps/{app}/unseen-devices", .scopes([.read])), name: "getUnseenDevices",
      about: "Shows after how many days unseen devices are forgotten, and counts those that are unseen for as long.",
      query: [
        Route.Query(
          name: "days",
          schema: .integer(StoreLimits.unseenDays, "Days to count for; the rule's unless given, 270 without a rule."))
      ],
      answers: [Route.Answer(status: 200, about: "The rule and the count.", schema: .named("UnseenDevices"))],
      action: .long { call, service async throws(Problem) in
        let app = try service.app(call).app.id
        let days = call.http.query["days"].flatMap { Int($0) }
        return Reply(200, .object(try json(app, days: days, service, now: call.now)))
      }),
    Route(
      .put("/v1/apps/{app}/unseen-devices", .scopes([])), name: "putUnseenDevices",
      about:
        "Sets after how many days unseen devices are forgotten, for good; null keeps them. Count first: it cannot be undone.",
      body: body,
      answers: [Route.Answer(status: 200, about: "The rule.", schema: .named("UnseenRule"))],
      action: .write { call, service async throws(Problem) in
        let app = try service.app(call).app.id
        guard let days = call["days"] else {
          throw Problem(.invalid, "days: required, a number, or null to keep unseen devices")
        }
        let policy = try await service.change { store throws(StoreError) in
          try store.changeRetention(app: app) { $0.unseenDays = days.int }
        }
        service.upkeep.wake()
        service.log(
          .info, "unseen devices set",
          ["app": .text(call.parameters[0]), "days": .int(policy.unseenDays ?? 0)])
        return Reply(200, ["days": value(policy.unseenDays)], report: call.report)
      }),
  ]

  /// Google deletes tokens after as many days without a connection.
  private static let usualDays = 270
  private static let dayMs: Int64 = 86_400_000

  private static let days = Schema.Property.nullable(
    "days",
    .integer(
      StoreLimits.unseenDays, "Days after a device was last seen until it is forgotten, for good; null for never."))
  private static let body = Schema.object([days])
  static let ruleSchema = Schema.object(
    [days, .optional("report", .named("Report"))], "After how many days unseen devices of an app are forgotten.")
  static let schema = Schema.object(
    [
      days,
      .required("counted_days", .integer(StoreLimits.unseenDays, "The days that are counted for.")),
      .required(
        "count", .integer(0...1_000_000_000, "Devices that are unseen for as long: what the rule would forget.")),
      .required("of", .integer(0...1_000_000_000, "Devices of the app.")),
      .required(
        "kinds",
        .object(
          DeviceKind.allCases.map { .optional($0.name, .integer(1...1_000_000_000, "")) }, "The same, by kind.")),
      .optional("oldest", .time("When the one that is unseen for longest last registered.")),
    ], "Devices of an app that nobody was seen with: not registered again, nor was another device of their user.")

  private static func json(
    _ app: AppID, days: Int?, _ service: Service, now: Timestamp
  ) throws(Problem) -> JSONObject {
    let rule = try service.ask { store throws(StoreError) in try store.retention(app: app).unseenDays }
    let counted = days ?? rule ?? usualDays
    let before = now.adding(milliseconds: -Int64(counted) * dayMs)
    let found = try service.ask { store throws(StoreError) in try store.unseenDevices(app: app, before: before) }
    var kinds = JSONObject()
    for kind in DeviceKind.allCases {
      if let count = found.kinds[kind] { kinds.append(kind.name, .number(JSONNumber(count))) }
    }
    var object: JSONObject = [
      "days": value(rule), "counted_days": .number(JSONNumber(counted)), "count": .number(JSONNumber(found.count)),
      "of": .number(JSONNumber(found.of)), "kinds": .object(kinds),
    ]
    if let oldest = found.oldest { object["oldest"] = .string(TimeText.text(oldest)) }
    return object
  }

  private static func value(_ days: Int?) -> JSONValue { days.map { .number(JSONNumber($0)) } ?? .null }
}
