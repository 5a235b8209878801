import DevicePreview
import PushContracts
import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// Whatever shape an Android document has, and whether its platform is named or not, the checker, the reader and the
/// preview take it for the same thing and agree about it.
///
/// Over written messages of every contract as requests, messages alone, RemoteMessages and flat maps, with values taken
/// out and replaced; a failure prints its seed: `POSTRIDER_SEED=…` repeats it.
@Suite struct DocumentLawTests {
  private static let rounds = 300

  /// How many documents of a contract a run generates.
  static func payloads(of contract: ContractName) -> Int { Platform.allCases.count * rounds }

  @Test(arguments: Contracts.names)
  func everyShape(_ contract: ContractName) throws {
    let table = try #require(Contracts.mappingTable(contract))
    var random = SeededRandom.fromEnvironment()
    var seen: [String: Int] = [:]
    for _ in 0..<Self.rounds {
      let message = DevicePayloads.message(table, &random)
      let rendering = Contracts.render(
        contract, message: .object(message), context: DevicePayloads.context(table, &random), platforms: [.android])
      guard let body = rendering.fcm?.body, let request = try? JSON.parse(body) else { continue }
      guard let written = DevicePayloads.besideBlock(request, &random)["message"]?.object else { continue }
      let shape = AndroidShape.allCases.randomElement(using: &random) ?? .request
      var document = shape.document(written, &random)
      if Int.random(in: 0..<3, using: &random) == 0 { document = AndroidShape.withOddValue(document, &random) }
      for platform in [Platform.android, nil] {
        seen[check(.object(document), platform, random.seed), default: 0] += 1
      }
    }
    for name in ["request", "message", "received", "unnamed"] {
      #expect(seen[name, default: 0] > 0, "seed \(random.seed): \(seen)")
    }
  }

