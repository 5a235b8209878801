import DevicePreview
import PushContracts
import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// The model of the device, the reader and the preview agree about every payload: shown as asked, shown simpler, silent,
/// or nothing.
///
/// The checker, which knows no vendor's library, agrees with the model of iOS itself, for pushes of every type.
/// Over payloads of generated messages and mutations of them, for every contract and both platforms; a failure prints its
/// seed: `POSTRIDER_SEED=…` repeats it.
@Suite struct DeviceLawTests {
  /// Payloads of each contract and platform, and of Adobe's templates on each platform.
  private static let (rounds, templateRounds) = (600, 2_000)

  /// How many payloads of a contract a run generates.
  static func payloads(of contract: ContractName) -> Int {
    Platform.allCases.count * (rounds + (contract == .adobe ? templateRounds : 0))
  }

  /// The rules that say that something simpler is drawn.
  private static let fallbacks: Set<String> = [
    "device-fallback", "adobe-ios-fallback", "adobe-template-unknown", "adobe-item-count", "adobe-timer-end",
    "onesignal-button-dropped", "onesignal-buttons-aborted",
  ]

  /// True when a report says that something simpler is drawn, and says it once.
  ///
  /// Missing arguments are a fallback only where Firebase leaves the text out.
  private static func saysFallback(_ report: Report, _ outcome: DeviceOutcome) -> Bool {
    let rules = report.findings.filter { $0.severity == .warning }.map(\.rule)
    let leavesOut = outcome.isVisible && outcome != .shown && rules.contains("imkit-args-missing")
    if leavesOut, rules.contains("device-fallback") { return false }
    return leavesOut || rules.contains { fallbacks.contains($0) }
  }

  @Test(arguments: [Platform.android, .ios])
  func adobeTemplates(_ platform: Platform) {
    var random = SeededRandom.fromEnvironment()
    var seen: [String: Int] = [:]
    for _ in 0..<Self.templateRounds {
      let payload: JSONValue =
        platform == .ios
        ? .object(AdobePayloads.ios(&random))
        : DevicePayloads.besideBlock(["message": ["data": .object(AdobePayloads.android(&random))]], &random)
      check(payload, .adobe, platform, &seen, &random)
    }
    let expected: Set<String> = platform == .ios ? ["shown", "fallback"] : ["shown", "fallback", "nothing"]
    #expect(Set(seen.keys) == expected, "seed \(random.seed): \(seen)")
    #expect(seen.values.allSatisfy { $0 > Self.templateRounds / 50 }, "seed \(random.seed): \(seen)")
  }

  @Test(arguments: Contracts.names, Platform.allCases)
  func everyContract(_ contract: ContractName, _ platform: Platform) throws {
    let table = try #require(Contracts.mappingTable(contract))
    var random = SeededRandom.fromEnvironment()
    var seen: [String: Int] = [:]
    for _ in 0..<Self.rounds {
      let message = DevicePayloads.message(table, &random)
      let rendering = Contracts.render(
        contract, message: .object(message), context: DevicePayloads.context(table, &random), platforms: [platform])
      checkWritten(rendering, message, contract, platform, random.seed)
      let bytes = platform == .ios ? rendering.apns?.payload : rendering.fcm?.body
      guard let bytes, let payload = try? JSON.parse(bytes) else {
        seen["refused", default: 0] += 1
        continue
      }
      let mutated = DevicePayloads.mutated(payload, &random)
      check(
        platform == .ios ? mutated : DevicePayloads.besideBlock(mutated, &random), contract, platform, &seen, &random)
    }
    // Adobe's templates on Android are shown or refused.
    for name in ["shown", "silent", "nothing"] where (contract, platform) != (.adobe, .android) || name != "silent" {
      #expect(seen[name, default: 0] > 0, "seed \(random.seed): \(seen)")
    }
  }

