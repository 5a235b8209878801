public import PushPayload

/// How a rule is applied.
public enum RuleLevel: UInt8, Sendable, Hashable {
  /// Not at all.
  case off
  /// Its breaks are notes.
  case note
  /// Its breaks are warnings.
  case warning
  /// Its breaks are errors.
  case error

  /// The severity of a finding; nil for `off`.
  public var severity: Severity? {
    switch self {
    case .off: nil
    case .note: .note
    case .warning: .warning
    case .error: .error
    }
  }

  init(_ severity: Severity) {
    switch severity {
    case .note: self = .note
    case .warning: self = .warning
    case .error: self = .error
    }
  }

  /// Reads `off`, `note`, `warning` or `error`.
  public init?(text: String) {
    switch text {
    case "off": self = .off
    case "note": self = .note
    case "warning": self = .warning
    case "error": self = .error
    default: return nil
    }
  }
}

/// Why a rule setting is not understood.
public struct RuleSettingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was expected, what was found, what to do.
  public let description: String
}

/// Which rules apply, how strictly, and what is known of the surroundings.
public struct RuleSettings: Sendable, Hashable {
  /// How the connection to APNs authenticates.
  public enum Authentication: String, Sendable, Hashable, CaseIterable {
    /// By provider token.
    case token
    /// By client certificate.
    case certificate
  }

  /// How APNs will be authenticated with; nil when it is not known, and then not judged.
  public var authentication: Authentication?
  /// What the channel of a broadcast stores; nil when it is not known, and then not judged.
  public var channelStorage: APNsChannelStoragePolicy?
  /// The largest topic message, in bytes of keys and values: 2048 by some of Google's pages, 4096 by others.
  public var fcmTopicBytesMax = RuleSettings.fcmTopicBytesDefault
  /// The smaller of the two limits of Google's pages.
  public static let fcmTopicBytesDefault = 2048
  /// True when the size counts as written; false when white space and needless escapes go before sending.
  public var countsBytesAsWritten = true

  var levels: [RuleLevel]
  /// The levels of rules that are not in the table of this module, by their text id.
  private var otherLevels: [String: RuleLevel] = [:]

  /// Every rule at its own severity, and the opt-in rules off.
  public init() { levels = RuleSettings.ownLevels }

  private static let ownLevels = Rules.all.map { $0.isOptIn ? .off : RuleLevel($0.severity) }

  /// How a rule is applied.
  public subscript(rule: RuleID) -> RuleLevel {
    get { levels[Int(rule.rawValue)] }
    set { levels[Int(rule.rawValue)] = newValue }
  }

  /// Applies a setting of the command line: `ID=off`, `ID=note`, `ID=warning` or `ID=error`.
  ///
  /// - Parameters:
  ///   - setting: the text.
  ///   - others: the ids of rules that are not in the table of this module, such as those of single contracts.
  /// - Throws: ``RuleSettingError`` when the id or the level is none.
  public mutating func apply(_ setting: String, others: [String] = []) throws(RuleSettingError) {
    let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw RuleSettingError(description: "rule setting \"\(setting)\": expected ID=off|note|warning|error")
    }
    let id = String(parts[0])
    let rule = Rules.rule(id)
    guard rule != nil || others.contains(id) else {
      throw RuleSettingError(
        description: "rule setting \"\(setting)\": there is no rule \"\(id)\"\(RuleSettings.hint(id))")
    }
    guard let level = RuleLevel(text: String(parts[1])) else {
      throw RuleSettingError(
        description: "rule setting \"\(setting)\": expected off, note, warning or error after =, found \"\(parts[1])\"")
    }
    if let rule { self[rule.id] = level } else { otherLevels[id] = level }
  }

  /// A report with every finding at its level: findings of rules that are off are gone, the others have the severity
  /// that was asked for.
  ///
  /// A rule at its own level leaves a finding as it is, and so does an id that nothing was set for.
  public func applied(to report: Report) -> Report {
    // Nearly always nothing was set.
    guard levels != RuleSettings.ownLevels || !otherLevels.isEmpty else { return report }
    var findings: [Finding] = []
    for finding in report.findings {
      var finding = finding
      if let level = changedLevel(finding.rule) {
        guard let severity = level.severity else { continue }
        finding.severity = severity
      }
      findings.append(finding)
    }
    return Report(findings)
  }

  /// The level that was set for a rule; nil when it is at its own.
  private func changedLevel(_ id: String) -> RuleLevel? {
    guard let rule = Rules.rule(id) else { return otherLevels[id] }
    return rule.isOptIn || self[rule.id] == RuleLevel(rule.severity) ? nil : self[rule.id]
  }

  /// The rules whose id begins alike, so that a slip of the pen is quickly found.
  private static func hint(_ text: String) -> String {
    let shared = Rules.all.max { commonPrefix($0.text, text) < commonPrefix($1.text, text) }
    guard let shared, commonPrefix(shared.text, text) > 5 else { return "; docs/rules.md lists them" }
    return "; did you mean \"\(shared.text)\"?"
  }

  private static func commonPrefix(_ left: String, _ right: String) -> Int {
    zip(left.utf8, right.utf8).prefix { $0 == $1 }.count
  }
}
