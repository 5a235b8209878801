internal import PushContracts
internal import PushPayload
internal import PushRules
internal import WireJSON

/// What the checks of one message have found out.
struct FCMMessageFacts {
  enum Target {
    /// The registration token, or the installation id.
    case device(String)
    case topic(String)
    case condition(FCMCondition)
  }

  var target: Target?
  /// The tag by which the message replaces an earlier one on the device.
  var tag: String?
  /// The same for an app of Apple's, and for a browser.
  var carriedKeys: [FCMCarrier: String] = [:]
  var isValidationOnly = false
  /// Why the message is refused; nil when it is fine.
  var failure: FCMFailure?

  /// By what it replaces an earlier one on a device.
  func replacementKey(_ carrier: FCMCarrier?) -> String? { carrier.map { carriedKeys[$0] } ?? tag }
}

/// FCM's checks of a message: the rules of `PushRules` that FCM itself enforces, in the shape of its answers.
///
/// Source for the shapes: Firebase, “FCM error codes”.
struct FCMRules: Sendable {
  private var checker: PushChecker

  /// Breaks that Google's API layer finds while it reads the message type: refused without an `FcmError`.
  private static let typeRules: Set<String> = [
    "fcm-field-type", "fcm-unknown-field", "fcm-enum-unknown", "fcm-data-not-string",
  ]

  /// The rules whose violation FCM answers with an error code of its own, and those whose violation APNs refuses in the
  /// part that FCM forwards, as FCM's answer waits for APNs'; all others are for linters only.
  init() {
    var settings = RuleSettings()
    for rule in Rules.all {
      let isEnforced = rule.answer.map(Self.isEnforced) ?? false
      settings[rule.id] = isEnforced && rule.severity == .error ? .error : .off
    }
    // A header that HTTP cannot carry does not reach APNs.
    settings[.apnsHeaderInvalid] = .error
    checker = PushChecker(settings: settings)
  }

  private static func isEnforced(_ answer: String) -> Bool {
    FCMFailure.named(answer) != nil || APNsRejection.named(answer) != nil
  }

  /// Reads and checks a body.
  mutating func examine(_ body: [UInt8]) -> FCMMessageFacts {
    var facts = FCMMessageFacts()
    guard body.count <= FCMGateway.bodyBytesMax else {
      facts.failure = .unreadable([.init(field: "", description: "the body is over \(FCMGateway.bodyBytesMax) bytes")])
      return facts
    }
    let report = checker.check(fcmBody: body)
    if let failure = checker.failure {
      facts.failure = .unreadable([.init(field: "", description: "the body is no valid JSON: \(failure)")])
      return facts
    }
    read(&facts)
    facts.failure = failure(of: report) ?? facts.failure
    return facts
  }

  private func failure(of report: Report) -> FCMFailure? {
    let findings = report.findings
    guard let first = findings.first else { return nil }
    let unreadable = findings.filter { Self.typeRules.contains($0.rule) }
    guard unreadable.isEmpty else {
      return .unreadable(unreadable.map { .init(field: protoPath(of: $0), description: $0.message) })
    }
    return .invalid(first.field.isEmpty ? "message" : protoPath(of: first), first.message)
  }

  // MARK: What the gateway needs to know

  private func read(_ facts: inout FCMMessageFacts) {
    let document = checker.document
    guard let message = member(document, document.root, "message") else { return }
    if let flag = member(document, document.root, "validate_only") ?? member(document, document.root, "validateOnly") {
      facts.isValidationOnly = document.bool(flag) ?? false
    }
    if let android = member(document, message, "android"),
      let notification = member(document, android, "notification"), let tag = member(document, notification, "tag")
    {
      facts.tag = document.string(tag)
    }
    if let headers = member(document, message, "apns").flatMap({ member(document, $0, "headers") }) {
      facts.carriedKeys[.ios] = member(document, headers, "apns-collapse-id").flatMap { document.string($0) }
    }
    if let shown = member(document, message, "webpush").flatMap({ member(document, $0, "notification") }) {
      facts.carriedKeys[.web] = member(document, shown, "tag").flatMap { document.string($0) }
    }
    if let topic = member(document, message, "topic") { facts.target = .topic(document.string(topic) ?? "") }
    if let condition = member(document, message, "condition"), let text = document.string(condition) {
      facts.target = (try? FCMCondition(text)).map { .condition($0) }
    }
    for name in ["token", "fid"] as [StaticString] {
      guard let node = member(document, message, name) else { continue }
      let token = document.string(node) ?? ""
      facts.target = .device(token)
      // A linter accepts a placeholder; a message that is sent has the token itself.
      if !FCMNames.isToken(token) {
        facts.failure = .invalid("message.\(name)", "the value is not a valid FCM registration token")
      }
    }
  }

  private func member(_ document: JSONDocument, _ node: JSONNode, _ name: StaticString) -> JSONNode? {
    guard let found = document.member(of: node, name), !document.isNull(found) else { return nil }
    return found
  }

  // MARK: Paths

  /// Rules that concern a name; the finding's field is the object or map that contains it.
  private static let rulesOfNames: Set<String> = ["fcm-unknown-field", "fcm-data-reserved"]

  /// The path as Google writes it: an entry of a map by its index, `message.data[1].value`.
  private func protoPath(of finding: Finding) -> String {
    var path = FieldPath(parsing: finding.field)
    if Self.rulesOfNames.contains(finding.rule) { _ = path.steps.popLast() }
    let document = checker.document
    var node: JSONNode? = document.root
    var text = ""
    var isMap = false
    for step in path.steps {
      switch step {
      case .element(let index):
        text += "[\(index)]"
        node = node.flatMap { list in document.elements(of: list).enumerated().first { $0.offset == index }?.element }
      case .member(let name):
        if isMap, let index = node.flatMap({ memberIndex(of: name, in: $0) }) {
          text += "[\(index)].value"
        } else {
          text += text.isEmpty ? name : ".\(name)"
        }
        isMap = name == "data" || name == "headers"
        node = node.flatMap { document.member(of: $0, name) }
      }
    }
    return text
  }

  private func memberIndex(of name: String, in map: JSONNode) -> Int? {
    checker.document.members(of: map).enumerated().first { checker.document.isString($0.element.name, name) }?.offset
  }
}