  /// `render`, `check` and `preview` agree: what is written for one platform or both breaks no rule, its preview has no
  /// error, and what any of them finds wrong is an error of all three.
  @Test(arguments: Contracts.names)
  func theCommandsAgree(_ contract: ContractName) throws {
    let table = try #require(Contracts.mappingTable(contract))
    var random = SeededRandom.fromEnvironment()
    var seen: [String: Int] = [:]
    for round in 0..<Self.rounds {
      // Some contracts refuse hardly any message: the empty one is refused by all of them.
      let message = round == 0 ? JSONObject() : DevicePayloads.message(table, &random)
      let context = DevicePayloads.context(table, &random)
      for platforms in [Platform.allCases, [.ios], [.android]] {
        let rendering = Contracts.render(contract, message: .object(message), context: context, platforms: platforms)
        let says = "seed \(random.seed): \(contract) \(platforms) \(context.options) \(message)"
        seen[checkCommands(rendering, says), default: 0] += 1
      }
    }
    #expect(seen["written", default: 0] > 0 && seen["refused", default: 0] > 0, "seed \(random.seed): \(seen)")
  }

  /// The rules that a published contract breaks on purpose.
  private static let departures: [ContractName: Set<String>] = [.powerauth: ["apns-background-visible"]]

  private func checkCommands(_ rendering: Rendering, _ says: String) -> String {
    var checker = PushChecker()
    var rules = Report()
    if let request = rendering.apns { rules.append(checker.check(request)) }
    if let request = rendering.fcm { rules.append(checker.check(request)) }
    let isRefused = rendering.report.hasErrors || rendering.tolerating(rules).hasErrors
    let previews = PreviewPush.pushes(of: rendering).map { Preview($0) }
    for preview in previews where preview.report.hasErrors {
      #expect(isRefused, "\(says): preview: \(preview.report.findings)")
    }
    guard !isRefused else { return "refused" }
    #expect(!previews.isEmpty, "\(says): nothing is written: \(rendering.report.findings)")
    var raw = Report()
    if let request = rendering.apns { raw.append(checker.check(document: request.json, kind: .apnsRequest)) }
    if let request = rendering.fcm { raw.append(checker.check(document: request.body, kind: .fcmRequest)) }
    let errors = raw.findings.filter { $0.severity == .error }.map(\.rule)
    #expect(errors.allSatisfy { Self.departures[rendering.contract, default: []].contains($0) }, "\(says): \(errors)")
    return "written"
  }

  /// A message that is silent and nothing else wakes the app on iOS, and is not written for Android, where it would do
  /// nothing.
  @Test(arguments: [
    (ContractName.native, "content_available"), (.onesignal, "content_available"), (.powerauth, "silent"),
    (.imkit, "silent"),
  ])
  func aSilentMessageWithoutData(_ contract: ContractName, _ field: String) {
    var context = WriteContext(topic: "com.example.app")
    context.now = 1_800_000_000
    let message: JSONValue = .object([field: true])
    let both = Contracts.render(contract, message: message, context: context)
    #expect(both.apns != nil && both.fcm == nil && !both.report.hasErrors, "\(both.report.findings)")
    #expect(both.report.findings.contains { $0.rule == "device-shows-nothing" && $0.severity == .warning })
    #expect(checkCommands(both, "\(contract)") == "written")
    let android = Contracts.render(contract, message: message, context: context, platforms: [.android])
    let advice = android.report.findings.last { $0.rule == "device-shows-nothing" && $0.severity == .error }?.message
    #expect(android.fcm == nil && advice?.contains("a silent push without data does nothing there; add ") == true)
  }

