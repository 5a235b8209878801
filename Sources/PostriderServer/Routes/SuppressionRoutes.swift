internal import HTTPServer
internal import PushPayload
internal import PushStore
internal import TimeZones
internal import WireJSON

/// `/v1/apps/{app}/suppression`: when devices are left in peace.
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
      about: "Replaces an app's quiet hours and frequency cap; what is absent or null is lifted.",
      body: .object([.nullable("quiet_hours", quietHours), .nullable("frequency_cap", frequencyCap)]),
      answers: [answer], action: .now(replace)),
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
    ], "When devices are left in peace.")
  private static let answer = Route.Answer(status: 200, about: "The rules.", schema: .named("Suppression"))

  @Sendable private static func replace(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    var report = Report()
    var rules = SuppressionRules()
    if let quiet = call["quiet_hours"], !quiet.isNull {
      rules.quietHours = QuietHours(
        from: minute(quiet["from"], "quiet_hours.from", &report), to: minute(quiet["to"], "quiet_hours.to", &report),
        zone: zone(quiet["timezone"]?.string ?? "UTC", &report))
      if !report.hasErrors, rules.quietHours?.from == rules.quietHours?.to {
        report.add(
          rule: Schema.Rule.value, severity: .error, field: "quiet_hours.to",
          message: "expected another time of day than \"from\"; to send nothing at all, pause the pushes")
      }
    }
    if let cap = call["frequency_cap"], !cap.isNull {
      rules.frequencyCap = FrequencyCap(
        pushes: cap["pushes"]?.int ?? 1, windowMs: Int64(cap["window_seconds"]?.int ?? 60) * 1_000)
    }
    if report.hasErrors { throw Problem(.invalid, report: report) }
    try service.ask { [rules] store throws(StoreError) in try store.setSuppressionRules(rules, app: app) }
    service.sending.wake()
    return Reply(200, json(rules), report: call.report)
  }

  /// `22:00` as a minute of the day.
  private static func minute(_ value: JSONValue?, _ field: String, _ report: inout Report) -> Int {
    let bytes = Array((value?.string ?? "").utf8)
    if bytes.count == 5, bytes[2] == UInt8(ascii: ":") {
      let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - 0x30 }
      if digits.allSatisfy({ (0...9).contains($0) }) {
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        if hour < 24, minute < 60 { return hour * 60 + minute }
      }
    }
    report.add(
      rule: Schema.Rule.value, severity: .error, field: field,
      message: "expected a time of day such as \"22:00\", found \"\((value?.string ?? "").prefix(20))\"")
    return 0
  }

  private static func zone(_ name: String, _ report: inout Report) -> String {
    do throws(TimeZoneError) { _ = try ZoneDatabase.system.zone(name) } catch {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "quiet_hours.timezone", message: error.description)
    }
    return name
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
