/// What a device does with a payload as a whole.
public enum DeviceOutcome: Sendable, Hashable {
  /// It shows what the payload asks for.
  case shown
  /// It shows something simpler than what the payload asks for; the text says what and why.
  case fallback(String)
  /// It shows nothing and does something else, as the payload asks: a badge, a sound, work in the background; the text
  /// says what.
  case silent(String)
  /// It does nothing; the text says why.
  case nothing(String)
}

extension DeviceOutcome {
  /// True when a person sees something.
  public var isVisible: Bool {
    switch self {
    case .shown, .fallback: true
    case .silent, .nothing: false
    }
  }

  /// What is shown instead, what happens instead, or why nothing happens; nil for ``shown``.
  public var reason: String? {
    switch self {
    case .shown: nil
    case .fallback(let text), .silent(let text), .nothing(let text): text
    }
  }
}