  /// What is written is not nothing; what is not written has an error.
  private func checkWritten(
    _ rendering: Rendering, _ message: JSONObject, _ contract: ContractName, _ platform: Platform, _ seed: UInt64
  ) {
    let says = "seed \(seed): \(contract) \(platform) \(message): \(rendering.report.findings)"
    guard let bytes = platform == .ios ? rendering.apns?.payload : rendering.fcm?.body else {
      return #expect(rendering.report.hasErrors, "\(says)")
    }
    guard let payload = try? JSON.parse(bytes) else { return }
    checkDocument(payload, platform, rendering.apns?.headers ?? Self.alert, seed)
    if message["silent"] == true || message["content_available"] == true { return }
    var headers = rendering.apns?.headers
    headers?.topic = "com.example.app"
    let outcome = Contracts.outcome(contract, of: payload, on: platform, headers: headers)
    if case .nothing(let reason) = outcome { Issue.record("\(says): \(reason)") }
  }

  private func check(
    _ payload: JSONValue, _ contract: ContractName, _ platform: Platform, _ seen: inout [String: Int],
    _ random: inout SeededRandom
  ) {
    let seed = random.seed
    if Contracts.mistake(payload, platform) != nil { return checkMistake(payload, contract, platform, seed) }
    let headers = DevicePayloads.headers(&random)
    checkDocument(payload, platform, headers, seed)
    if platform == .ios { checkTyped(payload, contract, headers.pushType, seed) }
    let outcome = Contracts.outcome(contract, of: payload, on: platform)
    let parsed = Contracts.parse(platform: platform, payload: payload, contract: contract)
    let report = parsed.report
    let shown = Preview(PreviewPush(platform: platform, payload: payload, contract: contract)).notification
    let says = "seed \(seed): \(contract) \(platform) \(outcome) of \(JSON.minifiedText(payload)): \(report.findings)"
    let isSimpler = Self.saysFallback(report, outcome)
    let isDrawn = shown.hasText || shown.layout != nil
    let name: String
    switch outcome {
    case .nothing:
      name = "nothing"
      #expect(report.hasErrors && shown.isSilent, "\(says)")
    case .silent:
      name = "silent"
      #expect(!report.hasErrors && shown.isSilent, "\(says)")
    case .fallback:
      name = "fallback"
      #expect(!report.hasErrors && isSimpler && !shown.isSilent, "\(says)")
    case .shown:
      name = "shown"
      #expect(!report.hasErrors && !isSimpler && !shown.isSilent && isDrawn, "\(says)")
    }
    seen[name, default: 0] += 1
    if platform == .android, [.native, .powerauth].contains(contract), outcome.isVisible {
      #expect(parsed.notification["silent"] == nil, "\(says)")
    }
    if platform == .ios { checkRules(payload, headers, says) }
  }

  /// The preview of a push of one type agrees with the model.
  private func checkTyped(_ payload: JSONValue, _ contract: ContractName, _ type: APNsPushType?, _ seed: UInt64) {
    let push = PreviewPush(platform: .ios, payload: payload, contract: contract, pushType: type)
    let preview = Preview(push)
    let outcome = Contracts.outcome(contract, of: payload, on: .ios, headers: type.map { APNsHeaders(pushType: $0) })
    let says = "seed \(seed): \(contract) \(type?.rawValue ?? "") \(outcome) of \(JSON.minifiedText(payload))"
    #expect(preview.notification.isSilent == !outcome.isVisible, "\(says)")
    #expect(!outcome.isVisible || preview.notification.hasText || preview.notification.layout != nil, "\(says)")
    let isNothing = if case .nothing = outcome { true } else { false }
    #expect(preview.report.hasErrors == isNothing, "\(says): \(preview.report.findings)")
  }

