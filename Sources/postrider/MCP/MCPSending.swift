internal import Basics
import Glibc
import WireJSON

/// A push in two steps: what is shown, and what is sent of it.
enum MCPSending {
  /// The members of a push that a call sets; all others are the server's defaults.
  private static let members = [
    "to", "message", "contract", "locales", "values", "campaign", "category", "expires_in_seconds",
    "throttle_per_minute",
  ]

  /// The request to the server.
  static func request(_ call: MCPCall) -> JSONObject {
    var request = JSONObject()
    for name in members {
      if let value = call[name] { request.append(name, value) }
    }
    return request
  }

  static func encoded(_ text: String) -> String { PercentEncoding.encode(text) }

  // MARK: Counting

  /// Devices by kind, and their sum.
  struct Count {
    let total: Int
    let devices: JSONValue
  }

  static func count(_ to: JSONValue, _ app: String, _ desk: MCPDesk) throws(MCPStop) -> Count {
    let ways = (to.object ?? [:]).filter { $0.key != "exclude_segments" }
    guard ways.count == 1, to["all"] == nil || to["all"] == true else {
      throw .refused(#"to: give exactly one of {"all": true}, {"segment": …}, {"filter": …} and {"users": […]}"#)
    }
    let answer = try desk.ask("POST", "\(app)/audience", body: ["to": to])
    guard let total = answer["total"]?.int, total >= 0, let devices = answer["devices"] else {
      throw .refused("the server did not count the audience; is it a Postrider server?")
    }
    return Count(total: total, devices: devices)
  }

  // MARK: Showing

  /// Checks, previews and counts; hands out a confirmation where it may be sent.
  static func draft(_ call: MCPCall, _ desk: MCPDesk) throws(MCPStop) -> JSONObject {
    let app = try desk.app(call)
    let request = request(call)
    let audience = try count(call["to"] ?? .null, app, desk)
    let check = try desk.ask("POST", "\(app)/pushes/check", body: request)
    let preview = try preview(call, app, desk)
    var worst = MCPText.members(["sizes", "tried", "complete", "over"], of: check)
    for name in ["tried", "over"] where worst[name] == nil { worst[name] = 0 }
    var result: JSONObject = [
      "audience": ["total": .number(JSONNumber(audience.total)), "devices": audience.devices],
      "worst_case": .object(worst), "preview": .string(preview), "report": MCPText.bounded(check["report"] ?? []),
      "request_sha256": .string(MCPDraft.digest(app, request)),
    ]
    let draft = MCPDraft(
      app: app, request: request, digest: MCPDraft.digest(app, request), audience: audience.total,
      audienceMax: MCPDraft.audienceMax(shown: audience.total, cap: desk.policy.audienceMax),
      expiresAt: desk.clock.steady() + MCPDrafts.seconds,
      question: question(app, audience, worst, preview, request))
    result.append("sending", .object(try offer(draft, desk)))
    return result
  }

  /// What a person would read, as text: the message, then the message of each other language.
  ///
  /// Placeholders are shown as they are written: what fills them in is different for each device.
  private static func preview(_ call: MCPCall, _ app: String, _ desk: MCPDesk) throws(MCPStop) -> String {
    let settings = try desk.ask("GET", app)
    let contract = call["contract"] ?? settings["contract"] ?? "native"
    var arguments: JSONObject = ["contract": contract]
    if let campaign = call["campaign"] { arguments.append("campaign", campaign) }
    // The app's options are those of the app's contract.
    if let options = settings["options"], contract == settings["contract"] { arguments.append("options", options) }
    arguments.append("app_name", .string(MCPText.line(settings["title"]?.string ?? "App", max: 60)))
    let others = call["locales"]?.object ?? [:]
    guard others.count <= localesMax else { throw .refused("locales: at most \(localesMax) languages can be shown") }
    var text = ""
    for (locale, message) in [("en", call["message"] ?? .null)] + others.map({ ($0.key, $0.value) }) {
      arguments["message"] = message
      arguments["locales"] = [.string(locale)]
      text += try MCPContent.preview(MCPCall(arguments: arguments), now: desk.clock.wall())["text"]?.string ?? ""
    }
    return text.isEmpty ? "nothing is shown" : String(text.unicodeScalars.prefix(previewMax))
  }

  /// The most languages that a person is shown.
  private static let localesMax = 20
  private static let previewMax = 64_000
  /// The longest request that a person can be shown whole, in characters of JSON; a longer one is not sent from here.
  private static let requestMax = 8_000

  /// What the person is asked: everything that decides, inert and bounded, and the request whole.
  private static func question(
    _ app: String, _ audience: Count, _ worst: JSONObject, _ preview: String, _ request: JSONObject
  ) -> String {
    let kinds = (audience.devices.object ?? [:]).filter { $0.value.int ?? 0 > 0 }.map {
      "\($0.value.int ?? 0) \($0.key)"
    }
    let sizes = (worst["sizes"]?.array ?? []).map { size in
      "\(size["provider"]?.string ?? "") \(size["bytes"]?.int ?? 0) of \(size["bytes_max"]?.int ?? 0) bytes"
    }
    let all = preview.split(separator: "\n")
    let lines = all.prefix(60).map { "| " + MCPText.line(String($0), max: 200) }
    let more = all.count > lines.count ? "\n(and \(all.count - lines.count) more lines)" : ""
    let over = worst["over"]?.int ?? 0
    return """
      Send this push to \(audience.total) device\(audience.total == 1 ? "" : "s")?
      App: \(MCPText.line(String(app.split(separator: "/").last ?? ""), max: 100))
      Audience: \(kinds.joined(separator: ", "))
      Worst case: \(sizes.joined(separator: ", "))\(over > 0 ? "; too large for \(over) devices" : "")
      Preview, the text of the push:
      \(lines.joined(separator: "\n"))\(more)
      The whole request:
      | \(MCPText.line(JSON.minifiedText(.object(request)), max: requestMax))
      """
  }

  /// A confirmation, or why there is none.
  private static func offer(_ draft: MCPDraft, _ desk: MCPDesk) throws(MCPStop) -> JSONObject {
    func no(_ reason: String) -> JSONObject { ["possible": false, "reason": .string(reason)] }
    guard desk.policy.allowsSending else {
      return no(
        "the operator has not allowed sending (postrider mcp --allow-send); save_draft keeps it for a person to send")
    }
    guard draft.audience > 0 else { return no("no device is in the audience") }
    let length = JSON.minifiedText(.object(draft.request)).unicodeScalars.count
    guard length <= requestMax else {
      return no("the request has \(length) characters; the person can be shown \(requestMax), so shorten it")
    }
    guard draft.audience <= desk.policy.audienceMax else {
      return no("\(draft.audience) devices are more than the operator allows in one call: \(desk.policy.audienceMax)")
    }
    let left = try left(of: desk)
    guard draft.audience <= left else {
      return no(
        "\(draft.audience) devices are more than are left of this hour: \(left) of \(desk.policy.audiencePerHourMax)")
    }
    let confirmation = desk.drafts.add(draft, secret: desk.random())
    return [
      "possible": true, "confirmation": .string(confirmation),
      "expires_in_seconds": .number(JSONNumber(MCPDrafts.seconds)),
      "audience_max": .number(JSONNumber(draft.audienceMax)), "left_this_hour": .number(JSONNumber(left)),
    ]
  }

  static func use<Value>(_ body: () throws(Exit) -> Value) throws(MCPStop) -> Value {
    do throws(Exit) { return try body() } catch { throw .refused(error.message) }
  }
}
