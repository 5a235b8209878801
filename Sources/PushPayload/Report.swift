internal import Basics
public import WireJSON

/// One thing a writer, reader or checker has to say about a message.
public struct Finding: Sendable, Hashable {
  #if _pointerBitWidth(_32)
    /// The stable rule id, for example `aps-reserved`; `docs/rules.md` lists them all.
    public var rule: String
    /// How serious it is.
    public var severity: Severity
    /// Where: a path such as `aps.alert.title` or `data["a.b"]` (see ``FieldPath``); empty for the whole document.
    public var field: String
    /// One sentence for a person: what is wrong, with the value, and what to do.
    public var message: String
  #else
    /// The stable rule id, for example `aps-reserved`; `docs/rules.md` lists them all.
    public var rule: String { didSet { kept = nil } }
    /// How serious it is.
    public var severity: Severity { didSet { kept = nil } }
    /// Where: a path such as `aps.alert.title` or `data["a.b"]` (see ``FieldPath``); empty for the whole document.
    public var field: String { didSet { kept = nil } }
    /// One sentence for a person: what is wrong, with the value, and what to do.
    public var message: String { didSet { kept = nil } }
    /// The JSON text of a finding that is the same each time; nil once a part of it has changed.
    private var kept: JSONFragment?
  #endif

  /// Makes a finding from its four parts.
  public init(rule: String, severity: Severity, field: String, message: String) {
    self.rule = rule
    self.severity = severity
    self.field = field
    self.message = message
  }

  #if !_pointerBitWidth(_32)
    /// The same finding with its JSON text, for one that is made once and reported often: the text is never freed.
    package var keeping: Finding {
      var writer = JSONWriter(capacity: 256)
      write(to: &writer)
      var finding = self
      finding.kept = JSONFragment(writer.bytes + [UInt8(ascii: ",")])
      return finding
    }
  #else
    package var keeping: Finding { self }
  #endif

  /// Feeds what makes two findings the same.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(severity)
    hasher.combine(rule)
    hasher.combine(field)
    hasher.combine(message)
  }

  /// Whether both say the same of the same field, by their bytes.
  public static func == (left: Finding, right: Finding) -> Bool {
    left.severity == right.severity && left.rule.hasSameBytes(as: right.rule)
      && left.field.hasSameBytes(as: right.field) && left.message.hasSameBytes(as: right.message)
  }

  /// The field as an RFC 6901 JSON pointer, for finding line and column in the source text.
  public var pointer: String { FieldPath.pointer(ofText: field) }

  /// The finding as `{rule, severity, field, message}`, in that order.
  public var json: JSONObject {
    var object = JSONObject()
    object.append("rule", .string(rule))
    object.append("severity", .string(severity.rawValue))
    object.append("field", .string(field))
    object.append("message", .string(message))
    return object
  }

  /// Writes what ``json`` is.
  package func write(to writer: inout JSONWriter) {
    #if !_pointerBitWidth(_32)
      if let kept { return writer.fragment(kept) }
    #endif
    writer.literal("{\"rule\":")
    writer.string(rule)
    writer.literal("\"severity\":")
    writer.string(severity.rawValue)
    writer.literal("\"field\":")
    writer.string(field)
    writer.literal("\"message\":")
    writer.string(message)
    writer.endObject()
  }
}

extension Finding: CustomStringConvertible {
  /// `error aps-reserved data.aps: …`.
  public var description: String { "\(severity.rawValue) \(rule) \(field): \(message)" }
}

/// What writing, reading or checking a message had to say; nothing is changed or dropped without a line here.
public struct Report: Sendable, Hashable {
  /// The findings, in the order they were made.
  public var findings: [Finding]

  /// Makes a report, empty unless findings are given.
  public init(_ findings: [Finding] = []) { self.findings = findings }

  // Neither of these is inlined, as hundreds of checks end in one.

  /// Adds one finding.
  @inline(never)
  public mutating func add(rule: String, severity: Severity, field: String, message: String) {
    findings.append(Finding(rule: rule, severity: severity, field: field, message: message))
  }

  /// Adds one finding at a path.
  @inline(never)
  public mutating func add(rule: String, severity: Severity, field: FieldPath, message: String) {
    add(rule: rule, severity: severity, field: field.text, message: message)
  }

  /// Appends another report's findings.
  public mutating func append(_ other: Report) {
    if findings.isEmpty { findings = other.findings } else { findings.append(contentsOf: other.findings) }
  }

  /// Appends what another report says that this one does not.
  public mutating func appendNew(_ other: Report) {
    guard !other.isEmpty else { return }
    var said = Set(findings)
    for finding in other.findings where said.insert(finding).inserted { findings.append(finding) }
  }

  /// True when there is nothing to say.
  public var isEmpty: Bool { findings.isEmpty }

  /// True when at least one finding is an error: a provider refuses the message, or a device shows nothing of it.
  public var hasErrors: Bool { findings.contains { $0.severity == .error } }

  /// The rule ids in order, for tests and summaries.
  public var rules: [String] { findings.map { $0.rule } }

  /// The report as `[{rule, severity, field, message}]`.
  public var json: JSONValue { .array(findings.map { .object($0.json) }) }

  /// Writes what ``json`` is.
  package func write(to writer: inout JSONWriter) {
    writer.beginArray()
    // A loop over the findings themselves would copy each.
    for index in findings.indices { findings[index].write(to: &writer) }
    writer.endArray()
  }
}
