import DevicePreview
import PushContracts
import PushCore
import PushPayload
import PushRules
import WebPush
import WireJSON

/// What the commands of the same names do, for tools: the one file of this folder that knows how they do it.
enum MCPContent {
  /// The most languages of one preview.
  static let localesMax = 10

  /// `parse`.
  static func parse(_ call: MCPCall) throws(MCPStop) -> JSONObject {
    var options = options(call, now: nil)
    var payload = call["payload"] ?? .null
    if let target = call["platform"]?.string.flatMap({ MCPTarget($0) }) {
      options.set("platform", to: .string(target.platform))
      payload = target.part(of: payload)
      // Of FCM's request an iPhone gets the block for APNs.
      if let carried = payload["message"]?["apns"] { payload = carried }
    }
    let parsed = try answer { () throws(CoreError) in try ParseRequest(options).parsed(payload) }
    return parsed.json.object ?? [:]
  }

  /// `render`.
  static func render(_ call: MCPCall, now: Int64) throws(MCPStop) -> JSONObject {
    (try? JSON.parse(rendering(call, now: now).json))?.object ?? [:]
  }

  private static func rendering(_ call: MCPCall, now: Int64) throws(MCPStop) -> Rendering {
    try answer { () throws(CoreError) in
      if call["platform"]?.string == RenderSet.all {
        let all = try RenderSet(options(call, now: now), for: RenderSet.names) { WebPushTopic(campaign: $0).text }
        return all.rendering(call["message"] ?? .null)
      }
      let target = call["platform"]?.string.flatMap { name in
        RenderRequest.Target(name) { WebPushTopic(campaign: $0).text }
      }
      return try RenderRequest(options(call, now: now), for: target).rendering(call["message"] ?? .null)
    }
  }

  /// `check`.
  static func check(_ call: MCPCall, now: Int64) throws(MCPStop) -> JSONObject {
    let isMessage = call["message"] != nil
    guard isMessage != (call["document"] != nil) else {
      throw .refused("give either “message” with “contract”, or “document”")
    }
    guard isMessage == (call["contract"] != nil) else {
      throw .refused("“contract” goes with “message”: it says how the message is written")
    }
    var checker = FileChecker(try answer { () throws(CoreError) in try CheckOptions(options(call, now: now)) })
    let file = checker.check(JSON.minified(call["message"] ?? call["document"] ?? .null), name: "-")
    var totals = CheckTotals()
    totals.add(file)
    return [
      "legal": .bool(totals.status == .fine), "errors": .number(JSONNumber(totals.errors)),
      "warnings": .number(JSONNumber(totals.warnings)), "notes": .number(JSONNumber(totals.notes)),
      "findings": .array(file.findings.map(finding)),
    ]
  }

  private static func finding(_ placed: LocatedFinding) -> JSONValue {
    var object = placed.finding.json
    if let fix = placed.fix { object.append("fix", .string(fix)) }
    return .object(object)
  }

  /// `explain`.
  static func explain(_ call: MCPCall) throws(MCPStop) -> JSONObject {
    guard (call["reason"] == nil) != (call["answer"] == nil) else { throw .refused("give either “reason” or “answer”") }
    var object = JSONObject()
    let found: [Explanation]
    var details: [String] = []
    if let reason = call["reason"]?.string {
      object.append("reason", .string(reason))
      found = Explanations.find(reason)
    } else {
      guard let answer = call["answer"]?.object.flatMap({ ExplainedAnswer($0) }) else {
        throw .refused("answer: expected {\"reason\": …} of APNs, {\"error\": {…}} of FCM or {\"code\": …} of Push Kit")
      }
      if let reason = answer.reason { object.append("reason", .string(reason)) }
      (found, details) = (answer.explanations, answer.details)
    }
    object.append("known", .bool(!found.isEmpty))
    object.append("explanations", .array(found.map { .object($0.json) }))
    object.append("details", .array(details.map { .string($0) }))
    return MCPText.bounded(.object(object)).object ?? [:]
  }

  /// `contracts`.
  static func contracts() -> JSONObject {
    [
      "contracts": .array(
        Contracts.names.map { ["name": .string($0.rawValue), "summary": .string(Contracts.summary($0) ?? "")] })
    ]
  }

  /// `contracts show`.
  static func fields(_ call: MCPCall) throws(MCPStop) -> JSONObject {
    guard let name = contract(call), let table = Contracts.mappingTable(name) else {
      throw .refused("contract: there are \(Contracts.names.map(\.rawValue).joined(separator: ", "))")
    }
    return ["contract": .string(name.rawValue), "table": table.json]
  }

  /// `preview`.
  static func preview(_ call: MCPCall, now: Int64) throws(MCPStop) -> JSONObject {
    guard (call["message"] == nil) != (call["payload"] == nil) else {
      throw .refused("give either “message” with “contract”, or “payload”")
    }
    let isMessage = call["message"] != nil
    guard !isMessage || call["contract"] != nil else {
      throw .refused("contract is missing: it says how the message is written")
    }
    var options = options(call, now: now)
    options.set("app", to: call["app_name"])
    options.set("form", to: isMessage ? "message" : "payload")
    var document = call["message"] ?? call["payload"] ?? .null
    var report = Report()
    if let target = call["platform"]?.string.flatMap({ MCPTarget($0) }) {
      if isMessage {
        // A device gets the request that is written of the message, with the contract's options in it.
        let rendering = try rendering(call, now: now)
        report = rendering.report
        guard !report.hasErrors, let request = (try? JSON.parse(rendering.json))?[target.member] else {
          return ["previews": [], "text": "", "report": report.json]
        }
        document = request
        options.set("options", to: nil)
      }
      document = target.part(of: document)
      options.set("platform", to: .string(target.platform))
      options.set("form", to: "payload")
    }
    let found = try answer { () throws(CoreError) in
      try PreviewRequest.answer(JSON.minified(document), document, options, after: report)
    }
    var object = found.json.object ?? [:]
    object["text"] = .string((found.previews.map(\.text) + found.browsers.map(\.text)).joined(separator: "\n"))
    return object
  }

  // MARK: Requests

  /// The members of a call as options.
  private static func options(_ call: MCPCall, now: Int64?) -> JSONOptions {
    var options = JSONOptions(checked: call.arguments)
    options.set("now", to: now.map { .number(JSONNumber($0)) })
    return options
  }

  /// What the core answers; its errors are for the model, which may correct the call.
  private static func answer<Value>(_ body: () throws(CoreError) -> Value) throws(MCPStop) -> Value {
    do throws(CoreError) { return try body() } catch { throw .refused(error.what) }
  }

  private static func contract(_ call: MCPCall) -> ContractName? {
    call["contract"]?.string.map { ContractName(rawValue: $0) }
  }
}
