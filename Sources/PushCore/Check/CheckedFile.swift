package import PushPayload
package import PushRules

/// A finding and where it is in its file.
package struct LocatedFinding: Sendable {
  /// What there is to say.
  package let finding: Finding
  /// Where it is.
  package let location: SourceLocation

  /// Makes a finding at a position.
  package init(finding: Finding, location: SourceLocation) {
    self.finding = finding
    self.location = location
  }

  /// What to do about it, from the table of rules; nil for a rule that is a contract's own.
  package var fix: String? { Rules.rule(finding.rule)?.fix }
}

/// What there is to say about one file.
package struct CheckedFile: Sendable {
  /// The path as it was given or found; `-` for standard input.
  package let name: String
  /// What there is to say, in the order of the rules.
  package var findings: [LocatedFinding] = []
  /// Why the file cannot be read; nil when it can.
  package var failure: String?
  /// False when it was read and is not JSON.
  package var isJSON = true

  /// Makes a file that was read, or that cannot be read.
  package init(name: String, findings: [LocatedFinding] = [], failure: String? = Optional.none, isJSON: Bool = true) {
    self.name = name
    self.findings = findings
    self.failure = failure
    self.isJSON = isJSON
  }

  /// The name for people.
  package var title: String { name == "-" ? "standard input" : name }

  /// True when the file could not be judged.
  package var isUnreadable: Bool { failure != nil || !isJSON }
}

/// How much was found.
package struct CheckTotals: Sendable {
  /// How many files were checked.
  package private(set) var files = 0
  /// How many could not be judged.
  package private(set) var unreadable = 0
  /// How many errors were found.
  package private(set) var errors = 0
  /// How many warnings.
  package private(set) var warnings = 0
  /// How many notes.
  package private(set) var notes = 0

  /// Nothing was checked yet.
  package init() {}

  /// Counts one file.
  package mutating func add(_ file: CheckedFile) {
    files += 1
    if file.isUnreadable { unreadable += 1 }
    for placed in file.findings {
      switch placed.finding.severity {
      case .error: errors += 1
      case .warning: warnings += 1
      case .note: notes += 1
      }
    }
  }
}