  /// What is no payload is an error everywhere, and nothing is shown.
  private func checkMistake(_ payload: JSONValue, _ contract: ContractName, _ platform: Platform, _ seed: UInt64) {
    var checker = PushChecker()
    let checked = checker.checkOnDevice(document: JSON.minified(payload), platform: platform)
    let parsed = Contracts.parse(platform: platform, payload: payload, contract: contract)
    let shown = Preview(PreviewPush(platform: platform, payload: payload, contract: contract))
    let rule = "document-unrecognized"
    #expect(
      checked.rules.contains(rule) && parsed.report.rules == [rule] && shown.report.rules == [rule]
        && shown.notification.isSilent, "seed \(seed): \(platform) \(JSON.minifiedText(payload))")
  }

  /// The check of the document as it is sent, without a contract given: it finds an error if and only if a provider's
  /// rule is broken or the device shows nothing, names what falls back, and is the checker alone for what no vendor claims.
  private func checkDocument(
    _ payload: JSONValue, _ platform: Platform, _ headers: APNsHeaders, _ seed: UInt64
  ) {
    var document = payload
    if platform == .ios {
      var fields = JSONObject()
      for field in headers.fields { fields[field.name] = .string(field.value) }
      document = ["headers": .object(fields), "payload": payload]
    } else if case .object(var message)? = payload["message"] {
      message["token"] = "t"
      document = ["message": .object(message)]
    }
    let contract = Contracts.recognize(platform: platform, payload: payload).contract
    let outcome = Contracts.outcome(contract, of: payload, on: platform, headers: headers)
    var checker = PushChecker()
    let alone = checker.check(document: JSON.minified(document))
    let report = checker.checkOnDevice(document: JSON.minified(document))
    let says = "seed \(seed): \(contract) \(outcome) of \(JSON.minifiedText(document)): \(report.findings)"
    #expect(report.findings.starts(with: alone.findings), "\(says)")
    guard contract != .native else { return checkNative(report, alone, outcome, payload, platform, says) }
    switch outcome {
    case .nothing: #expect(report.hasErrors, "\(says)")
    case .fallback:
      #expect(report.hasErrors == alone.hasErrors, "\(says)")
      #expect(Self.saysFallback(report, outcome), "\(says)")
    case .shown, .silent: #expect(report.hasErrors == alone.hasErrors, "\(says)")
    }
  }

  /// What no vendor claims breaks a provider's rule where nothing is shown, and falls back where the reader says so.
  private func checkNative(
    _ report: Report, _ alone: Report, _ outcome: DeviceOutcome, _ payload: JSONValue, _ platform: Platform,
    _ says: String
  ) {
    let added = report.findings.dropFirst(alone.findings.count).map { "\($0.severity) \($0.rule)" }
    guard platform == .android else { return #expect(added.isEmpty, "\(says)") }
    let parsed = Contracts.parse(platform: platform, payload: payload, contract: .native).report
    let isSaid = parsed.findings.contains { $0.rule == "device-fallback" && $0.severity == .warning }
    switch outcome {
    case .fallback: #expect(added == ["warning device-fallback"] && isSaid, "\(says)")
    case .nothing: #expect(added.isEmpty && alone.hasErrors && parsed.hasErrors, "\(says)")
    case .shown, .silent: #expect(added.isEmpty && !isSaid, "\(says)")
    }
  }

  private static let alert = APNsHeaders(pushType: .alert, priority: .immediate, topic: "com.example.app")

  /// The checker, which knows no vendor's library, finds an error where iOS does nothing, and says so nowhere else.
  private func checkRules(_ payload: JSONValue, _ headers: APNsHeaders, _ says: String) {
    var checker = PushChecker()
    let report = checker.check(apnsPayload: JSON.minified(payload), headers: headers)
    let outcome = Contracts.outcome(.native, of: payload, on: .ios, headers: headers)
    let isNothing = if case .nothing = outcome { true } else { false }
    #expect(report.hasErrors == isNothing, "\(says): \(headers) \(outcome): \(report.findings)")
  }
}

/// Messages of a contract's rows, and mutations of what they are written as.
enum DevicePayloads {
  static func message(_ table: MappingTable, _ random: inout SeededRandom) -> JSONObject {
    var message = JSONObject()
    let isSparse = Bool.random(using: &random)
    for row in table.rows where row.source == .message {
      guard row.isRequired || Int.random(in: 0..<(isSparse ? 12 : 3), using: &random) == 0 else { continue }
      message[row.field] = row.example
      guard Int.random(in: 0...9, using: &random) == 0, row.type == .string else { continue }
      message[row.field] = ""
    }
    return message
  }

