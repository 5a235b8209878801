/// The limits of passkeys.
public enum PasskeyLimits {
  /// Passkeys of one person.
  public static let passkeysMax = 20
}
