/// How bad a problem is.
public enum TextSeverity: String, Sendable, Hashable, CaseIterable, Comparable {
  /// Worth knowing; nothing is wrong.
  case note
  /// Valid, and probably a mistake.
  case warning
  /// The file does not build, the app crashes, or the person reads nothing sensible.
  case error

  var weight: Int {
    switch self {
    case .note: 0
    case .warning: 1
    case .error: 2
    }
  }

  /// Notes come first, errors last.
  public static func < (left: TextSeverity, right: TextSeverity) -> Bool { left.weight < right.weight }
}

/// Something to say about a string resource, or about the text that a device makes of it.
public struct TextProblem: Sendable, Hashable, CustomStringConvertible {
  /// The rule that is broken; its raw value is the stable id.
  public let rule: TextRule
  /// How bad it is.
  public let severity: TextSeverity
  /// One sentence: what is wrong, and what to do about it.
  public let message: String
  /// Its position in a file; nil when it has none.
  public let position: TextPosition?
  /// The key of the resource; nil when it concerns a whole file.
  public let key: String?

  /// A problem; `severity` is that of the rule unless given.
  public init(
    _ rule: TextRule, _ message: String, severity: TextSeverity? = nil, position: TextPosition? = nil,
    key: String? = nil
  ) {
    self.rule = rule
    self.severity = severity ?? rule.severity
    self.message = message
    self.position = position
    self.key = key
  }

  /// `path:line:column: severity: message [id]`.
  public var description: String {
    let position = self.position.map { "\($0): " } ?? ""
    return "\(position)\(severity.rawValue): \(message) [\(rule.rawValue)]"
  }
}

extension TextProblem {
  /// The same problem, said of an entry.
  func about(_ entry: StringEntry) -> TextProblem {
    TextProblem(rule, message, severity: severity, position: position ?? entry.position, key: key ?? entry.key)
  }
}
