import PushPayload
import PushRules

/// A finding and where it is in its file.
struct LocatedFinding: Sendable {
  let finding: Finding
  let place: SourceLocation

  /// What to do about it, from the table of rules; nil for a rule that is a contract's own.
  var fix: String? { Rules.rule(finding.rule)?.fix }
}

/// What there is to say about one file.
struct CheckedFile: Sendable {
  /// The path as it was given or found; `-` for standard input.
  let name: String
  var findings: [LocatedFinding] = []
  /// Why the file cannot be read; nil when it can.
  var failure: String?
  /// False when it was read and is not JSON.
  var isJSON = true

  /// The name for people.
  var title: String { name == "-" ? "standard input" : name }

  /// True when the file could not be judged.
  var isUnreadable: Bool { failure != nil || !isJSON }
}

/// How much was found.
struct CheckTotals: Sendable {
  private(set) var files = 0
  private(set) var unreadable = 0
  private(set) var errors = 0
  private(set) var warnings = 0
  private(set) var notes = 0

  /// Counts one file.
  mutating func add(_ file: CheckedFile) {
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

  /// The exit status: what could not be judged outweighs what was judged.
  var status: ExitStatus { unreadable > 0 ? .unreadable : errors > 0 ? .notLegal : .fine }

  /// `3 files checked: 1 error, 2 warnings`.
  var summary: String {
    let counts = [(errors, "error"), (warnings, "warning"), (notes, "note"), (unreadable, "unreadable file")]
    let parts = counts.filter { $0.0 > 0 }.map { CheckTotals.counted($0.0, $0.1) }
    return "\(CheckTotals.counted(files, "file")) checked: "
      + (parts.isEmpty ? "nothing to say" : parts.joined(separator: ", "))
  }

  static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
