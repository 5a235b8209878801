/// What a device draws of a payload as a whole.
public enum DeviceOutcome: Sendable, Hashable {
  /// What the payload asks for.
  case shown
  /// Something simpler than what the payload asks for; the text says what and why.
  case fallback(String)
  /// Nothing; the text says why.
  case nothing(String)
}
