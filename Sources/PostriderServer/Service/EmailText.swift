internal import StoreModel

/// Emails as accounts have them.
enum EmailText {
  /// The same email, as it is compared: in lower case.
  static func folded(_ text: String) -> String { text.lowercased() }

  /// An email in lower case; nil for a text that has not the form of one.
  ///
  /// Nothing is sent to it here, so that only what would confuse people is refused.
  static func read(_ text: String) -> String? {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), text.utf8.count <= AccountLimits.emailBytesMax,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    return folded(text)
  }
}
