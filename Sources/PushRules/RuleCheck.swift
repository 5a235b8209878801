internal import PushPayload
internal import WireJSON

/// One check under way: the document, the settings and what was found.
///
/// Findings are made lazily: a path is worked out and a sentence written only for a rule that is broken and not off.
struct RuleCheck {
  let document: JSONDocument
  let settings: RuleSettings
  /// Where the headers are, for the paths of their findings.
  var headersPath = RuleCheck.headers
  /// True while the payload is checked of a message of whose notification FCM makes the alert.
  var hasAlertOfFCM = false
  var findings: [Finding] = []
  /// How to reach every value; made when there is more than a little to report.
  private var ancestry: JSONAncestry?

  /// The most findings whose paths are worked out one by one.
  private static let singlePathsMax = 4
  private static let headers = FieldPath(members: "headers")

  init(_ document: JSONDocument, _ settings: RuleSettings) {
    self.document = document
    self.settings = settings
  }

  mutating func add(_ rule: RuleID, at node: JSONNode, _ message: @autoclosure () -> String) {
    guard let severity = severity(of: rule) else { return }
    note(rule, severity, path(of: node), message())
  }

  // What every check ends in is not inlined.

  @inline(never)
  func severity(of rule: RuleID) -> Severity? { settings[rule].severity }

  @inline(never)
  mutating func note(_ rule: RuleID, _ severity: Severity, _ path: FieldPath, _ message: String) {
    findings.append(Finding(rule: Rules.rule(rule).text, severity: severity, field: path.text, message: message))
  }

  @inline(never)
  private mutating func path(of node: JSONNode) -> FieldPath {
    guard findings.count >= Self.singlePathsMax else { return FieldPath(of: node, in: document) }
    let ancestry = ancestry ?? JSONAncestry(document)
    self.ancestry = ancestry
    return FieldPath(of: node, in: document, ancestry)
  }

  mutating func add(_ rule: RuleID, header: String, _ message: @autoclosure () -> String) {
    guard let severity = severity(of: rule) else { return }
    note(rule, severity, headersPath.member(header), message())
  }

  /// Adds what the schema walk found, under the settings' severity.
  mutating func add(_ mismatches: [PayloadMismatch]) {
    let document = document
    for mismatch in mismatches {
      guard let rule = Rules.rule(mismatch.rule) else { continue }
      add(rule.id, at: mismatch.node, mismatch.message(in: document))
    }
  }

  /// Repeated names, looked for only where an object has more than one member.
  mutating func checkDuplicates() {
    guard settings[.jsonDuplicateKey] != .off else { return }
    for duplicate in document.duplicates() {
      var finding = PayloadMismatch.finding(duplicate, in: document)
      finding.severity = settings[.jsonDuplicateKey].severity ?? .warning
      findings.append(finding)
    }
  }

  // MARK: - Reading

  /// A member that is there and not null.
  func member(_ node: JSONNode?, _ name: StaticString) -> JSONNode? {
    guard let node, let value = document.member(of: node, name), document.kind(value) != .null else { return nil }
    return value
  }

  /// A field of an FCM message in either spelling; the last one counts.
  func field(_ node: JSONNode?, _ name: StaticString, _ camelName: StaticString) -> JSONNode? {
    guard let value = member(node, name) else { return member(node, camelName) }
    guard let other = member(node, camelName) else { return value }
    return document.sourceRange(of: other).lowerBound > document.sourceRange(of: value).lowerBound ? other : value
  }

  func isObject(_ node: JSONNode?) -> Bool { node.map { document.kind($0) == .object } ?? false }

  func isString(_ node: JSONNode?) -> Bool { node.map { document.kind($0) == .string } ?? false }

  /// Whether a member is the number 1.
  func isOne(_ node: JSONNode?) -> Bool { node.map { document.int($0) == 1 } ?? false }

  /// The string's text; nil when the member is absent or another type, which the schema walk reports.
  func text(_ node: JSONNode?) -> String? { node.flatMap { document.string($0) } }

  /// Whether a member is a string without a character.
  func isEmptyText(_ node: JSONNode) -> Bool { document.kind(node) == .string && !hasText(node) }

  /// Whether a member is a string that is not empty.
  func hasText(_ node: JSONNode?) -> Bool {
    node.map { document.kind($0) == .string && document.sourceRange(of: $0).count > 2 } ?? false
  }
}

/// How messages quote values that may be long.
enum Quoted {
  /// The longest text that a message quotes, in characters.
  static let charactersMax = 60

  static func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

  static func text(_ text: String) -> String {
    "\"" + (text.utf8.count > charactersMax ? String(text.prefix(charactersMax)) + "…" : text) + "\""
  }
}
