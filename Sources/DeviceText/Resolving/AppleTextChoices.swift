/// What a preview takes iOS to do where Apple's pages leave it open.
public struct AppleTextChoices: Sendable, Hashable {
  /// Which of a plain text and a key beside it is shown.
  public enum First: String, Sendable, Hashable, CaseIterable {
    /// The text of the key, as apps in the field show it.
    case key
    /// The plain text, as on Android.
    case text
  }

  /// What is shown for a specifier without an argument.
  public enum MissingArgument: String, Sendable, Hashable, CaseIterable {
    /// The specifier, so that it is noticed.
    case specifier
    /// Nothing.
    case empty
    /// `(null)`, as Apple's formatter writes for an object that is not there.
    case null

    func text(for specifier: String) -> String {
      switch self {
      case .specifier: specifier
      case .empty: ""
      case .null: "(null)"
      }
    }
  }

  /// Which of two texts is shown.
  public var first = First.key
  /// What is shown for arguments that are too few.
  public var missingArgument = MissingArgument.specifier

  /// The choices above that say the most.
  public init() {}
}