  /// The surroundings of a send, with some of the contract's options; IMKit's legacy shape is never sent.
  static func context(_ table: MappingTable, _ random: inout SeededRandom) -> WriteContext {
    var context = WriteContext(topic: "com.example.app")
    context.now = 1_800_000_000
    for option in table.policy.options where option.name != IMKit.legacyOption {
      if Int.random(in: 0..<3, using: &random) == 0 { context.options.append(option.name) }
    }
    return context
  }

  /// A payload of which some members are left out or replaced.
  static func mutated(_ value: JSONValue, _ random: inout SeededRandom, depth: Int = 0) -> JSONValue {
    switch value {
    case .object(let members):
      var result = JSONObject()
      let isStable = depth == 0 && members["message"] != nil
      for (key, member) in members {
        switch isStable ? 9 : Int.random(in: 0...(9 + 3 * depth), using: &random) {
        case 0: continue
        case 1: result.append(key, odd(&random))
        default: result.append(key, mutated(member, &random, depth: depth + 1))
        }
      }
      return .object(result)
    case .array(let elements): return .array(elements.map { mutated($0, &random, depth: depth + 1) })
    case .string(let text):
      guard let inner = try? JSON.parse(text), inner.object != nil || inner.array != nil else { return value }
      return .string(JSON.minifiedText(mutated(inner, &random, depth: depth + 1)))
    default: return value
    }
  }

  /// An Android payload, now and then beside a notification block, or beside something for other devices.
  static func besideBlock(_ payload: JSONValue, _ random: inout SeededRandom) -> JSONValue {
    guard case .object(var message)? = payload["message"], Int.random(in: 0..<6, using: &random) == 0 else {
      return payload
    }
    let block = blocks.randomElement(using: &random) ?? [:]
    if Bool.random(using: &random) {
      message["notification"] = block
    } else {
      message["android"] = ["notification": block]
    }
    if Int.random(in: 0..<3, using: &random) == 0 { message["apns"] = ["payload": ["aps": ["badge": 1]]] }
    if Int.random(in: 0..<6, using: &random) == 0 { message["webpush"] = ["data": ["k": "v"]] }
    return ["message": .object(message)]
  }

  private static let blocks: [JSONValue] = [
    [:], ["title": "T"], ["body": ""], ["image": "https://example.com/i.png"], ["body": "B", "image": "x"],
  ]

  /// The headers of a push of any type, as APNs accepts them.
  static func headers(_ random: inout SeededRandom) -> APNsHeaders {
    let type = APNsPushType.known.randomElement(using: &random) ?? .alert
    var headers = APNsHeaders(
      pushType: type, priority: type == .background ? .powerAware : .immediate,
      topic: "com.example.app" + (type.topicSuffix ?? ""))
    if type == .pushtotalk { headers.expiration = .once }
    return headers
  }

  static func odd(_ random: inout SeededRandom) -> JSONValue {
    [.null, "", "text", 7, true, [], [:], ["n": "x"], ["title": "", "body": "b"], [["n": "A"], ["i": "b"]]]
      .randomElement(using: &random) ?? .null
  }
}

/// Payloads of Adobe's templates: complete ones, and those with a key or an element taken away or replaced.
private enum AdobePayloads {
  private static let templates = ["basic", "car", "timer", "input", "zb", "rate", "cat", "icon", "other"]

