internal import PushPayload
internal import WireJSON

/// Checks a request body against FCM's message type as proto3 JSON is read: unknown names and wrong types are refused,
/// null is absent, both spellings of a name count, numbers may come as strings.
struct FCMSchemaCheck {
  private(set) var violations: [FCMFailure.Violation] = []
  private let document: JSONDocument

  /// More violations than these are not listed.
  static let violationsMax = 20

  private static let request = PayloadSchema(
    "SendMessageRequest", .fcm,
    [PayloadField("validate_only", .boolean), PayloadField("message", .model(FCMMessage.schema))])
  /// Members that are `google.protobuf.Struct`: their content is the business of Apple and of the browsers.
  private static let freeForm: Set<String> = ["apns.payload", "webpush.notification"]

  init(_ document: JSONDocument) { self.document = document }

  /// Checks the whole body.
  mutating func run() {
    guard document.kind(document.root) == .object else {
      return fail("", "the body is no JSON object")
    }
    object(document.root, Self.request, path: "")
  }

  private mutating func fail(_ path: String, _ description: String) {
    guard violations.count < Self.violationsMax else { return }
    violations.append(.init(field: path, description: description))
  }

  private mutating func object(_ node: JSONNode, _ schema: PayloadSchema, path: String) {
    for (name, value) in document.members(of: node) {
      guard let field = field(named: name, schema) else {
        let place = path.isEmpty ? "" : " at '\(path)'"
        fail(path, "unknown name \"\(document.string(name) ?? "")\"\(place): no such field")
        continue
      }
      if document.isNull(value) { continue }
      check(value, field, path: path.isEmpty ? field.name : "\(path).\(field.name)")
    }
  }

  private func field(named name: JSONNode, _ schema: PayloadSchema) -> PayloadField? {
    for field in schema.fields {
      if document.isString(name, field.key) { return field }
      if let camel = field.camelName, document.isString(name, camel) { return field }
    }
    return nil
  }

  private mutating func check(_ node: JSONNode, _ field: PayloadField, path: String) {
    switch field.type {
    case .model(let schema), .stringOrModel(let schema):
      guard document.kind(node) == .object else { return wrong(node, path, "an object") }
      if !Self.freeForm.contains(where: path.hasSuffix) { object(node, schema, path: path) }
    case .stringMap: map(node, path: path)
    case .object: if document.kind(node) != .object { wrong(node, path, "an object") }
    case .strings: list(node, path: path, "a string") { $0.kind($1) == .string }
    case .objects: list(node, path: path, "an object") { $0.kind($1) == .object }
    case .durations: list(node, path: path, "a duration") { $0.string($1).flatMap(ProtoDuration.init) != nil }
    case .numbers: list(node, path: path, "a number") { $0.kind($1) == .number }
    default: if !isScalar(node, field) { wrong(node, path, field.type.expectation) }
    }
  }

  private func isScalar(_ node: JSONNode, _ field: PayloadField) -> Bool {
    switch field.type {
    case .string: document.kind(node) == .string
    case .boolean: document.bool(node) != nil
    case .integer: (document.int(node) ?? document.string(node).flatMap { Int($0) }).map { Int32(exactly: $0) } != nil
    case .number, .flag: document.kind(node) == .number || document.string(node).flatMap { Double($0) } != nil
    case .duration: document.string(node).flatMap(ProtoDuration.init) != nil
    case .timestamp: document.string(node).map(RFC3339.isValid) ?? false
    case .enumeration(let values, let anyCase): isEnumeration(node, values, foldsCase: anyCase)
    default: true
    }
  }

  /// `AndroidConfig.priority` is also taken in lower case, which the Admin SDKs send.
  private func isEnumeration(_ node: JSONNode, _ values: [String], foldsCase: Bool) -> Bool {
    if document.int(node) != nil { return true }
    guard let text = document.string(node) else { return false }
    return values.contains(text) || foldsCase && values.contains { $0.lowercased() == text }
  }

  private mutating func map(_ node: JSONNode, path: String) {
    guard document.kind(node) == .object else { return wrong(node, path, "an object of strings") }
    for (index, (_, value)) in document.members(of: node).enumerated() where document.kind(value) != .string {
      wrong(value, "\(path)[\(index)].value", "a string")
    }
  }

  private mutating func list(
    _ node: JSONNode, path: String, _ expected: String, _ isGood: (JSONDocument, JSONNode) -> Bool
  ) {
    guard document.kind(node) == .array else { return wrong(node, path, "an array") }
    for (index, element) in document.elements(of: node).enumerated() where !isGood(document, element) {
      wrong(element, "\(path)[\(index)]", expected)
    }
  }

  private mutating func wrong(_ node: JSONNode, _ path: String, _ expected: String) {
    let found = document.withSource(of: node) { String(decoding: $0.prefix(40), as: UTF8.self) }
    fail(path, "invalid value at '\(path)': expected \(expected), found \(found)")
  }
}

/// A proto3 duration: seconds with up to nine decimals and an `s`.
struct ProtoDuration {
  let nanoseconds: Int64
  let seconds: Int64

  static let secondsMax: Int64 = 315_576_000_000

  init?(_ text: String) {
    var digits = Array(text.utf8)
    guard digits.popLast() == UInt8(ascii: "s") else { return nil }
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits.removeFirst() }
    let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard
      !parts[0].isEmpty, digits.allSatisfy({ $0 == 0x2E || $0 &- 0x30 < 10 }),
      let whole = Int64(String(decoding: parts[0], as: UTF8.self)), whole <= Self.secondsMax
    else { return nil }
    var fraction = parts.count > 1 ? Array(parts[1]) : []
    guard fraction.count <= 9, parts.count == 1 || !fraction.isEmpty, !fraction.contains(0x2E) else { return nil }
    while fraction.count < 9 { fraction.append(0x30) }
    let nanos = fraction.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    seconds = isNegative ? -whole : whole
    nanoseconds = isNegative ? -nanos : nanos
  }

  var isNegative: Bool { seconds < 0 || nanoseconds < 0 }
}

/// The form of RFC 3339 dates: `2026-01-31T09:00:00.5Z`, or with an offset.
enum RFC3339 {
  static func isValid(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    let number: (Int, ClosedRange<Int>) -> Bool = { width, range in
      let digits = rest.prefix(width)
      guard digits.count == width, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return false }
      rest = rest.dropFirst(width)
      return range.contains(digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
    }
    let character: (String) -> Bool = { allowed in
      guard let first = rest.first, allowed.utf8.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard
      number(4, 1...9999), character("-"), number(2, 1...12), character("-"), number(2, 1...31), character("Tt"),
      number(2, 0...23), character(":"), number(2, 0...59), character(":"), number(2, 0...60)
    else { return false }
    if character(".") {
      let digits = rest.prefix { $0 &- 0x30 < 10 }
      guard (1...9).contains(digits.count) else { return false }
      rest = rest.dropFirst(digits.count)
    }
    if character("Zz") { return rest.isEmpty }
    return character("+-") && number(2, 0...23) && character(":") && number(2, 0...59) && rest.isEmpty
  }
}
