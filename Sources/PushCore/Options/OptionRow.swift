package import Basics

/// What an option of the JSON interface takes.
package enum OptionKind: Sendable {
  /// A text.
  case text
  /// One of these texts.
  case choice([String])
  /// An array of texts.
  case texts
  /// An array of these texts.
  case choices([String])
  /// `true` or `false`.
  case flag
  /// A whole number.
  case integer(ClosedRange<WholeNumber>)
  /// An object.
  case object
}

/// One option of an operation.
package struct OptionRow: Sendable {
  /// The member's name.
  package let name: String
  /// What it takes.
  package let kind: OptionKind

  package init(_ name: String, _ kind: OptionKind) {
    self.name = name
    self.kind = kind
  }
}