  static func android(_ random: inout SeededRandom) -> JSONObject {
    let template = templates.randomElement(using: &random) ?? "basic"
    var data: JSONObject = [
      "adb_version": "1", "adb_template_type": .string(template), "adb_title": "T", "adb_body": "B",
      "adb_a_type": .string(type(&random)), "adb_uri": "https://example.com", "adb_car_layout": "default",
      "adb_title_alt": "Over", "adb_tmr_dur": "60", "adb_input_receiver": "R", "adb_rate_unselected_icon": "o",
      "adb_rate_selected_icon": "x", "adb_cta_txt": "Buy", "adb_cta_clr": "000000", "adb_cta_txt_clr": "FFFFFF",
      "adb_cta_uri": "https://example.com/buy", "adb_display": "vertical",
      "adb_rate_act": .string(list(&random)), "adb_items": .string(list(&random)),
    ]
    mutate(&data, &random)
    return data
  }

  static func ios(_ random: inout SeededRandom) -> JSONObject {
    let template = templates.randomElement(using: &random) ?? "basic"
    var members: JSONObject = [
      "adb_version": "1.0", "adb_template_type": .string(template), "adb_title_alt": "Over", "adb_tmr_dur": "60.5",
      "adb_items": .array(elements(&random)),
    ]
    mutate(&members, &random)
    var aps: JSONObject = ["alert": ["title": "T", "body": "B"], "category": "AEPNotification", "mutable-content": 1]
    switch Int.random(in: 0...9, using: &random) {
    case 0: aps.removeValue(forKey: "category")
    case 1: aps["category"] = "OTHER"
    default: break
    }
    members["aps"] = .object(aps)
    return members
  }

  /// Half of the payloads lose up to three keys, or get something else for their values.
  private static func mutate(_ object: inout JSONObject, _ random: inout SeededRandom) {
    guard Bool.random(using: &random) else { return }
    let keys = object.map { $0.0 }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      guard let key = keys.randomElement(using: &random), key != "adb_template_type" else { continue }
      switch Int.random(in: 0...3, using: &random) {
      case 0: object.removeValue(forKey: key)
      case 1: object[key] = ""
      case 2: object[key] = odd(&random)
      default: object[key] = .number(JSONNumber(Int.random(in: -2...70, using: &random)))
      }
    }
  }

  private static func type(_ random: inout SeededRandom) -> String {
    ["WEBURL", "DEEPLINK", "DISMISS", "OPENAPP", "NONE", "WEBURL", "OPENAPP", "open"].randomElement(using: &random)
      ?? ""
  }

  /// The JSON text of a list, now and then as only Android's reader takes it, or cut off.
  private static func list(_ random: inout SeededRandom) -> String {
    let text = JSON.minifiedText(.array(elements(&random)))
    switch Int.random(in: 0...19, using: &random) {
    case 0: return String(text.map { $0 == "\"" ? "'" : $0 })
    case 1: return String(text.dropLast()) + ",]"
    case 2: return text + " and more"
    case 3: return String(text.prefix(Int.random(in: 0...text.count, using: &random)))
    default: return text
    }
  }

  private static func elements(_ random: inout SeededRandom) -> [JSONValue] {
    (0..<Int.random(in: 1...6, using: &random)).map { _ in element(&random) }
  }

  private static func odd(_ random: inout SeededRandom) -> JSONValue {
    [.null, 7, "text", "-1", "1.5", [], [:], ["img": "x"], true].randomElement(using: &random) ?? .null
  }

  private static func element(_ random: inout SeededRandom) -> JSONValue {
    if Int.random(in: 0...15, using: &random) == 0 { return odd(&random) }
    var element: JSONObject = [
      "img": "https://example.com/i.png", "txt": "x", "title": "t", "body": "b", "price": "1",
      "uri": "https://example.com",
      "type": .string(Int.random(in: 0...9, using: &random) == 0 ? type(&random) : "WEBURL"),
    ]
    guard Int.random(in: 0...6, using: &random) == 0, let key = element.map({ $0.0 }).randomElement(using: &random)
    else {
      return .object(element)
    }
    switch Int.random(in: 0...2, using: &random) {
    case 0: element.removeValue(forKey: key)
    case 1: element[key] = ""
    default: element[key] = .null
    }
    return .object(element)
  }
}
