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
      check(
        DevicePayloads.withRareMembers(payload, .adobe, platform, &random), .adobe, platform, &seen, &random)
    }
    let expected: Set<String> = platform == .ios ? ["shown", "fallback"] : ["shown", "fallback", "nothing"]
    #expect(
      expected.allSatisfy { seen[$0, default: 0] > Self.templateRounds / 50 }, "seed \(random.seed): \(seen)")
  }

  @Test(arguments: Contracts.names, Platform.allCases)
  func everyContract(_ contract: ContractName, _ platform: Platform) throws {
    let table = try #require(Contracts.mappingTable(contract))
    var random = SeededRandom.fromEnvironment()
    var seen: [String: Int] = [:]
    // Adobe's templates on Android are shown or refused.
    let outcomes = ["shown", "silent", "nothing"].filter {
      (contract, platform) != (.adobe, .android) || $0 != "silent"
    }
    // A rare outcome gets more rounds to come up in.
    for round in 0..<Self.rounds * 10 where round < Self.rounds || outcomes.contains(where: { seen[$0] == nil }) {
      let message = DevicePayloads.message(table, &random)
      let rendering = Contracts.render(
        contract, message: .object(message), context: DevicePayloads.context(table, &random), platforms: [platform])
      checkWritten(rendering, message, contract, platform, random.seed)
      let bytes = platform == .ios ? rendering.apns?.payload : rendering.fcm?.body
      guard let bytes, let payload = try? JSON.parse(bytes) else {
        seen["refused", default: 0] += 1
        continue
      }
      let mutated = DevicePayloads.withRareMembers(
        DevicePayloads.mutated(payload, &random), contract, platform, &random)
      check(
        platform == .ios ? mutated : DevicePayloads.besideBlock(mutated, &random), contract, platform, &seen, &random)
    }
    for name in outcomes {
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
    // What is found on the tape is what the reader and the model say.
    checker.device.usesTape = false
    #expect(checker.checkOnDevice(document: JSON.minified(document)) == report, "\(says)")
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
    let parsed = Contracts.parse(platform: platform, payload: payload, contract: .native).report
    // The reader knows no headers, by which a payload may be another kind of push.
    let isSaid: Bool? =
      platform == .ios
      ? nil : parsed.findings.contains { $0.rule == "device-fallback" && $0.severity == .warning }
    switch outcome {
    case .fallback: #expect(added == ["warning device-fallback"] && isSaid ?? true, "\(says)")
    case .nothing: #expect(added.isEmpty && alone.hasErrors && (platform == .ios || parsed.hasErrors), "\(says)")
    case .shown, .silent: #expect(added.isEmpty && isSaid != true, "\(says)")
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
