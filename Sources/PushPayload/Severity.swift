/// How serious a finding is: for the provider that takes the message and for the device that gets it.
///
/// The order is by weight: `note < warning < error`.
public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
  /// Worth knowing, nothing is lost: carried in another form, or not carried to a platform that has no such thing.
  case note
  /// Accepted and shown, but something is lost, replaced or simplified, as the message says; or probably a mistake.
  case warning
  /// The provider or the contract refuses it, or the device shows nothing although the push does not say that it is silent.
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
