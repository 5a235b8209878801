internal import Basics
public import PushPayload

/// One thing a provider asks of a message, with everything a person needs to know about it.
public struct Rule: Sendable {
  /// The rule by name.
  public let id: RuleID
  /// The stable text id, as findings, settings and vectors have it.
  public let text: String
  /// How serious a break is, unless the settings say otherwise.
  public let severity: Severity
  /// True for a rule that is checked only when the settings ask for it.
  public private(set) var isOptIn = false
  // What only documentation shows is not in the module that browsers fetch.
  #if _pointerBitWidth(_32)
    /// Not in WebAssembly.
    public var statement: String { "" }
    /// Not in WebAssembly.
    public var source: String { "" }
    /// Not in WebAssembly.
    public var example: String { "" }
  #else
    /// What is true of a message that keeps the rule.
    public let statement: String
    /// Where it is written; “open point” where the providers' pages do not agree.
    public let source: String
    /// A message, or a part of one, that breaks it.
    public let example: String
  #endif
  /// What to do about a break.
  public let fix: String
  /// What the provider answers to a break: an APNs reason or an FCM error code; nil when it lets the message pass.
  public let answer: String?

  #if _pointerBitWidth(_32)
    @inline(__always)
    init(
      _ id: RuleID, _ text: String, _ severity: Severity, statement: String, source: String,
      fix: String, example: String, answer: String? = nil
    ) {
      self.init(id, text, severity, fix, answer)
    }

    @inline(never)
    private init(_ id: RuleID, _ text: String, _ severity: Severity, _ fix: String, _ answer: String?) {
      self.id = id
      self.text = text
      self.severity = severity
      self.fix = fix
      self.answer = answer
    }
  #else
    @inline(never)
    init(
      _ id: RuleID, _ text: String, _ severity: Severity, statement: String, source: String,
      fix: String, example: String, answer: String? = nil
    ) {
      self.id = id
      self.text = text
      self.severity = severity
      self.statement = statement
      self.source = source
      self.fix = fix
      self.example = example
      self.answer = answer
    }
  #endif

  /// The same rule, checked only when the settings ask for it.
  @inline(never)
  func optIn() -> Rule {
    var rule = self
    rule.isOptIn = true
    return rule
  }
}

/// The table of all rules.
public enum Rules {
  /// The groups, in the order of the documentation.
  public static let groups: [(title: String, rules: [Rule])] = [
    ("JSON and documents", json), ("APNs headers", apnsHeaders), ("APNs payloads", apnsPayload),
    ("Live Activities", liveActivity), ("Broadcasts and channels", broadcast), ("FCM messages", fcm),
    ("Push Kit messages", huawei), ("Contracts: writing and reading", contracts),
    ("HTTP API", api + apiRequests + huaweiRequests),
  ]

  /// Every rule, ordered by ``RuleID``.
  public static let all: [Rule] = groups.flatMap { $0.rules }.sorted { $0.id.rawValue < $1.id.rawValue }

  /// The rule of a name.
  public static func rule(_ id: RuleID) -> Rule { all[Int(id.rawValue)] }

  /// The rule of a text id; nil when there is none.
  public static func rule(_ text: String) -> Rule? {
    #if _pointerBitWidth(_32)
      let index = all.indices.first { all[$0].text.hasSameBytes(as: text) }
    #else
      let index = indices[text]
    #endif
    return index.map { all[$0] }
  }

  #if !_pointerBitWidth(_32)
    private static let indices = [String: Int](uniqueKeysWithValues: all.indices.map { (all[$0].text, $0) })
  #endif
}
