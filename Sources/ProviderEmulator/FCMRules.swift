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
  var isValidationOnly = false
  /// Why the message is refused; nil when it is fine.
  var failure: FCMFailure?
}

/// FCM's checks of a message: the rules of `PushRules` that FCM itself enforces, in the shape of its answers.
///
/// Source for the shapes: Firebase, “FCM error codes”.
struct FCMRules: Sendable {
  private var checker: PushChecker

  static let tokenBytesMax = 4096
  static let topicBytesMax = 900

  /// Breaks that Google's API layer finds while it reads the message type: refused without an `FcmError`.
  private static let typeRules: Set<String> = [
    "fcm-field-type", "fcm-unknown-field", "fcm-enum-unknown", "fcm-data-not-string",
  ]

  /// The rules whose break FCM answers with an error code of its own; all others are a linter's business.
  init() {
    var settings = RuleSettings()
    for rule in Rules.all {
      let isEnforced = rule.answer.flatMap(FCMFailure.named) != nil && rule.severity == .error
      settings[rule.id] = isEnforced ? .error : .off
    }
    // APNs' own limit, which FCM applies to the payload it carries.
    settings[.apnsPayloadTooLarge] = .error
    checker = PushChecker(settings: settings)
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
    if let topic = member(document, message, "topic") { facts.target = .topic(document.string(topic) ?? "") }
    if let condition = member(document, message, "condition"), let text = document.string(condition) {
      facts.target = FCMCondition(text).map { .condition($0) }
    }
    for (name, field) in [("token", "message.token"), ("fid", "message.fid")] as [(StaticString, String)] {
      guard let node = member(document, message, name) else { continue }
      let token = document.string(node) ?? ""
      facts.target = .device(token)
      if !Self.isToken(token) { facts.failure = .invalid(field, "the value is not a valid FCM registration token") }
    }
  }

  private func member(_ document: JSONDocument, _ node: JSONNode, _ name: StaticString) -> JSONNode? {
    guard let found = document.member(of: node, name), !document.isNull(found) else { return nil }
    return found
  }

  static func isToken(_ token: String) -> Bool {
    (1...tokenBytesMax).contains(token.utf8.count) && token.utf8.allSatisfy(isTokenByte)
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == 0x2D || byte == 0x5F || byte == 0x3A
  }

  static func isTopicName(_ name: String) -> Bool {
    (1...topicBytesMax).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || [0x2D, 0x5F, 0x2E, 0x7E, 0x25].contains(byte)
      }
  }

  // MARK: Paths

  /// Breaks that lie in a name; the field is the object or map it stands in.
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
        if isMap, let index = node.flatMap({ place(of: name, in: $0) }) {
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

  private func place(of name: String, in map: JSONNode) -> Int? {
    checker.document.members(of: map).enumerated().first { checker.document.isString($0.element.name, name) }?.offset
  }
}
