import DevicePreview
import DeviceText
import PushContracts
import PushCore
import PushPayload
import PushRules
import WireJSON

/// What the commands of the same names do, for tools: the one file of this folder that knows how they do it.
enum MCPContent {
  /// The most languages of one preview.
  static let localesMax = 10

  /// `parse`.
  static func parse(_ call: MCPCall) throws(MCPStop) -> JSONObject {
    let platform = platform(call)
    let headers = try pushType(call, platform).map { APNsHeaders(pushType: $0) }
    let parsed = Contracts.parse(
      document: call["payload"] ?? .null, platform: platform, contract: contract(call), headers: headers,
      state: call["badge"]?.int.map { DeviceState(badge: $0) })
    guard let parsed else {
      throw .refused("platform is missing: the members of the payload do not say whose it is; give ios or android")
    }
    return parsed.json.object ?? [:]
  }

  /// `render`.
  static func render(_ call: MCPCall) -> JSONObject {
    var rendering = rendering(call, topic: call["topic"]?.string)
    rendering.report.append(ProviderRules.check(rendering, hasTopic: call["topic"] != nil))
    return (try? JSON.parse(rendering.json))?.object ?? [:]
  }

  /// `check`.
  static func check(_ call: MCPCall) throws(MCPStop) -> JSONObject {
    let isMessage = call["message"] != nil
    guard isMessage != (call["document"] != nil) else {
      throw .refused("give either “message” with “contract”, or “document”")
    }
    guard isMessage == (call["contract"] != nil) else {
      throw .refused("“contract” goes with “message”: it says how the message is written")
    }
    var words: [String] = []
    for (name, option) in [
      ("contract", "--contract"), ("platform", "--platform"), ("push_type", "--push-type"), ("topic", "--topic"),
    ] {
      if let value = call[name]?.string { words.append("\(option)=\(value)") }
    }
    for option in call.texts("options") { words.append("--option=\(option)") }
    let file: CheckedFile
    do throws(Exit) {
      let arguments = try Arguments(words[...], for: .check)
      var checker = FileChecker(try Exit.reporting { () throws(CoreError) in try CheckOptions(arguments) })
      file = checker.check(JSON.minified(call["message"] ?? call["document"] ?? .null), name: "-")
    } catch {
      throw .refused(inMembers(error.message))
    }
    var totals = CheckTotals()
    totals.add(file)
    return [
      "legal": .bool(totals.status == .fine), "errors": .number(JSONNumber(totals.errors)),
      "warnings": .number(JSONNumber(totals.warnings)), "notes": .number(JSONNumber(totals.notes)),
      "findings": .array(file.findings.map(finding)),
    ]
  }

  /// What the command line says of its options, in the members of a call: `--push-type` is `push_type`.
  private static func inMembers(_ message: String) -> String {
    message.split(separator: " ", omittingEmptySubsequences: false).map { word in
      guard word.hasPrefix("--") else { return String(word) }
      return String(word.dropFirst(2).map { $0 == "-" ? "_" : $0 })
    }.joined(separator: " ")
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
        throw .refused("answer: expected {\"reason\": …} of APNs or {\"error\": {…}} of FCM")
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
    var report = Report()
    let pushes: [PreviewPush]
    if call["message"] != nil {
      guard call["contract"] != nil else { throw .refused("contract is missing: it says how the message is written") }
      let rendering = rendering(call, topic: call["topic"]?.string ?? ProviderRules.topicExample, now: now)
      report.append(rendering.report)
      report.append(ProviderRules.check(rendering, hasTopic: true))
      pushes = PreviewPush.pushes(of: rendering)
    } else {
      pushes = try rawPush(call, &report).map { [$0] } ?? []
    }
    var device = PreviewDevice(appName: call["app_name"]?.string ?? "App", tables: nil)
    device.now = Int(now)
    var previews: [Preview] = []
    for push in pushes {
      for locale in call["locales"] == nil ? ["en"] : call.texts("locales") {
        guard LocaleTag(locale) != nil else {
          throw .refused("locales: expected language tags such as de, pt-BR or zh-Hant")
        }
        device.locales = [locale]
        previews.append(Preview(push, on: device))
      }
    }
    return [
      "previews": .array(previews.map { .object($0.json) }),
      "text": .string(previews.map(\.text).joined(separator: "\n")), "report": report.json,
    ]
  }

  private static func rawPush(_ call: MCPCall, _ report: inout Report) throws(MCPStop) -> PreviewPush? {
    let document = call["payload"] ?? .null
    let type = try pushType(call, platform(call))
    guard let platform = platform(call) ?? type.map({ _ in .ios }) ?? Contracts.platform(of: document) else {
      guard let mistake = Contracts.mistake(document, nil) else {
        throw .refused("platform is missing: the members of the payload do not say whose it is; give ios or android")
      }
      report.findings.append(mistake)
      return nil
    }
    var checker = PushChecker()
    let bytes = JSON.minified(document)
    if let said = checker.checkForPreview(of: document, bytes: bytes, platform: platform, pushType: type) {
      report.append(said)
    }
    return PreviewPush(
      document: document, platform: platform, contract: contract(call), collapseID: nil, pushType: type)
  }

  // MARK: Parts of a call

  private static func rendering(_ call: MCPCall, topic: String?, now: Int64 = WallClock.seconds) -> Rendering {
    var context = WriteContext(topic: topic, campaign: call["campaign"]?.string)
    context.now = now
    context.language = call["language"]?.string
    context.options = call.texts("options")
    return Contracts.render(
      contract(call) ?? .native, message: call["message"] ?? .null, context: context,
      platforms: platform(call).map { [$0] } ?? Platform.allCases)
  }

  private static func contract(_ call: MCPCall) -> ContractName? {
    call["contract"]?.string.map { ContractName(rawValue: $0) }
  }

  private static func platform(_ call: MCPCall) -> Platform? {
    call["platform"]?.string.flatMap(Platform.init(rawValue:))
  }

  private static func pushType(_ call: MCPCall, _ platform: Platform?) throws(MCPStop) -> APNsPushType? {
    guard let type = call["push_type"]?.string.map(APNsPushType.init(rawValue:)) else { return nil }
    guard APNsPushType.known.contains(type) else {
      throw .refused("push_type: there are \(APNsPushType.known.map(\.rawValue).joined(separator: ", "))")
    }
    guard platform != .android else { throw .refused("push_type is for APNs payloads; leave it out for android") }
    return type
  }
}
