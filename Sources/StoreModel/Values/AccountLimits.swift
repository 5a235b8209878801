/// The limits of accounts.
public enum AccountLimits {
  /// The longest email (RFC 5321 section 4.5.3.1.3).
  public static let emailBytesMax = 254
  /// People at once.
  public static let accountsMax: Int64 = 10_000
  /// Roles of one person.
  public static let grantsMax = 100

  package static let unlinked = StoreError(
    .conflict, "the identity was unlinked from the account meanwhile", advice: "sign in again")
  package static let passwordChanged = StoreError(
    .conflict, "the password was changed meanwhile", advice: "try again with the new one")
}
