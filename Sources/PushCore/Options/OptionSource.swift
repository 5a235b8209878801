package import Basics

/// Where the options of an operation come from: the words of a command line, or the members of a JSON object.
///
/// Options are named as the members are; a command line has `--push-type` for `push_type`.
package protocol OptionSource {
  /// The value of an option; nil when it was not given.
  func text(_ name: String) -> String?
  /// Every value of an option that takes several.
  func texts(_ name: String) -> [String]
  /// Whether a switch is on.
  func isOn(_ name: String) -> Bool
  /// The value of an option as a whole number within `range`; nil when it was not given.
  func integer(_ name: String, in range: ClosedRange<WholeNumber>) throws(CoreError) -> WholeNumber?
  /// The time in seconds since 1970; nil when the caller has no clock.
  func now() throws(CoreError) -> Int64?
  /// How the caller writes the name of an option.
  func spelled(_ name: String) -> String
}