  @Test(arguments: Contracts.names)
  func everyApplePayload(_ contract: ContractName) throws {
    let table = try #require(Contracts.mappingTable(contract))
    var random = SeededRandom.fromEnvironment()
    var seen: [String: Int] = [:]
    for _ in 0..<Self.rounds {
      let message = DevicePayloads.message(table, &random)
      let rendering = Contracts.render(
        contract, message: .object(message), context: DevicePayloads.context(table, &random), platforms: [.ios])
      guard let bytes = rendering.apns?.payload, let payload = try? JSON.parse(bytes) else { continue }
      let document = DevicePayloads.mutated(payload, &random)
      if document["aps"] != nil { #expect(Contracts.platform(of: document) == .ios, "seed \(random.seed)") }
      for platform in [Platform.ios, nil] { seen[check(document, platform, random.seed), default: 0] += 1 }
    }
    #expect(seen["payload", default: 0] > 0, "seed \(random.seed): \(seen)")
  }

  /// Every combination of the members by which documents are told apart, with objects and with other values.
  @Test func everySubsetOfMembers() {
    var random = SeededRandom.fromEnvironment()
    var seen: [String: Int] = [:]
    for subset in 0..<(1 << Self.members.count) {
      for round in 0..<4 {
        var document = JSONObject()
        for (index, member) in Self.members.enumerated() where subset & 1 << index != 0 {
          let isOdd = round > 1 && Int.random(in: 0..<4, using: &random) == 0
          document[member.name] =
            isOdd ? DevicePayloads.odd(&random) : member.values[(round + index) % member.values.count]
        }
        for platform in [Platform.android, .ios, nil] {
          seen[check(.object(document), platform, random.seed), default: 0] += 1
        }
      }
    }
    let expected: Set<String> = [
      "request", "message", "received", "payload", "unnamed", "mistake", "rendering",
    ]
    #expect(Set(seen.keys) == expected, "seed \(random.seed): \(seen)")
  }

  private static let members: [(name: String, values: [JSONValue])] = [
    ("data", [["k": "v"], [:]]), ("notification", [["title": "T"], ["body": ""], [:]]),
    (
      "apns",
      [
        ["payload": ["aps": ["alert": "Hi"]]], ["headers": ["apns-priority": "5"]], [:],
        ["headers": ["apns-push-type": "alert", "apns-topic": "a.b"], "payload": ["aps": ["alert": "Hi"]]],
      ]
    ), ("android", [["priority": "high"], ["notification": ["title": "T"]]]),
    ("webpush", [["notification": ["title": "T"]]]),
    ("message", [["token": "t", "data": ["k": "v"]], ["notification": ["title": "T"]], "Hi"]), ("token", ["t", ""]),
    ("aps", [["alert": "Hi"], [:]]),
  ]

  /// - Returns: what the document was taken for.
  private func check(_ document: JSONValue, _ named: Platform?, _ seed: UInt64) -> String {
    var checker = PushChecker()
    let checked = checker.checkOnDevice(document: JSON.minified(document), platform: named)
    var says = "seed \(seed): \(named?.rawValue ?? "no platform") \(JSON.minifiedText(document)): \(checked.findings)"
    let unrecognized = checked.rules.contains("document-unrecognized")
    let read = Contracts.parse(document: document, platform: named)
    guard let platform = named ?? Contracts.platform(of: document) else {
      #expect(unrecognized == (read != nil) || isRendering(checker.document, nil), "\(says)")
      #expect(read.map { $0.report.rules == ["document-unrecognized"] } ?? true, "\(says)")
      return "unnamed"
    }
    let parsed = Contracts.parse(platform: platform, payload: document)
    #expect(read?.report == parsed.report && read?.inferredPlatform == (named == nil ? platform : nil), "\(says)")
    let preview = Preview(PreviewPush(document: document, platform: platform))
    says += ": \(parsed.report.findings): \(preview.report.findings)"
    guard Contracts.mistake(document, platform) == nil else {
      #expect(parsed.report.rules == ["document-unrecognized"] && preview.notification.isSilent, "\(says)")
      if isRendering(checker.document, named) { return "rendering" }
      #expect(unrecognized, "\(says)")
      return "mistake"
    }
    #expect(!unrecognized, "\(says)")
    // The preview repeats what the reader says of the payload; what the provider's rules say is said beside the previews.
    let refusals = ["fcm-message-missing", "fcm-legacy-request", "apns-aps-missing"]
    #expect(
      preview.report.findings.starts(with: parsed.report.findings.filter { !refusals.contains($0.rule) }), "\(says)")
    checkPreview(document, platform, checked, says)
    let outcome = Contracts.outcome(parsed.contract, of: document, on: platform)
    let isNothing = if case .nothing = outcome { true } else { false }
    #expect(parsed.report.hasErrors == isNothing && preview.report.hasErrors == isNothing, "\(says)")
    #expect(preview.notification.isSilent == !outcome.isVisible, "\(says)")
    checkTexts(parsed, preview, says)
    guard platform == .android, let kind = Contracts.androidKind(of: document) else {
      #expect(checked.hasErrors == isNothing, "\(says)")
      guard platform == .android else { return "payload" }
      checkReceived(checked, parsed.report, says)
      return "received"
    }
    #expect(checked.hasErrors || !isNothing, "\(says)")
    if kind == .fcmRequest { return "request" }
    let refusal = kind == .fcmMessage ? "fcm-message-missing" : "fcm-legacy-request"
    #expect(checked.findings.contains { $0.rule == refusal && $0.severity == .error }, "\(says)")
    #expect(parsed.report.findings.contains { $0.rule == refusal && $0.severity == .warning }, "\(says)")
    return "message"
  }

  /// True for what `render` has written, which the checker alone takes.
  private func isRendering(_ document: JSONDocument, _ platform: Platform?) -> Bool {
    PushDocumentKind.recognize(document, platform: platform) == .rendering
  }

