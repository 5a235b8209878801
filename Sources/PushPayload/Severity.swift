/// How serious a finding is.
///
/// The order is by weight: `note < warning < error`.
public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
  /// Carried differently than written, or not carried: coerced, dropped, ignored on this platform.
  case note
  /// Legal, likely a mistake.
  case warning
  /// A provider would refuse it.
  case error

  var weight: Int {
    switch self {
    case .note: 0
    case .warning: 1
    case .error: 2
    }
  }

  /// Orders by weight: notes below warnings below errors.
  public static func < (left: Severity, right: Severity) -> Bool { left.weight < right.weight }
}