  /// A preview has the errors of the check, but for the target, which decides nothing of the picture.
  private func checkPreview(_ document: JSONValue, _ platform: Platform, _ checked: Report, _ says: String) {
    var checker = PushChecker()
    let bytes = JSON.minified(document)
    let previewed = checker.checkForPreview(of: document, bytes: bytes, platform: platform) ?? Report()
    let provided = checker.check(document: bytes, kind: Contracts.androidKind(of: document), platform: platform)
    #expect(previewed.findings.allSatisfy { $0.rule != "fcm-target-missing" || $0.severity == .warning }, "\(says)")
    guard platform == .android, Contracts.androidKind(of: document) != nil else { return }
    #expect(previewed.rules == provided.rules, "\(says)")
    let errors = { (report: Report) in report.findings.filter { $0.severity == .error }.map(\.rule) }
    #expect(errors(previewed) == errors(provided).filter { $0 != "fcm-target-missing" }, "\(says)")
    #expect(errors(previewed).allSatisfy(errors(checked).contains), "\(says)")
  }

  /// What was received is judged by the device alone, so that the checker says what the reader says.
  private func checkReceived(_ checked: Report, _ read: Report, _ says: String) {
    let losses = { (report: Report) in report.findings.filter { $0.severity != .note }.map(\.rule) }
    #expect(checked.rules.first == "document-received", "\(says)")
    #expect(losses(checked) == losses(read), "\(says)")
  }

  /// The reader hands out the texts that are drawn; those behind a key are the app's.
  private func checkTexts(_ parsed: Parsed, _ preview: Preview, _ says: String) {
    let shown = preview.notification
    guard !shown.isSilent, shown.layout == nil else { return }
    for (part, text, read) in [("title", shown.title, parsed.title), ("body", shown.body, parsed.body)]
    where parsed.notification["\(part)_loc"] == nil {
      #expect((text?.text ?? "") == (read ?? ""), "\(part): \(says)")
    }
  }
}

/// What an Android message looks like on its way.
private enum AndroidShape: CaseIterable {
  case request, message, remoteMessage, flatMap

  func document(_ message: JSONObject, _ random: inout SeededRandom) -> JSONObject {
    var document = message
    switch self {
    case .request:
      document["token"] = "t"
      return ["message": .object(document)]
    case .message:
      if Bool.random(using: &random) { document.removeValue(forKey: "token") }
      return document
    case .remoteMessage: return Self.remoteMessage(message, &random)
    case .flatMap: return Self.flatMap(message, &random)
    }
  }

  private static func remoteMessage(_ message: JSONObject, _ random: inout SeededRandom) -> JSONObject {
    var document: JSONObject = [:]
    for mark in ["messageId", "from", "collapseKey"] where Bool.random(using: &random) { document[mark] = "1" }
    if let data = message["data"] { document["data"] = data }
    var notification = message["notification"]?.object ?? [:]
    if let own = message["android"]?["notification"]?.object { notification["android"] = .object(own) }
    if !notification.isEmpty { document["notification"] = .object(notification) }
    return document
  }

  private static func flatMap(_ message: JSONObject, _ random: inout SeededRandom) -> JSONObject {
    var document = message["data"]?.object ?? [:]
    if Bool.random(using: &random) { document["from"] = "1" }
    if Bool.random(using: &random) { document["google.sent_time"] = 1_800_000_000 }
    let blocks = [message["notification"]?.object, message["android"]?["notification"]?.object].compactMap { $0 }
    if !blocks.isEmpty { document["gcm.n.e"] = "1" }
    for (name, value) in blocks.joined() {
      let key = name == "channel_id" ? "android_channel_id" : name
      document["gcm.n.\(key)"] = .string(value.string ?? JSON.minifiedText(value))
    }
    return document
  }

  /// The document with one of its values replaced, at its root or one level below.
  static func withOddValue(_ document: JSONObject, _ random: inout SeededRandom) -> JSONObject {
    var document = document
    guard let key = document.map({ $0.key }).randomElement(using: &random) else { return document }
    if case .object(let members)? = document[key], Bool.random(using: &random) {
      document[key] = .object(withOddValue(members, &random))
    } else {
      document[key] = DevicePayloads.odd(&random)
    }
    return document
  }
}
